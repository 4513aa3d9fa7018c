import { expect, it } from 'vitest';
import type { Action } from '../../../schemas/types.js';
import { fileActions, httpActions, processActions } from '../index.js';
import { requireCode } from './code-needed.js';

const ACTION: Action = {
  schema_version: '1.0',
  action_id: 'pay',
  version: '1.0.0',
  determinism: 'non_deterministic',
  rollback: 'irreversible',
  side_effects: ['external_service'],
};
const invoke = () => ({ outputs: {} });
const probed = { invoke, probe: () => ({ verdict: 'absent' as const }) };

function documentsWith(...actions: Action[]) {
  return {
    file: 'pay.yaml',
    workflow: {
      schema_version: '1.0' as const,
      workflow: { name: 'pay', version: '1.0.0' },
      actions,
      nodes: [
        ...actions.map(({ action_id, version }, at) => ({
          node_id: `n${at}`,
          type: 'action' as const,
          action_def: `${action_id}@${version}`,
        })),
        { node_id: 'done', type: 'terminal' as const, status: 'completed' as const },
      ],
      edges: [],
    },
    known: { actions: [], workflows: [] },
  };
}

it('tells of a probe that is never asked, and of one that is not there', () => {
  const told = (action: Action, code: typeof invoke | typeof probed) =>
    requireCode(documentsWith(action) as never, { pay: code });
  expect(told(ACTION, probed)).toEqual([expect.stringContaining('pay@1.0.0 has a probe, which is never asked')]);
  expect(told({ ...ACTION, probe: true }, invoke)).toEqual([
    expect.stringContaining('pay@1.0.0 says probe: true, and its code has none'),
  ]);
  expect(told(ACTION, invoke)).toEqual([]);
  expect(told({ ...ACTION, probe: true }, probed)).toEqual([]);
});

it('has nothing to tell of the actions that come with ars', () => {
  for (const { definitions, functions } of [fileActions({ root: '.' }), httpActions(), processActions()]) {
    const documents = documentsWith(...definitions) as never;
    expect(requireCode(documents, functions)).toEqual([]);
    const changed = Object.entries(functions).map(([name, code]) => [
      name,
      typeof code === 'function' ? probed : invoke,
    ]);
    expect(requireCode(documents, Object.fromEntries(changed))).toHaveLength(definitions.length);
  }
});
