import type { Workflow } from '../../../schemas/types.js';

/**
 * What is wrong with a workflow's graph, found in the most pedestrian way: every claim of S1–S6 is tested by walking. For
 * tests of generators; quadratic, and independent of any verifier.
 */
export function naiveDefects(workflow: Workflow): string[] {
  const found: string[] = [];
  const types = new Map(workflow.nodes.map(node => [node.node_id, node.type]));
  if (types.size !== workflow.nodes.length) found.push('S5 duplicate node_id');
  for (const { from_node, to_node } of workflow.edges) {
    if (!types.has(from_node) || !types.has(to_node)) found.push('S5 dangling edge');
  }
  const keys = workflow.edges.map(edge => JSON.stringify([edge.from_node, edge.to_node, edge.label]));
  if (new Set(keys).size !== keys.length) found.push('S5 duplicate edge');
  const below = new Map(workflow.nodes.map(({ node_id }) => [node_id, reach(workflow, node_id)]));
  if ([...below].some(([id, reached]) => reached.has(id))) found.push('S1 cycle');
  const sources = workflow.nodes.filter(({ node_id }) => workflow.edges.every(edge => edge.to_node !== node_id));
  const start = workflow.workflow.start ?? sources[0]?.node_id;
  if (workflow.workflow.start === undefined ? sources.length !== 1 : sources.every(node => node.node_id !== start)) {
    found.push('S4 start');
  }
  for (const { node_id } of workflow.nodes) {
    if (node_id !== start && below.get(start ?? '')?.has(node_id) !== true) found.push('S2 unreachable');
    const ends = [node_id, ...(below.get(node_id) ?? [])].some(id => types.get(id) === 'terminal');
    if (!ends) found.push('S3 dead end');
    found.push(...labelDefects(workflow, node_id));
  }
  return [...new Set(found)];
}

function reach(workflow: Workflow, from: string): ReadonlySet<string> {
  const reached = new Set<string>();
  for (let size = -1; size !== reached.size; ) {
    size = reached.size;
    for (const edge of workflow.edges) {
      if (edge.from_node === from || reached.has(edge.from_node)) reached.add(edge.to_node);
    }
  }
  return reached;
}

function labelDefects(workflow: Workflow, id: string): string[] {
  const node = workflow.nodes.find(({ node_id }) => node_id === id);
  const labels = workflow.edges.filter(edge => edge.from_node === id).map(edge => edge.label);
  const ins = workflow.edges.filter(edge => edge.to_node === id).length;
  const found: string[] = [];
  if (ins > 1 && node?.join_type === undefined) found.push('S6 join undeclared');
  if (node?.type === 'terminal' && labels.length > 0) found.push('S5 terminal with out-edge');
  if (node?.type === 'condition') {
    if (labels.length < 2 || new Set(labels).size !== labels.length) found.push('S5 condition labels');
    if (!(labels.includes('true') && labels.includes('false')) && !labels.includes('default')) found.push('S5 default');
  }
  if (node?.type === 'action') {
    const success = labels.filter(label => label === 'success' || label === 'always').length;
    if (success === 0) found.push('S3 no success edge');
    if (success > 1 && node.fan_out !== 'parallel') found.push('S5 undeclared fan-out');
    if (labels.some(label => !['success', 'always', 'failure'].includes(label))) found.push('S5 bad label');
  }
  return found;
}
