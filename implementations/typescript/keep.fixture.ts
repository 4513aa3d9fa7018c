import type { Workflow } from '../../schemas/types.js';

/** The workflow `keep`, SAFE, of one action `put` without inputs. */
export const keep: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'keep', version: '1.0.0' },
  actions: [
    { action_id: 'put', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable', side_effects: [] },
  ],
  nodes: [
    { node_id: 'save', type: 'action', action_def: 'put@1' },
    { node_id: 'done', type: 'terminal', status: 'completed' },
  ],
  edges: [{ from_node: 'save', to_node: 'done', label: 'success' }],
};
