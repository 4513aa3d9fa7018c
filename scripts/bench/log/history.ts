import { linkRecord, prepareDraft } from '../../../implementations/typescript/audit/linked-record.js';
import type { Head, RecordDraft } from '../../../implementations/typescript/audit/log.js';
import { digest } from '../../../implementations/typescript/state/canonical.js';
import { openImporter } from '../../../implementations/typescript/store/importer.js';
import { planWorkflow } from '../../../implementations/typescript/workflow/plan.js';
import type { AuditRecord, Workflow } from '../../../schemas/types.js';

const STEPS = 10;
const AGENT = 'owner';
/** A record falls on each millisecond from here on. */
const BEGINNING = Date.parse('2026-01-01T00:00:00.000Z');

/** The workflow of the history: a chain of steps, each of which writes a key. */
export const WORKFLOW: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'steps', version: '1.0.0' },
  actions: [
    { action_id: 'step', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable', side_effects: [] },
  ],
  nodes: [
    ...Array.from({ length: STEPS }, (_, at) => ({
      node_id: `n${at}`,
      type: 'action' as const,
      action_def: 'step@1',
    })),
    { node_id: 'end', type: 'terminal', status: 'completed' },
  ],
  edges: Array.from({ length: STEPS }, (_, at) => ({
    from_node: `n${at}`,
    to_node: at + 1 < STEPS ? `n${at + 1}` : 'end',
    label: 'success',
  })),
};

/** Records of one instance, without its end where it is left open: then its last step is pending. */
function* instance(at: number, resolved_digest: string, open: boolean): Generator<RecordDraft> {
  const id = `i${at}`;
  const own = { execution_id: id, context_id: id, agent_id: AGENT };
  for (const gate of ['verification', 'governance', 'safety', 'execution'] as const) {
    const trust = gate === 'governance' ? { trust_after: 'TRUSTED' as const } : {};
    yield { ...own, record_type: 'gate', status: 'allowed', gate, reasons: [], ...trust };
  }
  const workflow = { ...own, record_type: 'workflow', workflow_id: 'steps@1.0.0' } as const;
  const digests = { resolved_digest, inputs_digest: digest({}) };
  yield { ...workflow, status: 'workflow_started', inputs: {}, context: {}, ...digests };
  for (let step = 0; step < STEPS; step++) {
    const action = {
      record_type: 'action',
      execution_id: `${id}.${step}`,
      context_id: id,
      parent_execution_id: id,
      agent_id: AGENT,
      node_id: `n${step}`,
      action_id: 'step',
      action_version: '1.0.0',
      side_effects: [],
      determinism: 'deterministic',
      rollback: 'rollbackable',
      attempt: 1,
      idempotency_key: `${id}/n${step}/0`,
    } satisfies Partial<RecordDraft>;
    yield { ...action, status: 'pending', inputs: {} };
    if (open && step === STEPS - 1) return;
    const key = `key ${(at * STEPS + step) % 10_000}`;
    yield { ...action, status: 'committed', outputs: { at, step }, state_changes: [{ key, op: 'put', value: at }] };
  }
  yield {
    ...own,
    execution_id: `${id}.end`,
    parent_execution_id: id,
    record_type: 'terminal',
    status: 'completed',
    node_id: 'end',
  };
  yield { ...workflow, status: 'workflow_completed', outputs: {} };
}

/** A log of at least so many records with their canonical texts; the last instances are left open. */
export function* history(records: number, open: number, head: Head): Generator<{ record: AuditRecord; text: string }> {
  const { resolved_digest } = planWorkflow(WORKFLOW, () => []);
  let place = head;
  let left = open;
  for (let at = 0; place.sequence < records || left > 0; at++) {
    const isOpen = place.sequence >= records;
    if (isOpen) left -= 1;
    for (const draft of instance(at, resolved_digest, isOpen)) {
      const timestamp = new Date(BEGINNING + place.sequence).toISOString();
      const linked = linkRecord(prepareDraft(draft), place, 1, timestamp);
      place = linked.head;
      yield linked;
    }
  }
}

/** Makes a workspace with such a log, in one transaction. */
export function makeWorkspace(workspace: string, records: number, open: number): void {
  const importer = openImporter(workspace);
  const { resolved, resolved_digest } = planWorkflow(WORKFLOW, () => []);
  importer.addDocument({ kind: 'resolved', id: resolved_digest, value: resolved });
  for (const { record, text } of history(records, open, importer.head)) importer.add(record, text);
  importer.commit();
  importer.close();
}
