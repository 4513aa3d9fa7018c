import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { committed, pending, put, started } from '../audit/drafts.fixture.js';
import type { RecordQuery } from '../audit/log.js';
import { reconstructState, usableSnapshot } from '../audit/reconstruction.js';
import { canonicalize, digestText } from '../state/canonical.js';
import { snapshotOf } from '../state/snapshot.js';
import { openDatabase, type SqlDatabase } from './driver.js';
import { EARLIER_LAYOUTS } from './earlier-layouts.fixture.js';
import { columnsOfIndexes } from './layout.js';
import { storePaths } from './paths.js';
import { codeOf, storesOfTests } from './store.fixture.js';
import { openReader, openStore, type Store, tellingErrors } from './store.js';

const stores = storesOfTests();

describe('opening', () => {
  it('refuses a second writer and serves readers beside the first', async () => {
    const store = stores.start();
    await store.append({ records: [pending('e1')] });
    expect(await codeOf(() => stores.start())).toBe('workspace_locked');
    const reader = openReader(stores.workspace_dir);
    await store.append({ records: [committed('e1', put('k', 1))] });
    expect([reader.head(), reader.state().k?.version, [...reader.records()].length]).toEqual([store.head(), 1, 2]);
    reader.close();
    await store.close();
    await store.close();
    expect(await codeOf(store.append({ records: [pending('e2')] }))).toBe('illegal_state');
    for (const closed of [store, reader]) expect(await codeOf(() => closed.latest('e1'))).toBe('illegal_state');
    stores.start();
  });

  it('writes what was asked for before the close', async () => {
    const store = stores.start();
    const step = store.append({ records: [pending('e1')] });
    await store.close();
    expect((await step)[0]?.head.sequence).toBe(1);
    expect(stores.start().head().sequence).toBe(1);
  });

  it('numbers incarnations upwards only', async () => {
    await stores.start({ incarnation: 7 }).close();
    for (const incarnation of [7, 3, 0, 8.5]) {
      expect(await codeOf(() => stores.start({ incarnation }))).toBe('conflict');
    }
    const next = stores.start();
    expect(next.incarnation).toBe(8);
  });

  it('tells a reader that there is nothing yet', async () => {
    expect(await codeOf(() => openReader(stores.workspace_dir))).toBe('not_found');
  });

  const database = (): string => storePaths(stores.workspace_dir).database;
  const prepare = (content: string | Uint8Array): void => {
    mkdirSync(dirname(database()), { recursive: true });
    writeFileSync(database(), content);
  };

  it('leaves a database file that is the whole store by itself', async () => {
    const store = stores.start();
    await store.append({ records: [pending('e1')] });
    const head = store.head();
    await store.close();
    const copy = join(stores.workspace_dir, 'copy');
    mkdirSync(storePaths(copy).folder, { recursive: true });
    writeFileSync(storePaths(copy).database, readFileSync(database()));
    const reader = openReader(copy);
    expect(reader.head()).toEqual(head);
    reader.close();
  });

  it('says so where the disk does not let it make its files', async () => {
    writeFileSync(join(stores.workspace_dir, 'file'), '');
    expect(await codeOf(() => stores.start({ workspace_dir: join(stores.workspace_dir, 'file') }))).toBe(
      'storage_failed',
    );
    mkdirSync(storePaths(stores.workspace_dir).lock, { recursive: true });
    expect(await codeOf(() => stores.start())).toBe('storage_failed');
    rmSync(storePaths(stores.workspace_dir).lock, { recursive: true });
    mkdirSync(database());
    expect(await codeOf(() => stores.start())).toBe('storage_failed');
    expect(await codeOf(() => stores.start())).toBe('storage_failed');
  });

  it('tells a store that cannot be reached from none', async () => {
    mkdirSync(dirname(database()), { recursive: true });
    symlinkSync('ars.db', database());
    expect(await codeOf(() => openReader(stores.workspace_dir))).toBe('storage_failed');
    rmSync(database());
  });

  it('tells whatever a statement throws with a code, but for a wrong call', async () => {
    const thrown = [
      [Object.assign(new Error('disk I/O error'), { errcode: 10 }), 'storage_failed'],
      [new Error('database is locked'), 'storage_failed'],
      [new Error('database disk image is malformed'), 'log_corrupt'],
      [Object.assign(new TypeError('no parameter'), { code: 'ERR_INVALID_ARG_TYPE' }), 'ERR_INVALID_ARG_TYPE'],
    ] as const;
    for (const [error, code] of thrown) {
      const refuse = () => {
        throw error;
      };
      const db: SqlDatabase = { exec: refuse, prepare: refuse, close: () => undefined };
      expect(await codeOf(() => tellingErrors(db, 'x', () => false).prepare('SELECT 1'))).toBe(code);
    }
  });

  it('takes an empty file for a new store', async () => {
    prepare('');
    await stores.start().append({ records: [pending('e1')] });
  });

  it.each(['garbage', 'x'.repeat(100_000)])('calls a file that is no database foreign', async content => {
    prepare(content);
    expect(await codeOf(() => stores.start())).toBe('workspace_foreign');
    expect(await codeOf(() => openReader(stores.workspace_dir))).toBe('workspace_foreign');
    expect(readFileSync(database(), 'utf8')).toBe(content);
    rmSync(database());
    stores.start();
  });

  it.each(['CREATE TABLE theirs (x)', 'PRAGMA application_id=7', 'PRAGMA user_version=3; CREATE TABLE t (x)'])(
    'calls a database of another program foreign: %s',
    async sql => {
      prepare('');
      const theirs = openDatabase(database());
      theirs.exec(sql);
      theirs.close();
      expect(await codeOf(() => stores.start())).toBe('workspace_foreign');
      expect(await codeOf(() => openReader(stores.workspace_dir))).toBe('workspace_foreign');
    },
  );

  async function damaged(sql: string): Promise<void> {
    const store = stores.start();
    await store.append({ records: [pending('e1'), committed('e1', put('k', 1))] });
    await store.close();
    const db = openDatabase(database());
    db.exec(sql);
    db.close();
  }

  it('refuses a layout that it does not know', async () => {
    await damaged('PRAGMA user_version=99');
    expect(await codeOf(() => stores.start())).toBe('workspace_foreign');
  });

  it.each([
    'DROP TRIGGER records_remain; DELETE FROM records WHERE sequence = 2',
    'DROP TRIGGER records_remain; DELETE FROM records',
    `DROP TRIGGER records_stay; UPDATE records SET text = replace(text, 'agent', 'tnega') WHERE sequence = 2`,
    `DROP TRIGGER records_stay; UPDATE records SET text = 'x' WHERE sequence = 2`,
    'UPDATE head SET sequence = 1',
    `UPDATE head SET hash = 'sha256:0'`,
    `UPDATE head SET timestamp = '2020-01-01T00:00:00.000Z'`,
    'DELETE FROM head',
  ])('finds a head that is not the last record: %s', async sql => {
    await damaged(sql);
    expect(await codeOf(() => stores.start())).toBe('log_corrupt');
    expect(await codeOf(() => stores.start())).toBe('log_corrupt');
  });

  it('has records that the database itself keeps from change', async () => {
    await expect(damaged('DELETE FROM records')).rejects.toThrow('append-only');
    const db = openDatabase(database());
    expect(() => db.exec(`UPDATE records SET text = ''`)).toThrow('append-only');
    db.close();
  });

  it('finds a database whose pages were overwritten or cut off', async () => {
    await damaged('PRAGMA wal_checkpoint(TRUNCATE)');
    const whole = readFileSync(database());
    const holes = Buffer.from(whole).fill(0xff, 4096);
    writeFileSync(database(), holes);
    expect(await codeOf(() => stores.start())).toBe('log_corrupt');
    writeFileSync(database(), whole);
    truncateSync(database(), 8192);
    expect(await codeOf(() => stores.start())).toBe('log_corrupt');
  });
});

