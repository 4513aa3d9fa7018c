import type { VerificationContext } from '../context.js';
import {
  atEdge,
  atNode,
  compareNames,
  edgeText,
  type FindingDraft,
  findingEdge,
  labelText,
  type Rule,
} from '../rule.js';

/** How many exits of a cycle a finding points at. */
const EXITS_SHOWN = 3;
/** How many nodes of a cycle a message names. */
const NODES_SHOWN = 8;

/** S1: the graph has no cycle. @requirement S1 */
export const s1: Rule = {
  id: 'S1',
  severity: 'blocking',
  requirement: 'The graph has no cycle.',
  why: 'A node runs once all its predecessors are resolved; in a cycle each waits for the others, so none ever runs.',
  help: 'Remove one edge of the cycle; to repeat a failed node use a retry_policy or an error node that retries.',
  kinds: [
    {
      id: 'cycle',
      summary: 'a cycle that some edge leaves',
      message: /^The cycle .* is closed here( \([0-9]+ nodes .*\))?$/,
    },
    { id: 'no-exit', summary: 'a cycle that no edge leaves', message: /^The cycle .*; no edge leaves it$/ },
  ],
  failing: `nodes:
  - { node_id: fetch, type: action, action_def: fetch@^1 }
  - { node_id: check, type: condition, expression: 'nodes.fetch.outputs.ok' }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: fetch, to_node: check, label: success }
  - { from_node: check, to_node: done, label: 'true' }
  - { from_node: check, to_node: fetch, label: 'false' }
`,
  passing: `nodes:
  - { node_id: fetch, type: action, action_def: fetch@^1, retry_policy: { max_retries: 2 } }
  - { node_id: check, type: condition, expression: 'nodes.fetch.outputs.ok' }
  - { node_id: done, type: terminal, status: completed }
  - { node_id: stale, type: terminal, status: failed }
edges:
  - { from_node: fetch, to_node: check, label: success }
  - { from_node: check, to_node: done, label: 'true' }
  - { from_node: check, to_node: stale, label: 'false' }
`,
  check(context) {
    if (context.components.acyclic) return { findings: [] };
    const members = groupMembers(context);
    return { findings: [...members.values()].map(nodes => findingOf(context, nodes)) };
  },
};

/** The nodes of each component with a cycle. */
function groupMembers({ components }: VerificationContext): Map<number, number[]> {
  const members = new Map<number, number[]>();
  for (const [node, component] of components.of.entries()) {
    if (components.cyclic[component] === 0) continue;
    const nodes = members.get(component);
    if (nodes === undefined) members.set(component, [node]);
    else nodes.push(node);
  }
  return members;
}

function findingOf(context: VerificationContext, members: readonly number[]): FindingDraft {
  const name = (node: number): string => context.node(node).node_id;
  const smallest = members.reduce((least, node) => (compareNames(name(node), name(least)) < 0 ? node : least));
  const { nodes, closing } = shortestCycle(context, smallest);
  const exits = exitsOf(context, members);
  const size = members.length > nodes.length ? ` (${members.length} nodes are in cycles with one another)` : '';
  const way = exits.length === 0 ? '; no edge leaves it' : '';
  const related = nodes
    .slice(1, 1 + EXITS_SHOWN)
    .map(node => atNode(context, node, `the cycle goes through "${name(node)}"`));
  for (const exit of exits.slice(0, EXITS_SHOWN))
    related.push(atEdge(context, exit, `an exit: ${edgeText(context, exit)}`));
  return {
    node_id: name(smallest),
    edge: findingEdge(context, closing),
    pointer: context.edgePointer(closing),
    message: `The cycle ${cycleText(nodes.map(name))} is closed here${size}${way}`,
    related,
    help: s1.help,
  };
}

function cycleText(names: readonly string[]): string {
  const shown = names.length > NODES_SHOWN ? [...names.slice(0, NODES_SHOWN - 1), '…'] : [...names];
  return [...shown.map(name => (name === '…' ? name : `"${name}"`)), `"${names[0]}"`].join(' → ');
}

/** The shortest cycle through a node, of several the one whose names come first, and the edge that closes it. */
function shortestCycle(context: VerificationContext, start: number): { nodes: number[]; closing: number } {
  const { graph, components } = context;
  const parent = new Map<number, number>([[start, -1]]);
  const queue = [start];
  for (const node of queue) {
    const edges = [...context.out(node)].filter(
      edge => components.of[graph.target[edge] as number] === components.of[start],
    );
    const closing = edges.filter(edge => graph.target[edge] === start).sort((a, b) => compareLabels(context, a, b))[0];
    if (closing !== undefined) return { nodes: pathTo(node, parent), closing };
    const targets = edges.map(edge => graph.target[edge] as number);
    targets.sort((a, b) => compareNames(context.node(a).node_id, context.node(b).node_id));
    for (const target of targets) {
      if (parent.has(target)) continue;
      parent.set(target, node);
      queue.push(target);
    }
  }
  throw new RangeError('a component with a cycle has a cycle through each of its nodes');
}

function compareLabels(context: VerificationContext, a: number, b: number): number {
  return compareNames(labelText(context.edge(a).label), labelText(context.edge(b).label)) || a - b;
}

function pathTo(node: number, parent: ReadonlyMap<number, number>): number[] {
  const path: number[] = [];
  for (let at = node; at !== -1; at = parent.get(at) ?? -1) path.push(at);
  return path.reverse();
}

/** The edges that leave a component, ordered by the names of their ends. */
function exitsOf(context: VerificationContext, members: readonly number[]): number[] {
  const { graph, components } = context;
  const own = components.of[members[0] as number];
  const exits: number[] = [];
  for (const node of members) {
    for (const edge of context.out(node)) {
      const target = graph.target[edge] as number;
      if (target >= 0 && components.of[target] !== own) exits.push(edge);
    }
  }
  return context.ordered(exits);
}
