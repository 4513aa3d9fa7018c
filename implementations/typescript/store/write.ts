import { isValid, validate } from '../../../schemas/index.js';
import type { AuditRecord, Snapshot, StateEntry } from '../../../schemas/types.js';
import { headOf, type LinkedRecord, linkRecord, type PreparedDraft, prepareDraft } from '../audit/chain.js';
import { type LifecycleView, lifecycleFault, STATUS_TYPES, startLifecycleMemory } from '../audit/lifecycle.js';
import type { DocumentKind, DocumentName, Head, Step } from '../audit/log.js';
import { ArsError } from '../error.js';
import { canonicalize } from '../state/canonical.js';
import { conflictError, planChanges } from '../state/state.js';
import type { SqlDatabase } from './driver.js';
import { INSERT_REQUEST, INSERT_WRITE } from './layout.js';
import { entryOf } from './read.js';

/** A step in canonical form, so that nothing its caller changes later can reach the log. */
export interface PreparedStep {
  readonly drafts: readonly PreparedDraft[];
  readonly documents: readonly { readonly kind: DocumentKind; readonly id: string; readonly value: string }[];
  readonly removals: readonly DocumentName[];
}

/** What a step would write, checked against everything before it. */
export interface PlannedStep {
  readonly linked: readonly LinkedRecord[];
  readonly entries: ReadonlyMap<string, StateEntry>;
  readonly head: Head;
}

/** Writing a store, inside a transaction that the caller begins and ends. */
export interface StoreWrites {
  /**
   * What the step would write after `head`. Throws `invalid_document`, `illegal_state` or `version_conflict` where it may
   * not be written; nothing is written here.
   */
  plan(step: PreparedStep, head: Head, incarnation: number, timestamp: string): PlannedStep;
  write(step: PreparedStep, planned: PlannedStep): void;
  /** The entries that a record makes of those that are there. Throws `version_conflict`. */
  changesOf(record: AuditRecord): ReadonlyMap<string, StateEntry>;
  writeHead(head: Head, timestamp: string): void;
  writeIncarnation(incarnation: number): void;
  /** Keeps a snapshot in place of one that is damaged, if any. */
  writeSnapshot(snapshot: Snapshot): void;
}

/** The step in canonical form. Throws `not_canonical`. */
export function prepareStep(step: Step): PreparedStep {
  return {
    drafts: step.records.map(prepareDraft),
    documents: (step.documents ?? []).map(({ kind, id, value }) => ({
      kind,
      id: canonicalize(id),
      value: canonicalize(value),
    })),
    removals: (step.removals ?? []).map(({ kind, id }) => ({ kind, id: canonicalize(id) })),
  };
}

