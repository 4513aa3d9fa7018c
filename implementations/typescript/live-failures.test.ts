import { describe, expect, it } from 'vitest';
import type { ActionInvokeResult } from '../../schemas/types.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { chain, checkLog, reopen, startConfirmed, World } from './recovery.fixture.js';
import { OWNER } from './runtime.js';

describe('a live failure', () => {
  it('is undone before it is recorded, and keeps its class', async () => {
    const memory = new MemoryWorkspace();
    const world = new World();
    world.reply = ({ action_id }) =>
      action_id === 'roll' ? { error: { error_class: 'E2', detail: 'half', effect: 'unknown' } } : undefined;
    const runtime = await reopen(memory, world);
    const id = await runtime.start({ workflow: chain(['roll']), inputs: {}, agent_id: OWNER });
    expect(await runtime.wait(id, 5_000)).toMatchObject({ status: 'failed', error: { error_class: 'E2' } });
    const told = memory.records.filter(r => r.record_type === 'action' || r.record_type === 'recovery');
    expect(told.map(r => r.status)).toEqual(['pending', 'roll_back', 'pending', 'committed', 'failed']);
    await expect(runtime.resume(id, OWNER)).rejects.toMatchObject({ code: 'illegal_state' });
    checkLog(memory, world);
  });

  it('is in doubt where the undo fails', async () => {
    const memory = new MemoryWorkspace();
    const world = new World();
    world.reply = () => ({ error: { error_class: 'E2', detail: 'no', effect: 'unknown' } });
    const runtime = await reopen(memory, world);
    const id = await runtime.start({ workflow: chain(['comp']), inputs: {}, agent_id: OWNER });
    expect((await runtime.wait(id, 5_000)).status).toBe('in_doubt');
    const last = memory.records.slice(-2).map(r => [r.purpose, r.status]);
    expect(last).toEqual([
      ['compensate', 'failed'],
      [undefined, 'in_doubt'],
    ]);
  });

  it('is only a failure where no effect is possible', async () => {
    const memory = new MemoryWorkspace();
    const world = new World();
    world.reply = () => ({ error: { error_class: 'E2', detail: 'no', effect: 'none' } });
    const runtime = await reopen(memory, world);
    const id = await startConfirmed(runtime, chain(['once']));
    expect((await runtime.wait(id, 5_000)).status).toBe('failed');
    expect(memory.records.some(r => r.record_type === 'recovery')).toBe(false);
  });

  it('of an irreversible action is retried only where the probe says absent', async () => {
    for (const verdict of ['absent', 'unknown'] as const) {
      const memory = new MemoryWorkspace();
      const world = new World();
      world.answer = () => verdict;
      world.reply = () =>
        world.calls.length === 1 ? { error: { error_class: 'E1', detail: 'cut', effect: 'unknown' } } : undefined;
      const runtime = await reopen(memory, world);
      const id = await startConfirmed(runtime, chain(['once']));
      expect((await runtime.wait(id, 5_000)).status).toBe(verdict === 'absent' ? 'completed' : 'in_doubt');
      expect(world.calls.length).toBe(verdict === 'absent' ? 2 : 1);
    }
  });
});

describe('a retry after a restart', () => {
  it('goes on counting, and takes the earlier attempt for possibly effective', async () => {
    const memory = new MemoryWorkspace();
    const world = new World();
    const replies: ActionInvokeResult[] = [
      { error: { error_class: 'E0', detail: 'first', effect: 'unknown' } },
      { error: { error_class: 'E0', detail: 'second', effect: 'none' } },
    ];
    world.reply = ({ action_id }) => (action_id === 'idem' ? replies[world.calls.length - 1] : undefined);
    const workflow = chain(['idem']);
    Object.assign(workflow.nodes[0] as object, { retry_policy: { max_retries: 3, backoff_ms: 10_000_000 } });
    const first = await reopen(memory, world);
    const id = await first.start({ workflow, inputs: {}, agent_id: OWNER });
    expect((await first.wait(id, 100)).status).toBe('running');
    await first.close();
    const second = await reopen(memory, world);
    const result = await second.wait(id, 5_000);
    expect(result.trace).toContainEqual({ node_id: 'n0', outcome: 'failure', attempts: 2 });
    expect(world.undone.size).toBe(1);
    checkLog(memory, world);
  });
});
