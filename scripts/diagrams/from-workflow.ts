import type { Edge, Node, Workflow } from '../../schemas/types.js';
import { digraph, edge, quote } from './from-chapters.js';
import type { Diagram } from './render.js';

const SHAPES: Readonly<Record<Node['type'], string>> = {
  action: 'shape=box',
  skill: 'shape=box, peripheries=2',
  condition: 'shape=diamond, style=filled, margin="0.02,0.02"',
  error: 'shape=octagon, style=filled, class="bad"',
  terminal: 'shape=box, style="rounded,filled", class="good"',
};

/** Gives a picture of a workflow: actions as boxes, conditions as diamonds, error nodes and terminals in colour. */
export function workflowDiagram(name: string, workflow: Workflow): Diagram {
  const { nodes, edges } = workflow;
  const lines = nodes.map(node => `${quote(node.node_id)} [label=${quote(labelOf(node))}, ${SHAPES[node.type]}];`);
  const ways = edges.map(({ from_node, to_node, label }) =>
    edge(from_node, to_node, label === 'success' || label === 'failure' ? '' : label, classOf(label)),
  );
  const told = edges.map(({ from_node, to_node, label }: Edge) => `${from_node} – ${label} → ${to_node}`).join(', ');
  return {
    name,
    title: `The workflow ${workflow.workflow.name}`,
    description: `${workflow.workflow.description ?? ''} Edges: ${told}.`.trim(),
    dot: digraph('rankdir=LR; ranksep=0.4;', [...lines, ...ways]),
  };
}

function classOf(label: string): string {
  return label === 'failure' ? ', class="bad", style=dashed' : '';
}

function labelOf(node: Node): string {
  const join = node.join_type === undefined ? '' : `\n${node.join_type} join`;
  return `${node.node_id}${join}`;
}