describe('a reader of a folder that cannot be written', () => {
  /** Does something as a user who may write nothing here; whoever is root lets go of that meanwhile. */
  function powerless<T>(work: () => T): T {
    if (process.geteuid?.() !== 0) return work();
    process.seteuid?.(65_534);
    try {
      return work();
    } finally {
      process.seteuid?.(0);
    }
  }

  function seal(workspace: string, mode: 'r' | 'w'): void {
    const [folders, files] = mode === 'r' ? [0o555, 0o444] : [0o755, 0o644];
    const { folder } = storePaths(workspace);
    chmodSync(workspace, 0o755);
    for (const path of [dirname(folder), folder]) chmodSync(path, folders);
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), files);
  }

  function read(workspace: string): number {
    const reader = openReader(workspace);
    const records = [...reader.records()];
    reader.close();
    return records.length;
  }

  it.each([
    ['closed', ['']],
    ['with a write-ahead log and no index of it', ['', '-wal']],
    ['beside its writer', []],
  ] as readonly (readonly [string, readonly string[]])[])('reads a store %s', async (_, copied) => {
    const store = stores.start();
    await store.append({ records: [pending('e1'), committed('e1')] });
    if (!copied.includes('-wal') && copied.length > 0) await store.close();
    const folder = copied.length === 0 ? stores.workspace_dir : mkdtempSync(join(tmpdir(), 'ars-sealed-'));
    mkdirSync(storePaths(folder).folder, { recursive: true });
    for (const end of copied)
      copyFileSync(`${storePaths(stores.workspace_dir).database}${end}`, `${storePaths(folder).database}${end}`);
    seal(folder, 'r');
    try {
      expect(powerless(() => read(folder))).toBe(2);
    } finally {
      seal(folder, 'w');
      await store.close();
      if (folder !== stores.workspace_dir) rmSync(folder, { recursive: true });
    }
  });
});

