import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyChain } from '../audit/chain.js';
import { committed, failed, gate, pending, put } from '../audit/drafts.fixture.js';
import type { RecordDraft } from '../audit/log.js';
import { canonicalize, digestText } from '../state/canonical.js';
import { openDatabase } from './driver.js';
import { storePaths } from './paths.js';
import { codeOf, expectWhole, recordsOf, storesOfTests } from './store.fixture.js';
import { openStore, type StoreOptions } from './store.js';

const stores = storesOfTests();

describe('append', () => {
  it('gives records their place, time and links, and keeps them as canonical text', async () => {
    const store = stores.start();
    const [first] = recordsOf(await store.append({ records: [pending('e1', { b: 1, a: 'ä\u0000' })] }));
    const [second] = recordsOf(await store.append({ records: [committed('e1', put('k', [1]))] }));
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
    const before = stores.start();
    await before.append({ records: [pending('e1')], documents: [{ kind: 'resolved', id: 'd', value: { x: 1 } }] });
    const head = before.head();
    await before.close();
    const after = stores.start();
    expect([after.head(), after.incarnation, after.document('resolved', 'd')]).toEqual([head, 2, { x: 1 }]);
    const [record] = recordsOf(await after.append({ records: [committed('e1', put('k', 1))] }));
    expect(record).toMatchObject({ sequence: 2, incarnation: 2 });
    expectWhole(after);
  });

  it('writes all of a step or nothing, on a conflict in its last record too', async () => {
    const store = stores.start();
    await store.append({ records: [pending('e1'), pending('e2'), committed('e1', put('k', 1, 0))] });
    const head = store.head();
    const step = store.append({
      records: [pending('e3'), committed('e3', put('x', 1)), committed('e2', put('y', 1), put('k', 2, 0))],
      documents: [{ kind: 'evidence', id: 'd', value: 1 }],
    });
    await expect(step).rejects.toMatchObject({
      code: 'version_conflict',
      details: { key: 'k', expected_version: 0, actual_version: 1 },
    });
    expect(store.head()).toEqual(head);
    expect(Object.keys(store.state())).toEqual(['k']);
    expect([store.latest('e3'), store.document('evidence', 'd')]).toEqual([undefined, undefined]);
    await store.append({ records: [committed('e2', put('k', 2, 1))] });
    expectWhole(store);
  });

  it('counts what is written and taken away of each kind of documents', async () => {
    const store = stores.start();
    const counts = () => (['permission', 'policy'] as const).map(kind => store.written?.(kind));
    const seen = [counts()];
    const permission = { kind: 'permission', id: 'p' } as const;
    for (const step of [
      { records: [], documents: [{ ...permission, value: 1 }] },
      { records: [committed('none')], documents: [{ ...permission, value: 2 }] },
      { records: [], removals: [permission] },
    ]) {
      await codeOf(store.append(step));
      seen.push(counts());
    }
    expect(seen).toEqual([0, 1, 1, 2].map(count => [count, 0]));
  });

  it('lets a refused step of a shared transaction leave the others intact', async () => {
    const store = stores.start();
    const outcomes = await Promise.allSettled([
      store.append({ records: [pending('e1'), committed('e1', put('k', 'first', 0))] }),
      store.append({ records: [pending('e2'), committed('e2', put('k', 'second', 0))] }),
      store.append({ records: [committed('e3')] }),
      store.append({ records: [{ ...pending('e4'), attempt: 0 }] }),
      store.append({ records: [pending('e5', { bad: Number.NaN })] }),
      store.append({ records: [pending('e6'), committed('e6', put('k', 'third', 1))] }),
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
    const store = stores.start();
    await store.append({ records: [pending('e1'), committed('e1')] });
    const again: RecordDraft[] = [committed('e1'), failed('e1'), pending('e1'), committed('e9')];
    for (const record of again) {
      expect(await codeOf(store.append({ records: [record] }))).toBe('illegal_state');
    }
    expect(await codeOf(store.append({ records: [pending('e2'), committed('e2'), committed('e2')] }))).toBe(
      'illegal_state',
    );
    expect(store.head().sequence).toBe(2);
  });

  it('is not moved by what the caller does to its objects afterwards', async () => {
    const store = stores.start();
    const inputs = { list: [1] };
    const change = put('k', { a: 1 });
    const step = store.append({ records: [pending('e1', inputs), committed('e1', change)] });
    inputs.list.push(2);
    (change as { value: unknown }).value = 'other';
    const [record] = recordsOf(await step);
    expect(record?.inputs).toEqual({ list: [1] });
    expect(store.state(['k']).k?.value).toEqual({ a: 1 });
    expectWhole(store);
  });

  it('names the member that is not canonical', async () => {
    const step = stores.start().append({ records: [pending('e1', { a: ['\ud800'] })] });
    await expect(step).rejects.toMatchObject({ code: 'not_canonical', details: { pointer: '/inputs/a/0' } });
  });

  it('never lets time run back, within an opening or across', async () => {
    const times: (string | undefined)[] = [];
    const store = stores.start();
    for (const [i, jump] of [0, -5000, 3.7, -1].entries()) {
      stores.now += jump;
      const [record] = recordsOf(await store.append({ records: [pending(`e${i}`)] }));
      times.push(record?.timestamp);
    }
    await store.close();
    stores.now -= 1_000_000;
    const [record] = recordsOf(await stores.start().append({ records: [pending('late')] }));
    times.push(record?.timestamp);
    expect(times).toEqual(times.map(() => '2026-03-01T12:00:00.000Z'));
  });

  it('gives concurrent callers one order without gaps', async () => {
    const store = stores.start();
    const caller = async (n: number): Promise<void> => {
      for (let i = 0; i < 10; i++) {
        await store.append({ records: [pending(`e${n}-${i}`)] });
        await store.append({ records: [committed(`e${n}-${i}`, put(`k${i}`, n))] });
      }
    };
    await Promise.all(Array.from({ length: 32 }, (_, n) => caller(n)));
    expect(store.head().sequence).toBe(640);
    expect(store.state(['k3']).k3?.version).toBe(32);
    expectWhole(store);
  });

  it('lets exactly one of many creates win', async () => {
    const store = stores.start();
    const steps = Array.from({ length: 50 }, (_, n) =>
      codeOf(store.append({ records: [pending(`e${n}`), committed(`e${n}`, put('k', n, 0))] })),
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
          const store = openStore({ workspace_dir: join(stores.workspace_dir, id), clock: () => stores.now });
          const changes = Object.entries(entries).map(([key, value]) => put(key, value));
          const outcome = await codeOf(store.append({ records: [pending('e1'), committed('e1', ...changes)] }));
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
      .map(([key, value, expected]) => put(key, value, expected));
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
        const folder = join(stores.workspace_dir, `run${runs++}`);
        let store = openStore({ workspace_dir: folder, clock: () => stores.now });
        for (const { steps, reopen, passed } of turns) {
          stores.now += passed;
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
            store = openStore({ workspace_dir: folder, clock: () => stores.now });
          }
        }
        await store.close();
      }),
      { numRuns: 60 },
    );
  });

  it('keeps a value a hundred thousand deep', async () => {
    const store = stores.start();
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    await store.append({ records: [pending('e1', { deep }), committed('e1', put('k', deep))] });
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
    const store = stores.start({ fault });
    await store.append({ records: [pending('e1'), pending('e2')] });
    await store.append({ records: [committed('e1', put('k', 1))] });
    const head = store.head();
    broken = true;
    const steps = [
      store.append({ records: [pending('e3')] }),
      store.append({ records: [committed('e2', put('k', 2))] }),
      store.append({ records: [pending('e4')] }),
    ];
    expect(await Promise.all(steps.map(codeOf))).toEqual(['storage_failed', 'storage_failed', 'storage_failed']);
    broken = false;
    expect(await codeOf(store.append({ records: [pending('e5')] }))).toBe('storage_failed');
    expect(await codeOf(store.append({ records: [], removals: [{ kind: 'agent', id: 'a' }] }))).toBe('storage_failed');
    expect(points).toEqual([
      ['committing', 'e1'],
      ['committing', 'e2'],
    ]);
    expect([store.head(), store.state().k?.value, store.latest('e2')?.status]).toEqual([head, 1, 'pending']);
    await store.close();
    const again = stores.start();
    expect(again.head()).toEqual(head);
    await again.append({ records: [committed('e2', put('k', 2))] });
    expectWhole(again);
  });

  it('of the database itself does the same', async () => {
    const store = stores.start();
    await store.append({ records: [pending('e1')] });
    const other = openDatabase(storePaths(stores.workspace_dir).database);
    other.exec('PRAGMA busy_timeout=0; DROP TABLE state');
    other.close();
    expect(await codeOf(store.append({ records: [committed('e1', put('k', 1))] }))).toBe('storage_failed');
    expect(await codeOf(store.append({ records: [pending('e2')] }))).toBe('storage_failed');
    expect(store.head().sequence).toBe(1);
  });
});

