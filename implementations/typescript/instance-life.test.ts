import { describe, expect, it } from 'vitest';
import type { ActionFunctions } from './execution/functions.js';
import { codeOf, done, one, runtimeOfTests, step, workflow } from './opened.fixture.js';
import { OWNER } from './runtime.js';

const at = runtimeOfTests();

describe('an instance', () => {
  it('gives one instance for one request_key of one agent', async () => {
    await at.open({ pure: () => ({ outputs: {} }) });
    const start = (agent_id: string) => at.runtime.start({ workflow: one(), inputs: {}, agent_id, request_key: 'k' });
    const [a, b] = await Promise.all([start(OWNER), start(OWNER)]);
    expect(a).toBe(b);
    expect([...at.runtime.records({ status: 'workflow_started' })].length).toBe(1);
  });

  it('ends a cancelled instance when nothing is in flight', async () => {
    let release = () => {};
    await at.open({ pure: () => new Promise(resolve => (release = () => resolve({ outputs: {} }))) });
    const document = workflow(
      [step('a'), step('b'), done],
      [
        ['a', 'b', 'success'],
        ['b', 'done', 'success'],
      ],
    );
    const execution_id = await at.runtime.start({ workflow: document, inputs: {}, agent_id: OWNER });
    expect((await at.runtime.wait(execution_id, 50)).status).toBe('running');
    await at.runtime.cancel(execution_id, OWNER);
    release();
    const result = await at.runtime.wait(execution_id, 5_000);
    expect(result.error).toEqual({ error_class: 'E0', detail: 'cancelled' });
    expect(result.trace).toEqual([{ node_id: 'a', outcome: 'success', attempts: 1 }]);
  });

  it('resumes an ended instance as a new one that carries over what committed', async () => {
    const calls: string[] = [];
    let broken = true;
    await at.open({
      pure: ({ node_id = '' }) => {
        calls.push(node_id);
        if (node_id === 'b' && broken) return { error: { error_class: 'E2', detail: 'no', effect: 'none' } };
        return { outputs: { from: node_id } };
      },
    });
    const document = workflow(
      [step('a'), step('b', { input_mapping: { x: '${nodes.a.outputs.from}' } }), done],
      [
        ['a', 'b', 'success'],
        ['b', 'done', 'success'],
      ],
      { outputs: { a: '${nodes.a.outputs.from}' } },
    );
    const first = await at.runtime.start({ workflow: document, inputs: {}, agent_id: OWNER });
    expect((await at.runtime.wait(first, 5_000)).status).toBe('failed');
    broken = false;
    const second = (await at.runtime.resume(first, OWNER)) as string;
    const result = await at.runtime.wait(second, 5_000);
    expect(result.outputs).toEqual({ a: 'a' });
    expect(calls).toEqual(['a', 'b', 'b']);
    expect(result.trace).toContainEqual({ node_id: 'a', outcome: 'success', attempts: 0 });
    expect(await codeOf(at.runtime.resume(second, OWNER))).toBe('illegal_state');
    await at.runtime.close();
    await at.open({});
    expect(await at.runtime.wait(second, 0)).toEqual(result);
  });
});

describe('closing', () => {
  it('lets what is in flight record its result, starts nothing more, and goes on at the next opening', async () => {
    const calls: string[] = [];
    let release = () => {};
    const actions: ActionFunctions = {
      pure: ({ node_id = '' }) => {
        calls.push(node_id);
        if (node_id !== 'a') return { outputs: {} };
        return new Promise(resolve => (release = () => resolve({ outputs: {} })));
      },
    };
    await at.open(actions);
    const document = workflow(
      [step('a'), step('b'), done],
      [
        ['a', 'b', 'success'],
        ['b', 'done', 'success'],
      ],
    );
    const execution_id = await at.runtime.start({ workflow: document, inputs: {}, agent_id: OWNER });
    const waiting = codeOf(at.runtime.wait(execution_id, 10_000));
    await expect.poll(() => calls).toEqual(['a']);
    const closing = at.runtime.close();
    release();
    await closing;
    expect(await waiting).toBe('illegal_state');
    expect(await codeOf(at.runtime.start({ workflow: document, inputs: {}, agent_id: OWNER }))).toBe('illegal_state');
    expect(calls).toEqual(['a']);
    await at.open(actions);
    expect(at.runtime.recovery).toBeNull();
    expect((await at.runtime.wait(execution_id, 5_000)).status).toBe('completed');
    expect(calls).toEqual(['a', 'b']);
  });
});

describe('a failing disk', () => {
  it('applies nothing, starts nothing new and tells everyone', async () => {
    let armed = false;
    await at.open(
      { pure: () => ({ outputs: {}, state_changes: [{ key: 'k', op: 'put', value: 1 as never }] }) },
      {
        fault: (point: string) => {
          if (armed && point === 'committing') throw new Error('disk full');
        },
      },
    );
    armed = true;
    const execution_id = await at.runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER });
    expect(await codeOf(at.runtime.wait(execution_id, 5_000))).toBe('storage_failed');
    expect(await codeOf(at.runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER }))).toBe('storage_failed');
    await at.runtime.close();
    await at.open({ pure: () => ({ outputs: { again: true } }) });
    expect(at.runtime.recovery?.decisions[0]?.decision).toBe('redo');
    expect(await at.runtime.wait(execution_id, 5_000)).toMatchObject({ status: 'completed' });
  });
});
