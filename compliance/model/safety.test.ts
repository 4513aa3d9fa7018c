import { describe, expect, it } from 'vitest';
import type { Action } from '../../schemas/types.js';
import type { Program } from '../program.js';
import { riskOf } from './safety.js';

const base: Action = { action_id: 'act', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable' };

function risk(action: Partial<Action>, ...more: Action[]) {
  const program: Program = {
    workflow: {
      schema_version: '1.0',
      workflow: { name: 'w', version: '1.0.0' },
      nodes: [
        { node_id: 'a', type: 'action', action_def: 'act@1' },
        { node_id: 'done', type: 'terminal', status: 'completed' },
      ],
      edges: [{ from_node: 'a', to_node: 'done', label: 'success' }],
    },
    registry: { actions: [{ ...base, ...action }, ...more] },
    inputs: {},
    script: { nodes: {} },
    kills: [],
  };
  const { level, requirement } = riskOf(program);
  return `${level} ${requirement}`;
}

describe('the risk of a workflow', () => {
  it('comes from what its actions declare', () => {
    expect(risk({})).toBe('SAFE SC1');
    expect(risk({ determinism: 'non_deterministic' })).toBe('CONDITIONALLY_SAFE RS1');
    expect(risk({ side_effects: ['remote_server'] })).toBe('CONDITIONALLY_SAFE RS2');
    expect(risk({ side_effects: ['external_service'] })).toBe('RISKY RS3');
    expect(risk({ rollback: 'compensatable' })).toBe('RISKY RS4');
    expect(risk({ rollback: 'irreversible' })).toBe('IRREVERSIBLE RS5');
  });

  it('comes from reverts and compensations, too', () => {
    const undo = (more: Partial<Action>): Action => ({ ...base, action_id: 'undo', ...more });
    expect(risk({ revert: 'undo@1' }, undo({ side_effects: ['external_service'] }))).toBe('RISKY RS3');
    const compensatable = { rollback: 'compensatable', compensation: 'undo@1' } as const;
    expect(risk(compensatable, undo({}))).toBe('SAFE SC1');
    expect(risk(compensatable, undo({ rollback: 'irreversible' }))).toBe('IRREVERSIBLE RS5');
    expect(risk(compensatable)).toBe('RISKY RS4');
  });

  it('does not come from definitions that nothing uses', () => {
    expect(risk({}, { ...base, action_id: 'idle', rollback: 'irreversible' })).toBe('SAFE SC1');
  });
});
