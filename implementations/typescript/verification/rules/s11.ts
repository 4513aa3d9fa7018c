import type { Action } from '../../../../schemas/types.js';
import { unknownDefinitions } from '../references.js';
import { definitionFinding, type Rule } from '../rule.js';

/** S11: side effects are declared. @requirement S11 */
export const s11: Rule = {
  id: 'S11',
  severity: 'warning',
  requirement:
    'Every action that is used declares its side_effects; one that says none has no revert, no compensation and is not idempotent: false.',
  why: 'An effect that is not declared is not there to recovery: nothing is undone, and nobody is asked.',
  help: 'List the side_effects, or write side_effects: [] where there are none.',
  kinds: [
    {
      id: 'undeclared',
      summary: 'side_effects that are not declared',
      message: /^The action ".*" does not say what side effects it has$/,
    },
    {
      id: 'contradiction',
      summary: 'no side effects, but a revert or a compensation',
      message: /^The action ".*" says that it has no side effects, but has a (revert|compensation)$/,
    },
    {
      id: 'not-idempotent',
      summary: 'no side effects, but not idempotent',
      message: /^The action ".*" says that it has no side effects, but also that it is not idempotent$/,
    },
  ],
  failing: `actions:
  - { action_id: store, version: 1.0.0, determinism: deterministic, rollback: rollbackable }
nodes:
  - { node_id: store, type: action, action_def: store@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: store, to_node: done, label: success }
`,
  passing: `actions:
  - { action_id: store, version: 1.0.0, determinism: deterministic, rollback: rollbackable, side_effects: [] }
nodes:
  - { node_id: store, type: action, action_def: store@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: store, to_node: done, label: success }
`,
  check(context) {
    const findings = context.actions.used.flatMap(used => {
      const wrong = contradiction(used.action);
      return wrong === undefined ? [] : [definitionFinding(used, wrong.field, wrong.what, wrong.help)];
    });
    const notEvaluated = unknownDefinitions(context.actions);
    return notEvaluated === undefined ? { findings } : { findings, notEvaluated };
  },
};

/** What does not agree; where S10 says already that an action without side effects is not rollbackable, that is enough. */
function contradiction(action: Action): { field: string; what: string; help: string } | undefined {
  const { side_effects, revert, compensation, idempotent } = action;
  if ((side_effects ?? []).length === 0 && !isRollbackable(action)) return undefined;
  if (side_effects === undefined) return { field: '', what: 'does not say what side effects it has', help: s11.help };
  if (side_effects.length > 0) return undefined;
  const field =
    revert !== undefined
      ? 'revert'
      : compensation !== undefined
        ? 'compensation'
        : idempotent === false
          ? 'idempotent'
          : undefined;
  if (field === undefined) return undefined;
  const but = field === 'idempotent' ? 'but also that it is not idempotent' : `but has a ${field}`;
  return {
    field,
    what: `says that it has no side effects, ${but}`,
    help: `List its side_effects, or leave ${field} out.`,
  };
}

function isRollbackable({ rollback, modifies_existing }: Action): boolean {
  return rollback === 'rollbackable' && modifies_existing !== true;
}
