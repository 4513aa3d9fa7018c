import { describe, expect, it } from 'vitest';
import type { FaultPoint } from '../../schemas/types.js';
import { open } from './nodes.fixture.js';
import { OWNER } from './runtime.js';
import { evidence, ran, sound } from './undo-request.fixture.js';

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
