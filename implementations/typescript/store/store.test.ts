import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditRecord, StateChange } from '../../../schemas/types.js';
import { verifyChain } from '../audit/chain.js';
import { checkLifecycle } from '../audit/lifecycle.js';
import type { LinkedRecord } from '../audit/linked-record.js';
import type { RecordDraft, RecordQuery } from '../audit/log.js';
import { reconstructState, usableSnapshot } from '../audit/reconstruction.js';
import { canonicalize, digestText } from '../state/canonical.js';
import { snapshotOf } from '../state/snapshot.js';
import { foldState, toState } from '../state/state.js';
import { openDatabase } from './driver.js';
import { RECORD_INDEXES } from './layout.js';
import { storePaths } from './paths.js';
import { queryText } from './query.js';
import { openReader, openStore, type Store, type StoreOptions } from './store.js';

const PUT = (key: string, value: unknown, expected_version?: number): StateChange =>
  ({ key, op: 'put', value, ...(expected_version === undefined ? {} : { expected_version }) }) as StateChange;

const ACTION = {
  record_type: 'action',
  context_id: 'root',
  parent_execution_id: 'root',
  agent_id: 'agent',
  action_id: 'act',
  action_version: '1.0.0',
  side_effects: [],
  determinism: 'deterministic',
  rollback: 'rollbackable',
  attempt: 1,
  idempotency_key: 'key',
} as const satisfies Partial<RecordDraft>;

const pending = (execution_id: string, inputs: Record<string, unknown> = {}): RecordDraft => ({
  ...ACTION,
  execution_id,
  status: 'pending',
  inputs,
});
const committed = (execution_id: string, ...state_changes: StateChange[]): RecordDraft => ({
  ...ACTION,
  execution_id,
  status: 'committed',
  outputs: {},
  state_changes,
});
const started = (execution_id: string): RecordDraft => ({
  record_type: 'workflow',
  execution_id,
  context_id: execution_id,
  agent_id: 'agent',
  status: 'workflow_started',
  workflow_id: 'w@1.0.0',
  inputs: {},
  context: {},
  resolved_digest: digestText('r'),
  inputs_digest: digestText('i'),
});
const failed = (execution_id: string): RecordDraft => ({
  ...ACTION,
  execution_id,
  status: 'failed',
  error_class: 'E3',
  error_detail: 'no',
});
const recordsOf = (written: readonly LinkedRecord[]): AuditRecord[] => written.map(({ record }) => record);
const gate = (execution_id: string): RecordDraft => ({
  record_type: 'gate',
  execution_id,
  context_id: execution_id,
  agent_id: 'agent',
  status: 'allowed',
  gate: 'governance',
  reasons: [],
});

let workspace_dir: string;
let now: number;
let open: Store[];

beforeEach(() => {
  workspace_dir = mkdtempSync(join(tmpdir(), 'ars-store-'));
  now = Date.parse('2026-03-01T12:00:00.000Z');
  open = [];
});

afterEach(async () => {
  for (const store of open) {
    await store.close();
  }
  rmSync(workspace_dir, { recursive: true });
});

function start(options: Partial<StoreOptions> = {}): Store {
  const store = openStore({ workspace_dir, clock: () => now, ...options });
  open.push(store);
  return store;
}

