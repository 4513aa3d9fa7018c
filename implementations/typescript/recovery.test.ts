import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Workflow, WorkflowWaitResult } from '../../schemas/types.js';
import { killAt, MemoryWorkspace } from './audit/memory-log.fixture.js';
import { KILL_POINTS, type Kill } from './kills.fixture.js';
import { chain, checkLog, confirmed, ids, reopen, startConfirmed, World } from './recovery.fixture.js';
import { OWNER, Runtime } from './runtime.js';
import { foldState } from './state/state.js';

/** Runs a workflow through one incarnation for each kill and one more; gives the instance. */
async function survive(
  memory: MemoryWorkspace,
  world: World,
  workflow: Workflow,
  kills: readonly Kill[],
): Promise<string> {
  let execution_id = '';
  const wanted = { workflow, inputs: {}, agent_id: OWNER, ...(await confirmed(memory, world, workflow)) };
  for (let at = 0; at <= kills.length; at++) {
    const kill = kills[at];
    const log = memory.open(kill && killAt(kill.point, kill.occurrence));
    const hook = kill && killAt(kill.point, kill.occurrence);
    try {
      const runtime = await Runtime.open({
        workspace: '',
        log,
        host: world,
        ...(hook === undefined ? {} : { fault: hook }),
      });
      execution_id = await runtime.start({ ...wanted, request_key: 'k' });
      const { status } = await runtime.wait(execution_id, 10_000);
      await runtime.close();
      if (status !== 'running') return execution_id;
    } catch (error) {
      expect(error).toMatchObject({ code: 'storage_failed' });
    }
  }
  return execution_id;
}

function sorted(result: WorkflowWaitResult): WorkflowWaitResult {
  return { ...result, trace: [...result.trace].sort((a, b) => (a.node_id < b.node_id ? -1 : 1)) };
}

function statusOf(memory: MemoryWorkspace, execution_id: string): string | undefined {
  return memory.records.findLast(r => r.record_type === 'action' && r.execution_id === execution_id)?.status;
}

it('finds what was pending at the last snapshot and what came after it', async () => {
  const memory = new MemoryWorkspace();
  const world = new World();
  const runtime = await reopen(memory, world);
  world.reply = () => undefined;
  const never = new Promise<never>(() => undefined);
  world.invoke = () => never;
  const ids: string[] = [];
  for (const at of [0, 1]) {
    ids.push(await runtime.start({ workflow: chain(['roll']), inputs: {}, agent_id: OWNER }));
    while (memory.records.filter(({ status }) => status === 'pending').length <= at)
      await runtime.wait(ids[at] as string, 1);
    if (at === 0) expect((await runtime.takeSnapshot()).sequence).toBe(memory.records.length);
  }
  const { recovery } = await reopen(memory, new World());
  expect(recovery?.decisions.map(({ decision }) => decision)).toEqual(['roll_back', 'roll_back']);
});

