import { describe, expect, it } from 'vitest';
import type { ActionInvokeParams, ActionInvokeResult, AuditRecord, Node, Workflow } from '../../schemas/types.js';
import { verifyChain } from './audit/chain.js';
import { checkLifecycle } from './audit/lifecycle.js';
import type { Log, Step } from './audit/log.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { confirm } from './confirmed.fixture.js';
import { end, run, World, workflowOf } from './nodes.fixture.js';
import { differencesOf } from './replayed.fixture.js';
import { OWNER, Runtime } from './runtime.js';

const skill = (node_id: string, name: string, more: Record<string, unknown> = {}) =>
  ({ node_id, type: 'skill', workflow_ref: `${name}@^1`, ...more }) as Node;
const named = (name: string, workflow: Workflow): Workflow => ({ ...workflow, workflow: { name, version: '1.0.0' } });
const par = { fan_out: 'parallel' } as Partial<Node>;
const ack = { irreversible: 'acknowledged' } as Partial<Node>;
const and = (node: Node) => ({ ...node, join_type: 'AND' }) as Node;

/** Invocations that wait, by node or `undo node`, until they are let go. */
class Held extends World {
  readonly #gates = new Map<string, { readonly opened: Promise<void>; readonly open: () => void }>();
  readonly entered: string[] = [];
  now = 0;
  most = 0;

  hold(...names: readonly string[]): this {
    for (const name of names) {
      let open = () => {};
      const opened = new Promise<void>(resolve => {
        open = resolve;
      });
      this.#gates.set(name, { opened, open });
    }
    return this;
  }

  release(...names: readonly string[]): void {
    for (const name of names) this.#gates.get(name)?.open();
  }

  override async invoke(call: ActionInvokeParams): Promise<ActionInvokeResult> {
    const name = call.action_id === 'undo' ? `undo ${call.node_id}` : `${call.node_id}`;
    this.entered.push(name);
    this.now += 1;
    this.most = Math.max(this.most, this.now);
    await this.#gates.get(name)?.opened;
    this.now -= 1;
    return super.invoke(call);
  }
}

/** A log whose steps can be stopped before they are written. */
class SlowLog {
  readonly memory = new MemoryWorkspace();
  #stopped: ((step: Step) => boolean) | undefined;
  #go = () => {};
  #gone: Promise<void> = Promise.resolve();
  reached = 0;

  stop(at: (step: Step) => boolean): void {
    this.#stopped = at;
    this.#gone = new Promise(resolve => {
      this.#go = resolve;
    });
  }

  go(): void {
    this.#stopped = undefined;
    this.#go();
  }

  open(): Log {
    const log = this.memory.open();
    let before: Promise<unknown> = Promise.resolve();
    return {
      ...log,
      append: step => {
        const after = before.then(async () => {
          if (this.#stopped?.(step) === true) {
            this.reached += 1;
            await this.#gone;
          }
          return log.append(step);
        });
        before = after.catch(() => undefined);
        return after;
      },
    };
  }
}

async function opened(log: Log, host: World, skills: readonly Workflow[] = []): Promise<Runtime> {
  const runtime = await Runtime.open({ workspace: '', log, host });
  if (skills.length > 0) await runtime.putRegistry({ workflows: [...skills] });
  return runtime;
}

function sound(memory: MemoryWorkspace): void {
  expect(verifyChain(memory.lines).ok).toBe(true);
  expect(differencesOf(memory)).toEqual([]);
  expect(checkLifecycle(memory.records)).toEqual({ ok: true });
  const ended = new Set<string>();
  const parents = new Map<string, string | undefined>();
  for (const record of memory.records) {
    const { record_type, status, execution_id, parent_execution_id } = record;
    if (record_type === 'workflow' && status === 'workflow_started') parents.set(execution_id, parent_execution_id);
    else if (record_type === 'workflow') ended.add(execution_id);
    if (parent_execution_id !== undefined && (record_type !== 'workflow' || status === 'workflow_started'))
      expect([record.sequence, status, ended.has(parent_execution_id)]).toEqual([record.sequence, status, false]);
  }
}

const has = (memory: MemoryWorkspace, fields: Partial<AuditRecord>) =>
  memory.records.some(r => Object.entries(fields).every(([k, v]) => r[k as keyof AuditRecord] === v));

