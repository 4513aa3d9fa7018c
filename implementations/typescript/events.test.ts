import { expect, it } from 'vitest';
import type { AuditRecord } from '../../schemas/types.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { ArsError } from './error.js';
import { end, open, run, World, workflowOf } from './nodes.fixture.js';
import { OWNER, type Runtime } from './runtime.js';

const workflow = workflowOf([run('a', 'pure'), end('z')], ['a -success-> z']);
const start = (runtime: Runtime) => runtime.start({ workflow, inputs: {}, agent_id: OWNER });

async function opened() {
  const memory = new MemoryWorkspace();
  return { memory, runtime: await open(memory, new World({})) };
}

async function all(records: AsyncIterable<AuditRecord>, sequences: number[] = []): Promise<number[]> {
  for await (const { sequence } of records) sequences.push(sequence);
  return sequences;
}

it('gives every reader each record once, in order, until the workspace is closed', async () => {
  const { memory, runtime } = await opened();
  await runtime.wait(await start(runtime), 5_000);
  const before = memory.records.length;
  const from = [all(runtime.events({ after: 0 })), all(runtime.events({ after: 3 })), all(runtime.events())];
  await Promise.all([start(runtime), start(runtime)].map(async id => runtime.wait(await id, 5_000)));
  await runtime.close();
  const every = memory.records.map(({ sequence }) => sequence);
  expect(every.length).toBeGreaterThan(before);
  expect(await Promise.all(from)).toEqual([every, every.slice(3), every.slice(before)]);
  expect(await all(runtime.events())).toEqual([]);
});

it('gives those that are asked for, and the rest of an instance as it happens', async () => {
  const { runtime } = await opened();
  const other = await start(runtime);
  const id = await start(runtime);
  const seen: string[] = [];
  for await (const { context_id, status } of runtime.events({ context_id: id, record_type: 'workflow', after: 0 })) {
    expect(context_id).toBe(id);
    seen.push(status);
    if (status === 'workflow_completed') break;
  }
  expect(seen).toEqual(['workflow_started', 'workflow_completed']);
  await runtime.wait(other, 5_000);
  await runtime.close();
});

it('lets a slow reader stay behind and go on where it was', async () => {
  const { memory, runtime } = await opened();
  await runtime.wait(await start(runtime), 5_000);
  const slow = runtime.events({ after: 0 });
  const first = await slow.next();
  await runtime.wait(await start(runtime), 5_000);
  const rest: number[] = [];
  while (rest.length < memory.records.length - 1) rest.push(((await slow.next()).value as AuditRecord).sequence);
  expect([(first.value as AuditRecord).sequence, ...rest]).toEqual(memory.records.map(({ sequence }) => sequence));
  await slow.return?.();
  await runtime.close();
});

it('ends at a signal, and throws what stopped the log', async () => {
  const { runtime } = await opened();
  const controller = new AbortController();
  const following = all(runtime.events({ signal: controller.signal }));
  controller.abort();
  expect(await following).toEqual([]);
  await runtime.close();

  const memory = new MemoryWorkspace();
  const failing = await open(memory, new World({}), { point: 'committing', occurrence: 1 });
  const sequences: number[] = [];
  const reading = all(failing.events({ after: 0 }), sequences).catch((error: unknown) => error);
  await start(failing);
  expect(await reading).toBeInstanceOf(ArsError);
  expect(await reading).toMatchObject({ code: 'storage_failed' });
  expect(sequences).toEqual(memory.records.map(({ sequence }) => sequence));
  await failing.close();
});
