import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openDatabase, type SqlDatabase, sqlFailure } from './driver.js';

/**
 * A connection that only reads a database, beside a writer or alone, also where its folder cannot be written: SQLite wants
 * to keep its index of the write-ahead log there, so without one the file is read as it is, and where the log holds
 * something a copy of both is read. `use` looks at it first; what it throws closes the connection.
 */
export function connectReader(path: string, use: (db: SqlDatabase) => void): SqlDatabase {
  try {
    return connected(openDatabase(path), use);
  } catch (error) {
    if (sqlFailure(error) !== 'unwritable') {
      throw error;
    }
  }
  if (!holdsMore(path)) {
    try {
      return connected(openDatabase(`${pathToFileURL(path).href}?immutable=1`), use);
    } catch (error) {
      if (sqlFailure(error) !== 'unwritable') {
        throw error;
      }
    }
  }
  return connectCopy(path, use);
}

function connected(db: SqlDatabase, use: (db: SqlDatabase) => void): SqlDatabase {
  try {
    db.exec('PRAGMA busy_timeout=5000; PRAGMA query_only=ON');
    use(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Whether there is something in the write-ahead log. */
function holdsMore(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function connectCopy(path: string, use: (db: SqlDatabase) => void): SqlDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'ars-reader-'));
  const copy = join(folder, basename(path));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    for (const end of ['', '-wal']) {
      if (existsSync(`${path}${end}`)) {
        copyFileSync(`${path}${end}`, `${copy}${end}`);
        chmodSync(`${copy}${end}`, 0o600);
      }
    }
    const db = connected(openDatabase(copy), use);
    const close = () => {
      db.close();
      remove();
    };
    return { exec: sql => db.exec(sql), prepare: sql => db.prepare(sql), close };
  } catch (error) {
    remove();
    throw error;
  }
}
