import { createRequire } from 'node:module';
import process from 'node:process';
import { ArsError } from '../error.js';

/** What a column or a parameter can hold here. */
export type SqlValue = string | number | null;

/** A row by column name; blobs are bytes in one of two forms. */
export type SqlRow = Readonly<Record<string, SqlValue | Uint8Array | ArrayBuffer>>;

/** A prepared statement, to be run any number of times. */
export interface SqlStatement {
  run(...values: SqlValue[]): void;
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
}

/**
 * A connection to an SQLite database. Strings must not hold U+0000, at which one of the drivers cuts them off; whoever
 * stores a free string stores its JSON text.
 */
export interface SqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

/** What kind of trouble an error of the database is; unfit: a statement and the tables do not go together. */
export type SqlFailure = 'unfit' | 'busy' | 'corrupt' | 'not_a_database' | 'unwritable' | 'other';

/**
 * The text of a column that was read as a blob, with U+FFFD for what is no UTF-8: one of the drivers ends the process
 * where a damaged file has such a text in it.
 */
export function textOf(value: SqlRow[string] | undefined): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return (
    value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.from(value)
  ).toString();
}

type Opener = (path: string) => SqlDatabase;

const FAILURES: ReadonlyMap<number, SqlFailure> = new Map([
  [1, 'unfit'],
  [5, 'busy'],
  [6, 'busy'],
  [8, 'unwritable'],
  [11, 'corrupt'],
  [14, 'unwritable'],
  [26, 'not_a_database'],
]);
/** How long a statement waits for a lock of another connection, in milliseconds. */
const BUSY_TIMEOUT_MS = 5000;
const FULL = 2;

let opener: Opener | undefined;

/** A connection to the database file, which is made where it does not exist: by `node:sqlite`, else by `libsql`. */
export function openDatabase(path: string): SqlDatabase {
  opener ??= nodeSqlite() ?? libsql();
  return opener(path);
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

/** Says what kind of trouble an error is that a connection threw. */
export function sqlFailure(error: unknown): SqlFailure {
  if (typeof error !== 'object' || error === null) {
    return 'other';
  }
  const { rawCode, errcode } = error as { rawCode?: unknown; errcode?: unknown };
  const code = typeof rawCode === 'number' ? rawCode : errcode;
  return (typeof code === 'number' ? FAILURES.get(code & 0xff) : undefined) ?? 'other';
}

interface NodeStatement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
}

interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NodeStatement;
  close(): void;
}

function nodeSqlite(): Opener | undefined {
  const loaded = withoutExperimentalWarning(
    () =>
      process.getBuiltinModule('node:sqlite') as unknown as
        | { DatabaseSync: new (path: string) => NodeDatabase }
        | undefined,
  );
  return loaded && (path => new loaded.DatabaseSync(path));
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

interface LibsqlStatement {
  run(values: SqlValue[]): unknown;
  get(values: SqlValue[]): SqlRow | undefined;
  all(values: SqlValue[]): SqlRow[];
}

interface LibsqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): LibsqlStatement;
  close(): void;
}

function libsql(): Opener {
  const Database = createRequire(import.meta.url)('libsql') as new (path: string) => LibsqlDatabase;
  return path => {
    const db = new Database(path);
    return {
      exec: sql => db.exec(sql),
      close: () => db.close(),
      prepare: sql => {
        const statement = db.prepare(sql);
        return {
          run: (...values) => void statement.run(values),
          get: (...values) => statement.get(values),
          all: (...values) => statement.all(values),
        };
      },
    };
  };
}
