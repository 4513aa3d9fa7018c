import type { VerificationContext } from '../context.js';
import { atEdge, atNode, compareNames, edgeText, type FindingDraft, type Rule } from '../rule.js';

/** S2: everything can be executed. @requirement S2 */
export const s2: Rule = {
  id: 'S2',
  severity: 'blocking',
  requirement: 'Every node is reachable from the start node, and no AND join demands disjoint outcomes of one choice.',
  why: 'A node that can never run is a mistake in the edges: what its author expects of it will not happen.',
  help: 'Add an edge that leads here, or remove the node.',
  kinds: [
    {
      id: 'unreachable',
      summary: 'a node that no path leads to',
      message: /^No path leads from the start to the node /,
    },
    {
      id: 'impossible-join',
      summary: 'an AND join of branches that exclude each other',
      message: /^The AND join .* can never run: /,
    },
  ],
  failing: `workflow: { start: fetch }
nodes:
  - { node_id: fetch, type: action, action_def: fetch@^1 }
  - { node_id: notify, type: action, action_def: notify@^1 }
  - { node_id: done, type: terminal, status: completed, join_type: OR }
edges:
  - { from_node: fetch, to_node: done, label: success }
  - { from_node: notify, to_node: done, label: success }
`,
  passing: `workflow: { start: fetch }
nodes:
  - { node_id: fetch, type: action, action_def: fetch@^1 }
  - { node_id: notify, type: action, action_def: notify@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: fetch, to_node: notify, label: success }
  - { from_node: notify, to_node: done, label: success }
`,
  check(context) {
    const { input, components } = context;
    if (input.edgesMissing || input.nodesMissing)
      return { findings: [], notEvaluated: 'nodes or edges are missing or ill-formed' };
    const unreachable = findUnreachable(context);
    if (!components.acyclic)
      return { findings: unreachable, notEvaluated: 'impossible joins are looked for once there is no cycle (S1)' };
    const joins = context.impossible.joins.map(({ join, choice, edges }): FindingDraft => {
      const { node_id } = context.node(join);
      const chooser = context.node(choice).node_id;
      return {
        node_id,
        pointer: context.nodePointer(join),
        message: `The AND join "${node_id}" can never run: its in-edges demand different outcomes of "${chooser}"`,
        related: [
          ...edges.map(edge => atEdge(context, edge, `${edgeText(context, edge)} is one of them`)),
          atNode(context, choice, `"${chooser}" has one outcome only`),
        ],
        help: 'Use join_type: OR where either branch is enough.',
      };
    });
    return context.starts.widened
      ? {
          findings: [...unreachable, ...joins],
          notEvaluated: 'an edge leads to no node, so some nodes may lack an in-edge (S5)',
        }
      : { findings: [...unreachable, ...joins] };
  },
};

/** One finding for each unreachable component that no other unreachable one leads to. */
function findUnreachable(context: VerificationContext): FindingDraft[] {
  const { graph, components, reachable } = context;
  const smallest = new Map<number, number>();
  const behind = new Set<number>();
  for (let node = 0; node < graph.nodeCount; node++) {
    if (reachable[node] === 1 || graph.indexOf(context.node(node).node_id) !== node) continue;
    const component = components.of[node] as number;
    const least = smallest.get(component);
    if (least === undefined || compareNames(context.node(node).node_id, context.node(least).node_id) < 0)
      smallest.set(component, node);
    for (const edge of context.in(node)) {
      const source = graph.source[edge] as number;
      if (source >= 0 && components.of[source] !== component) behind.add(component);
    }
  }
  const findings: FindingDraft[] = [];
  for (const [component, node] of smallest) {
    if (behind.has(component)) continue;
    const { node_id } = context.node(node);
    const cycle = components.cyclic[component] === 1 ? ' and the cycle it is in' : '';
    const start = context.starts.nodes[0];
    const related =
      context.starts.nodes.length === 1 && start !== undefined ? [atNode(context, start, 'execution begins here')] : [];
    findings.push({
      node_id,
      pointer: context.nodePointer(node),
      message: `No path leads from the start to the node "${node_id}"${cycle}`,
      related,
      help: s2.help,
    });
  }
  return findings;
}
