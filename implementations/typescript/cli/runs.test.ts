import { describe, expect, it } from 'vitest';
import { EXECUTION, pending, started } from '../audit/drafts.fixture.js';
import { openDatabase } from '../store/driver.js';
import { storePaths } from '../store/paths.js';
import { storesOfTests } from '../store/store.fixture.js';
import { ars } from './ars.fixture.js';
import { interruptedIn } from './interrupted.js';

const stores = storesOfTests();
const runs = async (...args: string[]) => {
  const { status, stdout, stderr } = await ars('runs', '--workspace', stores.workspace_dir, ...args);
  return { status, ids: [...stdout.matchAll(/ (\w+)$/gm)].map(([, id]) => id), stderr };
};

describe('ars runs', () => {
  it('says a doubt of every instance above it, and how many more there are', async () => {
    const store = stores.start();
    const child = (id: string, parent_execution_id: string) => ({ ...started(id), parent_execution_id, node_id: 's' });
    const below = { ...EXECUTION, execution_id: 'e', parent_execution_id: 'grandchild' };
    await store.append({ records: [started('a'), started('b'), started('c')] });
    await store.append({ records: [child('child', 'b'), child('grandchild', 'child')] });
    await store.append({ records: [{ ...pending('e'), parent_execution_id: 'grandchild' }] });
    await store.append({ records: [{ ...below, status: 'in_doubt' }] });
    await store.close();
    expect((await runs('--status', 'in_doubt')).ids).toEqual(['b']);
    expect((await runs('--status', 'in_doubt', '--children')).ids).toEqual(['grandchild', 'child', 'b']);
    expect((await runs('--status', 'open')).ids).toEqual(['c', 'a']);
    expect((await runs('--status', 'interrupted')).ids).toEqual(['c', 'a']);
    expect(await runs('--status', 'running')).toMatchObject({ ids: [], stderr: 'no run matches\n' });
    expect(await runs('--limit', '2')).toMatchObject({
      ids: ['c', 'b'],
      stderr: expect.stringMatching(/^1 earlier ones; --limit shows more\n! 1 run is interrupted/),
    });
  });

  it('reads the records of the runs that it shows, and no others', async () => {
    const store = stores.start();
    await store.append({ records: [started('a'), started('b'), started('c')] });
    await store.close();
    const db = openDatabase(storePaths(stores.workspace_dir).database);
    db.exec(`DROP TRIGGER records_stay; UPDATE records SET text = '{' WHERE execution_id = 'a'`);
    db.close();
    expect(await runs('--limit', '2')).toMatchObject({ status: 0, ids: ['c', 'b'] });
    expect(interruptedIn(stores.workspace_dir)).toEqual(['a', 'b', 'c']);
    expect(await runs()).toMatchObject({ status: 1, stderr: expect.stringContaining('[log_corrupt]') });
  });
});
