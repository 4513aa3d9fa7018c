import type { Action } from '../../../../schemas/types.js';
import { unknownDefinitions } from '../references.js';
import { definitionFinding, type Rule } from '../rule.js';

/** S10: the rollback category of an action fits its effects. @requirement S10 */
export const s10: Rule = {
  id: 'S10',
  severity: 'blocking',
  requirement: 'Every action that is used satisfies IH1 to IH4, and a rollbackable one with side effects has a revert.',
  why: 'After a crash the category alone says how an action is undone; a wrong one undoes nothing, or promises what nobody can keep.',
  help: 'Correct the category, the side effects, or name the action that undoes it.',
  kinds: [
    {
      id: 'no-effects',
      summary: 'no side effects, and not rollbackable',
      message: /^The action ".*" (has|lists) no side effects but is \w+ \(IH1\)/,
    },
    {
      id: 'modifies-without-effects',
      summary: 'no side effects, but modifies what exists',
      message: /^The action ".*" modifies what exists but (has|lists) no side effects \(IH2\)$/,
    },
    {
      id: 'modifies-existing',
      summary: 'modifies what exists, but is rollbackable',
      message: /^The action ".*" modifies what exists but is rollbackable \(IH2\)$/,
    },
    {
      id: 'remote-server',
      summary: 'acts on a remote_server, but is rollbackable',
      message: /^The action ".*" acts on a remote_server but is rollbackable \(IH3\)$/,
    },
    {
      id: 'external-service',
      summary: 'acts on an external_service, but is not irreversible',
      message: /^The action ".*" acts on an external_service but is \w+ \(IH4\)$/,
    },
    {
      id: 'no-revert',
      summary: 'rollbackable with side effects, but without a revert',
      message: /^The action ".*" is rollbackable with side effects but has no revert$/,
    },
  ],
  failing: `actions:
  - { action_id: post, version: 1.0.0, determinism: deterministic, rollback: rollbackable, side_effects: [external_service] }
nodes:
  - { node_id: post, type: action, action_def: post@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: post, to_node: done, label: success }
`,
  passing: `actions:
  - { action_id: post, version: 1.0.0, determinism: deterministic, rollback: irreversible, side_effects: [external_service] }
nodes:
  - { node_id: post, type: action, action_def: post@^1, irreversible: acknowledged }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: post, to_node: done, label: success }
`,
  check(context) {
    const findings = context.actions.used.flatMap(used => {
      const [first, ...others] = problemsOf(used.action);
      if (first === undefined) return [];
      const more = others.map(({ what }) => `; it ${what}`).join('');
      return [definitionFinding(used, first.field, first.what + more, first.help)];
    });
    const notEvaluated = unknownDefinitions(context.actions);
    return notEvaluated === undefined ? { findings } : { findings, notEvaluated };
  },
};

interface Problem {
  readonly field: string;
  readonly what: string;
  readonly help: string;
}

function* problems(action: Action): Generator<Problem> {
  const { side_effects = [], rollback, modifies_existing, revert } = action;
  const field = 'rollback';
  if (side_effects.length === 0) {
    const none = action.side_effects === undefined ? 'lists no side effects' : 'has no side effects';
    if (rollback !== 'rollbackable')
      yield {
        field,
        what: `${none} but is ${rollback} (IH1)`,
        help: 'Write rollback: rollbackable, or list its side_effects.',
      };
    if (modifies_existing === true)
      yield {
        field: 'modifies_existing',
        what: `modifies what exists but ${none} (IH2)`,
        help: 'List its side_effects, or leave modifies_existing out.',
      };
    return;
  }
  if (side_effects.includes('external_service')) {
    if (rollback !== 'irreversible')
      yield {
        field,
        what: `acts on an external_service but is ${rollback} (IH4)`,
        help: 'Write rollback: irreversible; a service that offers an undo call is a remote_server.',
      };
    return;
  }
  if (rollback !== 'rollbackable') return;
  if (side_effects.includes('remote_server'))
    yield {
      field,
      what: 'acts on a remote_server but is rollbackable (IH3)',
      help: 'Write rollback: compensatable, and name its compensation.',
    };
  else if (modifies_existing === true)
    yield {
      field,
      what: 'modifies what exists but is rollbackable (IH2)',
      help: 'Write rollback: compensatable, and name its compensation.',
    };
  else if (revert === undefined)
    yield {
      field,
      what: 'is rollbackable with side effects but has no revert',
      help: 'Name the action that undoes it: revert: name@^1.',
    };
}

function problemsOf(action: Action): Problem[] {
  return [...problems(action)];
}
