import { ArsError } from '../error.js';
import { openDatabase, type SqlDatabase, sqlFailure } from './driver.js';

/** The right to write to a workspace, held by this process until it gives it back or ends. */
export interface WorkspaceLock {
  release(): void;
}

/** Long enough for another opener to back off, short enough for a refusal. */
const WAIT_MS = 100;

/**
 * The lock of a workspace: an open exclusive transaction on `path`, which the operating system ends with the process.
 * Throws `workspace_locked` where another process, or this one, holds it.
 */
export function lockWorkspace(workspace_dir: string, path: string): WorkspaceLock {
  let db: SqlDatabase | undefined;
  try {
    db = openDatabase(path);
    db.exec(`PRAGMA busy_timeout=${WAIT_MS}`);
    db.exec('BEGIN EXCLUSIVE');
    const held = db;
    return { release: () => release(held) };
  } catch (error) {
    db?.close();
    if (sqlFailure(error) === 'busy') {
      throw new ArsError(
        'workspace_locked',
        `the workspace "${workspace_dir}" is open in another runtime; close that one or end its process (readers such as ars audit need no lock)`,
        { details: { workspace_dir }, cause: error },
      );
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArsError('storage_failed', `the lock of the workspace "${workspace_dir}" cannot be taken: ${reason}`, {
      details: { workspace_dir, path },
      cause: error,
    });
  }
}

/** A driver may keep a closed connection until its memory is freed; the transaction must not wait for that. */
function release(db: SqlDatabase): void {
  db.exec('ROLLBACK');
  db.close();
}
