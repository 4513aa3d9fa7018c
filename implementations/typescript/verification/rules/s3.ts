import { ACTION, ERROR, FAILURE, SKILL } from '../columns.js';
import type { VerificationContext } from '../context.js';
import { atEdge, edgeText, type FindingDraft, type Rule } from '../rule.js';

/** S3: no path ends in a dead end. @requirement S3 */
export const s3: Rule = {
  id: 'S3',
  severity: 'blocking',
  requirement:
    'From every reachable node a path leads to a terminal or to an error node with handling fail, and each action, skill and error node has a success or always edge.',
  why: 'A path that just ends leaves the instance without a statement of how it ended.',
  help: 'Add an edge with the label success: to what comes next, or to a terminal node where nothing does.',
  kinds: [
    { id: 'dead-end', summary: 'a path that just ends', message: /^The path ends at \w+ node / },
    {
      id: 'failure-only',
      summary: 'a node that goes on after a failure only',
      message: /^The \w+ node .* has no success or always edge$/,
    },
  ],
  failing: `nodes:
  - { node_id: fetch, type: action, action_def: fetch@^1 }
  - { node_id: store, type: action, action_def: store@^1 }
edges:
  - { from_node: fetch, to_node: store, label: success }
`,
  passing: `nodes:
  - { node_id: fetch, type: action, action_def: fetch@^1 }
  - { node_id: store, type: action, action_def: store@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: fetch, to_node: store, label: success }
  - { from_node: store, to_node: done, label: success }
`,
  check(context) {
    if (context.input.edgesMissing) return { findings: [], notEvaluated: 'edges are missing or ill-formed' };
    const { graph, components } = context;
    const findings: FindingDraft[] = [];
    let passedOver = false;
    let mayGoOn = false;
    for (let node = 0; node < graph.nodeCount; node++) {
      if (!context.isJudged(node) || !endsHere(context, node)) continue;
      if (components.cyclic[components.of[node] as number] === 1) passedOver = true;
      else if (context.looseEnds.onward) mayGoOn = true;
      else findings.push(findingOf(context, node));
    }
    if (mayGoOn) return { findings, notEvaluated: 'an edge from no node may be the one that goes on (S5)' };
    return passedOver ? { findings, notEvaluated: 'nodes in a cycle are judged once it is gone (S1)' } : { findings };
  },
};

/** Whether a node must go on after success and does not; an edge with a wrong label is S5's alone. */
function endsHere({ graph, columns, input }: VerificationContext, node: number): boolean {
  const type = columns.type[node];
  if (type !== ACTION && type !== SKILL && type !== ERROR) return false;
  const from = graph.outStart[node] as number;
  const to = graph.outStart[node + 1] as number;
  let dangling = 0;
  for (let at = from; at < to; at++) {
    const edge = graph.outEdges[at] as number;
    if (columns.label[edge] !== FAILURE || input.unclearEdges.has(edge)) return false;
    if ((graph.target[edge] as number) < 0) dangling++;
  }
  return from === to || dangling < to - from;
}

function findingOf(context: VerificationContext, node: number): FindingDraft {
  const { node_id, type } = context.node(node);
  const edges = context.ordered(context.out(node));
  const message =
    edges.length === 0
      ? `The path ends at ${type} node "${node_id}", which is no terminal`
      : `The ${type} node "${node_id}" has no success or always edge`;
  return {
    node_id,
    pointer: context.nodePointer(node),
    message,
    related: edges.slice(0, 1).map(edge => atEdge(context, edge, `its only way on: ${edgeText(context, edge)}`)),
    help: s3.help,
  };
}
