import type { Violation } from '../history/violation.js';
import { type Graph, type Resolution, takes } from './firing.js';
import type { Witness } from './witness.js';

/** When a node began and ended, on the suite's line of time or in the log; absent where that is not known. */
interface Span {
  readonly start?: number;
  readonly end?: number;
}

/**
 * Judges that nothing starts before its predecessors are resolved, by the ledger (CF1, CF6, IR5) and by the log (PC4). A
 * condition or a node that was never invoked begins and ends with the last of its predecessors.
 */
export function judgeOrder(
  graph: Graph,
  resolved: ReadonlyMap<string, Resolution>,
  witness: Witness,
  found: Violation[],
): void {
  const clocks = [
    { span: (id: string) => ledgerSpan(id, witness), name: 'ledger' },
    { span: (id: string) => logSpan(id, witness), name: 'log' },
  ] as const;
  for (const { span, name } of clocks) {
    const ends = new Map<string, number>();
    for (const node_id of resolved.keys()) {
      const ins = graph.ins.get(node_id) ?? [];
      const before = Math.max(0, ...ins.map(edge => ends.get(edge.from_node) ?? 0));
      const own = span(node_id);
      ends.set(node_id, Math.max(before, own.end ?? 0));
      if (own.start === undefined || own.start >= before) continue;
      const late = ins.find(edge => (ends.get(edge.from_node) ?? 0) > (own.start ?? 0));
      const source = late === undefined ? undefined : resolved.get(late.from_node);
      const taken = late !== undefined && source !== undefined && takes(source, late);
      const observed = `it began at ${own.start}, '${late?.from_node}' was resolved at ${before} (${name})`;
      const requirements = name === 'log' ? ['PC4'] : taken ? ['CF1', 'CF6'] : ['CF6'];
      for (const requirement of requirements) {
        found.push({ requirement, expected: 'a start behind all predecessors', observed, node_id });
      }
    }
  }
}

/**
 * Judges by the log that nothing becomes ready and starts once an execution is in doubt (FB5). What was ready before, and
 * what recovery redoes, may still begin.
 */
export function judgeDoubt(
  graph: Graph,
  resolved: ReadonlyMap<string, Resolution>,
  witness: Witness,
  found: Violation[],
): void {
  const doubts = [...witness.records.values()].flat().filter(record => record.status === 'in_doubt');
  const doubt = doubts.find(record => witness.records.get(record.execution_id)?.at(-1) === record);
  if (doubt === undefined) return;
  const ends = new Map<string, number>();
  for (const node_id of resolved.keys()) {
    const { start, end } = logSpan(node_id, witness);
    const ready = Math.max(0, ...(graph.ins.get(node_id) ?? []).map(edge => ends.get(edge.from_node) ?? 0));
    ends.set(node_id, Math.max(ready, end ?? 0));
    if (start === undefined || ready <= doubt.sequence || start <= doubt.sequence) continue;
    const observed = `started at ${start}, behind what ended at ${ready}`;
    found.push({ requirement: 'FB5', expected: `no start after ${doubt.sequence}, in doubt`, observed, node_id });
  }
}

function ledgerSpan(node_id: string, { invocations }: Witness): Span {
  const entries = invocations.get(node_id) ?? [];
  const [first] = entries;
  const last = entries.at(-1);
  return {
    ...(first === undefined ? {} : { start: first.received_at }),
    ...(last === undefined ? {} : { end: last.replied_at ?? last.received_at }),
  };
}

function logSpan(node_id: string, { executions, records }: Witness): Span {
  const ids = executions.get(node_id) ?? [];
  const first = records.get(ids[0] ?? '')?.[0];
  const last = records.get(ids.at(-1) ?? '')?.at(-1);
  return {
    ...(first === undefined ? {} : { start: first.sequence }),
    ...(last === undefined || last.status === 'pending' ? {} : { end: last.sequence }),
  };
}
