import type { Workflow } from '../../../schemas/types.js';
import type { Kill, Program, Script } from '../../program.js';

/** A chain of action nodes n1 … n<length> that ends in a terminal node. */
export function chain(length: number): Workflow {
  const ids = Array.from({ length }, (_, index) => `n${index + 1}`);
  return {
    schema_version: '1.0',
    workflow: { name: 'chain', version: '1.0.0' },
    actions: [{ action_id: 'act', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable' }],
    nodes: [
      ...ids.map(node_id => ({ node_id, type: 'action' as const, action_def: 'act@1.0.0' })),
      { node_id: 'end', type: 'terminal', status: 'completed' },
    ],
    edges: ids.map((from_node, index) => ({ from_node, to_node: ids[index + 1] ?? 'end', label: 'success' })),
  };
}

/** A chain whose actions succeed, but for those that the script says otherwise of. */
export function chainProgram(length: number, kills: readonly Kill[] = [], nodes: Script['nodes'] = {}): Program {
  const workflow = chain(length);
  const good = workflow.nodes.map(({ node_id }) => [node_id, [{ reply: { outputs: { node_id } } }]] as const);
  return { workflow, inputs: {}, script: { nodes: { ...Object.fromEntries(good), ...nodes } }, kills };
}
