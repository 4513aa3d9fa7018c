import { describe, expect, it } from 'vitest';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { confirm } from './confirmed.fixture.js';
import { end, run, skill, workflowOf } from './nodes.fixture.js';
import { ack, and, doubtfulChild, Held, has, leaf, named, one, opened, par, SlowLog, sound } from './races.fixture.js';
import { OWNER } from './runtime.js';

describe('a cancellation', () => {
  it('that comes while a child starts ends the child, too', async () => {
    const slow = new SlowLog();
    const world = new Held({});
    const runtime = await opened(slow.open(), world, [leaf]);
    slow.stop(({ records }) => records.some(r => r.status === 'workflow_started' && r.node_id === 's'));
    const id = await runtime.start({ workflow: one, inputs: {}, agent_id: OWNER });
    await expect.poll(() => slow.reached).toBe(1);
    const cancelled = runtime.cancel(id, OWNER);
    slow.go();
    await cancelled;
    expect(await runtime.wait(id, 10_000)).toMatchObject({ status: 'failed', error: { detail: 'cancelled' } });
    expect(world.entered).toEqual([]);
    sound(slow.memory);
  });

  it('is accepted once what was about to start is invoked, and nothing else is', async () => {
    const slow = new SlowLog();
    const world = new Held({}).hold('b');
    const runtime = await opened(slow.open(), world);
    slow.stop(({ records }) => records.some(r => r.node_id === 'b' && r.status === 'pending'));
    const workflow = workflowOf(
      [run('a', 'pure'), run('b', 'pure'), run('c', 'pure'), end('done')],
      ['a -success-> b', 'b -success-> c', 'c -success-> done'],
    );
    const id = await runtime.start({ workflow, inputs: {}, agent_id: OWNER });
    await expect.poll(() => slow.reached).toBe(1);
    const cancelled = runtime.cancel(id, OWNER).then(() => [...world.entered]);
    slow.go();
    expect(await cancelled).toEqual(['a', 'b']);
    world.release('b');
    expect(await runtime.wait(id, 10_000)).toMatchObject({ status: 'failed', error: { detail: 'cancelled' } });
    expect(world.entered).toEqual(['a', 'b']);
    sound(slow.memory);
  });

  it('that comes while the instance itself starts ends it', async () => {
    const slow = new SlowLog();
    const world = new Held({});
    const runtime = await opened(slow.open(), world, [leaf]);
    let id = '';
    slow.stop(({ records }) => {
      id = records.find(r => r.status === 'workflow_started')?.execution_id ?? id;
      return id !== '';
    });
    const starting = runtime.start({ workflow: one, inputs: {}, agent_id: OWNER });
    await expect.poll(() => slow.reached).toBe(1);
    const cancelled = runtime.cancel(id, OWNER);
    slow.go();
    await cancelled;
    await starting;
    expect(await runtime.wait(id, 10_000)).toMatchObject({ status: 'failed', error: { detail: 'cancelled' } });
    expect(world.entered).toEqual([]);
    sound(slow.memory);
  });

  it('leaves nothing to start what is about to, and no run looks for places for ever', async () => {
    const memory = new MemoryWorkspace();
    const two = named(
      'two',
      workflowOf(
        [run('t0', 'pure', par), run('t1', 'pure'), run('t2', 'pure'), run('t3', 'pure'), and(end('t-done'))],
        [1, 2, 3].flatMap(n => [`t0 -success-> t${n}`, `t${n} -success-> t-done`]),
      ),
    );
    const workflow = workflowOf(
      [run('a', 'pure', par), ...[1, 2, 3, 4].map(n => skill(`s${n}`, 'two')), and(end('done'))],
      [1, 2, 3, 4].flatMap(n => [`a -success-> s${n}`, `s${n} -success-> done`]),
    );
    const world = new Held({}).hold('t1', 't2', 't3');
    const runtime = await opened(memory.open(), world, [two]);
    const id = await runtime.start({ workflow, inputs: {}, agent_id: OWNER, max_parallel: 4 });
    await expect.poll(() => world.now).toBe(4);
    await new Promise(resolve => setTimeout(resolve, 20));
    await runtime.cancel(id, OWNER);
    world.release('t1', 't2', 't3');
    expect(await runtime.wait(id, 10_000)).toMatchObject({ status: 'failed', error: { detail: 'cancelled' } });
    sound(memory);
  });

  it('of an instance in doubt ends it once the doubt is resolved', async () => {
    const memory = new MemoryWorkspace();
    const world = new Held({ a: ['E2'] });
    const invoke = world.invoke.bind(world);
    world.invoke = async call =>
      call.node_id === 'a' ? { error: { error_class: 'E2', detail: 'lost', effect: 'unknown' } } : invoke(call);
    world.probe = async () => ({ verdict: 'unknown' });
    const workflow = workflowOf(
      [run('a', 'once', ack), run('b', 'pure'), end('done')],
      ['a -success-> b', 'b -success-> done'],
    );
    const runtime = await opened(memory.open(), world);
    const wanted = { workflow, inputs: {}, agent_id: OWNER };
    const id = await runtime.start({ ...wanted, confirmation_id: await confirm(runtime, wanted) });
    expect((await runtime.wait(id, 10_000)).status).toBe('in_doubt');
    await runtime.cancel(id, OWNER);
    const doubted = memory.records.find(r => r.status === 'in_doubt')?.execution_id as string;
    await runtime.resolve({ execution_id: doubted, verdict: 'applied', outputs: {}, approver: OWNER });
    expect(await runtime.wait(id, 10_000)).toMatchObject({ status: 'failed', error: { detail: 'cancelled' } });
    expect(world.entered).toEqual([]);
    sound(memory);
  });

  it('leaves the same trace to whoever reads the log later', async () => {
    const memory = new MemoryWorkspace();
    const world = new Held({}).hold('a');
    const workflow = workflowOf([run('a', 'pure'), end('done')], ['a -success-> done']);
    const runtime = await opened(memory.open(), world);
    const id = await runtime.start({ workflow, inputs: {}, agent_id: OWNER });
    await expect.poll(() => world.now).toBe(1);
    await runtime.cancel(id, OWNER);
    world.release('a');
    const result = await runtime.wait(id, 10_000);
    await runtime.close();
    const next = await opened(memory.open(), world);
    expect(await next.wait(id, 0)).toEqual(result);
  });
});