describe('a store of an earlier layout', () => {
  const QUERIES: readonly RecordQuery[] = [
    {},
    { execution_id: 'e1' },
    { status: 'committed', record_type: 'action' },
    { parent_execution_id: 'root', after: 2, limit: 2 },
    { latest: true },
    { incomplete: true },
    { context_id: 'root', incomplete: true },
  ];

  it.each(EARLIER_LAYOUTS)('is read as it is, and brought to this one by its next writer', async sql => {
    const store = stores.start();
    for (const at of [0, 1, 2])
      await store.append({ records: [pending(`e${at}`), committed(`e${at}`, put('k"\n', at), put(`k${at}`, 0))] });
    await store.append({ records: [{ ...started('w'), request_key: 'r"' }, pending('e9')] });
    const answers = (from: Pick<Store, 'records'>) => QUERIES.map(query => [...from.records(query)]);
    const before = answers(store);
    await store.close();
    const db = openDatabase(storePaths(stores.workspace_dir).database);
    db.exec(sql);
    db.close();
    const reader = openReader(stores.workspace_dir);
    expect([reader.head().sequence, ...reader.snapshots(8)]).toEqual([8]);
    expect([answers(reader), reader.latest('e9')?.sequence]).toEqual([before, 8]);
    reader.close();
    const next = stores.start();
    expect(answers(next)).toEqual(before);
    expect([...next.writesBefore('k"\n', 6)].map(r => r.execution_id)).toEqual(['e1', 'e0']);
    expect([next.requested('agent', 'r"'), next.requested('agent', 'r')]).toEqual(['w', undefined]);
    expect((await next.takeSnapshot()).sequence).toBe(8);
    await next.close();
    const made = openDatabase(storePaths(stores.workspace_dir).database);
    const known = columnsOfIndexes().map(([, table]) => made.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
    made.close();
    expect(known).toEqual([8, 7, 8, 1, 1]);
  });
});

describe('a snapshot', () => {
  const step = async (store: Store, id: string) =>
    store.append({ records: [pending(id), committed(id, put('k', id), put(id, 1))] });

  it('is State as of the head, taken once, and never changes', async () => {
    const store = stores.start();
    const empty = await store.takeSnapshot();
    expect(empty).toMatchObject({ sequence: 0, head_hash: digestText(''), state: {} });
    await step(store, 'a');
    const appending = step(store, 'b');
    const [taken, again] = await Promise.all([store.takeSnapshot(), store.takeSnapshot()]);
    await appending;
    expect([taken, again]).toEqual([
      again,
      { ...taken, sequence: 4, head_hash: store.head().hash, state: store.state() },
    ]);
    await step(store, 'c');
    expect([...store.snapshots(5)]).toEqual([taken, empty]);
    await store.close();
    const db = openDatabase(storePaths(stores.workspace_dir).database);
    expect(() => db.exec(`UPDATE snapshots SET text = ''`)).toThrow('never changes');
    db.close();
  });

  it('that is damaged or of another log is not used', async () => {
    const store = stores.start();
    await step(store, 'a');
    const whole = await store.takeSnapshot();
    await step(store, 'b');
    const [last] = [await store.takeSnapshot(), await store.close()];
    const db = openDatabase(storePaths(stores.workspace_dir).database);
    const other = snapshotOf({ sequence: 3, hash: digestText('other') }, {});
    const insert = db.prepare('INSERT OR REPLACE INTO snapshots VALUES (?, ?)');
    insert.run(4, canonicalize({ ...last, state: {} }));
    insert.run(3, canonicalize(other));
    db.close();
    const next = stores.start();
    expect(usableSnapshot(next, 4)).toEqual(whole);
    expect(reconstructState(next)).toEqual({ state: next.state(), sequence: 4 });
    for (const [snapshot, sequence] of [
      [{ ...last, state: {} }, 4],
      [other, 4],
      [last, 3],
    ] as const)
      expect(() => reconstructState(next, { snapshot, sequence })).toThrow(
        expect.objectContaining({ code: 'invalid_document' }),
      );
    expect(await next.takeSnapshot()).toEqual(last);
    expect([...next.snapshots(4)][0]).toEqual(last);
    await next.close();
  });

  it('is not there where its write failed, and the store then takes nothing more', async () => {
    const store = stores.start({
      fault: point => {
        if (point === 'snapshot_written') throw new Error('no space');
      },
    });
    await step(store, 'a');
    expect(await codeOf(() => store.takeSnapshot())).toBe('storage_failed');
    expect(await codeOf(() => step(store, 'b'))).toBe('storage_failed');
    expect([...store.snapshots(9)]).toEqual([]);
  });
});

describe('a store whose making was cut short', () => {
  it.each([
    ['before anything was written', ''],
    ['before its tables were made', 'PRAGMA journal_mode=WAL'],
  ])('has no log for a reader and is made by the next writer: %s', async (_, sql) => {
    const folder = mkdtempSync(join(tmpdir(), 'ars-blank-'));
    const path = storePaths(folder).database;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    const db = openDatabase(path);
    db.exec(sql);
    db.close();
    expect(() => openReader(folder)).toThrow(expect.objectContaining({ code: 'not_found' }));
    await openStore({ workspace_dir: folder, clock: Date.now }).close();
    openReader(folder).close();
    rmSync(folder, { recursive: true });
  });
});
