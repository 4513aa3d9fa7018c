import type { Action, ProbeAnswer } from '../../schemas/types.js';
import type { Program } from '../program.js';
import { hasSideEffects, resolveAction } from './contract.js';

/** What the table of Ch6 can decide about an execution whose outcome is not known. */
export type Decision = 'commit' | 'redo' | 'close' | 'roll_back' | 'compensate' | 'in_doubt';

/** Whether an interrupted execution belongs to the first column: it may be redone. */
export function mayRedo(action: Action): boolean {
  if (!hasSideEffects(action)) return true;
  return action.determinism === 'deterministic' && action.idempotent === true && action.rollback !== 'irreversible';
}

/** The decision of the table for an execution that a crash interrupted. No side effects count as the answer absent. */
export function decideInterrupted(action: Action, probe: ProbeAnswer['verdict'], undo: Action | undefined): Decision {
  if (!hasSideEffects(action)) return 'redo';
  if (mayRedo(action)) return probe === 'applied' ? 'commit' : 'redo';
  return decideByCategory(action, probe, undo);
}

/** The decision of the rollback category's column alone: for a live failure, and where a redo is used up or denied. */
export function decideByCategory(action: Action, probe: ProbeAnswer['verdict'], undo: Action | undefined): Decision {
  if (probe === 'applied') return 'commit';
  if (probe === 'absent' || !hasSideEffects(action)) return 'close';
  return undoDecision(action, undo);
}

/** How an effect that may stand is undone; where nothing can undo it, the execution is in doubt. */
export function undoDecision(action: Action, undo: Action | undefined): Decision {
  if (undo === undefined) return 'in_doubt';
  return action.rollback === 'rollbackable' ? 'roll_back' : 'compensate';
}

/** The action that can undo an execution that did not commit; one that requires outputs cannot. */
export function undoAction(action: Action, program: Program): Action | undefined {
  const reference = undoReference(action);
  const undo = reference === undefined ? undefined : resolveAction(reference, program);
  const required: unknown = undo?.input_schema?.required;
  return Array.isArray(required) && required.includes('outputs') ? undefined : undo;
}

/** The reference of the action that undoes this one, or undefined. */
export function undoReference(action: Action): string | undefined {
  if (action.rollback === 'rollbackable') return action.revert;
  return action.rollback === 'compensatable' ? action.compensation : undefined;
}
