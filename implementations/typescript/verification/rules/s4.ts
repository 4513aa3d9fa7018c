import { nearest } from '../../../../schemas/index.js';
import type { VerificationContext } from '../context.js';
import { atEdge, atNode, compareNames, edgeText, type FindingDraft, listNames, type Rule } from '../rule.js';

/** How many of several possible starts a finding points at. */
const PLACES_SHOWN = 4;

/** S4: there is one start. @requirement S4 */
export const s4: Rule = {
  id: 'S4',
  severity: 'blocking',
  requirement: 'workflow.start exists and has no in-edge, or it is absent and exactly one node has none.',
  why: 'Where execution begins must not depend on who reads the document.',
  help: 'Connect the nodes so that one of them comes before all others, or name that one in workflow.start.',
  kinds: [
    { id: 'empty', summary: 'no nodes', message: /^The workflow has no nodes/ },
    { id: 'unknown-start', summary: 'a start that is no node', message: /^The start ".*" is no node of the workflow$/ },
    {
      id: 'entered-start',
      summary: 'a start with an in-edge',
      message: /^The start ".*" has (an in-edge|[0-9]+ in-edges)$/,
    },
    { id: 'several-starts', summary: 'several nodes without in-edges', message: /^[0-9]+ nodes have no in-edge/ },
  ],
  failing: `nodes:
  - { node_id: fetch, type: action, action_def: fetch@^1 }
  - { node_id: warm, type: action, action_def: warm@^1 }
  - { node_id: done, type: terminal, status: completed, join_type: OR }
edges:
  - { from_node: fetch, to_node: done, label: success }
  - { from_node: warm, to_node: done, label: success }
`,
  passing: `nodes:
  - { node_id: fetch, type: action, action_def: fetch@^1 }
  - { node_id: warm, type: action, action_def: warm@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: fetch, to_node: warm, label: success }
  - { from_node: warm, to_node: done, label: success }
`,
  check(context) {
    const { input, graph, starts, looseEnds } = context;
    if (!input.headerReadable)
      return { findings: [], notEvaluated: 'the header of the workflow is missing or ill-formed' };
    if (input.nodesMissing) return { findings: [], notEvaluated: 'nodes are missing or ill-formed' };
    if (graph.nodeCount === 0) return { findings: [empty()] };
    if (starts.named !== undefined) {
      if (starts.named < 0) return { findings: [unknownStart(context, input.start ?? '')] };
      if (starts.edgesIntoStart.length > 0) return { findings: [enteredStart(context, starts.named)] };
      return { findings: [] };
    }
    if (input.edgesMissing) return { findings: [], notEvaluated: 'edges are missing or ill-formed' };
    if (starts.sources.length > 1)
      return looseEnds.toNothing
        ? { findings: [], notEvaluated: 'an edge leads to no node, so some nodes may lack an in-edge (S5)' }
        : { findings: [severalStarts(context)] };
    if (starts.closedComponents.length > 0) {
      return { findings: [], notEvaluated: 'a cycle that no edge enters may hold the start; remove it first (S1)' };
    }
    return { findings: [] };
  },
};

function empty(): FindingDraft {
  return {
    pointer: '/nodes',
    message: 'The workflow has no nodes, so it has no start',
    related: [],
    help: 'Add at least a terminal node.',
  };
}

function unknownStart(context: VerificationContext, start: string): FindingDraft {
  const names = context.graph.nodes.map(node => node.node_id);
  const meant = names.length > 10_000 ? undefined : nearest(start, names);
  const help =
    meant === undefined ? 'Name a node that exists, or leave workflow.start out.' : `Did you mean "${meant}"?`;
  return { pointer: '/workflow/start', message: `The start "${start}" is no node of the workflow`, related: [], help };
}

function enteredStart(context: VerificationContext, start: number): FindingDraft {
  const { node_id } = context.node(start);
  const edges = context.ordered(context.starts.edgesIntoStart);
  return {
    node_id,
    pointer: '/workflow/start',
    message: `The start "${node_id}" has ${edges.length === 1 ? 'an in-edge' : `${edges.length} in-edges`}`,
    related: edges.slice(0, PLACES_SHOWN).map(edge => atEdge(context, edge, edgeText(context, edge))),
    help: 'Name the node that comes first, or remove the edges into the start.',
  };
}

function severalStarts(context: VerificationContext): FindingDraft {
  const name = (node: number): string => context.node(node).node_id;
  const sources = [...context.starts.sources].sort((a, b) => compareNames(name(a), name(b)));
  const [first = 0, ...others] = sources;
  return {
    pointer: context.nodePointer(first),
    message: `${sources.length} nodes have no in-edge, so any of them could be the start: ${listNames(sources.map(name))}`,
    related: others.slice(0, PLACES_SHOWN).map(node => atNode(context, node, `"${name(node)}" has no in-edge either`)),
    help: s4.help,
  };
}
