import type { AuditRecord, State, StateEntry } from '../../../schemas/types.js';
import { hasOwnHash } from '../audit/chain.js';
import type { DocumentKind, Head, RecordQuery } from '../audit/log.js';
import { ArsError } from '../error.js';
import { canonicalize } from '../state/canonical.js';
import { toState } from '../state/state.js';
import { type Named, namedFrom } from './beginning.js';
import { type SqlDatabase, type SqlRow, type SqlStatement, textOf } from './driver.js';
import { INDEXED_LAYOUT, layoutOf } from './layout.js';
import { queryText, STATING } from './query.js';

/** Reading a store. Iterators read pages as they are asked, so that neither memory nor the database is held by a slow reader. */
export interface StoreReads {
  records(query?: RecordQuery): IterableIterator<AuditRecord>;
  /** Canonical texts of the records after a sequence, in sequence order, without line feeds. */
  lines(after?: number): IterableIterator<string>;
  writesBefore(key: string, sequence: number): IterableIterator<AuditRecord>;
  latest(execution_id: string): AuditRecord | undefined;
  /** What has an execution_id that begins so, once each. */
  named(beginning: string): IterableIterator<Named>;
  requested(agent_id: string, request_key: string): string | undefined;
  state(keys?: readonly string[]): State;
  snapshots(until: number): IterableIterator<unknown>;
  document(kind: DocumentKind, id: string): unknown;
  documents(kind: DocumentKind): IterableIterator<{ id: string; value: unknown }>;
}

/** The end of the log as the store has it. */
export interface StoredHead {
  readonly head: Head;
  readonly timestamp: string;
  readonly incarnation: number;
  /** The head that is kept beside the records; the indexes know the records up to it, not the tail after it. */
  readonly kept: Head & { readonly timestamp: string };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const PAGE_ROWS = 64;
/** Whoever looks for writes mostly wants one. */
const WRITES_ROWS = 2;
/** The end of the log as the store has it. Throws `log_corrupt`. */
export function readHead(db: SqlDatabase): StoredHead {
  const row = db
    .prepare(
      `SELECT CAST(sequence AS INTEGER) AS sequence, CAST(hash AS BLOB) AS hash, CAST(timestamp AS BLOB) AS timestamp,
        CAST(incarnation AS INTEGER) AS incarnation FROM head`,
    )
    .get();
  if (row === undefined) {
    throw new ArsError('log_corrupt', 'the store has no head');
  }
  const kept = { sequence: Number(row.sequence), hash: soundText(row.hash), timestamp: soundText(row.timestamp) };
  const incarnation = Number(row.incarnation);
  const last = db
    .prepare('SELECT CAST(text AS BLOB) AS text FROM records WHERE sequence > ? ORDER BY sequence DESC LIMIT 1')
    .get(kept.sequence);
  if (last === undefined) {
    const { sequence, hash, timestamp } = kept;
    return { head: { sequence, hash }, timestamp, incarnation, kept };
  }
  const { sequence, hash, timestamp } = parseRecord(textOf(last.text));
  return { head: { sequence, hash }, timestamp, incarnation, kept };
}

/**
 * The text of a column that was read as a blob. Throws `log_corrupt` where it is no UTF-8: what is no record has no hash
 * that would show that it was mended.
 */
export function soundText(value: SqlRow[string] | undefined): string {
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return UTF8.decode(value);
  } catch (cause) {
    throw new ArsError('log_corrupt', 'the store holds a text that is not UTF-8; restore it from a copy', { cause });
  }
}

/** The JSON value of a stored text that was read as a blob. Throws `log_corrupt` where it is none. */
function parseStored(stored: SqlRow[string] | undefined): unknown {
  return parseText(soundText(stored));
}

/** The record of a stored text, whose hash was not looked at. Throws `log_corrupt` where it is no object. */
export function parseRecord(text: string): AuditRecord {
  const record = parseText(text);
  if (typeof record === 'object' && record !== null) return record as AuditRecord;
  throw new ArsError(
    'log_corrupt',
    'the store holds something that is no record; find the place with ars audit verify',
  );
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ArsError('log_corrupt', 'the store holds a text that is not JSON; restore it from a copy', { cause });
  }
}

