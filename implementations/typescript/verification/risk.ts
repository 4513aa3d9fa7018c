import type { Action, SafetyLevel } from '../../../schemas/types.js';
import { actionKey } from '../execution/contract.js';

/** The levels, the lowest first. */
export const LEVELS: readonly SafetyLevel[] = ['SAFE', 'CONDITIONALLY_SAFE', 'RISKY', 'IRREVERSIBLE'];

/** What makes an action risky, and the level that it gives at least. */
export interface Risk {
  readonly requirement: 'RS1' | 'RS2' | 'RS3' | 'RS4' | 'RS5';
  readonly level: SafetyLevel;
  /** In words, to be put behind the name of the action. */
  readonly what: string;
}

/** What undoes an action: its definition, none, or one that is not known. */
export type Undo = Action | undefined | 'unknown';

/**
 * Returns the sources of risk of one action, whose revert or compensation is given, in the order of their requirements;
 * empty where it is SAFE.
 *
 * @requirement RS1
 * @requirement RS2
 * @requirement RS3
 * @requirement RS4
 * @requirement RS5
 */
export function risksOf(action: Action, undo: Undo): Risk[] {
  const effects = action.side_effects ?? [];
  const risks: Risk[] = [];
  const add = (requirement: Risk['requirement'], level: SafetyLevel, what: string): void => {
    risks.push({ requirement, level, what });
  };
  if (action.determinism === 'non_deterministic')
    add('RS1', 'CONDITIONALLY_SAFE', 'may turn out differently each time (non_deterministic)');
  if (effects.includes('remote_server'))
    add('RS2', 'CONDITIONALLY_SAFE', 'has an effect that a call to a service has to undo (remote_server)');
  if (effects.includes('external_service'))
    add('RS3', 'RISKY', 'has an effect for which no service offers an undo (external_service)');
  if (action.rollback === 'compensatable' && !canUndo(undo)) add('RS4', 'RISKY', gapText(undo));
  if (action.rollback === 'irreversible') add('RS5', 'IRREVERSIBLE', 'is irreversible');
  return risks;
}

/** Whether what is to undo an action is there and can itself be undone; assumed where it is not known. */
export function canUndo(undo: Undo): boolean {
  return undo === 'unknown' || (undo !== undefined && undo.rollback !== 'irreversible');
}

/** Returns the higher of two levels. */
export function higherLevel(a: SafetyLevel, b: SafetyLevel): SafetyLevel {
  return LEVELS.indexOf(a) >= LEVELS.indexOf(b) ? a : b;
}

function gapText(undo: Undo): string {
  if (undo === undefined || undo === 'unknown') return 'is compensatable and has no compensation';
  return `is compensatable by what is itself irreversible, "${actionKey(undo)}"`;
}