async function code(attempt: Promise<unknown> | (() => unknown)): Promise<string> {
  try {
    await (typeof attempt === 'function' ? attempt() : attempt);
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'accepted';
}

function expectWhole(store: Store): void {
  const records = [...store.records()];
  expect(verifyChain(store.lines())).toEqual({ ok: true, head: store.head() });
  expect(checkLifecycle(records)).toEqual({ ok: true });
  expect(store.state()).toEqual(toState(foldState(records)));
}

describe('writes before a place', () => {
  it('are those to the key, the newest first, whatever else the records hold', async () => {
    const store = start();
    const keys = ['k', 'a"key":"k"', 'k', 'kk', 'k', '%', 'k'];
    for (const [at, key] of keys.entries()) {
      await store.append({ records: [pending(`e${at}`, { key: 'k' })] });
      await store.append({ records: [committed(`e${at}`, PUT(key, at))] });
    }
    const writers = (key: string, sequence: number) => [...store.writesBefore(key, sequence)].map(r => r.execution_id);
    expect(writers('k', 1_000)).toEqual(['e6', 'e4', 'e2', 'e0']);
    expect(writers('k', 10)).toEqual(['e2', 'e0']);
    expect(writers('k', 2)).toEqual([]);
    expect(writers('a"key":"k"', 1_000)).toEqual(['e1']);
    expect(writers('%', 1_000)).toEqual(['e5']);
    expect(writers('absent', 1_000)).toEqual([]);
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
    const store = start();
    await store.append({ records: [pending('e1'), committed('e1')] });
    if (!copied.includes('-wal') && copied.length > 0) await store.close();
    const folder = copied.length === 0 ? workspace_dir : mkdtempSync(join(tmpdir(), 'ars-sealed-'));
    mkdirSync(storePaths(folder).folder, { recursive: true });
    for (const end of copied)
      copyFileSync(`${storePaths(workspace_dir).database}${end}`, `${storePaths(folder).database}${end}`);
    seal(folder, 'r');
    try {
      expect(powerless(() => read(folder))).toBe(2);
    } finally {
      seal(folder, 'w');
      await store.close();
      if (folder !== workspace_dir) rmSync(folder, { recursive: true });
    }
  });
});

describe('a store of an earlier layout', () => {
  const SECOND = `
    ${Object.values(RECORD_INDEXES)
      .map(table => `DROP TABLE ${table};`)
      .join(' ')}
    ${Object.entries(RECORD_INDEXES)
      .map(([column, index]) => `CREATE INDEX ${index} ON records (${column});`)
      .join(' ')}
    PRAGMA user_version=2;`;
  const FIRST = `${SECOND} DROP TABLE writes; DROP TABLE requests; DROP TABLE snapshots; PRAGMA user_version=1`;
  const QUERIES: readonly RecordQuery[] = [
    {},
    { execution_id: 'e1' },
    { status: 'committed', record_type: 'action' },
    { parent_execution_id: 'root', after: 2, limit: 2 },
    { latest: true },
    { incomplete: true },
    { context_id: 'root', incomplete: true },
  ];

  it.each([FIRST, SECOND])('is read as it is, and brought to this one by its next writer', async sql => {
    const store = start();
    for (const at of [0, 1, 2])
      await store.append({ records: [pending(`e${at}`), committed(`e${at}`, PUT('k"\n', at), PUT(`k${at}`, 0))] });
    await store.append({ records: [{ ...started('w'), request_key: 'r"' }, pending('e9')] });
    const answers = (from: Pick<Store, 'records'>) => QUERIES.map(query => [...from.records(query)]);
    const before = answers(store);
    await store.close();
    const db = openDatabase(storePaths(workspace_dir).database);
    db.exec(sql);
    db.close();
    const reader = openReader(workspace_dir);
    expect([reader.head().sequence, ...reader.snapshots(8)]).toEqual([8]);
    expect([answers(reader), reader.latest('e9')?.sequence]).toEqual([before, 8]);
    reader.close();
    const next = start();
    expect(answers(next)).toEqual(before);
    expect([...next.writesBefore('k"\n', 6)].map(r => r.execution_id)).toEqual(['e1', 'e0']);
    expect([next.requested('agent', 'r"'), next.requested('agent', 'r')]).toEqual(['w', undefined]);
    expect((await next.takeSnapshot()).sequence).toBe(8);
    await next.close();
  });
});

it('does not use a record that was changed since it was written', async () => {
  const store = start();
  await store.append({ records: [pending('e1', { text: 'as it was' })] });
  await store.append({ records: [pending('e2')] });
  await store.close();
  const db = openDatabase(storePaths(workspace_dir).database);
  db.exec(
    `DROP TRIGGER records_stay; UPDATE records SET text = replace(text, 'as it was', 'as it is') WHERE sequence = 1`,
  );
  db.close();
  const reader = openReader(workspace_dir);
  expect([...reader.records({ execution_id: 'e2' })].map(r => r.sequence)).toEqual([2]);
  expect(await code(() => [...reader.records()])).toBe('log_corrupt');
  expect(await code(() => reader.latest('e1'))).toBe('log_corrupt');
  reader.close();
});

describe('a snapshot', () => {
  const put = async (store: Store, id: string) =>
    store.append({ records: [pending(id), committed(id, PUT('k', id), PUT(id, 1))] });

  it('is State as of the head, taken once, and never changes', async () => {
    const store = start();
    const empty = await store.takeSnapshot();
    expect(empty).toMatchObject({ sequence: 0, head_hash: digestText(''), state: {} });
    await put(store, 'a');
    const appending = put(store, 'b');
    const [taken, again] = await Promise.all([store.takeSnapshot(), store.takeSnapshot()]);
    await appending;
    expect([taken, again]).toEqual([
      again,
      { ...taken, sequence: 4, head_hash: store.head().hash, state: store.state() },
    ]);
    await put(store, 'c');
    expect([...store.snapshots(5)]).toEqual([taken, empty]);
    await store.close();
    const db = openDatabase(storePaths(workspace_dir).database);
    expect(() => db.exec(`UPDATE snapshots SET text = ''`)).toThrow('never changes');
    db.close();
  });

  it('that is damaged or of another log is not used', async () => {
    const store = start();
    await put(store, 'a');
    const whole = await store.takeSnapshot();
    await put(store, 'b');
    const [last] = [await store.takeSnapshot(), await store.close()];
    const db = openDatabase(storePaths(workspace_dir).database);
    const other = snapshotOf({ sequence: 3, hash: digestText('other') }, {});
    const insert = db.prepare('INSERT OR REPLACE INTO snapshots VALUES (?, ?)');
    insert.run(4, canonicalize({ ...last, state: {} }));
    insert.run(3, canonicalize(other));
    db.close();
    const next = start();
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
    const store = start({
      fault: point => {
        if (point === 'snapshot_written') throw new Error('no space');
      },
    });
    await put(store, 'a');
    expect(await code(() => store.takeSnapshot())).toBe('storage_failed');
    expect(await code(() => put(store, 'b'))).toBe('storage_failed');
    expect([...store.snapshots(9)]).toEqual([]);
  });
});

describe('append', () => {
  it('gives records their place, time and links, and keeps them as canonical text', async () => {
    const store = start();
    const [first] = recordsOf(await store.append({ records: [pending('e1', { b: 1, a: 'ä\u0000' })] }));
    const [second] = recordsOf(await store.append({ records: [committed('e1', PUT('k', [1]))] }));
    expect(first).toMatchObject({
      schema_version: '1.0',
      sequence: 1,
      incarnation: 1,
      timestamp: '2026-03-01T12:00:00.000Z',
      prev_hash: digestText(''),
    });
    expect(second).toMatchObject({ sequence: 2, prev_hash: first?.hash });
    expect(store.head()).toEqual({ sequence: 2, hash: second?.hash });
    expect([...store.lines()]).toEqual([canonicalize(first), canonicalize(second)]);
    expect([...store.records()]).toEqual([first, second]);
    expect(store.state()).toEqual({ k: { value: [1], version: 1, writer: 'e1' } });
    expectWhole(store);
  });

  it('keeps everything over a close and an open, under a new incarnation', async () => {
    const before = start();
    await before.append({ records: [pending('e1')], documents: [{ kind: 'resolved', id: 'd', value: { x: 1 } }] });
    const head = before.head();
    await before.close();
    const after = start();
    expect([after.head(), after.incarnation, after.document('resolved', 'd')]).toEqual([head, 2, { x: 1 }]);
    const [record] = recordsOf(await after.append({ records: [committed('e1', PUT('k', 1))] }));
    expect(record).toMatchObject({ sequence: 2, incarnation: 2 });
    expectWhole(after);
  });

  it('writes all of a step or nothing, on a conflict in its last record too', async () => {
    const store = start();
    await store.append({ records: [pending('e1'), pending('e2'), committed('e1', PUT('k', 1, 0))] });
    const head = store.head();
    const step = store.append({
      records: [pending('e3'), committed('e3', PUT('x', 1)), committed('e2', PUT('y', 1), PUT('k', 2, 0))],
      documents: [{ kind: 'evidence', id: 'd', value: 1 }],
    });
    await expect(step).rejects.toMatchObject({
      code: 'version_conflict',
      details: { key: 'k', expected_version: 0, actual_version: 1 },
    });
    expect(store.head()).toEqual(head);
    expect(Object.keys(store.state())).toEqual(['k']);
    expect([store.latest('e3'), store.document('evidence', 'd')]).toEqual([undefined, undefined]);
    await store.append({ records: [committed('e2', PUT('k', 2, 1))] });
    expectWhole(store);
  });

  it('lets a refused step of a shared transaction leave the others intact', async () => {
    const store = start();
    const outcomes = await Promise.allSettled([
      store.append({ records: [pending('e1'), committed('e1', PUT('k', 'first', 0))] }),
      store.append({ records: [pending('e2'), committed('e2', PUT('k', 'second', 0))] }),
      store.append({ records: [committed('e3')] }),
      store.append({ records: [{ ...pending('e4'), attempt: 0 }] }),
      store.append({ records: [pending('e5', { bad: Number.NaN })] }),
      store.append({ records: [pending('e6'), committed('e6', PUT('k', 'third', 1))] }),
    ]);
    expect(outcomes.map(o => (o.status === 'fulfilled' ? o.value.map(r => r.head.sequence) : o.reason.code))).toEqual([
      [1, 2],
      'version_conflict',
      'illegal_state',
      'invalid_document',
      'not_canonical',
      [3, 4],
    ]);
    expect(store.state(['k'])).toEqual({ k: { value: 'third', version: 2, writer: 'e6' } });
    expectWhole(store);
  });

  it('refuses what would break a life cycle', async () => {
    const store = start();
    await store.append({ records: [pending('e1'), committed('e1')] });
    const again: RecordDraft[] = [committed('e1'), failed('e1'), pending('e1'), committed('e9')];
    for (const record of again) {
      expect(await code(store.append({ records: [record] }))).toBe('illegal_state');
    }
    expect(await code(store.append({ records: [pending('e2'), committed('e2'), committed('e2')] }))).toBe(
      'illegal_state',
    );
    expect(store.head().sequence).toBe(2);
  });

  it('is not moved by what the caller does to its objects afterwards', async () => {
    const store = start();
    const inputs = { list: [1] };
    const change = PUT('k', { a: 1 });
    const step = store.append({ records: [pending('e1', inputs), committed('e1', change)] });
    inputs.list.push(2);
    (change as { value: unknown }).value = 'other';
    const [record] = recordsOf(await step);
    expect(record?.inputs).toEqual({ list: [1] });
    expect(store.state(['k']).k?.value).toEqual({ a: 1 });
    expectWhole(store);
  });

  it('names the member that is not canonical', async () => {
    const step = start().append({ records: [pending('e1', { a: ['\ud800'] })] });
    await expect(step).rejects.toMatchObject({ code: 'not_canonical', details: { pointer: '/inputs/a/0' } });
  });

  it('never lets time run back, within an opening or across', async () => {
    const times: (string | undefined)[] = [];
    const store = start();
    for (const [i, jump] of [0, -5000, 3.7, -1].entries()) {
      now += jump;
      const [record] = recordsOf(await store.append({ records: [pending(`e${i}`)] }));
      times.push(record?.timestamp);
    }
    await store.close();
    now -= 1_000_000;
    const [record] = recordsOf(await start().append({ records: [pending('late')] }));
    times.push(record?.timestamp);
    expect(times).toEqual(times.map(() => '2026-03-01T12:00:00.000Z'));
  });

  it('gives concurrent callers one order without gaps', async () => {
    const store = start();
    const caller = async (n: number): Promise<void> => {
      for (let i = 0; i < 10; i++) {
        await store.append({ records: [pending(`e${n}-${i}`)] });
        await store.append({ records: [committed(`e${n}-${i}`, PUT(`k${i}`, n))] });
      }
    };
    await Promise.all(Array.from({ length: 32 }, (_, n) => caller(n)));
    expect(store.head().sequence).toBe(640);
    expect(store.state(['k3']).k3?.version).toBe(32);
    expectWhole(store);
  });

  it('lets exactly one of many creates win', async () => {
    const store = start();
    const steps = Array.from({ length: 50 }, (_, n) =>
      code(store.append({ records: [pending(`e${n}`), committed(`e${n}`, PUT('k', n, 0))] })),
    );
    const codes = await Promise.all(steps);
    expect(codes.filter(c => c === 'accepted')).toHaveLength(1);
    expect(codes.filter(c => c === 'version_conflict')).toHaveLength(49);
    expectWhole(store);
  });

  it('stores any key and value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.string({ unit: 'grapheme', minLength: 1 }).map(s => `${s}\u0000`),
          fc.jsonValue(),
          {
            minKeys: 1,
          },
        ),
        fc.uuid(),
        async (entries, id) => {
          const store = openStore({ workspace_dir: join(workspace_dir, id), clock: () => now });
          const changes = Object.entries(entries).map(([key, value]) => PUT(key, value));
          const outcome = await code(store.append({ records: [pending('e1'), committed('e1', ...changes)] }));
          if (outcome === 'accepted') {
            expectWhole(store);
            expect(Object.keys(store.state(Object.keys(entries))).sort()).toEqual(Object.keys(entries).sort());
          } else {
            expect(outcome).toBe('not_canonical');
          }
          await store.close();
        },
      ),
      { numRuns: 25 },
    );
  });

  it('keeps a whole log and the State that it says under any steps, refused ones and reopenings among them', async () => {
    const id = fc.constantFrom('e1', 'e2', 'e3');
    const change = fc
      .tuple(fc.constantFrom('k', '__proto__'), fc.jsonValue({ maxDepth: 2 }), fc.option(fc.nat(3), { nil: undefined }))
      .map(([key, value, expected]) => PUT(key, value, expected));
    const record = fc.oneof(
      id.map(e => pending(e)),
      fc.tuple(id, fc.array(change, { maxLength: 3 })).map(([e, changes]) => committed(e, ...changes)),
      id.map(failed),
      id.map(gate),
    );
    const turn = fc.record({
      steps: fc.array(fc.array(record, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      reopen: fc.boolean(),
      passed: fc.integer({ min: -1000, max: 1000 }),
    });
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 6 }), async turns => {
        const folder = join(workspace_dir, `run${runs++}`);
        let store = openStore({ workspace_dir: folder, clock: () => now });
        for (const { steps, reopen, passed } of turns) {
          now += passed;
          const before = [...store.lines()];
          const outcomes = await Promise.allSettled(steps.map(records => store.append({ records })));
          const written = outcomes.flatMap(o => (o.status === 'fulfilled' ? o.value : []));
          expect([...store.lines()]).toEqual([...before, ...written.map(({ text }) => text)]);
          expect(written.map(({ record }) => canonicalize(record))).toEqual(written.map(({ text }) => text));
          const refusals = outcomes.flatMap(o => (o.status === 'rejected' ? [o.reason.code as string] : []));
          expect(refusals.filter(c => !['illegal_state', 'version_conflict', 'not_canonical'].includes(c))).toEqual([]);
          expectWhole(store);
          if (reopen) {
            await store.close();
            store = openStore({ workspace_dir: folder, clock: () => now });
          }
        }
        await store.close();
      }),
      { numRuns: 60 },
    );
  });

  it('keeps a value a hundred thousand deep', async () => {
    const store = start();
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    await store.append({ records: [pending('e1', { deep }), committed('e1', PUT('k', deep))] });
    expect(verifyChain(store.lines()).ok).toBe(true);
    expect(canonicalize(store.state().k?.value)).toBe(canonicalize(deep));
  });
});

