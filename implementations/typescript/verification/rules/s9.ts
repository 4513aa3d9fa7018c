import type { Action, ErrorNode } from '../../../../schemas/types.js';
import { ERROR } from '../columns.js';
import type { VerificationContext } from '../context.js';
import { actionsOf, unknownActions } from '../node-actions.js';
import { atNode, compareNames, type FindingDraft, type Rule } from '../rule.js';
import { executedBy } from '../values/known-values.js';

const DETERMINISM: readonly Action['determinism'][] = [
  'deterministic',
  'conditionally_deterministic',
  'non_deterministic',
];
const BOUNDS: Readonly<Record<Action['determinism'], number>> = {
  deterministic: 3,
  conditionally_deterministic: 2,
  non_deterministic: 0,
};

/** S9: nothing is retried more often than its determinism allows. @requirement S9 */
export const s9: Rule = {
  id: 'S9',
  severity: 'blocking',
  requirement:
    'The retries of a node, by retry_policy and by error node together, are at most 3, 2 or 0 by determinism (a skill: the worst of its content), and an irreversible action is not retried.',
  why: 'Another attempt of what is not deterministic is another effect, and an irreversible one cannot be taken back.',
  help: 'Lower max_retries or max_attempts, or handle the failure in another way.',
  kinds: [
    {
      id: 'too-often',
      summary: 'an action that is retried too often',
      message: /^".*" is retried up to [0-9]+ times?, but an action that is /,
    },
    {
      id: 'skill-too-often',
      summary: 'a skill that is retried too often',
      message: /^".*" is retried up to [0-9]+ times?, but a skill whose content is /,
    },
    {
      id: 'irreversible',
      summary: 'something irreversible that is retried',
      message: /^".*" is retried up to [0-9]+ times?, but ".*" is irreversible/,
    },
  ],
  failing: `actions:
  - { action_id: roll, version: 1.0.0, determinism: non_deterministic, rollback: rollbackable, side_effects: [] }
nodes:
  - { node_id: roll, type: action, action_def: roll@^1, retry_policy: { max_retries: 1 } }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: roll, to_node: done, label: success }
`,
  passing: `actions:
  - { action_id: roll, version: 1.0.0, determinism: conditionally_deterministic, rollback: rollbackable, side_effects: [] }
nodes:
  - { node_id: roll, type: action, action_def: roll@^1, retry_policy: { max_retries: 1 } }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: roll, to_node: done, label: success }
`,
  check(context) {
    const findings: FindingDraft[] = [];
    const unknown: string[] = [];
    const retriedBy = errorNodesThatRetry(context);
    for (let node = 0; node < context.graph.nodeCount; node++) {
      const retries = context.columns.retries[node] as number;
      const retrying = retriedBy.get(node);
      if ((retries === 0 && retrying === undefined) || context.judged[node] === 0) continue;
      if (retrying === undefined && allows(context.actions.ofNode(node), retries)) continue;
      const { actions, incomplete } = actionsOf(context, node);
      const finding = actions.length === 0 ? undefined : judge(context, node, retrying ?? [], actions);
      if (finding !== undefined) findings.push(finding);
      else if (incomplete) unknown.push(context.node(node).node_id);
    }
    const notEvaluated = unknownActions(unknown);
    return notEvaluated === undefined ? { findings } : { findings, notEvaluated };
  },
};

/** Whether an action may be retried so often. */
function allows(action: Action | undefined, retries: number): boolean {
  return action !== undefined && action.rollback !== 'irreversible' && retries <= BOUNDS[action.determinism];
}

/** The error nodes that execute a node again, by that node. */
function errorNodesThatRetry(context: VerificationContext): Map<number, number[]> {
  const retriedBy = new Map<number, number[]>();
  for (let node = 0; node < context.graph.nodeCount; node++) {
    if (context.columns.type[node] !== ERROR || context.judged[node] === 0) continue;
    if ((context.node(node) as ErrorNode).handling !== 'retry') continue;
    const target = executedBy(context, node);
    if (target === undefined) continue;
    const known = retriedBy.get(target);
    if (known === undefined) retriedBy.set(target, [node]);
    else known.push(node);
  }
  return retriedBy;
}

function judge(
  context: VerificationContext,
  node: number,
  retrying: readonly number[],
  actions: readonly Action[],
): FindingDraft | undefined {
  const subject = context.node(node);
  const policy = subject.type === 'action' ? (subject.retry_policy?.max_retries ?? 0) : 0;
  const attempts = retrying.reduce((sum, at) => sum + attemptsOf(context, at), 0);
  const worst = DETERMINISM[Math.max(...actions.map(({ determinism }) => DETERMINISM.indexOf(determinism)))];
  const bound = BOUNDS[worst ?? 'deterministic'];
  const total = policy + attempts;
  const irreversible = actions.find(({ rollback }) => rollback === 'irreversible');
  if (total <= bound && (irreversible === undefined || total === 0)) return undefined;
  const { node_id } = subject;
  const what = subject.type === 'skill' ? 'a skill whose content is' : 'an action that is';
  const reason =
    irreversible !== undefined
      ? `, but "${irreversible.action_id}" is irreversible, and a retry could do it twice`
      : `, but ${what} ${worst} may ${bound === 0 ? 'not be retried' : `be retried at most ${bound} times`}`;
  const ordered = [...retrying].sort((a, b) => compareNames(context.node(a).node_id, context.node(b).node_id));
  const [first] = ordered;
  const pointer =
    policy > 0
      ? `${context.nodePointer(node)}/retry_policy/max_retries`
      : context.nodePointer(first === undefined ? node : first);
  return {
    node_id,
    pointer,
    message: `"${node_id}" is retried up to ${timesText(total)}${reason}`,
    related: ordered
      .slice(0, 4)
      .map(at =>
        atNode(
          context,
          at,
          `"${context.node(at).node_id}" executes it up to ${timesText(attemptsOf(context, at))} more`,
        ),
      ),
    help: helpFor(policy, retrying.length > 0, irreversible === undefined ? bound : 0),
  };
}

/** What brings the retries of a node down to a bound; an error node that retries does so at least once. */
function helpFor(policy: number, hasRetrying: boolean, bound: number): string {
  if (bound > 0)
    return `Lower max_retries or max_attempts to at most ${bound} together, or handle the failure in another way.`;
  const steps = [
    ...(policy > 0 ? ['set max_retries to 0'] : []),
    ...(hasRetrying ? ['give the error node another handling than retry'] : []),
  ];
  const text = steps.join(' and ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function timesText(count: number): string {
  return count === 1 ? '1 time' : `${count} times`;
}

function attemptsOf(context: VerificationContext, node: number): number {
  const subject = context.node(node);
  return subject.type === 'error' ? (subject.max_attempts ?? 1) : 0;
}