describe('one kill', () => {
  it.each(KILL_POINTS.slice(0, 5).flatMap(point => [1, 2, 3].map(n => [point, n] as const)))(
    'at %s, the %i. time: the instance completes, and no committed node runs twice',
    async (point, occurrence) => {
      const memory = new MemoryWorkspace();
      const world = new World();
      world.answer = world.truth;
      const id = await survive(memory, world, chain(['pure', 'idem', 'idem']), [{ point, occurrence }]);
      const runtime = await reopen(memory, world);
      expect(runtime.recovery).toBeNull();
      expect((await runtime.wait(id, 0)).status).toBe('completed');
      checkLog(memory, world);
      expect([...world.effects.values()].filter(n => n > 2)).toEqual([]);
      expect(Object.keys(runtime.state().state).sort()).toEqual(['n0', 'n1', 'n2']);
    },
  );

  it.each([
    ['roll', 'unknown', 'roll_back', 'failed'],
    ['roll', 'partial', 'roll_back', 'failed'],
    ['roll', 'absent', 'close', 'failed'],
    ['roll', 'applied', 'commit', 'completed'],
    ['comp', 'unknown', 'compensate', 'failed'],
    ['once', 'unknown', 'in_doubt', 'in_doubt'],
    ['once', 'absent', 'close', 'failed'],
    ['once', 'applied', 'commit', 'completed'],
    ['idem', 'unknown', 'redo', 'completed'],
    ['pure', 'applied', 'redo', 'completed'],
  ] as const)('inside %s, probe %s: %s, and the instance is %s', async (id, verdict, decision, status) => {
    const memory = new MemoryWorkspace();
    const world = new World();
    world.answer = () => verdict;
    const kill = { point: 'invoked', occurrence: 1 } as const;
    const hook = killAt(kill.point, kill.occurrence);
    const first = await Runtime.open({ workspace: '', log: memory.open(), host: world, fault: hook });
    const execution_id = await startConfirmed(first, chain([id]));
    await expect(first.wait(execution_id, 5_000)).rejects.toMatchObject({ code: 'storage_failed' });
    const second = await reopen(memory, world);
    expect(second.recovery?.decisions.map(d => d.decision)).toEqual([decision]);
    expect((await second.wait(execution_id, 5_000)).status).toBe(status);
    const undone = decision === 'roll_back' || decision === 'compensate';
    expect(world.undone.size).toBe(undone ? 1 : 0);
    expect(second.recovery?.level).toBe(
      status === 'in_doubt' ? 'FAILED' : decision === 'commit' || decision === 'redo' ? 'COMPLETE' : 'PARTIAL',
    );
    checkLog(memory, world);
  });
});

describe('what is in doubt', () => {
  async function doubtful() {
    const memory = new MemoryWorkspace();
    const world = new World();
    world.reply = ({ node_id }) =>
      node_id === 'n0' && world.calls.length === 1
        ? { error: { error_class: 'E2', detail: 'gone', effect: 'unknown' } }
        : undefined;
    const runtime = await reopen(memory, world);
    const id = await startConfirmed(runtime, chain(['once', 'pure']));
    expect((await runtime.wait(id, 5_000)).status).toBe('in_doubt');
    const [doubt] = [...runtime.records({ status: 'in_doubt', record_type: 'action' })];
    return { memory, world, runtime, id, execution_id: doubt?.execution_id as string };
  }

  it('stops the instance until an operator says applied, also across openings', async () => {
    const { memory, world, id, execution_id } = await doubtful();
    const runtime = await reopen(memory, world);
    expect(runtime.recovery).toMatchObject({ level: 'FAILED', decisions: [], in_doubt: [execution_id] });
    await expect(runtime.resume(id, OWNER)).rejects.toMatchObject({ code: 'illegal_state' });
    await runtime.resolve({ execution_id, verdict: 'applied', outputs: { ok: true }, approver: OWNER });
    expect((await runtime.wait(id, 0)).status).toBe('running');
    await runtime.resume(id, OWNER);
    expect((await runtime.wait(id, 5_000)).status).toBe('completed');
    await expect(runtime.resolve({ execution_id, verdict: 'absent', approver: OWNER })).rejects.toMatchObject({
      code: 'illegal_state',
    });
    checkLog(memory, world);
  });

  it('fails without a retry where the operator says absent', async () => {
    const { memory, world, runtime, id, execution_id } = await doubtful();
    await runtime.resolve({ execution_id, verdict: 'absent', approver: OWNER });
    await runtime.resume(id, OWNER);
    expect(await runtime.wait(id, 5_000)).toMatchObject({ status: 'failed', error: { error_class: 'E3' } });
    checkLog(memory, world);
  });

  it('continues by itself at the next opening once it is resolved', async () => {
    const { memory, world, runtime, id, execution_id } = await doubtful();
    await runtime.resolve({ execution_id, verdict: 'applied', outputs: {}, approver: OWNER });
    const next = await reopen(memory, world);
    expect((await next.wait(id, 5_000)).status).toBe('completed');
  });
});

