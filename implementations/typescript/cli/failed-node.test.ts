import { expect, it } from 'vitest';
import type { AuditRecord, Workflow } from '../../../schemas/types.js';
import { failedNodeOf } from './failed-node.js';

const contract = {
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
} as const;
const step = (node_id: string): Workflow['nodes'][number] => ({ node_id, type: 'action', action_def: 'step@1' });
const failure = (from_node: string, to_node: string): NonNullable<Workflow['edges']>[number] => ({
  from_node,
  to_node,
  label: 'failure',
});
const workflow: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'order', version: '1.0.0' },
  actions: [{ ...contract, side_effects: [], action_id: 'step' }],
  nodes: [
    step('reserve'),
    step('charge'),
    { node_id: 'charge-again', type: 'error', handling: 'retry' },
    { node_id: 'undo', type: 'error', handling: 'compensate' },
    { node_id: 'stop', type: 'error', handling: 'fail', join_type: 'OR' },
    { node_id: 'halt', type: 'error', handling: 'fail', join_type: 'OR' },
  ],
  edges: [
    { from_node: 'reserve', to_node: 'charge', label: 'success' },
    failure('reserve', 'stop'),
    failure('charge', 'charge-again'),
    failure('charge-again', 'stop'),
    failure('undo', 'halt'),
  ],
};
const record = (record_type: AuditRecord['record_type'], node_id: string, status: AuditRecord['status']) =>
  ({ record_type, node_id, status }) as AuditRecord;
const broken = (node_id: string, records: readonly AuditRecord[]) =>
  failedNodeOf(() => records, workflow, { execution_id: 'i1', node_id });

it('is the node that broke, however many error nodes its failure was handed on by', () => {
  const lost = [
    record('action', 'reserve', 'failed'),
    record('action', 'reserve', 'committed'),
    record('action', 'charge', 'failed'),
    record('error', 'charge-again', 'failure'),
    record('error', 'stop', 'failure'),
  ];
  expect(broken('stop', lost)).toEqual({ node_id: 'charge', taken_up_by: 'stop' });
  expect(broken('charge', lost)).toEqual({ node_id: 'charge' });
});

it('is the error node itself where what it did has failed, and where the workflow is not known', () => {
  const undone = [record('error', 'undo', 'failure'), record('error', 'halt', 'failure')];
  expect(broken('halt', undone)).toEqual({ node_id: 'undo', taken_up_by: 'halt' });
  expect(failedNodeOf(() => undone, undefined, { execution_id: 'i1', node_id: 'halt' })).toEqual({ node_id: 'halt' });
});