/** An instance in doubt at `d`, while `b` is held in flight; `b` is in a child where `nested`. */
async function doubtful(nested: boolean) {
  const memory = new MemoryWorkspace();
  const world = new Held({}).hold('b', 'l1');
  const invoke = world.invoke.bind(world);
  world.invoke = async call =>
    call.node_id === 'd' ? { error: { error_class: 'E2', detail: 'lost', effect: 'unknown' } } : invoke(call);
  world.probe = async () => ({ verdict: 'unknown' });
  const workflow = workflowOf(
    [run('a', 'pure', par), run('d', 'once', ack), nested ? skill('b', 'leaf') : run('b', 'pure'), and(end('done'))],
    ['a -success-> d', 'a -success-> b', 'd -success-> done', 'b -success-> done'],
  );
  const runtime = await opened(memory.open(), world, [leaf]);
  await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
  const permission_id = await runtime.grant({
    ...{ domain: 'execution', actions: ['execute'], granted_to: 'ada', granted_by: OWNER },
  });
  const wanted = { workflow, inputs: {}, agent_id: 'ada' };
  const id = await runtime.start({ ...wanted, confirmation_id: await confirm(runtime, wanted) });
  await expect.poll(() => has(memory, { status: 'in_doubt' })).toBe(true);
  await expect.poll(() => world.now).toBe(1);
  const doubted = memory.records.find(r => r.status === 'in_doubt')?.execution_id as string;
  await runtime.resolve({ execution_id: doubted, verdict: 'applied', outputs: {}, approver: OWNER });
  return { memory, world, runtime, id, permission_id };
}

describe('a denial to go on', () => {
  it.each([false, true])(
    'leaves the instance as it is, and it goes on once it is allowed (in a child: %s)',
    async nested => {
      const { memory, world, runtime, id, permission_id } = await doubtful(nested);
      await runtime.revoke(permission_id, OWNER);
      await expect(runtime.resume(id, 'ada')).rejects.toMatchObject({
        code: 'denied',
        details: { gate: 'governance', execution_id: id, reasons: [{ code: 'MISSING_PERMISSION' }] },
      });
      expect(has(memory, { record_type: 'gate', status: 'denied', execution_id: id })).toBe(true);
      world.release('b', 'l1');
      await expect.poll(() => has(memory, { node_id: nested ? 'l1' : 'b', status: 'committed' })).toBe(true);
      expect(has(memory, { record_type: 'workflow', status: 'workflow_failed' })).toBe(false);
      expect(has(memory, { node_id: 'done', record_type: 'terminal' })).toBe(false);
      await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
      await runtime.grant({ domain: 'execution', actions: ['execute'], granted_to: 'ada', granted_by: OWNER });
      await runtime.resume(id, 'ada');
      expect((await runtime.wait(id, 10_000)).status).toBe('completed');
      sound(memory);
    },
  );

  it('is asked for once where it is asked for twice at one time', async () => {
    const { memory, world, runtime, id, permission_id } = await doubtful(false);
    world.release('b');
    await expect.poll(() => has(memory, { node_id: 'b', status: 'committed' })).toBe(true);
    await runtime.revoke(permission_id, OWNER);
    const outcomes = await Promise.allSettled([runtime.resume(id, 'ada'), runtime.resume(id, 'ada')]);
    expect(outcomes.map(o => o.status === 'rejected' && o.reason.code)).toEqual(['denied', 'denied']);
    expect(memory.records.filter(r => r.record_type === 'gate' && r.status === 'denied')).toHaveLength(1);
    sound(memory);
  });
});

