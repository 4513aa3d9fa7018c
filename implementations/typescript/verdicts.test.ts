import { describe, expect, it } from 'vitest';
import type { Action } from '../../schemas/types.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { end, run, World, workflowOf } from './nodes.fixture.js';
import { OWNER, Runtime } from './runtime.js';

const extra: Action = {
  action_id: 'extra',
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
};

describe('a verdict that is remembered', () => {
  it('is another one once the registry has changed', async () => {
    const memory = new MemoryWorkspace();
    const runtime = await Runtime.open({ workspace: '', log: memory.open(), host: new World({}) });
    const workflow = workflowOf([run('a', 'extra'), end('done')], ['a -success-> done']);
    const start = () => runtime.start({ workflow, inputs: {}, agent_id: OWNER });
    const denied = { code: 'denied', details: { gate: 'verification', reasons: [{ code: 'S7' }] } };
    for (const _ of [1, 2]) await expect(start()).rejects.toMatchObject(denied);
    await runtime.putRegistry({ actions: [extra] });
    for (const _ of [1, 2]) expect((await runtime.wait(await start(), 10_000)).status).toBe('completed');
    await runtime.putRegistry({ actions: [{ ...extra, version: '1.1.0' }] });
    const id = await start();
    expect((await runtime.wait(id, 10_000)).status).toBe('completed');
    expect(memory.records.at(-1)).toMatchObject({ status: 'workflow_completed' });
    const digests = memory.records.flatMap(({ resolved_digest }) => resolved_digest ?? []);
    expect([digests.length, new Set(digests).size]).toEqual([3, 2]);
    await runtime.removeRegistry({ actions: ['extra@1.0.0', 'extra@1.1.0'] });
    await expect(start()).rejects.toMatchObject(denied);
    await runtime.close();
  });

  it('is of the workflow as it was given then, whatever its owner does with it', async () => {
    const memory = new MemoryWorkspace();
    const runtime = await Runtime.open({ workspace: '', log: memory.open(), host: new World({}) });
    const workflow = workflowOf([run('a', 'pure'), end('done')], ['a -success-> done']);
    await runtime.start({ workflow, inputs: {}, agent_id: OWNER });
    workflow.edges = [];
    await expect(runtime.start({ workflow, inputs: {}, agent_id: OWNER })).rejects.toMatchObject({ code: 'denied' });
    await runtime.close();
  });
});
