import type { AuditRecord, Snapshot, StateEntry } from '../../../schemas/types.js';
import { lifecycleFault, startLifecycleMemory } from '../audit/lifecycle.js';
import {
  type LinkedRecord,
  linkRecord,
  type PreparedDraft,
  prepareDraft,
  type RecordFacts,
} from '../audit/linked-record.js';
import type { DocumentKind, DocumentName, Head, Step } from '../audit/log.js';
import { ArsError } from '../error.js';
import { canonicalize } from '../state/canonical.js';
import { conflictError, planChanges } from '../state/state.js';
import type { SqlDatabase, SqlStatement, SqlValue } from './driver.js';
import { INDEX_RECORDS, INSERT_REQUEST, INSERT_WRITE } from './layout.js';
import { STATING } from './query.js';
import { ENTRY_COLUMNS, entryOf } from './read.js';
import { openStatuses } from './statuses.js';

/** A step in canonical form, so that nothing its caller changes later can reach the log. */
export interface PreparedStep {
  readonly drafts: readonly PreparedDraft[];
  readonly documents: readonly { readonly kind: DocumentKind; readonly id: string; readonly value: string }[];
  readonly removals: readonly DocumentName[];
}

/** What a step would write, checked against everything before it. */
export interface PlannedStep {
  readonly linked: readonly LinkedRecord[];
  readonly timestamp: string;
  readonly entries: ReadonlyMap<string, StateEntry>;
  readonly head: Head;
}

/** Writing a store, inside a transaction that the caller begins and ends. */
export interface StoreWrites {
  /**
   * What the step would write after `head`. Throws `illegal_state` or `version_conflict` where it may not be written;
   * nothing is written here.
   */
  plan(step: PreparedStep, head: Head, incarnation: number, timestamp: string): PlannedStep;
  /** Writes all of it but its records, which wait for {@link StoreWrites.flush}; calls `begin` before it writes anything. */
  write(step: PreparedStep, planned: PlannedStep, begin: () => void): void;
  /** Writes the records of all steps since the last time, with few statements. */
  flush(): void;
  /** Whether {@link StoreWrites.flush} needs no more than one. */
  isOneStatement(): boolean;
  /** How often documents of a kind were written or taken away. */
  written(kind: DocumentKind): number;
  /** The entries that a record makes of those that are there. Throws `version_conflict`. */
  changesOf(record: AuditRecord): ReadonlyMap<string, StateEntry>;
  /** How many records the indexes do not know yet. */
  tail(): number;
  /** Flushes, and makes the indexes know all records up to the head, which it keeps. */
  settle(head: Head, timestamp: string): void;
  writeIncarnation(incarnation: number): void;
  /** Keeps a snapshot in place of one that is damaged, if any. */
  writeSnapshot(snapshot: Snapshot): void;
}

/** The step in canonical form. Throws `not_canonical` and `invalid_document`. */
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

/** What makes the newest status of each execution known that has records after a sequence, as {@link INDEX_RECORDS} do. */
const STATE_EXECUTIONS: readonly string[] = [
  `INSERT OR REPLACE INTO executions SELECT execution_id, record_type, status, max(sequence) FROM records
    WHERE sequence > ? AND record_type IN (${STATING}) GROUP BY execution_id`,
  `INSERT INTO executions SELECT execution_id, record_type, status, max(sequence) FROM records
    WHERE sequence > ? AND record_type NOT IN (${STATING}) GROUP BY execution_id
    ON CONFLICT DO UPDATE SET record_type = excluded.record_type, status = excluded.status, sequence = excluded.sequence
    WHERE executions.record_type NOT IN (${STATING})`,
];

