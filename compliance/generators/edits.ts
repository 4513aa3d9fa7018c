import * as fc from 'fast-check';
import type { Edge, Node, Workflow } from '../../schemas/types.js';
import { type Block, series } from './blocks.js';
import { programOf, surroundings } from './workflows.js';

/** One change of a workflow that may break it; places are taken modulo what there is. */
export interface Edit {
  readonly kind: 'none' | 'lead' | 'label' | 'drop edge' | 'drop node' | 'edge' | 'join' | 'fan' | 'read' | 'start';
  readonly at: number;
  readonly to: number;
  readonly label: string;
}

const KINDS: readonly Edit['kind'][] = [
  'none',
  'lead',
  'label',
  'drop edge',
  'drop node',
  'edge',
  'join',
  'fan',
  'read',
  'start',
];

const edits: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom(...KINDS),
  at: fc.nat(99),
  to: fc.nat(99),
  label: fc.constantFrom('success', 'failure', 'always', 'true', 'false', 'default', 'x'),
});

/** Small workflows that are sound, or were before one of their edges, joins, reads or nodes was changed. */
export const editedWorkflows: fc.Arbitrary<Workflow> = fc
  .tuple(
    series({ calm: true, length: 2 }),
    surroundings.map(world => ({ ...world, names: 0, inRegistry: false })),
    fc.boolean(),
    edits,
  )
  .map(([blocks, world, isHandled, edit]) => {
    const { workflow } = programOf(blocks as readonly Block[], world);
    return edited(isHandled ? handled(workflow) : workflow, edit);
  });

/** The workflow with a failure edge from every action to an error node. */
function handled(workflow: Workflow): Workflow {
  const actions = workflow.nodes.filter(({ type }) => type === 'action');
  const free = actions.filter(({ node_id }) =>
    workflow.edges.every(({ from_node, label }) => from_node !== node_id || label !== 'always'),
  );
  const failures = free.map(({ node_id }): Edge => ({ from_node: node_id, to_node: 'lost', label: 'failure' }));
  if (failures.length === 0) return workflow;
  const lost: Node = { node_id: 'lost', type: 'error', handling: 'fail' };
  return { ...workflow, nodes: [...workflow.nodes, lost], edges: [...workflow.edges, ...failures] };
}

function edited(workflow: Workflow, { kind, at, to, label }: Edit): Workflow {
  const { nodes, edges } = workflow;
  const edge = edges[at % Math.max(1, edges.length)];
  const node = nodes[at % nodes.length] as Node;
  const other = nodes[to % nodes.length] as Node;
  const swap = (change: Node): Workflow => ({ ...workflow, nodes: nodes.map(one => (one === node ? change : one)) });
  const lead = (change: Edge[]): Workflow => ({
    ...workflow,
    edges: edges.flatMap(one => (one === edge ? change : [one])),
  });
  switch (kind) {
    case 'none':
      return workflow;
    case 'lead':
      return edge === undefined ? workflow : lead([{ ...edge, to_node: other.node_id }]);
    case 'label':
      return edge === undefined ? workflow : lead([{ ...edge, label }]);
    case 'drop edge':
      return lead([]);
    case 'edge':
      return { ...workflow, edges: [...edges, { from_node: node.node_id, to_node: other.node_id, label }] };
    case 'drop node':
      return { ...workflow, nodes: nodes.filter(one => one !== node) };
    case 'join':
      return swap({ ...node, join_type: node.join_type === 'AND' ? 'OR' : 'AND' });
    case 'fan': {
      const { fan_out: _none, ...rest } = node as Node & { fan_out?: string };
      return swap(rest as Node);
    }
    case 'read': {
      if (node.type !== 'action') return workflow;
      return swap({ ...node, input_mapping: { ...node.input_mapping, extra: `\${nodes.${other.node_id}.outputs}` } });
    }
    case 'start':
      return { ...workflow, workflow: { ...workflow.workflow, start: other.node_id } };
  }
}