function jsonOf(stored: SqlRow[string] | undefined): unknown {
  try {
    return parseStored(stored);
  } catch {
    return undefined;
  }
}

/**
 * The record of a stored text. Throws `log_corrupt` where it is none, or was changed since it was written.
 *
 * @requirement SO2
 */
function recordOf(stored: SqlRow[string] | undefined): AuditRecord {
  const text = textOf(stored);
  const record = parseRecord(text);
  if (hasOwnHash(text, record)) return record;
  throw new ArsError(
    'log_corrupt',
    `the record ${record.sequence} of the store is not what was written: its hash is another; find the place with ars audit verify`,
    { details: { sequence: record.sequence } },
  );
}

/** The columns of an entry of State as {@link entryOf} takes them. */
export const ENTRY_COLUMNS =
  'CAST(value AS BLOB) AS value, CAST(version AS INTEGER) AS version, CAST(writer AS BLOB) AS writer';

/** The entry of State that a row holds. Throws `log_corrupt` where it is damaged. */
export function entryOf(row: SqlRow): StateEntry {
  const version = Number(row.version);
  const writer = soundText(row.writer);
  return (row.value === null ? { version, writer } : { value: parseStored(row.value), version, writer }) as StateEntry;
}

/** Reads over one connection, with its statements prepared once each. */
export function openReads(db: SqlDatabase): StoreReads {
  const statements = new Map<string, SqlStatement>();
  const prepared = (sql: string): SqlStatement => {
    const found = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, found);
    return found;
  };

  function* rows(query: RecordQuery): Generator<SqlRow> {
    if (Object.values(query).some(isNoName)) return;
    const { after, until } = bounds(prepared, query);
    const { sql, values } = queryText(query, layoutOf(db) >= INDEXED_LAYOUT);
    const page = prepared(sql);
    let left = query.limit ?? Number.POSITIVE_INFINITY;
    let last = after;
    while (left > 0) {
      const size = Math.min(left, PAGE_ROWS);
      const found = page.all(...values(last, until, size));
      yield* found;
      if (found.length < size) {
        return;
      }
      left -= size;
      last = nextPlace(found, last);
    }
  }

  return {
    *records(query = {}) {
      for (const row of rows(query)) {
        yield recordOf(row.text);
      }
    },
    *lines(after = 0) {
      const page = prepared(
        'SELECT sequence, CAST(text AS BLOB) AS text FROM records WHERE sequence > ? ORDER BY sequence LIMIT ?',
      );
      let last = after;
      for (let found = page.all(last, PAGE_ROWS); found.length > 0; found = page.all(last, PAGE_ROWS)) {
        for (const row of found) {
          yield textOf(row.text);
        }
        last = nextPlace(found, last);
      }
    },
    *writesBefore(key, sequence) {
      const page = prepared(
        `SELECT w.sequence, CAST(r.text AS BLOB) AS text FROM writes w JOIN records r ON r.sequence = w.sequence
          WHERE w.key = ? AND w.sequence < ? ORDER BY w.sequence DESC LIMIT ?`,
      );
      const wanted = canonicalize(key);
      let before = sequence;
      for (;;) {
        const found = page.all(wanted, before, WRITES_ROWS);
        for (const row of found) {
          yield recordOf(row.text);
        }
        if (found.length < WRITES_ROWS) {
          return;
        }
        before = -nextPlace(found, -before, -1);
      }
    },
    latest(execution_id) {
      if (isNoName(execution_id)) return undefined;
      const row =
        prepared(
          `SELECT CAST(text AS BLOB) AS text FROM records WHERE sequence > (SELECT sequence FROM head) AND execution_id = ?
            AND record_type IN (${STATING}) ORDER BY sequence DESC LIMIT 1`,
        ).get(execution_id) ??
        prepared(
          `SELECT CAST(r.text AS BLOB) AS text FROM executions e JOIN records r ON r.sequence = e.sequence
          WHERE e.execution_id = ? AND e.record_type IN (${STATING})`,
        ).get(execution_id);
      return row && recordOf(row.text);
    },
    named(beginning) {
      return isNoName(beginning) ? [].values() : namedFrom(prepared, beginning);
    },
    requested(agent_id, request_key) {
      if (isNoName(agent_id)) return undefined;
      const row = prepared(
        'SELECT CAST(execution_id AS BLOB) AS execution_id FROM requests WHERE agent_id = ? AND request_key = ?',
      ).get(agent_id, canonicalize(request_key));
      return row && soundText(row.execution_id);
    },
    state(keys) {
      const found =
        keys === undefined
          ? prepared(`SELECT CAST(key AS BLOB) AS key, ${ENTRY_COLUMNS} FROM state`).all()
          : prepared(
              `SELECT CAST(key AS BLOB) AS key, ${ENTRY_COLUMNS} FROM state WHERE key IN (SELECT value FROM json_each(?))`,
            ).all(canonicalize(keys.map(canonicalize)));
      return toState(found.map(row => [String(parseStored(row.key)), entryOf(row)] as const));
    },
    *snapshots(until) {
      if (prepared(`SELECT 1 FROM sqlite_schema WHERE name = 'snapshots'`).get() === undefined) {
        return;
      }
      const newest = prepared(
        'SELECT sequence, CAST(text AS BLOB) AS text FROM snapshots WHERE sequence <= ? ORDER BY sequence DESC LIMIT 1',
      );
      let before = until + 1;
      for (let row = newest.get(until); row !== undefined; row = newest.get(before - 1)) {
        before = -nextPlace([row], -before, -1);
        yield jsonOf(row.text);
      }
    },
    document(kind, id) {
      const row = prepared('SELECT CAST(value AS BLOB) AS value FROM documents WHERE kind = ? AND id = ?').get(
        kind,
        canonicalize(id),
      );
      return row && parseStored(row.value);
    },
    *documents(kind) {
      const page = prepared(
        `SELECT CAST(id AS BLOB) AS id, CAST(value AS BLOB) AS value FROM documents d
          WHERE kind = ? AND d.id > ? ORDER BY d.id LIMIT ?`,
      );
      let last = '';
      for (;;) {
        const found = page.all(kind, last, PAGE_ROWS);
        for (const row of found) {
          yield { id: String(parseStored(row.id)), value: parseStored(row.value) };
        }
        if (found.length < PAGE_ROWS) {
          return;
        }
        const next = soundText(found.at(-1)?.id);
        if (Buffer.compare(Buffer.from(next), Buffer.from(last)) <= 0) throw disorder();
        last = next;
      }
    },
  };
}

