import { expect, it } from 'vitest';
import { EXECUTION, gate, pending, started } from '../audit/drafts.fixture.js';
import { namedFrom } from './beginning.js';
import { openDatabase } from './driver.js';
import { storePaths } from './paths.js';
import { storesOfTests } from './store.fixture.js';
import { openReader } from './store.js';

const stores = storesOfTests();

it('finds what begins so in what the indexes know and in the tail, once each, and tells it by its own record', async () => {
  const store = stores.start({ longest_tail: 64 });
  await store.append({ records: [gate('root'), started('root')] });
  for (let n = 0; n < 150; n++) await store.append({ records: [pending(`many${n}`)] });
  await store.append({ records: [{ ...EXECUTION, execution_id: 'many3', status: 'in_doubt' }, gate('root')] });
  const reader = openReader(stores.workspace_dir);
  const found = (beginning: string) => [...reader.named(beginning)].map(({ execution_id }) => execution_id);
  const all = [...reader.records()].map(({ execution_id }) => execution_id);
  for (const beginning of ['m', 'many', 'many1', 'many14', 'many149', 'many3', 'ro', 'root', 'x', '', 'many\0'])
    expect(found(beginning).sort()).toEqual([...new Set(all.filter(id => id.startsWith(beginning)))].sort());
  expect([found('many1')[0], found('many149')]).toEqual(['many1', ['many149']]);
  expect([...reader.named('root')]).toMatchObject([{ record_type: 'workflow', context_id: 'root' }]);
  expect([...reader.named('many149')]).toMatchObject([{ record_type: 'action', context_id: 'root' }]);
  reader.close();
});

it('looks for it by ranges, without a scan of the log or a sort', async () => {
  await stores.start().close();
  const db = openDatabase(storePaths(stores.workspace_dir).database);
  const asked: string[] = [];
  const prepared = (sql: string) => {
    asked.push(sql);
    return db.prepare(sql);
  };
  expect([...namedFrom(prepared, 'many')]).toEqual([]);
  const plans = asked.map(sql => {
    const values = [...sql.matchAll(/\?/g)].map(() => 'many');
    return db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...values)
      .map(({ detail }) => String(detail))
      .join('\n');
  });
  db.close();
  expect(plans).toHaveLength(3);
  for (const plan of plans) expect(plan).not.toMatch(/SCAN (?!head\b)|TEMP B-TREE/);
});
