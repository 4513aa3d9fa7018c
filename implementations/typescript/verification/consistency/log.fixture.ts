import type { AuditRecord } from '../../../../schemas/types.js';
import { GENESIS, headOf } from '../../audit/chain.js';
import { linkRecord, prepareDraft } from '../../audit/linked-record.js';
import type { RecordDraft } from '../../audit/log.js';

const DIGEST = `sha256:${'a'.repeat(64)}`;

type More = Partial<RecordDraft>;
const draft = (
  record_type: AuditRecord['record_type'],
  status: AuditRecord['status'],
  execution_id: string,
  more: More,
) => ({ record_type, status, execution_id, context_id: 'i1', agent_id: 'ada', ...more }) as RecordDraft;

export const gate = (name: NonNullable<AuditRecord['gate']>, id = 'i1', more: More = {}): RecordDraft =>
  draft('gate', more.status ?? 'allowed', id, {
    context_id: id,
    gate: name,
    reasons: more.status === 'denied' ? [{ code: 'POLICY_DENIES', message: 'no' }] : [],
    ...(name === 'governance' ? { trust_after: 'TRUSTED' } : {}),
    ...more,
  });

export const passage = (id = 'i1'): RecordDraft[] =>
  (['verification', 'governance', 'safety', 'execution'] as const).map(name => gate(name, id));

export const started = (id = 'i1', more: More = {}): RecordDraft =>
  draft('workflow', 'workflow_started', id, {
    context_id: id,
    workflow_id: 'flow@1.0.0',
    inputs: {},
    context: {},
    resolved_digest: DIGEST,
    inputs_digest: DIGEST,
    ...more,
  });

export const ended = (id = 'i1', more: More = {}): RecordDraft =>
  draft('workflow', 'workflow_completed', id, { context_id: id, workflow_id: 'flow@1.0.0', outputs: {}, ...more });

export const action = (status: AuditRecord['status'], id = 'e1', more: More = {}): RecordDraft =>
  draft('action', status, id, {
    parent_execution_id: 'i1',
    node_id: 'save',
    action_id: 'note.put',
    action_version: '1.0.0',
    side_effects: [],
    determinism: 'deterministic',
    rollback: 'rollbackable',
    attempt: 1,
    idempotency_key: `i1/${id}/0`,
    ...(status === 'pending' ? { inputs: {} } : {}),
    ...(status === 'committed' ? { outputs: {} } : {}),
    ...(status === 'failed' ? { error_class: 'E3' as const, error_detail: 'no' } : {}),
    ...more,
  });

export const terminal = (id: string, more: More = {}): RecordDraft =>
  draft('terminal', 'completed', id, { parent_execution_id: 'i1', node_id: 'done', ...more });

export const recovery = (status: AuditRecord['status'], id: string, more: More = {}): RecordDraft =>
  draft('recovery', status, id, { parent_execution_id: 'i1', node_id: 'save', probe: 'unknown', ...more });

export const approval = (id = 'c1', more: More = {}): RecordDraft =>
  draft('approval', 'granted', id, {
    context_id: id,
    agent_id: 'bob',
    granted_to: 'ada',
    resolved_digest: DIGEST,
    inputs_digest: DIGEST,
    expires_at: '2999-01-01T00:00:00.000Z',
    ...more,
  });

export const dryRun = (id: string, more: More = {}): RecordDraft =>
  draft('dry_run', 'simulated', id, {
    context_id: id,
    workflow_id: 'flow@1.0.0',
    resolved_digest: DIGEST,
    inputs_digest: DIGEST,
    safety_level: 'IRREVERSIBLE',
    ...more,
  });

const put = (expected_version?: number): More => ({
  state_changes: [{ key: 'k', op: 'put', value: 1, ...(expected_version === undefined ? {} : { expected_version }) }],
});

/** A sound log: a confirmation, a dry run, an instance with a child, and an undo after its end. */
export const SOUND: readonly RecordDraft[] = [
  gate('verification', 'd1'),
  gate('governance', 'd1'),
  dryRun('d1'),
  approval(),
  ...passage(),
  started('i1', { confirmation_id: 'c1', refers_to: ['c1'] }),
  action('pending'),
  action('committed', 'e1', put(0)),
  started('i2', { context_id: 'i1', parent_execution_id: 'i1', node_id: 'skill' }),
  action('pending', 'e2', { parent_execution_id: 'i2' }),
  gate('governance'),
  recovery('redo', 'e2', { parent_execution_id: 'i2', new_execution_id: 'e3' }),
  action('failed', 'e2', { parent_execution_id: 'i2' }),
  action('pending', 'e3', { parent_execution_id: 'i2', refers_to: ['e2'] }),
  action('committed', 'e3', { parent_execution_id: 'i2', ...put(1) }),
  ended('i2', { context_id: 'i1', parent_execution_id: 'i1' }),
  draft('skill', 'success', 's1', { parent_execution_id: 'i1', node_id: 'skill', refers_to: ['i2'] }),
  terminal('t1'),
  ended(),
  action('pending', 'u1', { purpose: 'revert', refers_to: ['e1'] }),
  action('committed', 'u1', { purpose: 'revert', ...put(2) }),
  action('rolled_back', 'e1', { refers_to: ['u1'] }),
];

/** What a hand changed in a sound log: drafts taken out and put in at places of {@link SOUND}, counted from 1. */
export function changed(from: number, taken: number, ...put_in: RecordDraft[]): RecordDraft[] {
  return [...SOUND.slice(0, from - 1), ...put_in, ...SOUND.slice(from - 1 + taken)];
}

/** The canonical lines of a chain of these drafts; hidden ones, by their place, are stubs. */
export function linesOf(drafts: readonly RecordDraft[], hidden: (sequence: number) => boolean = () => false): string[] {
  let head = GENESIS;
  return drafts.map(one => {
    const { record, text } = linkRecord(prepareDraft(one), head, 1, '2026-03-01T12:00:00.000Z');
    const { prev_hash } = record;
    head = headOf(record);
    if (!hidden(head.sequence)) return text;
    return `{"hash":"${head.hash}","prev_hash":"${prev_hash}","redacted":true,"sequence":${head.sequence}}`;
  });
}
