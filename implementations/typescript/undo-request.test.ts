import { describe, expect, it, vi } from 'vitest';
import type { ActionInvokeResult } from '../../schemas/types.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { open } from './nodes.fixture.js';
import { OWNER, type Runtime } from './runtime.js';
import { foldState } from './state/state.js';
import { evidence, ran, sound, World, workflowOf } from './undo-request.fixture.js';

function firstCommitted(runtime: Runtime): string {
  for (const { execution_id } of runtime.records({ status: 'committed' })) return execution_id;
  throw new Error('nothing is committed');
}

function told(memory: MemoryWorkspace, from: number): unknown[] {
  return memory.records.slice(from).map(r => [r.record_type, r.status, r.execution_id, r.refers_to]);
}

describe('undoing a committed execution', () => {
  it.each([
    ['roll', 'rolled_back', 'revert'],
    ['comp', 'compensated', 'compensate'],
  ] as const)('%s: %s by an execution of its own, in one step with its commit', async (name, status, purpose) => {
    const { memory, world, runtime, of } = await ran(['pure', name]);
    const [before, steps] = [memory.records.length, memory.steps];
    const undo = await runtime.rollback({ execution_id: of(name), evidence, agent_id: OWNER });
    expect(told(memory, before)).toEqual([
      ['action', 'pending', undo, [of(name)]],
      ['action', 'committed', undo, undefined],
      ['action', status, of(name), [undo]],
    ]);
    expect(memory.steps).toBe(steps + 2);
    const original = memory.records.find(r => r.execution_id === of(name) && r.status === 'pending');
    expect(memory.records[before]).toMatchObject({ purpose, evidence, idempotency_key: `undo/${of(name)}` });
    expect(world.undos.map(({ inputs }) => inputs)).toEqual([
      {
        execution_id: of(name),
        idempotency_key: original?.idempotency_key,
        inputs: original?.inputs,
        outputs: { of: name },
      },
    ]);
    sound(memory);
  });

  it('is done once, however often and at whatever time it is asked for', async () => {
    const { memory, world, runtime, of } = await ran(['comp']);
    const ask = () => runtime.rollback({ execution_id: of('comp'), evidence, agent_id: OWNER });
    const [first, second] = await Promise.all([ask(), ask()]);
    const records = memory.records.length;
    expect([second, await ask()]).toEqual([first, first]);
    await runtime.close();
    const next = await open(memory, world);
    expect(await next.rollback({ execution_id: of('comp'), evidence, agent_id: OWNER })).toBe(first);
    expect(memory.records.length).toBe(records);
    expect(world.undos.length).toBe(1);
  });

  it('needs no invocation where nothing had an effect', async () => {
    const { memory, world, runtime, of } = await ran(['pure']);
    const undo = await runtime.rollback({ execution_id: of('pure'), evidence, agent_id: OWNER });
    expect(memory.records.slice(-2).map(r => [r.status, r.execution_id, r.action_id])).toEqual([
      ['committed', undo, 'pure'],
      ['rolled_back', of('pure'), 'pure'],
    ]);
    expect(world.calls.length).toBe(1);
    sound(memory);
  });

  it('keeps large evidence beside the record', async () => {
    const { memory, runtime, of } = await ran(['comp']);
    const large = 'x'.repeat(20_000);
    await runtime.rollback({ execution_id: of('comp'), evidence: large, agent_id: OWNER });
    const { evidence_ref = '' } = memory.records.find(r => r.purpose === 'compensate') ?? {};
    expect(runtime.evidence(evidence_ref)).toBe(large);
  });

  it('leaves the result of the instance as it was, and forbids to resume it', async () => {
    const { memory, world, runtime, id, of } = await ran(['comp', 'pure'], 'failed');
    const result = await runtime.wait(id, 0);
    await runtime.rollback({ execution_id: of('comp'), evidence, agent_id: OWNER });
    const next = await open(memory, world);
    expect(next.recovery).toBeNull();
    expect(await next.wait(id, 0)).toEqual(result);
    await expect(next.resume(id, OWNER)).rejects.toMatchObject({ code: 'illegal_state' });
  });

  it('forbids to resume what resumed the instance, and is refused while that runs', async () => {
    const memory = new MemoryWorkspace();
    const world = new World();
    const runtime = await open(memory, world);
    const held: ((result: ActionInvokeResult) => void)[] = [];
    const invoke = world.invoke.bind(world);
    world.invoke = call => (call.action_id === 'pure' ? new Promise(resolve => held.push(resolve)) : invoke(call));
    const fail = () => held.shift()?.({ error: { error_class: 'E4', detail: 'no', effect: 'none' } });
    const id = await runtime.start({ workflow: workflowOf(['comp', 'pure']), inputs: {}, agent_id: OWNER });
    await vi.waitUntil(() => held.length > 0);
    fail();
    expect((await runtime.wait(id, 5_000)).status).toBe('failed');
    const resumed = (await runtime.resume(id, OWNER)) as string;
    const execution_id = firstCommitted(runtime);
    const request = { execution_id, evidence, agent_id: OWNER };
    await expect(runtime.rollback(request)).rejects.toMatchObject({ code: 'illegal_state' });
    await vi.waitUntil(() => held.length > 0);
    fail();
    expect((await runtime.wait(resumed, 5_000)).status).toBe('failed');
    await runtime.rollback(request);
    await expect(runtime.resume(resumed, OWNER)).rejects.toMatchObject({ code: 'illegal_state' });
    expect(world.undos.length).toBe(1);
  });
});

