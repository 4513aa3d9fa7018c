import type { LedgerEntry } from '../program.js';
import type { Resolution } from './firing.js';
import { sameJson } from './json.js';
import type { Complain, NodeCase } from './node-case.js';

/** Judges the invocations that undo a node's executions: that they had to be, and what they were given. */
export function judgeUndos(
  nodeCase: NodeCase,
  resolution: Resolution | undefined,
  undone: readonly LedgerEntry[],
  complain: Complain,
): void {
  const due = resolution?.run?.undo;
  const [first] = undone;
  if (due === undefined) {
    if (first !== undefined && resolution !== undefined) {
      complain(
        'CRC2',
        `no undo of what ended as ${resolution.outcome}`,
        `an invocation of ${first.action_id}`,
        first.execution_id,
      );
    }
    return;
  }
  if (first === undefined) {
    if (!nodeCase.witness.strayUndos) complain('CRC1', `an invocation of ${due.action_id}`, 'none');
    return;
  }
  const incarnations = new Set<number>();
  for (const entry of undone) {
    const { execution_id } = entry;
    if (entry.action_id !== due.action_id) complain('CP1', due.action_id, entry.action_id, execution_id);
    if (entry.idempotency_key !== first.idempotency_key) {
      complain('CP3', `key ${first.idempotency_key}`, `key ${entry.idempotency_key}`, execution_id);
    }
    if (incarnations.has(entry.incarnation)) complain('CRC2', 'one undo', 'two in one incarnation', execution_id);
    incarnations.add(entry.incarnation);
    judgeInputs(nodeCase, entry, complain);
  }
}

function judgeInputs({ entries, inputs }: NodeCase, entry: LedgerEntry, complain: Complain): void {
  const original = entries.find(candidate => candidate.execution_id === entry.inputs.execution_id);
  if (!sameJson(entry.inputs.inputs ?? null, inputs)) {
    const expected = `the original's inputs ${JSON.stringify(inputs)}`;
    complain('RB4', expected, JSON.stringify(entry.inputs.inputs) ?? 'nothing', entry.execution_id);
  }
  if (original !== undefined && entry.inputs.idempotency_key !== original.idempotency_key) {
    const expected = `the original's key ${original.idempotency_key}`;
    complain('RB4', expected, String(entry.inputs.idempotency_key), entry.execution_id);
  }
}
