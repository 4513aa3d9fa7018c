import { SuiteError } from '../../error.js';
import type { LedgerEntry, Observation, UndoOutcome } from '../../program.js';

/** Gives the observation with one outcome changed; a negative index counts from the end. */
export function withOutcome(seen: Observation, index: number, change: Partial<UndoOutcome>): Observation {
  const undos = seen.undos ?? [];
  const outcome = undos.at(index);
  if (outcome === undefined) throw new SuiteError('suite_bug', 'there is no outcome to be changed');
  return { ...seen, undos: undos.with(index, { ...outcome, ...change }) };
}

/** Gives the n-th invocation that undoes something; a negative index counts from the end. */
export function askedUndo({ ledger }: Observation, index = 0): LedgerEntry {
  const entry = ledger.filter(({ kind, action_id }) => kind === 'invoke' && action_id === 'undo').at(index);
  if (entry === undefined) throw new SuiteError('suite_bug', 'nothing was invoked to undo');
  return entry;
}