describe('a decision to undo', () => {
  it.each([
    ['recovery_recorded', 1],
    ['pending_durable', 2],
    ['compensating', 1],
    ['invoked', 2],
    ['committing', 1],
  ] as const)('that is interrupted at %s (%i) is taken up without asking the original again', async (point, n) => {
    const memory = new MemoryWorkspace();
    const world = new World();
    world.reply = ({ action_id }) =>
      action_id === 'roll' ? { error: { error_class: 'E2', detail: 'half', effect: 'unknown' } } : undefined;
    const log = memory.open(killAt(point, n));
    const first = await Runtime.open({ workspace: '', log, host: world, fault: killAt(point, n) });
    const id = await first.start({ workflow: chain(['roll']), inputs: {}, agent_id: OWNER });
    await expect(first.wait(id, 5_000)).rejects.toMatchObject({ code: 'storage_failed' });
    const asked: string[] = [];
    world.answer = call => {
      asked.push(call.action_id);
      return 'unknown';
    };
    const second = await reopen(memory, world);
    expect(second.recovery).toMatchObject({
      level: 'PARTIAL',
      decisions: [{ decision: 'roll_back', probe: 'unknown' }],
    });
    expect((await second.wait(id, 5_000)).status).toBe('failed');
    expect(asked).not.toContain('roll');
    expect(world.undone.size).toBe(1);
    expect([...world.effects.keys()].filter(key => key.startsWith('undo/')).length).toBe(1);
    checkLog(memory, world);
  });
});

describe('an instance whose documents are gone', () => {
  it('is not continued, and the report says so', async () => {
    const memory = new MemoryWorkspace();
    const world = new World();
    const first = await Runtime.open({ workspace: '', log: memory.open(), host: world, fault: killAt('invoked', 1) });
    const id = await first.start({ workflow: chain(['idem']), inputs: {}, agent_id: OWNER });
    await expect(first.wait(id, 5_000)).rejects.toMatchObject({ code: 'storage_failed' });
    const log = memory.open();
    const removals = [...log.documents('resolved')].map(({ id: digest }) => ({
      kind: 'resolved' as const,
      id: digest,
    }));
    await log.append({ records: [], removals });
    const second = await reopen(memory, world);
    expect(second.recovery).toMatchObject({ level: 'DEGRADED', decisions: [] });
    await expect(second.wait(id, 0)).rejects.toMatchObject({ code: 'log_corrupt' });
    expect(world.calls.length).toBe(1);
  });
});

describe('redos', () => {
  it('are at most three; then the rollback category decides', async () => {
    const memory = new MemoryWorkspace();
    const world = new World();
    const kills = Array.from({ length: 5 }, () => ({ point: 'invoked', occurrence: 1 }) as const);
    const id = await survive(memory, world, chain(['idem']), kills);
    const words = memory.records.filter(r => r.record_type === 'recovery').map(r => r.status);
    expect(words.slice(0, 4)).toEqual(['redo', 'redo', 'redo', 'roll_back']);
    const runtime = await reopen(memory, world);
    expect((await runtime.wait(id, 5_000)).status).toBe('failed');
    checkLog(memory, world);
  });
});

describe('any kills', () => {
  it('end in a log that holds, with every effect accounted for', async () => {
    const kill = fc.record({ point: fc.constantFrom(...KILL_POINTS), occurrence: fc.integer({ min: 1, max: 4 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...ids), { minLength: 1, maxLength: 4 }),
        fc.array(kill, { maxLength: 5 }),
        fc.boolean(),
        async (names, kills, honest) => {
          const memory = new MemoryWorkspace();
          const world = new World();
          if (honest) world.answer = world.truth;
          await survive(memory, world, chain(names), kills);
          const runtime = await reopen(memory, world);
          const [started] = memory.records.filter(r => r.status === 'workflow_started');
          const instance = started?.execution_id as string;
          if (started === undefined) return;
          const result = await runtime.wait(instance, 10_000);
          expect(result.status).not.toBe('running');
          checkLog(memory, world);
          const steps = memory.records.length;
          const again = await reopen(memory, world);
          expect(memory.records.length).toBe(steps);
          expect(sorted(await again.wait(instance, 0))).toEqual(sorted(result));
          expect(Object.fromEntries(foldState(memory.records))).toEqual(again.state().state);
          const once = world.calls.filter(c => c.action_id === 'once').map(c => c.idempotency_key);
          expect(new Set(once).size).toBe(once.length);
          const open = memory.records.filter(r => r.record_type === 'action' && r.status === 'pending');
          for (const { execution_id } of open) expect(statusOf(memory, execution_id)).not.toBe('pending');
        },
      ),
      { numRuns: 150 },
    );
  });
});
