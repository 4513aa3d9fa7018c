import type { Action, SafetyLevel } from '../../../schemas/types.js';

const ORDER: readonly SafetyLevel[] = ['SAFE', 'CONDITIONALLY_SAFE', 'RISKY', 'IRREVERSIBLE'];

/**
 * The risk of executing one action, by what it declares.
 *
 * @requirement RS1
 */
export function actionLevel(action: Action): SafetyLevel {
  const effects = action.side_effects ?? [];
  if (action.rollback === 'irreversible') return 'IRREVERSIBLE';
  const gap = action.rollback === 'compensatable' && action.compensation === undefined;
  if (effects.includes('external_service') || gap) return 'RISKY';
  if (action.determinism === 'non_deterministic' || effects.includes('remote_server')) return 'CONDITIONALLY_SAFE';
  return 'SAFE';
}

/** The highest level of the actions; SAFE where there are none. */
export function highestLevel(actions: Iterable<Action>): SafetyLevel {
  let highest = 0;
  for (const action of actions) highest = Math.max(highest, ORDER.indexOf(actionLevel(action)));
  return ORDER[highest] as SafetyLevel;
}
