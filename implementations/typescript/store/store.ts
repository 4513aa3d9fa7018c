import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { AuditRecord } from '../../../schemas/types.js';
import { GENESIS, headOf, verifyChain } from '../audit/chain.js';
import type { Head, Log, Step } from '../audit/log.js';
import { ArsError } from '../error.js';
import type { Clock, FaultHook } from '../execution/host.js';
import { demandInside } from '../workspace/canonical-path.js';
import { makeFolder } from '../workspace/folder.js';
import { type DerivedFault, derivedFault } from './derived.js';
import { inTransaction, makeDurable, openDatabase, type SqlDatabase, textOf } from './driver.js';
import { closedError, GroupCommit } from './group-commit.js';
import { checkLayout, createLayout, databaseError, isBlank, upgradeLayout } from './layout.js';
import { lockWorkspace } from './lock.js';
import { STORE_PATH, storePaths } from './paths.js';
import { openReads, readHead, type StoredHead, type StoreReads } from './read.js';
import { connectReader } from './reading.js';
import { findStarted, type StartedFound, type StartedQuery } from './started.js';
import { openWrites } from './write.js';

/** How to open the store of a workspace. */
export interface StoreOptions {
  readonly workspace_dir: string;
  /** The number of this opening; absent means the next one. */
  readonly incarnation?: number;
  readonly clock: Clock;
  /** Called at `committing`, inside the transaction, for each committed record; what it throws fails the write. */
  readonly fault?: FaultHook;
  /** How many records may stand in the log before the indexes know them. */
  readonly longest_tail?: number;
}

/** The one writer of a workspace. */
export interface Store extends Log {
  /** Canonical texts of the records after a sequence, in sequence order, without line feeds. */
  lines(after?: number): IterableIterator<string>;
}

/** A reader of a workspace, beside a writer or alone. */
export interface StoreReader extends StoreReads {
  head(): Head;
  /** The first place where what is kept beside the records is not what they say. Throws `log_corrupt`. */
  derivedFault(): DerivedFault | undefined;
  /** The instances that a query asks for, whose records are not read. */
  started(query: StartedQuery): StartedFound;
  close(): void;
}

/**
 * The store of a workspace, opened for writing and made where there is none.
 *
 * Throws `workspace_locked` where a writer lives, `workspace_foreign` where the database is not one of this runtime,
 * `log_corrupt` where it is damaged or its head does not match its last record, `conflict` where the incarnation is not
 * greater than every earlier one, `storage_failed` where the disk refuses.
 */
export function openStore(options: StoreOptions): Store {
  const { db, stored, release } = openLocked(options.workspace_dir);
  try {
    return startStore(db, stored, nextIncarnation(stored, options), options, release);
  } catch (error) {
    release();
    throw databaseError(error, storePaths(options.workspace_dir).database);
  }
}

/** A store while this process holds its workspace. */
export interface LockedStore {
  readonly db: SqlDatabase;
  readonly stored: StoredHead;
  /** Closes the database and gives the workspace back. */
  readonly release: () => void;
}

/** The database of a workspace, made where there is none, with its lock. Throws what {@link openStore} throws. */
export function openLocked(workspace_dir: string): LockedStore {
  const paths = storePaths(workspace_dir);
  const { database, lock: locking, holder } = paths;
  try {
    for (const path of [database, `${database}-wal`, `${database}-shm`, locking, `${locking}-journal`, holder])
      demandInside(workspace_dir, `${STORE_PATH}/${basename(path)}`);
    makeFolder(paths.folder);
  } catch (error) {
    throw databaseError(error, paths.folder);
  }
  const lock = lockWorkspace(workspace_dir, paths);
  let db: SqlDatabase | undefined;
  try {
    const open = openDatabase(paths.database);
    db = open;
    const stored = prepareDatabase(open, paths.database);
    const release = () => {
      settleFiles(open);
      open.close();
      lock.release();
    };
    return { db, stored, release };
  } catch (error) {
    db?.close();
    lock.release();
    throw databaseError(error, paths.database);
  }
}

/**
 * A reader of the store of a workspace, whether or not a writer lives, and also where the folder
 * cannot be written. Throws `not_found` where there is no store, `workspace_foreign` where its database is none of this
 * runtime.
 */
export function openReader(workspace_dir: string): StoreReader {
  const path = storePaths(workspace_dir).database;
  const none = new ArsError(
    'not_found',
    `"${workspace_dir}" is no workspace yet, so there is no log in it; run a workflow in it first`,
    { details: { workspace_dir } },
  );
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() === false)
      throw new ArsError('workspace_foreign', `"${path}" is no file; move it away or restore the database`, {
        details: { path },
      });
    if (!found?.size) throw none;
    const db = connectReader(path, open => {
      if (isBlank(open)) throw none;
      checkLayout(open, path);
      readHead(open);
    });
    let closed = false;
    const read = tellingErrors(db, path, () => closed);
    return {
      ...openReads(read),
      head: () => readHead(read).head,
      derivedFault: () => derivedFault(read),
      started: query => findStarted(read, query),
      close() {
        closed = true;
        db.close();
      },
    };
  } catch (error) {
    throw databaseError(error, path);
  }
}

