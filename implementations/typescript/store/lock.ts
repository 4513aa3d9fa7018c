import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ArsError } from '../error.js';
import { openDatabase, rollBack, type SqlDatabase, sqlFailure } from './driver.js';
import type { StorePaths } from './paths.js';

/** The right to write to a workspace, held by this process until it gives it back or ends. */
export interface WorkspaceLock {
  release(): void;
}

/** Who holds a lock, as it says itself: a process of a machine. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
}

type LockPaths = Pick<StorePaths, 'lock' | 'holder'>;

/** Long enough for another opener to back off, short enough for a refusal. */
const WAIT_MS = 100;

/**
 * The lock of a workspace: an open exclusive transaction on a database, which the operating system ends with the process.
 * Throws `workspace_locked` (details {workspace_dir, pid?, host?}) where another process, or this one, holds it.
 *
 * The holder names itself in a file beside it. That file is told of and decides nothing: what a killed process left there
 * locks nobody out, and the next holder writes over it.
 */
export function lockWorkspace(workspace_dir: string, paths: LockPaths): WorkspaceLock {
  return lock(workspace_dir, paths, 'workspace', (holder, cause) => locked(workspace_dir, holder, cause));
}

/**
 * The lock of the daily files of a workspace, as {@link lockWorkspace}: they are written beside whatever holds that, and by one
 * process at a time. Throws `workspace_locked` where another one writes them.
 */
export function lockExport(workspace_dir: string, { folder }: Pick<StorePaths, 'folder'>): WorkspaceLock {
  const paths = { lock: join(folder, 'export.db'), holder: join(folder, 'export.json') };
  return lock(workspace_dir, paths, 'export of the workspace', (holder, cause) => {
    const by = holder === undefined ? 'another process' : `the process ${holder.pid}`;
    const message = `the log of "${workspace_dir}" is being exported by ${by}; export what follows once that has ended`;
    return new ArsError('workspace_locked', message, { details: { workspace_dir, ...holder }, cause });
  });
}

function lock(
  workspace_dir: string,
  paths: LockPaths,
  what: string,
  refused: (holder: LockHolder | undefined, cause: unknown) => ArsError,
): WorkspaceLock {
  let db: SqlDatabase | undefined;
  try {
    db = openDatabase(paths.lock);
    db.exec(`PRAGMA busy_timeout=${WAIT_MS}`);
    db.exec('BEGIN EXCLUSIVE');
    const held = db;
    const own: LockHolder = { pid: process.pid, host: hostname() };
    rmSync(paths.holder, { force: true });
    writeFileSync(paths.holder, `${JSON.stringify(own)}\n`);
    return { release: () => release(held, paths.holder) };
  } catch (error) {
    db?.close();
    if (sqlFailure(error) === 'busy') throw refused(readHolder(paths.holder), error);
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArsError(
      'storage_failed',
      `the lock of the ${what} "${workspace_dir}" cannot be taken: ${reason}; check the space and the permissions there (readers such as ars runs need no lock)`,
      {
        details: { workspace_dir, path: paths.lock },
        cause: error,
      },
    );
  }
}

/** A driver may keep a closed connection until its memory is freed; the transaction must not wait for that. */
function release(db: SqlDatabase, holder: string): void {
  try {
    rmSync(holder, { force: true });
  } catch {
    // A name that is left decides nothing.
  }
  rollBack(db);
  db.close();
}

function locked(workspace_dir: string, holder: LockHolder | undefined, cause: unknown): ArsError {
  return new ArsError(
    'workspace_locked',
    `the workspace "${workspace_dir}" is open in ${nameOfHolder(holder)}; close that one or end its process (readers such as ars audit need no lock)`,
    { details: { workspace_dir, ...holder }, cause },
  );
}

/** The holder in words. */
export function nameOfHolder(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'another runtime';
  if (holder.host !== hostname()) return `another runtime, the process ${holder.pid} of the machine "${holder.host}"`;
  return holder.pid === process.pid ? 'this process already' : `another runtime, the process ${holder.pid}`;
}

/** Whether a process holds a workspace, and which one as far as it has named itself. */
export interface Holding {
  readonly held: boolean;
  readonly holder?: LockHolder;
}

/**
 * Whether a workspace is held, by its lock, which is looked at and not taken; also where the folder cannot be written.
 * Where the lock cannot be read, a process that lives and names itself there is believed.
 */
export function holdingOf(paths: LockPaths): Holding {
  const holder = liveHolder(paths);
  const held = isLocked(paths.lock) ?? holder !== undefined;
  return held && holder !== undefined ? { held, holder } : { held };
}

/** Whether another connection has the lock; undefined where that cannot be told. */
function isLocked(lock: string): boolean | undefined {
  if (!existsSync(lock)) return false;
  let db: SqlDatabase | undefined;
  try {
    db = openDatabase(`${pathToFileURL(lock).href}?mode=ro`);
    db.exec('PRAGMA busy_timeout=0');
    db.prepare('SELECT count(*) AS objects FROM sqlite_schema').get();
    return false;
  } catch (error) {
    return sqlFailure(error) === 'busy' ? true : undefined;
  } finally {
    db?.close();
  }
}

/** Whoever names itself the holder, unless it is a process of this machine that has ended. */
function liveHolder({ holder: path }: Pick<StorePaths, 'holder'>): LockHolder | undefined {
  const holder = readHolder(path);
  if (holder === undefined || holder.host !== hostname()) return holder;
  try {
    process.kill(holder.pid, 0);
    return holder;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? holder : undefined;
  }
}

/** Undefined where it has not written its name yet. */
function readHolder(path: string): LockHolder | undefined {
  try {
    // A pipe would be waited for.
    if (!statSync(path).isFile()) return undefined;
    const { pid, host } = JSON.parse(readFileSync(path, 'utf8')) as Partial<LockHolder>;
    return Number.isSafeInteger(pid) && typeof host === 'string' ? { pid: pid as number, host } : undefined;
  } catch {
    return undefined;
  }
}
