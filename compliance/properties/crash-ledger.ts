import type { Violation } from '../history/violation.js';
import { resolveAction } from '../model/contract.js';
import { descendants } from '../model/expected.js';
import { graphOf } from '../model/firing.js';
import type { LedgerEntry, Observation, Program } from '../program.js';

/** A node that had committed in an incarnation, as the suite's ledger alone shows it. */
export interface Settled {
  readonly node_id: string;
  readonly incarnation: number;
}

/**
 * The nodes that had committed before a kill, without any word of the runtime: their action had answered without an error,
 * and in the same incarnation something behind them was invoked, which has to wait for the commit.
 */
export function settledBeforeKill(program: Program, { ledger, kills }: Observation): readonly Settled[] {
  if (kills === 0) return [];
  const graph = graphOf(program.workflow);
  const found = new Map<string, Settled>();
  for (const entry of ledger) {
    const { node_id, replied_at, incarnation } = entry;
    if (node_id === undefined || replied_at === undefined || incarnation > kills || found.has(node_id)) continue;
    if (!isOwn(program, entry) || failed(entry)) continue;
    const behind = descendants(graph, node_id);
    const followed = ledger.some(
      later =>
        later.kind === 'invoke' &&
        later.incarnation === incarnation &&
        later.received_at > replied_at &&
        behind.has(later.node_id ?? ''),
    );
    if (followed) found.set(node_id, { node_id, incarnation });
  }
  return [...found.values()];
}

/** What a killed run breaks by the suite's ledger and the runtime's answers alone, so that no log is needed. */
export function crashLedgerViolations(program: Program, observation: Observation): Violation[] {
  const { start, wait, kills, ledger } = observation;
  if (kills === 0 || 'error' in start) return [];
  const { execution_id } = start;
  if (wait === undefined) {
    const expected = `instance ${execution_id}, which was started before the kill, goes on`;
    return [{ requirement: 'IR5', expected, observed: 'the runtime does not know it any more', execution_id }];
  }
  return settledBeforeKill(program, observation).flatMap(({ node_id, incarnation }): Violation[] => {
    const again = ledger.find(
      entry => entry.incarnation > incarnation && entry.node_id === node_id && isOwn(program, entry),
    );
    const outcome = wait.trace.find(entry => entry.node_id === node_id)?.outcome;
    if (again !== undefined) {
      const expected = `no invocation after its commit in incarnation ${incarnation}`;
      const observed = `invoked in incarnation ${again.incarnation}`;
      return ['IR5', 'CLI3'].map(requirement => ({ requirement, expected, observed, node_id }));
    }
    if (outcome === undefined || outcome === 'success' || wait.status === 'compensated') return [];
    return [{ requirement: 'CLI3', expected: 'success, as before the kill', observed: outcome, node_id }];
  });
}

function isOwn(program: Program, { kind, node_id, action_id }: LedgerEntry): boolean {
  const node = program.workflow.nodes.find(candidate => candidate.node_id === node_id);
  if (kind !== 'invoke' || node?.type !== 'action') return false;
  return resolveAction(node.action_def, program)?.action_id === action_id;
}

function failed({ reply }: LedgerEntry): boolean {
  return typeof reply === 'object' && reply !== null && 'error' in reply;
}
