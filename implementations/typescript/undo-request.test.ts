import { describe, expect, it, vi } from 'vitest';
import type {
  Action,
  ActionInvokeParams,
  ActionInvokeResult,
  FaultPoint,
  ProbeAnswer,
  Workflow,
} from '../../schemas/types.js';
import { verifyChain } from './audit/chain.js';
import { checkLifecycle } from './audit/lifecycle.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { confirm } from './confirmed.fixture.js';
import type { ActionHost } from './execution/host.js';
import { open, pure } from './nodes.fixture.js';
import { OWNER, type Runtime } from './runtime.js';
import { foldState } from './state/state.js';

const effect: Action = { ...pure, side_effects: ['filesystem'], probe: true };
const actions: readonly Action[] = [
  pure,
  { ...pure, action_id: 'note' },
  { ...effect, action_id: 'roll', revert: 'undo@1' },
  { ...effect, action_id: 'comp', rollback: 'compensatable', compensation: 'undo@1' },
  { ...effect, action_id: 'once', rollback: 'irreversible' },
  { ...effect, action_id: 'undo', idempotent: true, revert: 'undo@1', input_schema: { required: ['outputs'] } },
];

function workflowOf(names: readonly string[], status: 'completed' | 'failed' = 'completed'): Workflow {
  return {
    schema_version: '1.0',
    workflow: { name: 'chain', version: '1.0.0' },
    actions: [...actions],
    nodes: [
      ...names.map(id => ({
        node_id: id,
        type: 'action' as const,
        action_def: `${id}@1`,
        ...(id === 'once' ? { irreversible: 'acknowledged' as const } : {}),
      })),
      { node_id: 'end', type: 'terminal', status },
    ],
    edges: names.map((id, at) => ({ from_node: id, to_node: names[at + 1] ?? 'end', label: 'success' })),
  };
}

class World implements ActionHost {
  readonly calls: ActionInvokeParams[] = [];
  probed: ProbeAnswer = { verdict: 'unknown' };
  undo: () => Promise<ActionInvokeResult> = async () => ({ outputs: { undone: true } });
  known = true;

  async invoke(call: ActionInvokeParams): Promise<ActionInvokeResult> {
    this.calls.push(call);
    if (call.action_id === 'undo') return this.undo();
    const state_changes = [{ key: 'note', op: 'put' as const, value: 'x' as never }];
    return { outputs: { of: call.action_id }, ...(call.action_id === 'note' ? { state_changes } : {}) };
  }

  async probe(): Promise<ProbeAnswer> {
    return this.probed;
  }

  has(action_id: string): boolean {
    return action_id !== 'undo' || this.known;
  }

  get undos(): ActionInvokeParams[] {
    return this.calls.filter(({ action_id }) => action_id === 'undo');
  }
}

const evidence = { ticket: 7 };

/** Runs a workflow to its end, and gives the executions of its nodes. */
async function ran(names: readonly string[], status?: 'completed' | 'failed') {
  const memory = new MemoryWorkspace();
  const world = new World();
  const runtime = await open(memory, world);
  const workflow = workflowOf(names, status);
  const wanted = { workflow, inputs: {}, agent_id: OWNER };
  const more = names.includes('once') ? { confirmation_id: await confirm(runtime, wanted) } : {};
  const id = await runtime.start({ ...wanted, ...more });
  await runtime.wait(id, 5_000);
  const executions = new Map(
    [...runtime.records({ record_type: 'action', status: 'committed' })].map(r => [r.node_id ?? '', r.execution_id]),
  );
  const of = (node: string) => executions.get(node) as string;
  return { memory, world, runtime, id, of, workflow };
}

function firstCommitted(runtime: Runtime): string {
  for (const { execution_id } of runtime.records({ status: 'committed' })) return execution_id;
  throw new Error('nothing is committed');
}

function told(memory: MemoryWorkspace, from: number): unknown[] {
  return memory.records.slice(from).map(r => [r.record_type, r.status, r.execution_id, r.refers_to]);
}

