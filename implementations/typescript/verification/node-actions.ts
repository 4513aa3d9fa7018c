import type { Action } from '../../../schemas/types.js';
import type { VerificationContext } from './context.js';
import { compareNames, listNames } from './rule.js';
import { actionOf } from './values/known-values.js';

/** What a node executes. */
export interface NodeActions {
  readonly actions: readonly Action[];
  /** Whether there may be more, because a definition is not known. */
  readonly incomplete: boolean;
}

const NOTHING: NodeActions = { actions: [], incomplete: false };

/** Returns the actions that a node executes itself: its own, the one that compensates, or everything in its skill. */
export function actionsOf(context: VerificationContext, node: number): NodeActions {
  const subject = context.node(node);
  if (subject.type === 'skill') {
    const skill = context.skills.resolve(subject.workflow_ref);
    if (skill === undefined) return { actions: [], incomplete: true };
    const { actions, incomplete } = context.skills.contentOf(skill);
    return { actions: actions.map(({ action }) => action), incomplete };
  }
  const refers = subject.type === 'action' || (subject.type === 'error' && subject.compensate_ref !== undefined);
  if (!refers) return NOTHING;
  const action = actionOf(context, node);
  return action === undefined ? { actions: [], incomplete: true } : { actions: [action], incomplete: false };
}

/** Why a rule about actions leaves some nodes out; undefined where every definition is known. */
export function unknownActions(nodes: readonly string[]): string | undefined {
  if (nodes.length === 0) return undefined;
  return `what ${listNames([...nodes].sort(compareNames), 3)} ${nodes.length === 1 ? 'executes' : 'execute'} is not known (S7, S12)`;
}
