import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../../schemas/types.js';
import { committed, EXECUTION, failed, gate, pending, put, started } from '../audit/drafts.fixture.js';
import type { RecordDraft, RecordQuery } from '../audit/log.js';
import { openDatabase } from './driver.js';
import { storePaths } from './paths.js';
import { queryText } from './query.js';
import { codeOf, recordsOf, storesOfTests } from './store.fixture.js';
import { openReader, type Store } from './store.js';

const stores = storesOfTests();
/** So that some of the records are known to the indexes and others are not. */
const longest_tail = 128;

describe('queries', () => {
  async function filled(): Promise<Store> {
    const store = stores.start({ longest_tail });
    const steps: RecordDraft[][] = [
      [gate('root'), started('root')],
      [pending('e1')],
      [committed('e1', put('k', 1))],
      [pending('e2')],
      [pending('e3'), { ...EXECUTION, execution_id: 'e3', status: 'in_doubt' }],
      [{ ...gate('other'), status: 'denied', reasons: [{ code: 'NO', message: 'no' }] }],
      [gate('root')],
      Array.from({ length: 150 }, (_, n) => pending(`many${n}`)),
      Array.from({ length: 150 }, (_, n) => failed(`many${n}`)),
    ];
    for (const records of steps) {
      stores.now += 1000;
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
    [{ status: 'committed' }, 'SEARCH r USING INTEGER PRIMARY KEY'],
    [{ record_type: 'action' }, 'SEARCH r USING INTEGER PRIMARY KEY'],
    [{ status: 'pending', record_type: 'workflow' }, 'records_type'],
    [{ status: 'failed', record_type: 'action' }, 'records_status'],
    [{ from: '2026-03-01T12:00:00.000Z' }, 'INTEGER PRIMARY KEY'],
    [{ latest: true }, 'SEARCH e USING'],
    [{ incomplete: true }, 'executions_incomplete'],
    [{ execution_id: 'e1', status: 'failed', latest: true }, 'records_execution'],
  ] as const)('%j is answered from an index, without a scan or a sort', async (query, index) => {
    await stores.start().close();
    const db = openDatabase(storePaths(stores.workspace_dir).database);
    const { sql, values } = queryText(query, true);
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values(0, 1_000, 64));
    db.close();
    const text = plan.map(({ detail }) => String(detail)).join('\n');
    expect(text).toContain(index);
    expect(text).not.toMatch(/SCAN (?!head\b)|TEMP B-TREE/);
  });

  it('find nothing under a name with U+0000, which none has', async () => {
    const store = await filled();
    for (const name of ['e1\0', 'e1\0e2', '\0']) {
      expect(store.latest(name)).toBeUndefined();
      expect([...store.records({ execution_id: name }), ...store.records({ context_id: name })]).toEqual([]);
      expect(store.requested(name, 'r')).toBeUndefined();
    }
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
    const reader = openReader(stores.workspace_dir);
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
    log.store = stores.start({ longest_tail });
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

it('does not use a record that was changed since it was written', async () => {
  const store = stores.start();
  await store.append({ records: [pending('e1', { text: 'as it was' })] });
  await store.append({ records: [pending('e2')] });
  await store.close();
  const db = openDatabase(storePaths(stores.workspace_dir).database);
  db.exec(
    `DROP TRIGGER records_stay; UPDATE records SET text = replace(text, 'as it was', 'as it is') WHERE sequence = 1`,
  );
  db.close();
  const reader = openReader(stores.workspace_dir);
  expect([...reader.records({ execution_id: 'e2' })].map(r => r.sequence)).toEqual([2]);
  expect(await codeOf(() => [...reader.records()])).toBe('log_corrupt');
  expect(await codeOf(() => reader.latest('e1'))).toBe('log_corrupt');
  reader.close();
});