function sound(memory: MemoryWorkspace): void {
  expect(verifyChain(memory.lines).ok).toBe(true);
  expect(checkLifecycle(memory.records)).toEqual({ ok: true });
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

describe('an undo that fails', () => {
  it('leaves the original committed, is reported, and may be asked for again', async () => {
    const { memory, world, runtime, of } = await ran(['comp']);
    const works = world.undo;
    world.undo = async () => ({ error: { error_class: 'E2', detail: 'down', effect: 'unknown' } });
    const before = memory.records.length;
    const request = { execution_id: of('comp'), evidence, agent_id: OWNER };
    await expect(runtime.rollback(request)).rejects.toMatchObject({
      code: 'illegal_state',
      details: { error_class: 'E2', detail: 'down' },
    });
    expect(memory.records.slice(before).map(r => [r.purpose, r.status])).toEqual([
      ['compensate', 'pending'],
      ['compensate', 'failed'],
    ]);
    world.undo = works;
    const undo = await runtime.rollback(request);
    expect(memory.records.at(-1)).toMatchObject({ status: 'compensated', refers_to: [undo] });
    expect(new Set(world.undos.map(c => c.idempotency_key)).size).toBe(1);
    sound(memory);
  });

  it('is one whose commit meets another version', async () => {
    const { memory, world, runtime, of } = await ran(['comp']);
    world.undo = async () => ({
      outputs: {},
      state_changes: [{ key: 'k', op: 'delete' as const, expected_version: 3 }],
    });
    await expect(runtime.rollback({ execution_id: of('comp'), evidence, agent_id: OWNER })).rejects.toMatchObject({
      details: { error_class: 'E4' },
    });
    expect(memory.records.at(-1)?.status).toBe('failed');
    sound(memory);
  });
});

describe('an undo that is killed', () => {
  const POINTS = [
    ['pending_durable', 0],
    ['compensating', 0],
    ['invoked', 1],
    ['committing', 1],
  ] as const;

  async function killed(point: FaultPoint, name: string) {
    const { memory, world, of } = await ran([name]);
    const runtime = await open(memory, world, { point, occurrence: 1 });
    const request = { execution_id: of(name), evidence, agent_id: OWNER };
    await expect(runtime.rollback(request)).rejects.toMatchObject({ code: 'storage_failed' });
    return { memory, world, request, of };
  }

  it.each(POINTS)('at %s is done again by recovery, and marks the original', async (point, calls) => {
    const { memory, world, request, of } = await killed(point, 'comp');
    const next = await open(memory, world);
    const [interrupted] = memory.records.filter(r => r.purpose === 'compensate');
    expect(next.recovery).toMatchObject({
      level: 'COMPLETE',
      decisions: [{ execution_id: interrupted?.execution_id, decision: 'redo' }],
    });
    const last = memory.records.slice(-2);
    expect(last.map(r => r.status)).toEqual(['committed', 'compensated']);
    const [undo, original] = last;
    expect(original).toMatchObject({ execution_id: of('comp'), refers_to: [undo?.execution_id] });
    const redone = memory.records.find(r => r.execution_id === undo?.execution_id);
    expect(redone).toMatchObject({ refers_to: [interrupted?.execution_id, of('comp')], evidence });
    expect(world.undos.length).toBe(calls + 1);
    expect(new Set(world.undos.map(c => c.idempotency_key)).size).toBe(1);
    expect(await next.rollback(request)).toBe(undo?.execution_id);
    expect((await open(memory, world)).recovery).toBeNull();
    sound(memory);
  });

  it('is committed by recovery where its probe says applied', async () => {
    const { memory, world, request } = await killed('invoked', 'roll');
    world.probed = { verdict: 'applied', outputs: { seen: true } };
    const next = await open(memory, world);
    expect(next.recovery?.decisions.map(d => d.decision)).toEqual(['commit']);
    expect(memory.records.slice(-3).map(r => r.status)).toEqual(['commit', 'committed', 'rolled_back']);
    expect(await next.rollback(request)).toBe(memory.records.at(-2)?.execution_id);
    expect(world.undos.length).toBe(1);
    sound(memory);
  });

  it('that is synthesised needs no invocation after a kill either', async () => {
    const { memory, world } = await killed('compensating', 'pure');
    const calls = world.calls.length;
    await open(memory, world);
    expect(memory.records.slice(-2).map(r => r.status)).toEqual(['committed', 'rolled_back']);
    expect(world.calls.length).toBe(calls);
    sound(memory);
  });

  it('has failed after three redos, and the original stays committed', async () => {
    const { memory, world, of } = await killed('invoked', 'comp');
    for (let redo = 0; redo < 3; redo += 1)
      await expect(open(memory, world, { point: 'invoked', occurrence: 1 })).rejects.toMatchObject({
        code: 'storage_failed',
      });
    const next = await open(memory, world);
    expect(next.recovery).toMatchObject({ level: 'PARTIAL', decisions: [{ decision: 'close' }] });
    expect(memory.records.at(-1)).toMatchObject({ purpose: 'compensate', status: 'failed' });
    expect(memory.records.some(r => r.execution_id === of('comp') && r.status === 'compensated')).toBe(false);
    expect(world.undos.length).toBe(4);
    sound(memory);
  });

  it('waits for the code that it needs', async () => {
    const { memory, world, request } = await killed('invoked', 'comp');
    world.known = false;
    const without = await open(memory, world);
    expect(without.recovery).toMatchObject({ level: 'DEGRADED', decisions: [] });
    await expect(without.rollback(request)).rejects.toMatchObject({ code: 'illegal_state' });
    world.known = true;
    expect((await open(memory, world)).recovery?.level).toBe('COMPLETE');
    expect(memory.records.at(-1)?.status).toBe('compensated');
  });
});
