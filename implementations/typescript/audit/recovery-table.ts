import type { Action, ProbeAnswer } from '../../../schemas/types.js';

/** What a probe said. */
export type ProbeVerdict = ProbeAnswer['verdict'];

/** What is done about an execution whose end is not in the log. */
export type RecoveryDecisionWord = 'commit' | 'redo' | 'close' | 'roll_back' | 'compensate' | 'in_doubt';

/** A column of the decision table. */
export type RecoveryColumn = 'redoable' | 'rollbackable' | 'compensatable' | 'irreversible';

/** At most this many redos follow one execution; then the column of its rollback category decides. */
export const MAX_REDOS = 3;

const TABLE: Readonly<Record<ProbeVerdict, Readonly<Record<RecoveryColumn, RecoveryDecisionWord>>>> = {
  applied: { redoable: 'commit', rollbackable: 'commit', compensatable: 'commit', irreversible: 'commit' },
  absent: { redoable: 'redo', rollbackable: 'close', compensatable: 'close', irreversible: 'close' },
  partial: { redoable: 'redo', rollbackable: 'roll_back', compensatable: 'compensate', irreversible: 'in_doubt' },
  unknown: { redoable: 'redo', rollbackable: 'roll_back', compensatable: 'compensate', irreversible: 'in_doubt' },
};

/** Whether executing the action touches anything outside State. */
export function hasSideEffects(action: Action): boolean {
  return (action.side_effects ?? []).length > 0;
}

/** The column that an interrupted execution is judged by while it may still be redone. */
export function columnOf(action: Action): RecoveryColumn {
  if (!hasSideEffects(action)) return 'redoable';
  const repeatable = action.determinism === 'deterministic' && action.idempotent === true;
  return repeatable && action.rollback !== 'irreversible' ? 'redoable' : action.rollback;
}

/**
 * The decision of the table, before it is known whether an undo exists.
 *
 * @requirement CRC1
 */
export function decide(verdict: ProbeVerdict, column: RecoveryColumn): RecoveryDecisionWord {
  return TABLE[verdict][column];
}

/** What else the decision depends on. */
export interface RecoveryCircumstances {
  /** How many redos came before; also MAX_REDOS where governance refuses a redo. */
  readonly redos: number;
  /** Whether the revert or compensation that the category asks for exists and can run on what is known. */
  readonly undo_possible: boolean;
}

/**
 * What to do about one interrupted execution of an action.
 *
 * Where no redo is left, the column of the rollback category decides; without side effects nothing has to be undone
 * and the execution is closed. An undo that is asked for and cannot run leaves the execution in doubt.
 *
 * @requirement CRC1
 */
export function decideInterrupted(
  verdict: ProbeVerdict,
  action: Action,
  circumstances: RecoveryCircumstances,
): RecoveryDecisionWord {
  const column = columnOf(action);
  const exhausted = column === 'redoable' && circumstances.redos >= MAX_REDOS;
  if (!exhausted) return possible(decide(verdict, column), circumstances.undo_possible);
  if (!hasSideEffects(action)) return verdict === 'applied' ? 'commit' : 'close';
  return possible(decide(verdict, action.rollback), circumstances.undo_possible);
}

/**
 * What to do about a failed execution that is not retried and may have had external effects.
 *
 * @requirement CRC2
 */
export function decideFailed(verdict: ProbeVerdict, action: Action, undo_possible: boolean): RecoveryDecisionWord {
  return possible(decide(verdict, action.rollback), undo_possible);
}

/**
 * What to do about an execution that had its effects and cannot be committed: they are undone, or it is in doubt.
 */
export function decideUncommittable(action: Action, undo_possible: boolean): RecoveryDecisionWord {
  return possible(decide('unknown', action.rollback), undo_possible);
}

/**
 * What to do about an interrupted revert or compensation: commit it if it was applied, else redo it whatever its class.
 */
export function decideUndo(verdict: ProbeVerdict, redos: number): RecoveryDecisionWord {
  if (verdict === 'applied') return 'commit';
  return redos < MAX_REDOS ? 'redo' : 'close';
}

function possible(decision: RecoveryDecisionWord, undo_possible: boolean): RecoveryDecisionWord {
  const undoes = decision === 'roll_back' || decision === 'compensate';
  return undoes && !undo_possible ? 'in_doubt' : decision;
}
