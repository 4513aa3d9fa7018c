import type { Action, SafetyLevel } from '../../../schemas/types.js';
import type { ResolvedAction } from '../execution/action-table.js';
import { actionKey } from '../execution/contract.js';
import type { Plan } from '../workflow/plan.js';

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

/** A node, and what makes it as risky as it is. */
export interface RiskCause {
  readonly node_id: string;
  /** The action itself, or a revert or compensation that it can lead to. */
  readonly action_id: string;
  readonly level: SafetyLevel;
}

/** The nodes that give a plan its level, each with the action that does; none where it is SAFE. */
export function causesOf(plan: Plan): readonly RiskCause[] {
  const highest = highestLevel([...plan.actions.values()].map(({ action }) => action));
  if (highest === 'SAFE') return [];
  const causes: RiskCause[] = [];
  for (const step of plan.steps) {
    if (step.kind !== 'action') continue;
    const seen = new Set<string>();
    let next: ResolvedAction | undefined = step.action;
    while (next !== undefined && !seen.has(actionKey(next.action))) {
      const { action, undo }: ResolvedAction = next;
      seen.add(actionKey(action));
      if (actionLevel(action) === highest) {
        causes.push({ node_id: step.node_id, action_id: action.action_id, level: highest });
        break;
      }
      next = undo === undefined ? undefined : plan.actions.get(undo);
    }
  }
  return causes;
}