const leaf = named(
  'leaf',
  workflowOf([run('l1', 'pure'), run('l2', 'pure'), end('l-done')], ['l1 -success-> l2', 'l2 -success-> l-done'], {
    x: '${nodes.l2.outputs.of}',
  }),
);
const one = workflowOf([skill('s', 'leaf'), end('done')], ['s -success-> done']);

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
    expect(await runtime.wait(id, 500)).toMatchObject({ status: 'failed', error: { detail: 'cancelled' } });
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
    expect(await runtime.wait(id, 500)).toMatchObject({ status: 'failed', error: { detail: 'cancelled' } });
    expect(world.entered).toEqual(['a', 'b']);
    sound(slow.memory);
  });

  it('that comes while the instance itself starts ends it', async () => {
    const slow = new SlowLog();
    const world = new Held({});
    const runtime = await opened(slow.open(), world, [leaf]);
    let id = '';
    runtime.subscribe(record => {
      if (record.record_type === 'gate') id = record.execution_id;
    });
    slow.stop(({ records }) => records.some(r => r.status === 'workflow_started'));
    const starting = runtime.start({ workflow: one, inputs: {}, agent_id: OWNER });
    await expect.poll(() => slow.reached).toBe(1);
    const cancelled = runtime.cancel(id, OWNER);
    slow.go();
    await cancelled;
    await starting;
    expect(await runtime.wait(id, 500)).toMatchObject({ status: 'failed', error: { detail: 'cancelled' } });
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
    expect(await runtime.wait(id, 1_000)).toMatchObject({ status: 'failed', error: { detail: 'cancelled' } });
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
    expect((await runtime.wait(id, 1_000)).status).toBe('in_doubt');
    await runtime.cancel(id, OWNER);
    const doubted = memory.records.find(r => r.status === 'in_doubt')?.execution_id as string;
    await runtime.resolve({ execution_id: doubted, verdict: 'applied', outputs: {}, approver: OWNER });
    expect(await runtime.wait(id, 500)).toMatchObject({ status: 'failed', error: { detail: 'cancelled' } });
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
    const result = await runtime.wait(id, 500);
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
      expect((await runtime.wait(id, 1_000)).status).toBe('completed');
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
    expect((await runtime.wait(id, 1_000)).status).toBe('completed');
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
    expect((await runtime.wait(id, 1_000)).status).toBe('failed');
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
    expect((await runtime.wait(second as string, 1_000)).status).toBe('completed');
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
    expect((await runtime.wait(id, 1_000)).status).toBe('completed');
    await expect(runtime.resume(child, OWNER)).rejects.toMatchObject({ code: 'illegal_state' });
    expect(world.entered).toEqual(['l2']);
    sound(memory);
  });
});

const risky = named(
  'risky',
  workflowOf([run('l1', 'once', ack), run('l2', 'pure'), end('l-done')], ['l1 -success-> l2', 'l2 -success-> l-done']),
);

/** A root whose children, run side by side, are in doubt at these nodes. */
async function doubtfulChild(doubts: readonly string[], children = 1) {
  const memory = new MemoryWorkspace();
  const world = new Held({});
  const invoke = world.invoke.bind(world);
  world.invoke = async call =>
    doubts.includes(call.node_id ?? '')
      ? { error: { error_class: 'E2', detail: 'lost', effect: 'unknown' } }
      : invoke(call);
  world.probe = async () => ({ verdict: 'unknown' });
  const numbers = Array.from({ length: children }, (_, n) => n);
  const workflow = workflowOf(
    [
      ...(children > 1 ? [run('a', 'pure', par)] : []),
      ...numbers.map(n => skill(`s${n}`, 'risky', ack as Record<string, unknown>)),
      children > 1 ? and(end('done')) : end('done'),
    ],
    numbers.flatMap(n => [...(children > 1 ? [`a -success-> s${n}`] : []), `s${n} -success-> done`]),
  );
  const runtime = await opened(memory.open(), world, [risky]);
  const wanted = { workflow, inputs: {}, agent_id: OWNER };
  const id = await runtime.start({ ...wanted, confirmation_id: await confirm(runtime, wanted) });
  await expect
    .poll(() => memory.records.filter(r => r.record_type === 'action' && r.status === 'in_doubt').length)
    .toBe(children);
  return { memory, world, runtime, id };
}

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
    expect((await runtime.wait(id, 1_000)).status).toBe('completed');
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
    expect((await next.wait(id, 1_000)).status).toBe('completed');
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
    expect((await runtime.wait(id, 1_000)).status).toBe('in_doubt');
    expect(world.entered).toEqual(entered);
    const statuses = slow.memory.records.filter(r => r.record_type === 'action').map(r => `${r.node_id} ${r.status}`);
    if (later === undefined) expect(statuses.indexOf('c pending')).toBeLessThan(statuses.indexOf('d in_doubt'));
    const [doubt] = slow.memory.records.filter(r => r.record_type === 'action' && r.status === 'in_doubt');
    await runtime.resolve({
      ...{ execution_id: doubt?.execution_id as string, verdict: 'applied', outputs: {}, approver: OWNER },
    });
    await runtime.resume(id, OWNER);
    expect((await runtime.wait(id, 1_000)).status).toBe('completed');
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
    expect((await next.wait(id, 1_000)).status).toBe('in_doubt');
    expect(world.entered).toEqual(['a', 'd', 'b', 'b']);
    sound(memory);
  });
});
