import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../../schemas/types.js';
import { pending, started } from '../audit/drafts.fixture.js';
import type { RecordDraft } from '../audit/log.js';
import { openDatabase } from './driver.js';
import { EARLIER_LAYOUTS } from './earlier-layouts.fixture.js';
import { storePaths } from './paths.js';
import { type StartedQuery, startedText } from './started.js';
import { storesOfTests } from './store.fixture.js';
import { openReader, type Store, type StoreReader } from './store.js';

const stores = storesOfTests();
const WORKFLOWS = ['w@1.0.0', 'w@2.0.0', 'wide@1.0.0'];
const ENDS = ['workflow_completed', 'workflow_failed', 'workflow_compensated'] as const;
const timeAt = (second: number) => new Date(Date.parse('2026-03-01T12:00:00.000Z') + second * 1000).toISOString();

/** Starts and ends so many instances, in steps whose number has no common factor with how many there are. */
async function fill(store: Store, instances: number): Promise<void> {
  const start = (n: number): RecordDraft => ({
    ...started(`i${n}`),
    workflow_id: WORKFLOWS[n % 3] as string,
    agent_id: n % 4 === 0 ? 'other' : 'agent',
    ...(n % 5 === 4 ? { parent_execution_id: `i${n - 1}`, context_id: `i${n - 1}`, node_id: 's' } : {}),
  });
  const end = (n: number): RecordDraft => {
    const { inputs: _, context: __, resolved_digest: ___, inputs_digest: ____, ...own } = start(n);
    const status = ENDS[n % 3] as (typeof ENDS)[number];
    return status === 'workflow_failed'
      ? { ...own, status, error_class: 'E3', error_detail: 'no' }
      : status === 'workflow_completed'
        ? { ...own, status, outputs: {} }
        : { ...own, status };
  };
  for (let n = 0; n < instances + 20; n++) {
    stores.now += 1000;
    const ended = n - 20;
    const records = [
      ...(n < instances ? [start(n), pending(`e${n}`)] : []),
      ...(ended >= 0 && ended % 7 !== 3 ? [end(ended)] : []),
    ];
    if (records.length > 0) await store.append({ records });
  }
}

/** The same by a look at each record. */
function scan(records: readonly AuditRecord[], query: StartedQuery) {
  const ends = new Map(
    records.filter(r => r.status.startsWith('workflow_')).map(({ execution_id, status }) => [execution_id, status]),
  );
  const { root, ended, ids, from, until, agent_id, workflow, limit } = query;
  const among = ids && new Set(ids.among);
  const found = records.filter(
    r =>
      r.status === 'workflow_started' &&
      (root !== true || r.parent_execution_id === undefined) &&
      (ended === undefined || ends.get(r.execution_id) === (ended ?? 'workflow_started')) &&
      (ids === undefined || among?.has(r.execution_id) === ids.are) &&
      (from === undefined || r.timestamp >= from) &&
      (until === undefined || r.timestamp < until) &&
      (agent_id === undefined || r.agent_id === agent_id) &&
      (workflow === undefined || r.workflow_id === workflow || r.workflow_id?.split('@')[0] === workflow),
  );
  const newest = found.map(({ execution_id }) => execution_id).reverse();
  return { ids: newest.slice(0, limit), count: newest.length };
}

const query = fc.record(
  {
    root: fc.boolean(),
    ended: fc.constantFrom(...ENDS, null),
    ids: fc.record({ are: fc.boolean(), among: fc.array(fc.nat(130).map(n => `i${n}`)) }),
    from: fc.integer({ min: -2, max: 150 }).map(timeAt),
    until: fc.integer({ min: -2, max: 150 }).map(timeAt),
    agent_id: fc.constantFrom('agent', 'other', 'nobody'),
    workflow: fc.constantFrom(...WORKFLOWS, 'w', 'wide', 'wid', 'w@', ''),
    limit: fc.integer({ min: 1, max: 130 }),
  },
  { requiredKeys: ['limit'] },
) as fc.Arbitrary<StartedQuery>;

function expectScans(reader: StoreReader): void {
  const records = [...reader.records()];
  fc.assert(
    fc.property(query, q => {
      expect(reader.started(q)).toEqual(scan(records, q));
    }),
  );
}

describe('the instances of a log', () => {
  it('are found as by a look at each record, whatever the indexes know of them', async () => {
    const store = stores.start({ longest_tail: 100 });
    await fill(store, 120);
    const reader = openReader(stores.workspace_dir);
    expectScans(reader);
    await store.close();
    expectScans(reader);
    reader.close();
  });

  it.each(EARLIER_LAYOUTS)('are found in a store of an earlier layout', async sql => {
    const store = stores.start();
    await fill(store, 40);
    await store.close();
    const db = openDatabase(storePaths(stores.workspace_dir).database);
    db.exec(sql);
    db.close();
    const reader = openReader(stores.workspace_dir);
    expectScans(reader);
    reader.close();
  });

  it('are found without a scan or a sort', async () => {
    await stores.start().close();
    const db = openDatabase(storePaths(stores.workspace_dir).database);
    for (const q of [{}, { root: true }, { ended: 'workflow_failed', workflow: 'w' }, { ended: null }] as const) {
      const { page, count, values } = startedText({ ...q, limit: 1 }, true);
      for (const [sql, more] of [
        [page, [1]],
        [count, []],
      ] as const) {
        const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values, ...values, ...more);
        const text = plan.map(({ detail }) => String(detail)).join('\n');
        expect(text).toContain('SEARCH i USING PRIMARY KEY (status=?)');
        expect(text).not.toMatch(/SCAN (?!head\b|CONSTANT ROW)|TEMP B-TREE/);
      }
    }
    db.close();
  });

  it('are found where the text of one is damaged, which whoever reads it is told', async () => {
    const store = stores.start();
    await fill(store, 3);
    await store.close();
    const db = openDatabase(storePaths(stores.workspace_dir).database);
    db.exec(`DROP TRIGGER records_stay; UPDATE records SET text = '{' WHERE execution_id = 'i1'`);
    db.close();
    const reader = openReader(stores.workspace_dir);
    expect(reader.started({ workflow: 'none', limit: 9 })).toEqual({ ids: ['i1'], count: 1 });
    expect(reader.started({ limit: 9 }).count).toBe(3);
    reader.close();
  });
});
