import type { AuditRecord } from '../../../schemas/types.js';
import { GENESIS } from '../audit/chain.js';
import { ArsError } from '../error.js';
import { canonicalize } from '../state/canonical.js';
import { inTransaction, type SqlDatabase, sqlFailure, textOf } from './driver.js';

/** "ARS1" as a number: SQLite's mark of whose file it is. */
const APPLICATION_ID = 0x41525331;
const LAYOUT_VERSION = 4;
/** The first layout that has the indexes of records as tables. */
export const INDEXED_LAYOUT = 3;

/** What the second layout added: which committed records write a key, which instance has a request_key, and snapshots. */
const SECOND_LAYOUT = `
  CREATE TABLE writes (key TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (key, sequence)) STRICT, WITHOUT ROWID;
  CREATE TABLE requests (agent_id TEXT NOT NULL, request_key TEXT NOT NULL, execution_id TEXT NOT NULL,
    PRIMARY KEY (agent_id, request_key)) STRICT, WITHOUT ROWID;
  CREATE TABLE snapshots (sequence INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
  CREATE TRIGGER snapshots_stay BEFORE UPDATE ON snapshots BEGIN SELECT RAISE(ABORT, 'a snapshot never changes'); END;
`;

/** The columns of records that queries start from, each with the table that says which records have a value. */
export const RECORD_INDEXES = {
  execution_id: 'records_execution',
  parent_execution_id: 'records_parent',
  context_id: 'records_context',
  status: 'records_status',
  record_type: 'records_type',
} as const;

type IndexedColumn = keyof typeof RECORD_INDEXES;

/** Values that so many records have that no index knows them: whoever looks for one goes through the records. */
const FREQUENT: Partial<Record<IndexedColumn, readonly string[]>> = {
  status: ['pending', 'committed'],
  record_type: ['action'],
};

/** Whether the index of a column knows the records with a value. */
export function isIndexed(column: IndexedColumn, value: unknown): boolean {
  return !FREQUENT[column]?.some(frequent => frequent === value);
}

/** Each column with its index. */
export function columnsOfIndexes(): readonly (readonly [column: IndexedColumn, table: string])[] {
  return Object.entries(RECORD_INDEXES) as [IndexedColumn, string][];
}

/** The values of a column that its index leaves out, as a list of SQL. */
export function frequentValues(column: IndexedColumn): string {
  return (FREQUENT[column] ?? []).map(value => `'${value}'`).join(', ');
}

/**
 * What the third layout added: the indexes of records as tables of their own, so that a commit touches none of them. They
 * know the records up to the stored head; the few after it, the tail, are searched one by one.
 */
const THIRD_LAYOUT = columnsOfIndexes()
  .map(
    ([column, table]) =>
      `CREATE TABLE ${table} (${column} TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (${column}, sequence)) STRICT, WITHOUT ROWID;`,
  )
  .join('\n');

/** What makes the indexes know the records after a sequence. */
export const INDEX_RECORDS: readonly string[] = columnsOfIndexes().map(
  ([column, table]) =>
    `INSERT INTO ${table} SELECT ${column}, sequence FROM records
      WHERE sequence > ? AND ${column} IS NOT NULL AND ${column} NOT IN (${frequentValues(column)})`,
);

/** What the fourth layout took away: the frequent values in the indexes. */
const FOURTH_LAYOUT = columnsOfIndexes()
  .map(([column, table]) => `DELETE FROM ${table} WHERE ${column} IN (${frequentValues(column)});`)
  .join('\n');

/** Notes that a record writes a key, once. */
export const INSERT_WRITE = 'INSERT OR IGNORE INTO writes VALUES (?, ?)';

/** Notes which instance an agent has under a request_key. */
export const INSERT_REQUEST = 'INSERT OR REPLACE INTO requests VALUES (?, ?, ?)';

/** Keys of State and ids of documents stand as JSON texts, so that any string can be one. */
const TABLES = `
  CREATE TABLE records (
    sequence INTEGER PRIMARY KEY,
    record_type TEXT NOT NULL,
    status TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    context_id TEXT NOT NULL,
    parent_execution_id TEXT,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER records_stay BEFORE UPDATE ON records BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  CREATE TRIGGER records_remain BEFORE DELETE ON records BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
  CREATE TABLE executions (
    execution_id TEXT PRIMARY KEY,
    record_type TEXT NOT NULL,
    status TEXT NOT NULL,
    sequence INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX executions_incomplete ON executions (sequence)
    WHERE record_type = 'action' AND status IN ('pending', 'in_doubt');
  CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT, version INTEGER NOT NULL, writer TEXT NOT NULL) STRICT;
  CREATE TABLE documents (kind TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT;
  CREATE TABLE head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    sequence INTEGER NOT NULL,
    hash TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    incarnation INTEGER NOT NULL
  ) STRICT;
  ${SECOND_LAYOUT}
  ${THIRD_LAYOUT}
`;

/** The start of time, before which no record is written. */
export const EPOCH = '1970-01-01T00:00:00.000Z';

/** Whether the database has nothing in it: new, or left so by a process that died while it made it. */
export function isBlank(db: SqlDatabase): boolean {
  return mark(db, 'application_id') === 0 && mark(db, 'user_version') === 0 && count(db) === 0;
}

