import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction, makeDurable, openDatabase, type SqlDatabase, type SqlRow, sqlFailure } from './driver.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ars-driver-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function failure(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    return sqlFailure(error);
  }
  return 'none';
}

describe('openDatabase', () => {
  it('gives rows by column name, and numbers and null as they were put', () => {
    const db = openDatabase(join(folder, 'a.db'));
    db.exec('CREATE TABLE t (n INTEGER, r REAL, s TEXT) STRICT');
    const insert = db.prepare('INSERT INTO t VALUES (?, ?, ?)');
    insert.run(Number.MAX_SAFE_INTEGER, 0.5, null);
    insert.run(-1, 2, '€\u{1f600}');
    const rows = db.prepare('SELECT n, r, s FROM t WHERE n < ? ORDER BY n').all(Number.MAX_SAFE_INTEGER + 1);
    expect(rows.map(row => ({ ...row }))).toEqual([
      { n: -1, r: 2, s: '€\u{1f600}' },
      { n: Number.MAX_SAFE_INTEGER, r: 0.5, s: null },
    ]);
    expect(db.prepare('SELECT n FROM t WHERE s IS ?').get(null)?.n).toBe(Number.MAX_SAFE_INTEGER);
    expect(db.prepare('SELECT n FROM t WHERE s = ?').get('none')).toBeUndefined();
    db.close();
  });

  it('tells a lock and a file that is no database from other errors', () => {
    const path = join(folder, 'a.db');
    const [one, two] = [openDatabase(path), openDatabase(path)];
    one.exec('CREATE TABLE t (x)');
    const [select, insert] = [two.prepare('SELECT x FROM t'), two.prepare('INSERT INTO t VALUES (1)')];
    one.exec('BEGIN EXCLUSIVE');
    two.exec('PRAGMA busy_timeout=0');
    for (const attempt of [
      () => two.exec('BEGIN EXCLUSIVE'),
      () => select.all(),
      () => select.get(),
      () => insert.run(),
    ])
      expect(failure(attempt)).toBe('busy');
    one.exec('ROLLBACK');
    expect(failure(() => one.exec('SELECT * FROM nothing'))).toBe('unfit');
    expect(failure(() => one.prepare('SELECT * FROM nothing'))).toBe('unfit');
    expect(sqlFailure(undefined)).toBe('other');
    writeFileSync(join(folder, 'b.db'), 'no database'.repeat(100));
    expect(failure(() => openDatabase(join(folder, 'b.db')).exec('CREATE TABLE t (x)'))).toBe('not_a_database');
    one.close();
    two.close();
  });

  it('calls an integer that no number can hold damage, however it is read', () => {
    const db = openDatabase(':memory:');
    db.exec('CREATE TABLE t (n); INSERT INTO t VALUES (9007199254740993)');
    const select = db.prepare('SELECT n FROM t');
    for (const attempt of [() => select.get(), () => select.all()]) expect(failure(attempt)).toBe('corrupt');
    db.close();
  });
});

describe('inTransaction', () => {
  it('throws what was thrown, also where the transaction has ended by itself as on a full disk', () => {
    const db = openDatabase(':memory:');
    db.exec('CREATE TABLE t (n)');
    const mine = new Error('mine');
    for (const sql of ['INSERT INTO t VALUES (1)', 'INSERT INTO t VALUES (1); ROLLBACK'])
      expect(() =>
        inTransaction(db, () => {
          db.exec(sql);
          throw mine;
        }),
      ).toThrow(mine);
    inTransaction(db, () => db.exec('INSERT INTO t VALUES (2)'));
    expect(db.prepare('SELECT n FROM t').all()).toHaveLength(1);
    db.close();
  });
});

describe('makeDurable', () => {
  it('sets a write-ahead log and full synchronisation', () => {
    const path = join(folder, 'a.db');
    const db = openDatabase(path);
    db.exec('PRAGMA synchronous=OFF');
    makeDurable(db, path);
    expect(db.prepare('PRAGMA journal_mode').get()?.journal_mode).toBe('wal');
    expect(db.prepare('PRAGMA synchronous').get()?.synchronous).toBe(2);
    db.close();
  });

  it.each([
    { journal_mode: 'wal', synchronous: 1 },
    { journal_mode: 'delete', synchronous: 2 },
  ])('does not believe a driver that falls back silently: %o', settings => {
    const row: SqlRow = settings;
    const deaf: SqlDatabase = {
      exec: () => undefined,
      prepare: () => ({ run: () => undefined, get: () => row, all: () => [row] }),
      close: () => undefined,
    };
    expect(() => makeDurable(deaf, 'x')).toThrow(expect.objectContaining({ code: 'storage_failed' }));
  });

  it('refuses a database that cannot have a write-ahead log', () => {
    const db = openDatabase(':memory:');
    expect(() => makeDurable(db, ':memory:')).toThrow(expect.objectContaining({ code: 'storage_failed' }));
    db.close();
  });
});
