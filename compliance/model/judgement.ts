import type { Action, ProbeAnswer } from '../../schemas/types.js';
import { hasSideEffects } from './contract.js';

/** What the table of Ch6 can decide about an execution whose outcome is not known. */
export type Decision = 'commit' | 'redo' | 'close' | 'roll_back' | 'compensate' | 'in_doubt';

/** Whether an interrupted execution belongs to the first column: it may be redone. */
export function mayRedo(action: Action): boolean {
  if (!hasSideEffects(action)) return true;
  return action.determinism === 'deterministic' && action.idempotent === true && action.rollback !== 'irreversible';
}

/** The decision of the table for an execution that a crash interrupted. No side effects count as the answer absent. */
export function decideInterrupted(action: Action, probe: ProbeAnswer['verdict']): Decision {
  if (!hasSideEffects(action)) return 'redo';
  if (mayRedo(action)) return probe === 'applied' ? 'commit' : 'redo';
  return decideByCategory(action, probe);
}

/** The decision of the rollback category's column alone: for a live failure, and where a redo is used up or denied. */
export function decideByCategory(action: Action, probe: ProbeAnswer['verdict']): Decision {
  if (probe === 'applied') return 'commit';
  if (probe === 'absent') return 'close';
  return undoDecision(action);
}

/** How an effect that stands is undone; a category without its undo action leaves the execution in doubt. */
export function undoDecision(action: Action): Decision {
  if (action.rollback === 'rollbackable' && action.revert !== undefined) return 'roll_back';
  if (action.rollback === 'compensatable' && action.compensation !== undefined) return 'compensate';
  return 'in_doubt';
}

/** The reference of the action that undoes this one, or undefined. */
export function undoReference(action: Action): string | undefined {
  if (action.rollback === 'rollbackable') return action.revert;
  return action.rollback === 'compensatable' ? action.compensation : undefined;
}
