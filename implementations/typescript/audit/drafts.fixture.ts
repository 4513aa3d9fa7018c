import type { StateChange } from '../../../schemas/types.js';
import { digestText } from '../state/canonical.js';
import type { RecordDraft } from './log.js';

/** What every record of an execution of these tests says, whatever its status. */
export const EXECUTION = {
  record_type: 'action',
  context_id: 'root',
  parent_execution_id: 'root',
  agent_id: 'agent',
  action_id: 'act',
  action_version: '1.0.0',
  side_effects: [],
  determinism: 'deterministic',
  rollback: 'rollbackable',
  attempt: 1,
  idempotency_key: 'key',
} as const satisfies Partial<RecordDraft>;

export const pending = (execution_id: string, inputs: Record<string, unknown> = {}): RecordDraft => ({
  ...EXECUTION,
  execution_id,
  status: 'pending',
  inputs,
});

export const committed = (execution_id: string, ...state_changes: StateChange[]): RecordDraft => ({
  ...EXECUTION,
  execution_id,
  status: 'committed',
  outputs: {},
  state_changes,
});

export const failed = (execution_id: string): RecordDraft => ({
  ...EXECUTION,
  execution_id,
  status: 'failed',
  error_class: 'E3',
  error_detail: 'no',
});

export const started = (execution_id: string): RecordDraft => ({
  record_type: 'workflow',
  execution_id,
  context_id: execution_id,
  agent_id: 'agent',
  status: 'workflow_started',
  workflow_id: 'w@1.0.0',
  inputs: {},
  context: {},
  resolved_digest: digestText('r'),
  inputs_digest: digestText('i'),
});

export const gate = (execution_id: string): RecordDraft => ({
  record_type: 'gate',
  execution_id,
  context_id: execution_id,
  agent_id: 'agent',
  status: 'allowed',
  gate: 'governance',
  reasons: [],
});

/** A change of State that writes a key, from an expected version where one is given. */
export const put = (key: string, value: unknown, expected_version?: number): StateChange =>
  ({ key, op: 'put', value, ...(expected_version === undefined ? {} : { expected_version }) }) as StateChange;