/** Writes over one connection, with its statements prepared once. */
export function openWrites(db: SqlDatabase): StoreWrites {
  const entry = db.prepare(`SELECT ${ENTRY_COLUMNS} FROM state WHERE key = ?`);
  const insert = openInserts(db);
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
  const indexes = [...INDEX_RECORDS, ...STATE_EXECUTIONS].map(sql => db.prepare(sql));
  const head = db.prepare('UPDATE head SET sequence = ?, hash = ?, timestamp = ?');
  const incarnation = db.prepare('UPDATE head SET incarnation = ?');

  const statuses = openStatuses(db);
  const written = new Map<DocumentKind, number>();
  const note = (kind: DocumentKind) => written.set(kind, (written.get(kind) ?? 0) + 1);
  const waiting: WaitingRecord[] = [];
  const flush = () => {
    insert(waiting);
    waiting.length = 0;
  };
  let settled = Number(db.prepare('SELECT sequence FROM head').get()?.sequence);
  let last = settled;

  const lookup = (key: string): StateEntry | undefined => {
    const row = entry.get(canonicalize(key));
    return row && entryOf(row);
  };

  return {
    plan(step, from, writer_incarnation, timestamp) {
      const memory = step.drafts.length === 1 ? undefined : startLifecycleMemory(statuses.view);
      const entries = new Map<string, StateEntry>();
      const linked: LinkedRecord[] = [];
      let place = from;
      for (const draft of step.drafts) {
        const { facts } = draft;
        const fault = lifecycleFault(facts, memory ?? statuses.view);
        if (fault !== undefined) {
          throw new ArsError('illegal_state', fault.message, {
            details: { execution_id: facts.execution_id, requirement: fault.requirement },
          });
        }
        memory?.add(facts);
        applyChanges(facts, entries, lookup);
        const next = linkRecord(draft, place, writer_incarnation, timestamp);
        linked.push(next);
        place = next.head;
      }
      return { linked, timestamp, entries, head: place };
    },
    changesOf(r) {
      const entries = new Map<string, StateEntry>();
      applyChanges(r, entries, lookup);
      return entries;
    },
    write(step, planned, begin) {
      last = planned.head.sequence;
      for (const record of planned.linked) {
        const { facts, head: place } = record;
        waiting.push({ record, timestamp: planned.timestamp });
        statuses.add(facts);
        if (facts.status === 'committed') {
          for (const { key } of facts.state_changes ?? []) {
            begin();
            write.run(canonicalize(key), place.sequence);
          }
        }
        if (facts.status === 'workflow_started' && facts.request_key !== undefined) {
          begin();
          request.run(facts.agent_id, canonicalize(facts.request_key), facts.execution_id);
        }
      }
      for (const [key, { value, version, writer }] of planned.entries) {
        begin();
        state.run(canonicalize(key), value === undefined ? null : canonicalize(value), version, writer);
      }
      for (const { kind, id, value } of step.documents) {
        begin();
        document.run(kind, id, value);
        note(kind);
      }
      for (const { kind, id } of step.removals) {
        begin();
        removal.run(kind, id);
        note(kind);
      }
    },
    flush,
    isOneStatement: () => waiting.length <= MOST_ROWS,
    written: kind => written.get(kind) ?? 0,
    tail: () => last - settled,
    settle(end, timestamp) {
      flush();
      for (const index of indexes) {
        index.run(settled);
      }
      head.run(end.sequence, end.hash, timestamp);
      settled = end.sequence;
      statuses.settle();
    },
    writeIncarnation: value => incarnation.run(value),
    writeSnapshot: value => snapshot.run(value.sequence, canonicalize(value)),
  };
}

/** How many records go into one statement at most. */
const MOST_ROWS = 16;
const ROW = '(?, ?, ?, ?, ?, ?, ?, ?)';

/** A record that is not inserted yet. */
interface WaitingRecord {
  readonly record: LinkedRecord;
  readonly timestamp: string;
}

/** Inserts records, as many as can be with one statement. */
function openInserts(db: SqlDatabase): (waiting: readonly WaitingRecord[]) => void {
  const statements: SqlStatement[] = [];
  const statement = (rows: number): SqlStatement => {
    statements[rows] ??= db.prepare(`INSERT INTO records VALUES ${Array(rows).fill(ROW).join(', ')}`);
    return statements[rows];
  };
  return waiting => {
    for (let from = 0; from < waiting.length; from += MOST_ROWS) {
      const until = Math.min(from + MOST_ROWS, waiting.length);
      const values: SqlValue[] = [];
      for (let at = from; at < until; at++) {
        const { record, timestamp } = waiting[at] as WaitingRecord;
        const { head, facts, text } = record;
        values.push(head.sequence, facts.record_type, facts.status, timestamp, facts.execution_id, facts.context_id);
        values.push(facts.parent_execution_id ?? null, text);
      }
      statement(until - from).run(...values);
    }
  };
}

/** Only a committed record changes State (AII4). */
function applyChanges(
  { status, execution_id, state_changes }: Pick<RecordFacts, 'status' | 'execution_id' | 'state_changes'>,
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
