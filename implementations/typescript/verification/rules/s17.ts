import type { Action, ActionNode, SkillNode } from '../../../../schemas/types.js';
import { int32s, uint8s } from '../../workflow/number-arrays.js';
import { ACTION, CONDITION, FAILURE, SKILL } from '../columns.js';
import type { VerificationContext } from '../context.js';
import { hasWrongLabel } from '../labels.js';
import { actionsOf, unknownActions } from '../node-actions.js';
import { atNode, type FindingDraft, type Rule } from '../rule.js';

/** S17: what cannot be undone is marked, and nothing that can fail follows it. @requirement S17 */
export const s17: Rule = {
  id: 'S17',
  severity: 'warning',
  requirement:
    'Every node that does something irreversible carries irreversible: acknowledged, and nothing that can fail follows it.',
  why: 'Behind an irreversible node a failure leaves an effect that nothing can undo.',
  help: 'Write irreversible: acknowledged on the node, once you know that nothing can undo it.',
  kinds: [
    {
      id: 'unmarked',
      summary: 'something irreversible without the mark',
      message: /^".*" does something irreversible \(".*"\) and is not marked as such$/,
    },
    {
      id: 'unrecoverable',
      summary: 'something that can fail after what is irreversible',
      message: /^".*" does something irreversible \(".*"\); from there on a failure is unrecoverable/,
    },
    {
      id: 'unmarked-unrecoverable',
      summary: 'both',
      message: /^".*" does something irreversible \(".*"\) and is not marked as such; from there on/,
    },
  ],
  failing: `actions:
  - { action_id: post, version: 1.0.0, determinism: deterministic, rollback: irreversible, side_effects: [external_service] }
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
    const findings: FindingDraft[] = [];
    const unknown: string[] = [];
    let paths: Paths | undefined;
    let skipped = false;
    let unclear = false;
    for (let node = 0; node < context.graph.nodeCount; node++) {
      const type = context.columns.type[node];
      if ((type !== ACTION && type !== SKILL) || context.judged[node] === 0) continue;
      if (type === ACTION && isHarmless(context.actions.ofNode(node))) continue;
      const subject = context.node(node) as ActionNode | SkillNode;
      const { actions, incomplete } = actionsOf(context, node);
      const action = actions.find(({ rollback }) => rollback === 'irreversible');
      if (action === undefined) {
        if (incomplete) unknown.push(subject.node_id);
        continue;
      }
      const marked = subject.irreversible === 'acknowledged';
      if (!context.components.acyclic) skipped = true;
      else paths ??= pathsAfter(context);
      const fragile = paths?.after[node] ?? -1;
      if (fragile < 0 && paths?.open[node] === 1) unclear = true;
      if (!marked || fragile >= 0) findings.push(findingOf(context, node, action.action_id, marked, fragile));
    }
    const cycle = skipped ? 'paths are followed once there is no cycle (S1)' : undefined;
    const label = unclear
      ? 'an edge behind what is irreversible has a label that its node does not give (S5)'
      : undefined;
    const reasons = [cycle, label, unknownActions(unknown)].filter(reason => reason !== undefined);
    return reasons.length === 0 ? { findings } : { findings, notEvaluated: reasons.join('; ') };
  },
};

function isHarmless(action: Action | undefined): boolean {
  return action !== undefined && action.rollback !== 'irreversible';
}

function findingOf(
  context: VerificationContext,
  node: number,
  action_id: string,
  marked: boolean,
  fragile: number,
): FindingDraft {
  const { node_id } = context.node(node);
  const what = `"${node_id}" does something irreversible ("${action_id}")`;
  const unmarked = marked ? '' : ' and is not marked as such';
  const unrecoverable =
    fragile < 0 ? '' : `; from there on a failure is unrecoverable, and "${context.node(fragile).node_id}" can fail`;
  return {
    node_id,
    pointer: context.nodePointer(node),
    message: `${what}${unmarked}${unrecoverable}`,
    related: fragile < 0 ? [] : [atNode(context, fragile, 'this comes later and can fail')],
    help: marked ? 'Put what can fail before it, where the order allows.' : s17.help,
  };
}

/** What comes after each node by edges that are no failure edges. */
interface Paths {
  /** One that can fail; -1 where there is none. Of several successors the first by name. */
  readonly after: Int32Array;
  /** Whether an edge of which nobody can say whether it is one is on a way; where one that can fail was found, it is not asked. */
  readonly open: Uint8Array;
}

function pathsAfter(context: VerificationContext): Paths {
  const { graph } = context;
  const after = int32s(graph.nodeCount).fill(-1);
  const open = uint8s(graph.nodeCount);
  const order = context.order;
  for (let at = order.length - 1; at >= 0; at--) {
    const node = order[at] as number;
    const edges = context.out(node).filter(edge => leadsOn(context, edge));
    for (const edge of edges.length > 1 ? context.ordered(edges) : edges) {
      const target = graph.target[edge] as number;
      if (isUnclear(context, edge)) {
        open[node] = 1;
        continue;
      }
      if (open[target] === 1) open[node] = 1;
      const found = canFail(context, target) ? target : (after[target] as number);
      if (found < 0) continue;
      after[node] = found;
      break;
    }
  }
  return { after, open };
}

/** Whether an edge leads to a node, and not after a failure. */
function leadsOn({ graph, columns, ambiguous }: VerificationContext, edge: number): boolean {
  const target = graph.target[edge] as number;
  if (target < 0 || ambiguous.has(target)) return false;
  return columns.label[edge] !== FAILURE || columns.type[graph.source[edge] as number] === CONDITION;
}

/** Whether the label of an edge may have been meant for a failure. */
function isUnclear(context: VerificationContext, edge: number): boolean {
  if (context.columns.type[context.graph.source[edge] as number] === CONDITION) return false;
  return context.input.unclearEdges.has(edge) || hasWrongLabel(context, edge);
}

function canFail(context: VerificationContext, node: number): boolean {
  const subject = context.node(node);
  if (subject.type === 'terminal') return subject.status === 'failed';
  return subject.type !== 'condition' && !context.input.unclearNodes.has(node);
}