/** Whether a value is a text that no name is, and that a statement would take for the part of it before U+0000. */
function isNoName(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}

/** The sequence of the last row of a page. Throws `log_corrupt` where it is not beyond the page before, as in a damaged file. */
export function nextPlace(page: readonly SqlRow[], last: number, direction: 1 | -1 = 1): number {
  const next = direction * Number(page.at(-1)?.sequence);
  if (next > last) return next;
  throw disorder();
}

function disorder(): ArsError {
  return new ArsError('log_corrupt', 'the rows of the store are not in order; restore it from a copy');
}

/** The open interval of sequences that a query can touch. Timestamps never fall, so a time is a place in the log. */
function bounds(prepared: (sql: string) => SqlStatement, query: RecordQuery): { after: number; until: number } {
  const last = Number(prepared('SELECT max(sequence) AS last FROM records').get()?.last ?? 0);
  if (!Number.isSafeInteger(last)) throw disorder();
  const timestamp = prepared('SELECT CAST(timestamp AS BLOB) AS timestamp FROM records WHERE sequence = ?');
  const firstFrom = (time: string): number => {
    let low = 1;
    let high = last + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (soundText(timestamp.get(middle)?.timestamp) < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  return {
    after: Math.max(query.after ?? 0, query.from === undefined ? 0 : firstFrom(query.from) - 1),
    until: query.until === undefined ? Number.MAX_SAFE_INTEGER : firstFrom(query.until),
  };
}
