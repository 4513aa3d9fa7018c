import { describe, expect, it } from 'vitest';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { confirm } from './confirmed.fixture.js';
import { end, run, skill, workflowOf } from './nodes.fixture.js';
import { ack, and, doubtfulChild, Held, has, named, opened, par, SlowLog, sound } from './races.fixture.js';
import { OWNER, Runtime } from './runtime.js';

describe('a doubt', () => {
  it('in two children at once holds the root until both are resolved', async () => {
    const { memory, runtime, id, world } = await doubtfulChild(['l1'], 2);
    const doubts = memory.records
      .filter(r => r.record_type === 'action' && r.status === 'in_doubt')
      .map(r => r.execution_id);
    for (const execution_id of doubts) {
      await expect(runtime.resume(id, OWNER)).rejects.toMatchObject({ code: 'illegal_state' });
      await runtime.resolve({ execution_id, verdict: 'applied', outputs: {}, approver: OWNER });
    }
    expect(world.entered).toEqual(['a']);
    await Promise.all([runtime.resume(id, OWNER), runtime.resume(id, OWNER)]);
    expect((await runtime.wait(id, 10_000)).status).toBe('completed');
    expect(world.entered).toEqual(['a', 'l2', 'l2']);
    sound(memory);
  });

  it('in a child can be resolved where there is no code for the instance', async () => {
    const { memory, runtime, id, world } = await doubtfulChild(['l1']);
    await runtime.close();
    const without = await Runtime.open({ workspace: '', log: memory.open() });
    expect([...without.withoutCode]).toEqual([]);
    const [doubt] = memory.records.filter(r => r.record_type === 'action' && r.status === 'in_doubt');
    const execution_id = doubt?.execution_id as string;
    await without.resolve({ execution_id, verdict: 'applied', outputs: {}, approver: OWNER });
    await expect(without.resume(id, OWNER)).rejects.toMatchObject({ code: 'not_found' });
    await without.close();
    const next = await opened(memory.open(), world);
    expect((await next.wait(id, 10_000)).status).toBe('completed');
    sound(memory);
  });

  it.each([
    ['lets no skill start that was about to', skill('c', 'plain'), ['a', 'd', 'b'], 'x'],
    ['lets an action go on whose pending was recorded before', run('c', 'pure'), ['a', 'd', 'b', 'c'], undefined],
  ])('%s', async (_, c, entered, later) => {
    const slow = new SlowLog();
    const world = new Held({}).hold('b', 'd');
    const invoke = world.invoke.bind(world);
    world.invoke = async call => {
      const result = await invoke(call);
      return call.node_id === 'd' ? { error: { error_class: 'E2', detail: 'lost', effect: 'unknown' } } : result;
    };
    world.probe = async () => ({ verdict: 'unknown' });
    const plain = named('plain', workflowOf([run('x', 'pure'), end('x-done')], ['x -success-> x-done']));
    const workflow = workflowOf(
      [run('a', 'pure', par), run('d', 'once', ack), run('b', 'pure'), c, and(end('done'))],
      ['a -success-> d', 'a -success-> b', 'b -success-> c', 'd -success-> done', 'c -success-> done'],
    );
    const runtime = await opened(slow.open(), world, [plain]);
    const wanted = { workflow, inputs: {}, agent_id: OWNER };
    const id = await runtime.start({ ...wanted, confirmation_id: await confirm(runtime, wanted) });
    await expect.poll(() => world.now).toBe(2);
    slow.stop(({ records }) => records.some(r => r.node_id === 'b' && r.status === 'committed'));
    world.release('b');
    await expect.poll(() => slow.reached).toBe(1);
    world.release('d');
    await new Promise(resolve => setTimeout(resolve, 20));
    slow.go();
    expect((await runtime.wait(id, 10_000)).status).toBe('in_doubt');
    expect(world.entered).toEqual(entered);
    const statuses = slow.memory.records.filter(r => r.record_type === 'action').map(r => `${r.node_id} ${r.status}`);
    if (later === undefined) expect(statuses.indexOf('c pending')).toBeLessThan(statuses.indexOf('d in_doubt'));
    const [doubt] = slow.memory.records.filter(r => r.record_type === 'action' && r.status === 'in_doubt');
    await runtime.resolve({
      ...{ execution_id: doubt?.execution_id as string, verdict: 'applied', outputs: {}, approver: OWNER },
    });
    await runtime.resume(id, OWNER);
    expect((await runtime.wait(id, 10_000)).status).toBe('completed');
    expect(world.entered).toEqual(later === undefined ? entered : [...entered, later]);
    sound(slow.memory);
  });

  it('does not keep recovery from carrying out what it redoes', async () => {
    const memory = new MemoryWorkspace();
    const world = new Held({}).hold('b', 'd');
    world.probe = async () => ({ verdict: 'unknown' });
    const workflow = workflowOf(
      [run('a', 'pure', par), run('d', 'once', ack), run('b', 'roll'), run('c', 'pure'), and(end('done'))],
      ['a -success-> d', 'a -success-> b', 'b -success-> c', 'd -success-> done', 'c -success-> done'],
    );
    const runtime = await opened(memory.open(), world);
    const wanted = { workflow, inputs: {}, agent_id: OWNER };
    const id = await runtime.start({ ...wanted, confirmation_id: await confirm(runtime, wanted) });
    await expect.poll(() => world.now).toBe(2);
    const next = await opened(memory.open(), world.hold());
    world.release('b', 'd');
    expect(next.recovery?.decisions.map(d => d.decision).sort()).toEqual(['in_doubt', 'redo']);
    await expect.poll(() => has(memory, { node_id: 'b', status: 'committed' })).toBe(true);
    expect((await next.wait(id, 10_000)).status).toBe('in_doubt');
    expect(world.entered).toEqual(['a', 'd', 'b', 'b']);
    sound(memory);
  });
});