describe('writes before a place', () => {
  it('are those to the key, the newest first, whatever else the records hold', async () => {
    const store = stores.start();
    const keys = ['k', 'a"key":"k"', 'k', 'kk', 'k', '%', 'k'];
    for (const [at, key] of keys.entries()) {
      await store.append({ records: [pending(`e${at}`, { key: 'k' })] });
      await store.append({ records: [committed(`e${at}`, put(key, at))] });
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

describe('documents', () => {
  it('are put, listed, replaced and removed durably', async () => {
    const store = stores.start();
    const documents = Array.from({ length: 70 }, (_, n) => ({ kind: 'agent', id: `a${n}`, value: { n } }) as const);
    await store.append({ records: [], documents });
    await store.append({ records: [], documents: [{ kind: 'agent', id: 'a0', value: null }] });
    const removals = [{ kind: 'agent', id: 'a1' } as const];
    await store.append({ records: [], documents: [{ kind: 'agent', id: 'a1', value: 'in one step' }], removals });
    await store.append({ records: [], removals });
    await store.close();
    const again = stores.start();
    expect(again.document('agent', 'a0')).toBeNull();
    expect(again.document('agent', 'a1')).toBeUndefined();
    expect(new Set([...again.documents('agent')].map(d => d.id))).toEqual(
      new Set(documents.map(d => d.id).filter(id => id !== 'a1')),
    );
    expect([...again.documents('policy')]).toEqual([]);
  });
});