/** Makes the tables of an empty store, all in one transaction. */
export function createLayout(db: SqlDatabase): void {
  inTransaction(db, () => {
    db.exec(TABLES);
    db.prepare('INSERT INTO head VALUES (1, 0, ?, ?, 0)').run(GENESIS.hash, EPOCH);
    db.exec(`PRAGMA application_id=${APPLICATION_ID}; PRAGMA user_version=${LAYOUT_VERSION}`);
  });
}

/** Brings a store of an earlier layout to this one, all in one transaction, as its next writer opens it. */
export function upgradeLayout(db: SqlDatabase): void {
  const version = layoutOf(db);
  if (version === LAYOUT_VERSION) {
    return;
  }
  inTransaction(db, () => {
    if (version < 2) {
      db.exec(SECOND_LAYOUT);
      noteWrites(db);
      noteRequests(db);
    }
    if (version < 3) {
      for (const index of Object.values(RECORD_INDEXES)) {
        db.exec(`DROP INDEX ${index}`);
      }
      db.exec(THIRD_LAYOUT);
      for (const sql of INDEX_RECORDS) {
        db.prepare(sql).run(0);
      }
    } else {
      db.exec(FOURTH_LAYOUT);
    }
    db.exec(`PRAGMA user_version=${LAYOUT_VERSION}`);
  });
}

/** The layout of a store. */
export function layoutOf(db: SqlDatabase): number {
  return mark(db, 'user_version');
}

function noteWrites(db: SqlDatabase): void {
  const write = db.prepare(INSERT_WRITE);
  for (const { sequence, state_changes = [] } of recordsOf(db, 'committed')) {
    for (const { key } of state_changes) {
      write.run(canonicalize(key), sequence);
    }
  }
}

function noteRequests(db: SqlDatabase): void {
  const request = db.prepare(INSERT_REQUEST);
  for (const { agent_id, request_key, execution_id } of recordsOf(db, 'workflow_started')) {
    if (request_key !== undefined) {
      request.run(agent_id, canonicalize(request_key), execution_id);
    }
  }
}

function* recordsOf(db: SqlDatabase, status: AuditRecord['status']): Generator<AuditRecord> {
  const page = db.prepare(
    'SELECT sequence, CAST(text AS BLOB) AS text FROM records WHERE status = ? AND sequence > ? ORDER BY sequence LIMIT 1000',
  );
  let last = 0;
  for (let found = page.all(status, 0); found.length > 0; found = page.all(status, last)) {
    for (const { text } of found) {
      yield recordIn(textOf(text));
    }
    const next = Number(found.at(-1)?.sequence);
    if (next <= last)
      throw new ArsError('log_corrupt', 'the records of the store are not in order; restore it from a copy');
    last = next;
  }
}

function recordIn(text: string): AuditRecord {
  try {
    return JSON.parse(text) as AuditRecord;
  } catch (cause) {
    throw new ArsError('log_corrupt', 'the store holds a record that is not JSON; restore it from a copy', { cause });
  }
}

/** Refuses, with `workspace_foreign`, a database that is not a store of a layout that this version can read. */
export function checkLayout(db: SqlDatabase, path: string): void {
  const application_id = mark(db, 'application_id');
  if (application_id !== APPLICATION_ID) {
    throw new ArsError(
      'workspace_foreign',
      `the file "${path}" is a database of another program (application_id ${application_id}); move it away or choose another workspace`,
      { details: { path, application_id } },
    );
  }
  const user_version = layoutOf(db);
  if (user_version < 1 || user_version > LAYOUT_VERSION) {
    throw new ArsError(
      'workspace_foreign',
      `the file "${path}" has layout ${user_version}, this version of the runtime knows those up to ${LAYOUT_VERSION}; use the version that wrote it`,
      { details: { path, user_version } },
    );
  }
}

/** What an error of the database of a workspace means, as an error of this runtime. */
export function databaseError(error: unknown, path: string): ArsError {
  if (error instanceof ArsError) {
    return error;
  }
  switch (sqlFailure(error)) {
    case 'not_a_database':
      return new ArsError('workspace_foreign', `the file "${path}" is not a database; move it away or restore it`, {
        details: { path },
        cause: error,
      });
    case 'corrupt':
    case 'unfit':
      return new ArsError('log_corrupt', `the database "${path}" is damaged; restore it from a copy`, {
        details: { path },
        cause: error,
      });
    case 'busy':
      return new ArsError(
        'storage_failed',
        `the database "${path}" is held by another process; end what holds it, or try again`,
        { details: { path }, cause: error },
      );
    default:
      return new ArsError(
        'storage_failed',
        `the database "${path}" cannot be used: ${error instanceof Error ? error.message : String(error)}; check the disk and the permissions, also those of its folder`,
        {
          details: { path },
          cause: error,
        },
      );
  }
}

function mark(db: SqlDatabase, name: 'application_id' | 'user_version'): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function count(db: SqlDatabase): number {
  return Number(db.prepare('SELECT count(*) AS objects FROM sqlite_schema').get()?.objects);
}
