import type { AuditRecord, StateEntry } from '../../../schemas/types.js';
import { headOf } from '../audit/chain.js';
import { LinkedRecord } from '../audit/linked-record.js';
import type { Head, StoredDocument } from '../audit/log.js';
import { canonicalize } from '../state/canonical.js';
import { rollBack } from './driver.js';
import { storePaths } from './paths.js';
import { openReads } from './read.js';
import { openLocked, tellingErrors } from './store.js';
import { openWrites, type PreparedStep } from './write.js';

/** Takes the records of a log that was exported into a store, all in one transaction. */
export interface LogImporter {
  /** The end of the log that was there before. */
  readonly head: Head;
  /** The canonical texts of the records that were there before. */
  readonly lines: IterableIterator<string>;
  /** Whether a document is there. */
  hasDocument(kind: StoredDocument['kind'], id: string): boolean;
  /** Adds the next record, which was checked, and what follows from it: State, executions, the index of writes. */
  add(record: AuditRecord, text: string): void;
  addDocument(document: StoredDocument): void;
  /** Makes everything durable at once. */
  commit(): void;
  /** Gives the workspace back; what was not committed was never there. */
  close(): void;
}

/** How many records are taken before the indexes know them. */
const LONGEST_TAIL = 4096;
const NOTHING: PreparedStep = { drafts: [], documents: [], removals: [] };

/**
 * An importer into the store of a workspace, which is made where there is none. Throws what opening a store throws.
 */
export function openImporter(workspace_dir: string): LogImporter {
  const { db: locked, stored, release } = openLocked(workspace_dir);
  const db = tellingErrors(locked, storePaths(workspace_dir).database, () => false);
  const writes = openWrites(db);
  const reads = openReads(db);
  let last: AuditRecord | undefined;
  let open = true;
  db.exec('BEGIN IMMEDIATE');
  const begun = () => undefined;
  return {
    head: stored.head,
    lines: reads.lines(),
    hasDocument: (kind, id) => reads.document(kind, id) !== undefined,
    add(record, text) {
      const entries: ReadonlyMap<string, StateEntry> = writes.changesOf(record);
      const head = headOf(record);
      const linked = [new LinkedRecord(text, head, record)];
      writes.write(NOTHING, { linked, timestamp: record.timestamp, entries, head }, begun);
      last = record;
      if (writes.tail() >= LONGEST_TAIL) {
        writes.settle(head, record.timestamp);
      }
    },
    addDocument({ kind, id, value }) {
      const document = { kind, id: canonicalize(id), value: canonicalize(value) };
      writes.write(
        { ...NOTHING, documents: [document] },
        {
          linked: [],
          timestamp: stored.timestamp,
          entries: new Map(),
          head: last === undefined ? stored.head : headOf(last),
        },
        begun,
      );
    },
    commit() {
      if (last !== undefined) {
        writes.settle(headOf(last), last.timestamp);
        writes.writeIncarnation(Math.max(stored.incarnation, last.incarnation));
      }
      db.exec('COMMIT');
      open = false;
    },
    close() {
      if (open) rollBack(locked);
      release();
    },
  };
}