describe('a write failure', () => {
  it.each(['ENOSPC', 'EIO'])('of kind %s applies nothing and stops all later work (AW4)', async errno => {
    let broken = false;
    const points: unknown[] = [];
    const fault: StoreOptions['fault'] = (point, execution_id) => {
      points.push([point, execution_id]);
      if (broken) {
        throw Object.assign(new Error(errno), { code: errno });
      }
    };
    const store = start({ fault });
    await store.append({ records: [pending('e1'), pending('e2')] });
    await store.append({ records: [committed('e1', PUT('k', 1))] });
    const head = store.head();
    broken = true;
    const steps = [
      store.append({ records: [pending('e3')] }),
      store.append({ records: [committed('e2', PUT('k', 2))] }),
      store.append({ records: [pending('e4')] }),
    ];
    expect(await Promise.all(steps.map(code))).toEqual(['storage_failed', 'storage_failed', 'storage_failed']);
    broken = false;
    expect(await code(store.append({ records: [pending('e5')] }))).toBe('storage_failed');
    expect(await code(store.append({ records: [], removals: [{ kind: 'agent', id: 'a' }] }))).toBe('storage_failed');
    expect(points).toEqual([
      ['committing', 'e1'],
      ['committing', 'e2'],
    ]);
    expect([store.head(), store.state().k?.value, store.latest('e2')?.status]).toEqual([head, 1, 'pending']);
    await store.close();
    const again = start();
    expect(again.head()).toEqual(head);
    await again.append({ records: [committed('e2', PUT('k', 2))] });
    expectWhole(again);
  });

  it('of the database itself does the same', async () => {
    const store = start();
    await store.append({ records: [pending('e1')] });
    const other = openDatabase(storePaths(workspace_dir).database);
    other.exec('PRAGMA busy_timeout=0; DROP TABLE state');
    other.close();
    expect(await code(store.append({ records: [committed('e1', PUT('k', 1))] }))).toBe('storage_failed');
    expect(await code(store.append({ records: [pending('e2')] }))).toBe('storage_failed');
    expect(store.head().sequence).toBe(1);
  });
});