describe('an execution with state changes and no revert', () => {
  /** Writes `key` to State, another value each time, in one or two changes. */
  async function written(keys: readonly string[]) {
    const memory = new MemoryWorkspace();
    const world = new World();
    let count = 0;
    world.invoke = async call => {
      world.calls.push(call);
      count += 1;
      const put = (value: unknown) => ({ key: keys[count - 1] as string, op: 'put' as const, value: value as never });
      return { outputs: {}, state_changes: [put(`first ${count}`), put(count)] };
    };
    const runtime = await open(memory, world);
    const ids: string[] = [];
    for (const _ of keys) {
      const id = await runtime.start({ workflow: workflowOf(['note'], 'failed'), inputs: {}, agent_id: OWNER });
      await runtime.wait(id, 5_000);
      ids.push(
        memory.records.find(r => r.parent_execution_id === id && r.status === 'committed')?.execution_id as string,
      );
    }
    const calls = world.calls.length;
    const undo = (at: number) => runtime.rollback({ execution_id: ids[at] as string, evidence, agent_id: OWNER });
    const state = () => runtime.state(['k', 'other']).state;
    return { memory, runtime, ids, undo, state, invoked: () => world.calls.length - calls };
  }

  it('is rolled back by one that puts back values and writers, each in turn, and invokes nothing', async () => {
    const { memory, ids, undo, state, invoked } = await written(['k', 'k', 'other', 'k']);
    const [first, second, , fourth] = ids;
    expect(state().k).toEqual({ value: 4, version: 6, writer: fourth });
    await undo(3);
    expect(state().k).toEqual({ value: 2, version: 7, writer: second });
    await undo(1);
    expect(state().k).toEqual({ value: 1, version: 8, writer: first });
    const last = await undo(0);
    expect(state().k).toEqual({ version: 9, writer: last });
    expect(state().other?.value).toBe(3);
    expect(invoked()).toBe(0);
    expect(foldState(memory.records).get('k')).toEqual(state().k);
    sound(memory);
  });

  it('stays as it is where another has written over it since', async () => {
    const { memory, undo, state } = await written(['k', 'k']);
    const before = state();
    await expect(undo(0)).rejects.toMatchObject({ code: 'illegal_state' });
    expect(state()).toEqual(before);
    expect(memory.records.at(-1)).toMatchObject({ status: 'failed', error_class: 'E4', error_detail: 'conflict' });
    await undo(1);
    await undo(0);
    expect(state().k?.value).toBeUndefined();
    sound(memory);
  });
});

describe('an undo whose result conflicts with State at its commit', () => {
  const conflicting = async (): Promise<ActionInvokeResult> => ({
    outputs: { undone: true },
    state_changes: [{ key: 'note', op: 'put', value: 'undone', expected_version: 7 }],
  });

  it.each(['roll', 'comp'])('fails as a conflict, leaves %s committed, and can be asked for again', async node => {
    const { memory, world, runtime, of } = await ran([node]);
    const before = memory.records.length;
    world.undo = conflicting;
    const ask = () => runtime.rollback({ execution_id: of(node), evidence, agent_id: OWNER });
    await expect(ask()).rejects.toMatchObject({ code: 'illegal_state' });
    const records = memory.records.slice(before);
    expect(records.map(({ status }) => status)).toEqual(['pending', 'failed']);
    expect(records[1]).toMatchObject({ error_class: 'E4', error_detail: 'conflict' });
    expect(records[1]?.state_changes).toBeUndefined();
    expect(runtime.state(['note']).state.note).toBeUndefined();
    expect(memory.records.findLast(r => r.execution_id === of(node))?.status).toBe('committed');
    world.undo = async () => ({ outputs: { undone: true } });
    const undo = await ask();
    expect(memory.records.at(-1)).toMatchObject({ execution_id: of(node), refers_to: [undo] });
    expect(new Set(world.undos.map(({ idempotency_key }) => idempotency_key)).size).toBe(1);
    sound(memory);
  });
});