/** Writes over one connection, with its statements prepared once. */
export function openWrites(db: SqlDatabase): StoreWrites {
  const status = db.prepare('SELECT record_type, status FROM executions WHERE execution_id = ?');
  const resolved = db.prepare(
    `SELECT 1 AS found FROM records WHERE execution_id = ? AND +record_type = 'approval' AND +status = 'resolved' LIMIT 1`,
  );
  const entry = db.prepare('SELECT value, version, writer FROM state WHERE key = ?');
  const record = db.prepare('INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const execution = db.prepare('INSERT OR REPLACE INTO executions VALUES (?, ?, ?, ?)');
  const write = db.prepare(INSERT_WRITE);
  const request = db.prepare(INSERT_REQUEST);
  const state = db.prepare('INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?)');
  // A document that is there with this value stays untouched: instances of one workflow share their resolved documents.
  const document = db.prepare(
    `INSERT INTO documents VALUES (?, ?, ?)
     ON CONFLICT (kind, id) DO UPDATE SET value = excluded.value WHERE value <> excluded.value`,
  );
  const removal = db.prepare('DELETE FROM documents WHERE kind = ? AND id = ?');
  const snapshot = db.prepare('INSERT OR REPLACE INTO snapshots VALUES (?, ?)');
  const head = db.prepare('UPDATE head SET sequence = ?, hash = ?, timestamp = ?');
  const incarnation = db.prepare('UPDATE head SET incarnation = ?');

  const view: LifecycleView = {
    status(execution_id) {
      const row = status.get(execution_id);
      const found = row as unknown as Pick<AuditRecord, 'record_type' | 'status'> | undefined;
      return found && STATUS_TYPES.has(found.record_type) ? found : undefined;
    },
    isResolved: execution_id => resolved.get(execution_id) !== undefined,
  };
  const lookup = (key: string): StateEntry | undefined => {
    const row = entry.get(canonicalize(key));
    return row && entryOf(row);
  };

  return {
    plan(step, from, writer_incarnation, timestamp) {
      const memory = startLifecycleMemory(view);
      const entries = new Map<string, StateEntry>();
      const linked: LinkedRecord[] = [];
      let place = from;
      for (const draft of step.drafts) {
        const next = linkRecord(draft, place, writer_incarnation, timestamp);
        checkRecord(next.record);
        const fault = lifecycleFault(next.record, memory);
        if (fault !== undefined) {
          throw new ArsError('illegal_state', fault.message, {
            details: { execution_id: next.record.execution_id, requirement: fault.requirement },
          });
        }
        memory.add(next.record);
        applyChanges(next.record, entries, lookup);
        linked.push(next);
        place = headOf(next.record);
      }
      return { linked, entries, head: place };
    },
    changesOf(r) {
      const entries = new Map<string, StateEntry>();
      applyChanges(r, entries, lookup);
      return entries;
    },
    write(step, planned) {
      for (const { record: r, text } of planned.linked) {
        const parent = r.parent_execution_id ?? null;
        record.run(r.sequence, r.record_type, r.status, r.timestamp, r.execution_id, r.context_id, parent, text);
        if (r.status === 'committed') {
          for (const { key } of r.state_changes ?? []) {
            write.run(canonicalize(key), r.sequence);
          }
        }
        if (r.status === 'workflow_started' && r.request_key !== undefined) {
          request.run(r.agent_id, canonicalize(r.request_key), r.execution_id);
        }
        if (STATUS_TYPES.has(r.record_type) || view.status(r.execution_id) === undefined) {
          execution.run(r.execution_id, r.record_type, r.status, r.sequence);
        }
      }
      for (const [key, { value, version, writer }] of planned.entries) {
        state.run(canonicalize(key), value === undefined ? null : canonicalize(value), version, writer);
      }
      for (const { kind, id, value } of step.documents) {
        document.run(kind, id, value);
      }
      for (const { kind, id } of step.removals) {
        removal.run(kind, id);
      }
    },
    writeHead: (end, timestamp) => head.run(end.sequence, end.hash, timestamp),
    writeIncarnation: value => incarnation.run(value),
    writeSnapshot: value => snapshot.run(value.sequence, canonicalize(value)),
  };
}

function checkRecord(record: AuditRecord): void {
  if (isValid('audit-record', record)) {
    return;
  }
  const defects = validate('audit-record', record);
  throw new ArsError(
    'invalid_document',
    `the record does not fit its schema at "${defects[0]?.pointer}": ${defects[0]?.message}`,
    { details: { defects } },
  );
}

/** Only a committed record changes State (AII4). */
function applyChanges(
  { status, execution_id, state_changes }: AuditRecord,
  entries: Map<string, StateEntry>,
  lookup: (key: string) => StateEntry | undefined,
): void {
  if (status !== 'committed' || state_changes === undefined) {
    return;
  }
  const plan = planChanges(key => entries.get(key) ?? lookup(key), state_changes, execution_id);
  if (!plan.ok) {
    throw conflictError(plan.conflict);
  }
  for (const [key, value] of plan.entries) {
    entries.set(key, value);
  }
}