/**
 * A connection whose statements throw `log_corrupt` where they meet a damaged page, or tables that are none of a store,
 * `storage_failed` where the disk refuses, and `illegal_state` once it is closed.
 */
export function tellingErrors(db: SqlDatabase, path: string, isClosed: () => boolean): SqlDatabase {
  const told = <T>(work: () => T): T => {
    if (isClosed()) throw closedError();
    try {
      return work();
    } catch (error) {
      throw error instanceof TypeError ? error : databaseError(error, path);
    }
  };
  return {
    exec: sql => told(() => db.exec(sql)),
    close: () => db.close(),
    prepare(sql) {
      const statement = told(() => db.prepare(sql));
      return {
        run: (...values) => told(() => statement.run(...values)),
        get: (...values) => told(() => statement.get(...values)),
        all: (...values) => told(() => statement.all(...values)),
      };
    },
  };
}

function prepareDatabase(db: SqlDatabase, path: string): StoredHead {
  const blank = isBlank(db);
  if (!blank) {
    checkLayout(db, path);
  }
  makeDurable(db, path);
  if (blank) {
    createLayout(db);
  } else {
    upgradeLayout(db);
  }
  const stored = readHead(db);
  checkHead(db, stored, path);
  settleTail(db, stored);
  return stored;
}

/** The kept head must be a whole record, and the tail after it a chain that goes on from there. */
function checkHead(db: SqlDatabase, { kept }: StoredHead, path: string): void {
  const row = db.prepare('SELECT CAST(text AS BLOB) AS text FROM records WHERE sequence = ?').get(kept.sequence);
  const found = row && recordIn(textOf(row.text));
  const matches =
    row === undefined
      ? kept.sequence === 0 && kept.hash === GENESIS.hash
      : found?.sequence === kept.sequence && found.hash === kept.hash && found.timestamp === kept.timestamp;
  const tail = db
    .prepare('SELECT sequence, CAST(text AS BLOB) AS text FROM records WHERE sequence > ? ORDER BY sequence')
    .all(kept.sequence);
  const chain = verifyChain(
    tail.map(({ text }) => textOf(text)),
    { sequence: kept.sequence, hash: kept.hash },
  );
  const last = tail.length === 0 ? kept.sequence : Number(tail.at(-1)?.sequence);
  if (!matches || !chain.ok || chain.head.sequence !== last) {
    throw new ArsError(
      'log_corrupt',
      `the last records of "${path}" are not those of its log (sequence ${kept.sequence} and after); verify a copy with ars audit verify`,
      { details: { path, head: { sequence: kept.sequence, hash: kept.hash }, found: found && headOf(found) } },
    );
  }
}

function recordIn(text: string): AuditRecord | undefined {
  try {
    const record = JSON.parse(text) as AuditRecord;
    const before: Head = { sequence: record.sequence - 1, hash: record.prev_hash };
    return verifyChain([text], before).ok ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Makes the indexes know what a process that died left in the tail. */
function settleTail(db: SqlDatabase, { head, timestamp, kept }: StoredHead): void {
  if (head.sequence === kept.sequence) {
    return;
  }
  const writes = openWrites(db);
  inTransaction(db, () => writes.settle(head, timestamp));
}

function nextIncarnation(stored: StoredHead, { incarnation, workspace_dir }: StoreOptions): number {
  if (incarnation === undefined) {
    return stored.incarnation + 1;
  }
  if (!Number.isSafeInteger(incarnation) || incarnation <= stored.incarnation) {
    throw new ArsError(
      'conflict',
      `the workspace "${workspace_dir}" had incarnation ${stored.incarnation}; ${incarnation} is not a later one`,
      { details: { incarnation, latest: stored.incarnation } },
    );
  }
  return incarnation;
}

function startStore(
  db: SqlDatabase,
  stored: StoredHead,
  incarnation: number,
  { workspace_dir, clock, fault, longest_tail }: StoreOptions,
  release: () => void,
): Store {
  const writes = openWrites(db);
  writes.writeIncarnation(incarnation);
  let closed = false;
  const reads = openReads(tellingErrors(db, storePaths(workspace_dir).database, () => closed));
  const commits = new GroupCommit({
    db,
    writes,
    reads,
    incarnation,
    clock,
    fault,
    longest_tail,
    head: stored.head,
    timestamp: stored.timestamp,
  });
  return {
    ...reads,
    incarnation,
    head: () => commits.head,
    written: kind => writes.written(kind),
    append: (step: Step) => commits.append(step),
    takeSnapshot: () => commits.takeSnapshot(),
    async close() {
      if (commits.close()) {
        closed = true;
        release();
      }
    },
  };
}

/**
 * Moves what the write-ahead log holds into the database file, so that a copy of that file is the store, and empties the
 * write-ahead log where nobody reads it.
 */
function settleFiles(db: SqlDatabase): void {
  try {
    db.exec('PRAGMA wal_checkpoint(PASSIVE)');
    db.exec('PRAGMA busy_timeout = 0');
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Everything is durable in the write-ahead log, which the next opening reads.
  }
}
