import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { IndexEntry } from '../../schemas/types.js';
import { end, run, workflowOf } from './nodes.fixture.js';
import { OWNER, Runtime } from './runtime.js';
import { digest } from './state/canonical.js';

const workflow = workflowOf([run('a', 'pure'), end('z')], ['a -success-> z']);
const LARGE = 'x'.repeat(20_000);

let folder: string;
let runtime: Runtime;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ars-index-'));
  let step = 0;
  const pure = () => {
    step += 1;
    const change = step === 1 ? { key: 'k', op: 'put' as const, value: 1 } : { key: 'k', op: 'delete' as const };
    return { outputs: {}, state_changes: [change], evidence: step === 1 ? 'small' : LARGE };
  };
  runtime = await Runtime.open({ workspace: folder, actions: { pure } });
  await runtime.putRegistry({ workflows: [workflow], actions: workflow.actions ?? [] });
});
afterEach(async () => {
  await runtime.close();
  rmSync(folder, { recursive: true, force: true });
});

async function execute(): Promise<string> {
  const id = await runtime.start({ workflow_id: 'w@1.0.0', inputs: {}, agent_id: OWNER });
  await runtime.wait(id, 5_000);
  return id;
}

const put = (kind: IndexEntry['kind'], target: string, more: Partial<IndexEntry> = {}) =>
  runtime.putIndexEntry({ entry_id: kind, kind, target, ...more }, OWNER);

it('gives everything that is in the registry', async () => {
  expect(runtime.registry().workflows?.map(({ workflow: { name } }) => name)).toEqual(['w']);
  await runtime.removeRegistry({ workflows: ['w@1.0.0'] });
  expect(runtime.registry().workflows).toEqual([]);
});

it('takes what is there, and refuses what is not unless it is marked stale', async () => {
  writeFileSync(join(folder, 'notes.txt'), '');
  const execution_id = await execute();
  const there: [IndexEntry['kind'], string][] = [
    ['action', 'pure@1.0.0'],
    ['workflow', 'w@1.0.0'],
    ['execution', execution_id],
    ['state', 'k'],
    ['evidence', digest('small')],
    ['snapshot', String((await runtime.takeSnapshot()).sequence)],
    ['file', 'notes.txt'],
  ];
  for (const [kind, target] of there) {
    await put(kind, target);
    expect(runtime.indexEntry(kind)).toEqual({ entry_id: kind, kind, target });
    await expect(put(kind, `${target}0`)).rejects.toMatchObject({ code: 'not_found' });
    expect(runtime.indexEntry(kind).target).toBe(target);
    await put(kind, `${target}0`, { stale: true });
    expect(runtime.indexEntry(kind)).toMatchObject({ target: `${target}0`, stale: true });
  }
  await execute();
  await put('evidence', digest(LARGE));
  await expect(put('file', '../notes.txt', { stale: true })).rejects.toMatchObject({ code: 'invalid_document' });
  expect([...runtime.indexEntries()].map(({ entry_id }) => entry_id).sort()).toEqual(
    there.map(([kind]) => kind).sort(),
  );
});

it('marks as stale what has gone, and no more what has come back', async () => {
  writeFileSync(join(folder, 'notes.txt'), '');
  await execute();
  await put('workflow', 'w@1.0.0');
  await put('state', 'k');
  await put('file', 'notes.txt');
  const stale = () => [...runtime.indexEntries()].filter(entry => entry.stale === true).map(({ kind }) => kind);
  expect(stale()).toEqual([]);
  rmSync(join(folder, 'notes.txt'));
  await execute();
  await runtime.removeRegistry({ workflows: ['w@1.0.0'] });
  expect(stale()).toEqual(['file', 'state', 'workflow']);
  await runtime.putRegistry({ workflows: [workflow] });
  writeFileSync(join(folder, 'notes.txt'), '');
  expect(stale()).toEqual(['state']);
});

it('is written and read by those who hold registry:write', async () => {
  await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
  const entry: IndexEntry = { entry_id: 'books.w', kind: 'workflow', target: 'w@1.0.0' };
  const denied = { code: 'denied' };
  await expect(runtime.putIndexEntry(entry, 'ada')).rejects.toMatchObject(denied);
  expect(() => runtime.readAs('ada').indexEntry('books.w')).toThrow(expect.objectContaining(denied));
  const permission = { domain: 'registry', actions: ['write' as const], scope: 'books.*' } as const;
  await runtime.grant({ ...permission, actions: ['write'], granted_to: 'ada', granted_by: OWNER });
  await runtime.putIndexEntry(entry, 'ada');
  expect(runtime.readAs('ada').indexEntry('books.w')).toEqual(entry);
  await expect(runtime.putRegistry({ workflows: [workflow] }, 'ada')).rejects.toMatchObject(denied);
  await expect(runtime.removeRegistry({ workflows: ['w@1.0.0'] }, 'ada')).rejects.toMatchObject(denied);
});
