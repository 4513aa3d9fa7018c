import type { Action, ActionNode, ProbeAnswer } from '../../schemas/types.js';
import type { LedgerEntry, Program } from '../program.js';
import { usableProbe } from './attempt.js';
import { hasSideEffects } from './contract.js';
import type { NodeRun } from './firing.js';
import type { Scope } from './scope.js';
import { hostedProbe, nodeBehaviour, readProbe } from './script.js';
import type { Fold } from './state.js';
import type { Witness } from './witness.js';

/** A ready action node: what it is given, and where it stands. */
export interface NodeCase {
  readonly node: ActionNode;
  readonly action: Action;
  readonly undo: Action | undefined;
  readonly program: Program;
  readonly witness: Witness;
  readonly entries: readonly LedgerEntry[];
  readonly inputs: NodeRun['inputs'];
  readonly own: Scope;
  readonly instance: Scope;
  readonly fold: Fold;
  readonly handled: boolean;
  readonly degraded: boolean;
}

export type Complain = (requirement: string, expected: string, observed: string, execution_id?: string) => void;

/** What the probe answers of an execution: as it did, or as it would have. */
export function probeOf(
  { program, action, node, entries, witness, own, instance }: NodeCase,
  entry: LedgerEntry | undefined,
): ProbeAnswer {
  if (!hasSideEffects(action)) return { verdict: 'absent' };
  const asked = entry === undefined ? undefined : witness.probes.get(entry.execution_id)?.reply;
  const read = (answer: ProbeAnswer) => usableProbe(readProbe(action, answer), action, node, own, instance);
  if (asked !== undefined) return read(asked as ProbeAnswer);
  const known = entry === undefined ? entries : entries.slice(0, entries.indexOf(entry) + 1);
  const applied = known.findLastIndex(candidate => candidate.effect);
  const behaviour = nodeBehaviour(program.script, node.node_id, applied === -1 ? 1 : applied + 1);
  return read(hostedProbe(program.script, node.node_id, applied !== -1, behaviour));
}
