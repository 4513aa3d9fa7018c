import { createRequire } from 'node:module';
import process from 'node:process';
import { ArsError } from '../error.js';

/** What a column or a parameter can hold here. */
export type SqlValue = string | number | null;

/** A row by column name. */
export type SqlRow = Readonly<Record<string, SqlValue | Uint8Array>>;

/** A prepared statement, to be run any number of times. */
export interface SqlStatement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
}

/**
 * A connection to an SQLite database. Strings must not hold U+0000, at which the package for older Nodes cuts them off, where
 * they are read and where they are given; whoever stores a free string stores its JSON text. A text whose file may be damaged is read as a blob, which shows whether it is
 * still UTF-8.
 */
export interface SqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

/** What kind of trouble an error of the database is; unfit: a statement and the tables do not go together. */
export type SqlFailure = 'unfit' | 'busy' | 'corrupt' | 'not_a_database' | 'unwritable' | 'other';

/** The text of a column that was read as a blob, with U+FFFD for what is no UTF-8. */
export function textOf(value: SqlRow[string] | undefined): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
}

const FAILURES: ReadonlyMap<number, SqlFailure> = new Map([
  [1, 'unfit'],
  [5, 'busy'],
  [6, 'busy'],
  [8, 'unwritable'],
  [11, 'corrupt'],
  [14, 'unwritable'],
  [26, 'not_a_database'],
]);
/** The words of SQLite for these: the package for older Nodes leaves the number out where the rows of a statement are read. */
const FAILURE_TEXTS: ReadonlyMap<unknown, SqlFailure> = new Map<unknown, SqlFailure>([
  ['database is locked', 'busy'],
  ['database table is locked', 'busy'],
  ['attempt to write a readonly database', 'unwritable'],
  ['database disk image is malformed', 'corrupt'],
  ['unable to open database file', 'unwritable'],
  ['file is not a database', 'not_a_database'],
]);
/** What begins the message about an integer that no number can hold, which no sound file has. */
const TOO_LARGE = 'Value is too large to be represented';
/** How long a statement waits for a lock of another connection, in milliseconds. */
const BUSY_TIMEOUT_MS = 5000;
const FULL = 2;

let sqlite: SqliteModule | undefined;

/**
 * A connection to the database file, which is made where it does not exist: by `node:sqlite`, else by a package that is the
 * same for a Node without it.
 */
export function openDatabase(path: string): SqlDatabase {
  sqlite ??= ofNode() ?? ofPackage();
  return new sqlite.DatabaseSync(path);
}

/**
 * Makes every commit of the connection survive a power loss: write-ahead log, synchronous=FULL. Both are read back,
 * since drivers fall back silently. Throws `storage_failed` where the database does not take them.
 */
export function makeDurable(db: SqlDatabase, path: string): void {
  db.exec(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
  const journal = db.prepare('PRAGMA journal_mode=WAL').get()?.journal_mode;
  db.exec('PRAGMA synchronous=FULL');
  const synchronous = db.prepare('PRAGMA synchronous').get()?.synchronous;
  if (journal !== 'wal' || synchronous !== FULL) {
    throw new ArsError(
      'storage_failed',
      `the database "${path}" runs with journal_mode ${journal} and synchronous ${synchronous}, wanted are wal and ${FULL}; use a local file system`,
      { details: { path, journal_mode: journal, synchronous } },
    );
  }
}

/** Does work in one transaction; where it throws, nothing of it is done, and what it threw is thrown. */
export function inTransaction(db: SqlDatabase, work: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

/** Ends the transaction of a connection, if it has one: where the disk is full or fails, SQLite has ended it itself. */
export function rollBack(db: SqlDatabase): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // There is none, and why is told by the error that led here.
  }
}

/** Says what kind of trouble an error is that a connection threw. */
export function sqlFailure(error: unknown): SqlFailure {
  if (typeof error !== 'object' || error === null) {
    return 'other';
  }
  const { errcode, message } = error as { errcode?: unknown; message?: unknown };
  if (typeof message === 'string' && message.startsWith(TOO_LARGE)) return 'corrupt';
  return (typeof errcode === 'number' ? FAILURES.get(errcode & 0xff) : FAILURE_TEXTS.get(message)) ?? 'other';
}

/** What `node:sqlite` and its like export. */
interface SqliteModule {
  readonly DatabaseSync: new (path: string) => SqlDatabase;
}

/** The SQLite of Node; undefined where this Node has none. */
function ofNode(): SqliteModule | undefined {
  return withoutExperimentalWarning(
    () => process.getBuiltinModule('node:sqlite') as unknown as SqliteModule | undefined,
  );
}

/** Node warns on stderr when it loads its SQLite; that says nothing to the user of this package. */
function withoutExperimentalWarning<T>(load: () => T): T {
  const emit = process.emitWarning;
  process.emitWarning = (() => undefined) as typeof emit;
  try {
    return load();
  } finally {
    process.emitWarning = emit;
  }
}

/** A package with the interface of `node:sqlite`, for a Node without it. */
function ofPackage(): SqliteModule {
  return createRequire(import.meta.url)('@photostructure/sqlite') as SqliteModule;
}