describe('a resume', () => {
  it('goes on while a child is about to start elsewhere in the tree', async () => {
    const slow = new SlowLog();
    const world = new Held({}).hold('g0');
    const invoke = world.invoke.bind(world);
    world.invoke = async call =>
      call.node_id === 'd' ? { error: { error_class: 'E2', detail: 'lost', effect: 'unknown' } } : invoke(call);
    world.probe = async () => ({ verdict: 'unknown' });
    const middle = named(
      'middle',
      workflowOf([run('g0', 'pure'), skill('g', 'leaf'), end('m-done')], ['g0 -success-> g', 'g -success-> m-done']),
    );
    const workflow = workflowOf(
      [run('a', 'pure', par), run('d', 'once', ack), skill('b', 'middle'), and(end('done'))],
      ['a -success-> d', 'a -success-> b', 'd -success-> done', 'b -success-> done'],
    );
    const runtime = await opened(slow.open(), world, [leaf, middle]);
    const wanted = { workflow, inputs: {}, agent_id: OWNER };
    const id = await runtime.start({ ...wanted, confirmation_id: await confirm(runtime, wanted) });
    await expect.poll(() => has(slow.memory, { status: 'in_doubt' })).toBe(true);
    const doubted = slow.memory.records.find(r => r.status === 'in_doubt')?.execution_id as string;
    await runtime.resolve({ execution_id: doubted, verdict: 'applied', outputs: {}, approver: OWNER });
    const resumed = runtime.resume(id, OWNER);
    slow.stop(({ records }) => records.some(r => r.status === 'workflow_started' && r.node_id === 'g'));
    world.release('g0');
    await resumed;
    await expect.poll(() => slow.reached).toBe(1);
    slow.go();
    expect((await runtime.wait(id, 10_000)).status).toBe('completed');
    sound(slow.memory);
  });

  it('of one instance is not done twice at one time', async () => {
    const memory = new MemoryWorkspace();
    const world = new Held({ b: ['E2', 'ok'] });
    const workflow = workflowOf(
      [run('a', 'pure'), run('b', 'pure'), end('done')],
      ['a -success-> b', 'b -success-> done'],
    );
    const runtime = await opened(memory.open(), world);
    const id = await runtime.start({ workflow, inputs: {}, agent_id: OWNER });
    expect((await runtime.wait(id, 10_000)).status).toBe('failed');
    world.hold('b');
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => runtime.resume(id, OWNER)));
    expect(outcomes.map(o => (o.status === 'fulfilled' ? '' : o.reason.code)).sort()).toEqual([
      '',
      'illegal_state',
      'illegal_state',
    ]);
    await expect(runtime.resume(id, OWNER)).rejects.toMatchObject({ code: 'illegal_state' });
    world.release('b');
    const [second] = outcomes.flatMap(o => (o.status === 'fulfilled' ? [o.value as string] : []));
    expect((await runtime.wait(second as string, 10_000)).status).toBe('completed');
    expect(world.entered).toEqual(['a', 'b', 'b']);
    sound(memory);
  });

  it('of a child in doubt is one of its root, and an ended child is not resumed by itself', async () => {
    const { memory, runtime, world, id } = await doubtfulChild(['l1']);
    const [doubt] = memory.records.filter(r => r.record_type === 'action' && r.status === 'in_doubt');
    const child = doubt?.parent_execution_id as string;
    await expect(runtime.resume(child, OWNER)).rejects.toMatchObject({ code: 'illegal_state' });
    await runtime.resolve({
      ...{ execution_id: doubt?.execution_id as string, verdict: 'applied', outputs: { of: 'x' }, approver: OWNER },
    });
    await runtime.resume(child, OWNER);
    expect((await runtime.wait(id, 10_000)).status).toBe('completed');
    await expect(runtime.resume(child, OWNER)).rejects.toMatchObject({ code: 'illegal_state' });
    expect(world.entered).toEqual(['l2']);
    sound(memory);
  });
});