describe('queries', () => {
  async function filled(): Promise<Store> {
    const store = start();
    const steps: RecordDraft[][] = [
      [gate('root'), started('root')],
      [pending('e1')],
      [committed('e1', PUT('k', 1))],
      [pending('e2')],
      [pending('e3'), { ...ACTION, execution_id: 'e3', status: 'in_doubt' }],
      [{ ...gate('other'), status: 'denied', reasons: [{ code: 'NO', message: 'no' }] }],
      [gate('root')],
      Array.from({ length: 150 }, (_, n) => pending(`many${n}`)),
      Array.from({ length: 150 }, (_, n) => failed(`many${n}`)),
    ];
    for (const records of steps) {
      now += 1000;
      await store.append({ records });
    }
    return store;
  }

  it.each([
    [{ execution_id: 'e1' }, 'records_execution'],
    [{ context_id: 'root' }, 'records_context'],
    [{ parent_execution_id: 'root' }, 'records_parent'],
    [{ status: 'failed' }, 'records_status'],
    [{ record_type: 'gate' }, 'records_type'],
    [{ from: '2026-03-01T12:00:00.000Z' }, 'INTEGER PRIMARY KEY'],
    [{ latest: true }, 'SEARCH e USING'],
    [{ incomplete: true }, 'executions_incomplete'],
    [{ execution_id: 'e1', status: 'failed', latest: true }, 'records_execution'],
  ] as const)('%j is answered from an index, without a scan or a sort', async (query, index) => {
    await start().close();
    const db = openDatabase(storePaths(workspace_dir).database);
    const { sql, values } = queryText(query, true);
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values(0, 1_000, 64));
    db.close();
    const text = plan.map(({ detail }) => String(detail)).join('\n');
    expect(text).toContain(index);
    expect(text).not.toMatch(/SCAN (?!head\b)|TEMP B-TREE/);
  });

  it('go on after the last page while records are appended', async () => {
    const store = await filled();
    for (const conditions of [{}, { status: 'committed' }, { execution_id: 'e1' }] as const) {
      const seen: AuditRecord[] = [];
      for (let page = 0, more = true; more; page++) {
        const found = [...store.records({ ...conditions, after: seen.at(-1)?.sequence ?? 0, limit: 7 })];
        seen.push(...found);
        more = found.length === 7;
        if (page < 3) await store.append({ records: [gate(`late-${seen.length}-${page}`)] });
      }
      expect(seen).toEqual([...store.records(conditions)]);
    }
  });

  it('by execution, context, parent, time, status, type, latest and incomplete give what a scan gives (AQ1–AQ5)', async () => {
    const log: { store: Store; all: AuditRecord[] } = { store: await filled(), all: [] };
    log.all = [...log.store.records()];
    const newest = (id: string): AuditRecord | undefined => {
      const own = log.all.filter(r => r.execution_id === id);
      return (
        own.findLast(r => ['action', 'workflow', 'terminal', 'error', 'skill'].includes(r.record_type)) ?? own.at(-1)
      );
    };
    const scan = (q: RecordQuery): AuditRecord[] =>
      log.all
        .filter(
          r =>
            (q.execution_id === undefined || r.execution_id === q.execution_id) &&
            (q.context_id === undefined || r.context_id === q.context_id) &&
            (q.parent_execution_id === undefined || r.parent_execution_id === q.parent_execution_id) &&
            (q.status === undefined || r.status === q.status) &&
            (q.record_type === undefined || r.record_type === q.record_type) &&
            (q.from === undefined || r.timestamp >= q.from) &&
            (q.until === undefined || r.timestamp < q.until) &&
            r.sequence > (q.after ?? 0) &&
            (q.latest !== true || newest(r.execution_id) === r) &&
            (q.incomplete !== true ||
              (newest(r.execution_id) === r &&
                r.record_type === 'action' &&
                ['pending', 'in_doubt'].includes(r.status))),
        )
        .slice(0, q.limit);
    const time = fc
      .integer({ min: -2, max: 12 })
      .map(s => new Date(Date.parse('2026-03-01T12:00:00.000Z') + s * 1000).toISOString());
    const query = fc.record(
      {
        execution_id: fc.constantFrom('root', 'e1', 'e3', 'many7', 'nobody'),
        context_id: fc.constantFrom('root', 'other'),
        parent_execution_id: fc.constantFrom('root', 'e1'),
        status: fc.constantFrom('pending', 'committed', 'failed', 'in_doubt', 'allowed', 'workflow_started'),
        record_type: fc.constantFrom('action', 'gate', 'workflow', 'recovery'),
        from: time,
        until: time,
        after: fc.nat(320),
        limit: fc.nat(200),
        latest: fc.boolean(),
        incomplete: fc.boolean(),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<RecordQuery>;
    const reader = openReader(workspace_dir);
    const check = (runs: number): void =>
      fc.assert(
        fc.property(query, q => {
          expect([...log.store.records(q)]).toEqual(scan(q));
          expect([...reader.records(q)].map(r => r.sequence)).toEqual(scan(q).map(r => r.sequence));
        }),
        { numRuns: runs },
      );
    check(200);
    // One record after the other the tail grows from nothing to more than it may hold.
    await log.store.close();
    log.store = start();
    for (let at = 0; at < 140; at++) {
      const id = ['e1', 'root', 'other', 'e2', `new${at % 7}`][at % 5] as string;
      const open = reader.latest(id)?.status === 'pending';
      const [record] =
        at % 5 === 3 && open
          ? [failed(id)]
          : at % 5 === 4 && !log.all.some(r => r.execution_id === id)
            ? [pending(id)]
            : [gate(id)];
      log.all.push(...recordsOf(await log.store.append({ records: [record as RecordDraft] })));
      expect(reader.latest(id)).toEqual(newest(id)?.record_type === 'gate' ? undefined : newest(id));
      if (at % 10 === 0) check(20);
    }
    reader.close();
    const { store } = log;
    expect([...store.records({ incomplete: true })].slice(0, 1).map(r => [r.execution_id, r.status])).toEqual([
      ['e3', 'in_doubt'],
    ]);
    expect(store.latest('root')?.status).toBe('workflow_started');
    expect(store.latest('other')).toBeUndefined();
  });

  it('go on while the log grows under a slow reader', async () => {
    const store = await filled();
    let read = 0;
    for (const record of store.records()) {
      expect(record.sequence).toBe(++read);
      if (read === 10) {
        await store.append({ records: [pending('meanwhile')] });
      }
    }
    expect(read).toBe(store.head().sequence);
  });
});

describe('documents', () => {
  it('are put, listed, replaced and removed durably', async () => {
    const store = start();
    const documents = Array.from({ length: 70 }, (_, n) => ({ kind: 'agent', id: `a${n}`, value: { n } }) as const);
    await store.append({ records: [], documents });
    await store.append({ records: [], documents: [{ kind: 'agent', id: 'a0', value: null }] });
    const removals = [{ kind: 'agent', id: 'a1' } as const];
    await store.append({ records: [], documents: [{ kind: 'agent', id: 'a1', value: 'in one step' }], removals });
    await store.append({ records: [], removals });
    await store.close();
    const again = start();
    expect(again.document('agent', 'a0')).toBeNull();
    expect(again.document('agent', 'a1')).toBeUndefined();
    expect(new Set([...again.documents('agent')].map(d => d.id))).toEqual(
      new Set(documents.map(d => d.id).filter(id => id !== 'a1')),
    );
    expect([...again.documents('policy')]).toEqual([]);
  });
});

describe('opening', () => {
  it('refuses a second writer and serves readers beside the first', async () => {
    const store = start();
    await store.append({ records: [pending('e1')] });
    expect(await code(() => start())).toBe('workspace_locked');
    const reader = openReader(workspace_dir);
    await store.append({ records: [committed('e1', PUT('k', 1))] });
    expect([reader.head(), reader.state().k?.version, [...reader.records()].length]).toEqual([store.head(), 1, 2]);
    reader.close();
    await store.close();
    await store.close();
    expect(await code(store.append({ records: [pending('e2')] }))).toBe('illegal_state');
    start();
  });

  it('writes what was asked for before the close', async () => {
    const store = start();
    const step = store.append({ records: [pending('e1')] });
    await store.close();
    expect((await step)[0]?.head.sequence).toBe(1);
    expect(start().head().sequence).toBe(1);
  });

  it('numbers incarnations upwards only', async () => {
    await start({ incarnation: 7 }).close();
    for (const incarnation of [7, 3, 0, 8.5]) {
      expect(await code(() => start({ incarnation }))).toBe('conflict');
    }
    const next = start();
    expect(next.incarnation).toBe(8);
  });

  it('tells a reader that there is nothing yet', async () => {
    expect(await code(() => openReader(workspace_dir))).toBe('not_found');
  });

  const database = (): string => storePaths(workspace_dir).database;
  const prepare = (content: string | Uint8Array): void => {
    mkdirSync(dirname(database()), { recursive: true });
    writeFileSync(database(), content);
  };

  it('leaves a database file that is the whole store by itself', async () => {
    const store = start();
    await store.append({ records: [pending('e1')] });
    const head = store.head();
    await store.close();
    const copy = join(workspace_dir, 'copy');
    mkdirSync(storePaths(copy).folder, { recursive: true });
    writeFileSync(storePaths(copy).database, readFileSync(database()));
    const reader = openReader(copy);
    expect(reader.head()).toEqual(head);
    reader.close();
  });

  it('says so where the disk does not let it make its files', async () => {
    writeFileSync(join(workspace_dir, 'file'), '');
    expect(await code(() => start({ workspace_dir: join(workspace_dir, 'file') }))).toBe('storage_failed');
    mkdirSync(storePaths(workspace_dir).lock, { recursive: true });
    expect(await code(() => start())).toBe('storage_failed');
    rmSync(storePaths(workspace_dir).lock, { recursive: true });
    mkdirSync(database());
    expect(await code(() => start())).toBe('storage_failed');
    expect(await code(() => start())).toBe('storage_failed');
  });

  it('takes an empty file for a new store', async () => {
    prepare('');
    await start().append({ records: [pending('e1')] });
  });

  it.each(['garbage', 'x'.repeat(100_000)])('calls a file that is no database foreign', async content => {
    prepare(content);
    expect(await code(() => start())).toBe('workspace_foreign');
    expect(await code(() => openReader(workspace_dir))).toBe('workspace_foreign');
    expect(readFileSync(database(), 'utf8')).toBe(content);
    rmSync(database());
    start();
  });

  it.each(['CREATE TABLE theirs (x)', 'PRAGMA application_id=7', 'PRAGMA user_version=3; CREATE TABLE t (x)'])(
    'calls a database of another program foreign: %s',
    async sql => {
      prepare('');
      const theirs = openDatabase(database());
      theirs.exec(sql);
      theirs.close();
      expect(await code(() => start())).toBe('workspace_foreign');
      expect(await code(() => openReader(workspace_dir))).toBe('workspace_foreign');
    },
  );

  async function damaged(sql: string): Promise<void> {
    const store = start();
    await store.append({ records: [pending('e1'), committed('e1', PUT('k', 1))] });
    await store.close();
    const db = openDatabase(database());
    db.exec(sql);
    db.close();
  }

  it('refuses a layout that it does not know', async () => {
    await damaged('PRAGMA user_version=99');
    expect(await code(() => start())).toBe('workspace_foreign');
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
    expect(await code(() => start())).toBe('log_corrupt');
    expect(await code(() => start())).toBe('log_corrupt');
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
    expect(await code(() => start())).toBe('log_corrupt');
    writeFileSync(database(), whole);
    truncateSync(database(), 8192);
    expect(await code(() => start())).toBe('log_corrupt');
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
