import type { Action, Workflow } from '../../schemas/types.js';

/** On whose behalf the soak runs. */
export const AGENT = 'soak';

const pure: Action = {
  action_id: 'pure',
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
  idempotent: true,
};
const effects = { side_effects: ['filesystem' as const], probe: true };

/** Two branches side by side: one reads and writes State, the other has effects, the last of which is irreversible. */
export const workflow: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'soak', version: '1.0.0' },
  inputs: { number: { schema: { type: 'number' } } },
  actions: [
    pure,
    { ...pure, ...effects, action_id: 'save', rollback: 'compensatable', compensation: 'unsave@1' },
    { ...pure, ...effects, action_id: 'unsave', rollback: 'compensatable', compensation: 'unsave@1' },
    {
      ...pure,
      ...effects,
      action_id: 'post',
      rollback: 'irreversible',
      side_effects: ['external_service'],
      idempotent: false,
    },
  ],
  nodes: [
    { node_id: 'start', type: 'action', action_def: 'pure@1', input_mapping: { lane: 'a' }, fan_out: 'parallel' },
    { node_id: 'a1', type: 'action', action_def: 'pure@1', input_mapping: { lane: 'a' } },
    { node_id: 'a2', type: 'action', action_def: 'pure@1', input_mapping: { lane: 'a' } },
    { node_id: 'b1', type: 'action', action_def: 'save@1' },
    { node_id: 'b2', type: 'action', action_def: 'post@1', irreversible: 'acknowledged' },
    { node_id: 'stop', type: 'error', handling: 'fail', join_type: 'OR' },
    { node_id: 'done', type: 'terminal', status: 'completed', join_type: 'AND' },
  ],
  edges: [
    { from_node: 'start', to_node: 'a1', label: 'success' },
    { from_node: 'start', to_node: 'b1', label: 'success' },
    { from_node: 'start', to_node: 'stop', label: 'failure' },
    { from_node: 'a1', to_node: 'a2', label: 'success' },
    { from_node: 'b1', to_node: 'b2', label: 'success' },
    { from_node: 'b1', to_node: 'stop', label: 'failure' },
    { from_node: 'b2', to_node: 'stop', label: 'failure' },
    { from_node: 'a2', to_node: 'done', label: 'success' },
    { from_node: 'b2', to_node: 'done', label: 'success' },
  ],
};