describe('a request that is refused', () => {
  it.each([
    ['of an irreversible execution', 'once', {}, 'illegal_state'],
    ['by another agent', 'comp', { agent_id: 'approver' }, 'denied'],
    ['without evidence', 'comp', { evidence: undefined }, 'invalid_document'],
    ['of nothing', '', { execution_id: 'nobody' }, 'not_found'],
  ] as const)('%s changes nothing', async (_title, node, change, code) => {
    const { memory, world, runtime, of } = await ran(['comp', 'once', 'note']);
    const records = memory.records.length;
    const request = { execution_id: of(node), evidence, agent_id: OWNER, ...change };
    await expect(runtime.rollback(request as never)).rejects.toMatchObject({ code });
    expect(memory.records.length).toBe(records);
    expect(world.undos).toEqual([]);
  });

  it('is first of all that of an agent that is not registered', async () => {
    const { runtime, of } = await ran(['comp']);
    for (const execution_id of [of('comp'), 'nobody'])
      await expect(runtime.rollback({ execution_id, evidence, agent_id: 'eve' })).rejects.toMatchObject({
        code: 'denied',
        details: { reasons: [{ code: 'SECURITY_BREACH' }] },
      });
  });

  it('is that of an undo, of an instance, and of what has failed', async () => {
    const { memory, world, runtime, id, of } = await ran(['comp', 'roll']);
    const undo = await runtime.rollback({ execution_id: of('comp'), evidence, agent_id: OWNER });
    world.undo = async () => ({ error: { error_class: 'E4', detail: 'no', effect: 'none' } });
    await expect(runtime.rollback({ execution_id: of('roll'), evidence, agent_id: OWNER })).rejects.toThrow();
    const failed = memory.records.at(-1)?.execution_id as string;
    const [records, calls] = [memory.records.length, world.calls.length];
    for (const execution_id of [undo, id, failed])
      await expect(runtime.rollback({ execution_id, evidence, agent_id: OWNER })).rejects.toMatchObject({
        code: 'illegal_state',
      });
    expect([memory.records.length, world.calls.length]).toEqual([records, calls]);
  });

  it('is that of an instance that has not ended', async () => {
    const memory = new MemoryWorkspace();
    const world = new World();
    const runtime = await open(memory, world);
    let release = () => {};
    const gate = new Promise<void>(resolve => {
      release = resolve;
    });
    const begun = new Promise<void>(resolve => {
      const invoke = world.invoke.bind(world);
      world.invoke = async call => {
        if (call.action_id === 'pure') {
          resolve();
          await gate;
        }
        return invoke(call);
      };
    });
    const id = await runtime.start({ workflow: workflowOf(['comp', 'pure']), inputs: {}, agent_id: OWNER });
    await begun;
    const execution_id = firstCommitted(runtime);
    const request = { execution_id, evidence, agent_id: OWNER };
    await expect(runtime.rollback(request)).rejects.toMatchObject({ code: 'illegal_state' });
    release();
    await runtime.wait(id, 5_000);
    await runtime.rollback(request);
    sound(memory);
  });

  it('is that of an agent without the permission to undo', async () => {
    const memory = new MemoryWorkspace();
    const runtime = await open(memory, new World());
    await runtime.registerAgent({ agent_id: 'worker', trust: 'TRUSTED' }, OWNER);
    await runtime.grant({ domain: 'execution', actions: ['execute'], granted_to: 'worker', granted_by: OWNER });
    const id = await runtime.start({ workflow: workflowOf(['comp']), inputs: {}, agent_id: 'worker' });
    await runtime.wait(id, 5_000);
    const execution_id = firstCommitted(runtime);
    const request = { execution_id, evidence, agent_id: 'worker' };
    await expect(runtime.rollback(request)).rejects.toMatchObject({ code: 'denied' });
    await runtime.grant({ domain: 'execution', actions: ['undo'], granted_to: 'worker', granted_by: OWNER });
    await runtime.rollback(request);
    expect(memory.records.at(-1)?.status).toBe('compensated');
  });
});
