import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../schemas/types.js';
import { checkLifecycle } from './audit/lifecycle.js';
import type { ActionFunctions } from './execution/functions.js';
import { codeOf, done, one, pure, runtimeOfTests, step, workflow } from './opened.fixture.js';
import { OWNER, Runtime, type RuntimeOptions } from './runtime.js';

const at = runtimeOfTests();

describe('a run', () => {
  it('passes values on, branches, joins, and ends with its outputs', async () => {
    await at.open({ pure: ({ inputs }) => ({ outputs: { n: Number(inputs.n) + 1 } }) });
    const result = await at.run(
      workflow(
        [
          step('first', { input_mapping: { n: '${inputs.n}' }, fan_out: 'parallel' }),
          { node_id: 'big', type: 'condition', expression: 'nodes.first.outputs.n > 5' },
          step('left', { input_mapping: { n: '${nodes.first.outputs.n}' } }),
          step('yes', { input_mapping: { n: 100 } }),
          step('no', { input_mapping: { n: 0 } }),
          step('either', { input_mapping: { n: '${nodes.yes.outputs.n ?? nodes.no.outputs.n}' }, join_type: 'OR' }),
          step('both', { input_mapping: { n: '${nodes.either.outputs.n}' }, join_type: 'AND' }),
          done,
        ],
        [
          ['first', 'big', 'success'],
          ['first', 'left', 'success'],
          ['big', 'yes', 'true'],
          ['big', 'no', 'false'],
          ['yes', 'either', 'success'],
          ['no', 'either', 'success'],
          ['left', 'both', 'success'],
          ['either', 'both', 'success'],
          ['both', 'done', 'success'],
        ],
        { inputs: { n: { schema: { type: 'number' } } }, outputs: { total: '${nodes.both.outputs.n}' } },
      ),
      { n: 7 },
    );
    expect(result.status).toBe('completed');
    expect(result.outputs).toEqual({ total: 103 });
    expect(Object.fromEntries(result.trace.map(t => [t.node_id, t.outcome]))).toEqual({
      first: 'success',
      big: 'true',
      left: 'success',
      yes: 'success',
      no: 'skipped',
      either: 'success',
      both: 'success',
      done: 'completed',
    });
    expect(checkLifecycle(at.runtime.records()).ok).toBe(true);
  });

  it('writes a chain of conditions of any length without recursion', async () => {
    await at.open({});
    const length = 20_000;
    const nodes: Node[] = [];
    const edges: [string, string, string][] = [];
    for (let i = 0; i < length; i++) {
      nodes.push({ node_id: `c${i}`, type: 'condition', expression: 'true' });
      edges.push([`c${i}`, i + 1 < length ? `c${i + 1}` : 'done', 'true']);
    }
    for (let i = 0; i < length; i++) edges.push([`c${i}`, 'no', 'default']);
    const no: Node = { node_id: 'no', type: 'terminal', status: 'failed', join_type: 'OR' };
    const result = await at.run(workflow([...nodes, done, no], edges));
    expect(result.status).toBe('completed');
    expect(result.trace.length).toBe(length + 2);
  });

  it('retries what its class and policy allow, and counts the attempts', async () => {
    let calls = 0;
    await at.open({
      pure: () => {
        calls += 1;
        return calls < 3
          ? { error: { error_class: 'E1', detail: 'down', effect: 'none' } }
          : { outputs: { at: calls } };
      },
    });
    const result = await at.run(one({ retry_policy: { max_retries: 2, backoff_ms: 1 } }));
    expect(result.trace).toContainEqual({ node_id: 'a', outcome: 'success', attempts: 3 });
    const keys = new Set([...at.runtime.records({ record_type: 'action' })].map(r => r.idempotency_key));
    expect(keys.size).toBe(1);
  });

  it('drains after a failure that nothing handles', async () => {
    await at.open({
      pure: ({ node_id }) =>
        node_id === 'bad' ? { error: { error_class: 'E2', detail: 'no', effect: 'none' } } : { outputs: {} },
    });
    const result = await at.run(
      workflow(
        [step('s', { fan_out: 'parallel' }), step('bad'), step('good'), step('after'), { ...done, join_type: 'AND' }],
        [
          ['s', 'bad', 'success'],
          ['s', 'good', 'success'],
          ['good', 'after', 'success'],
          ['bad', 'done', 'success'],
          ['after', 'done', 'success'],
        ],
      ),
    );
    expect(result.status).toBe('failed');
    expect(result.error).toEqual({ error_class: 'E2', detail: 'no', node_id: 'bad' });
    expect(result.trace).toContainEqual({ node_id: 'after', outcome: 'success', attempts: 1 });
    expect(result.trace).toContainEqual({ node_id: 'done', outcome: 'skipped', attempts: 0 });
  });

  it('fails an attempt at its limit of time and ignores what comes later', async () => {
    const late: string[] = [];
    await at.open(
      { pure: (_, signal) => new Promise(resolve => signal.addEventListener('abort', () => resolve({ outputs: {} }))) },
      { late: (id: string) => late.push(id) },
    );
    const result = await at.run(one({ timeout_ms: 20 }));
    expect(result.error?.error_class).toBe('E3');
    expect(late.length).toBe(1);
  });

  it('asks a probe within the limit of the action, whatever that of the node is', async () => {
    const invoke = (_: unknown, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
    const probe = async () => {
      await new Promise(resolve => setTimeout(resolve, 80));
      return { verdict: 'applied' as const, outputs: {} };
    };
    await at.open({ asked: { invoke, probe }, pure: () => ({ outputs: {} }) });
    const asked = {
      action_id: 'asked',
      version: '1.0.0',
      determinism: 'deterministic',
      rollback: 'rollbackable',
    } as const;
    const actions = [
      { ...asked, side_effects: ['filesystem' as const], probe: true, revert: 'pure@^1.0.0' },
      { ...asked, action_id: 'pure', side_effects: [] },
    ];
    const result = await at.run(one({ action_def: 'asked@^1.0.0', timeout_ms: 20 }, { actions }));
    expect(result.status).toBe('completed');
  });

  it('keeps large evidence by digest and small evidence in the record', async () => {
    const large = 'x'.repeat(20_000);
    await at.open({
      pure: ({ node_id }) => ({ outputs: {}, evidence: (node_id === 'a' ? large : 'small') as never }),
    });
    await at.run(
      workflow(
        [step('a'), step('b'), done],
        [
          ['a', 'b', 'success'],
          ['b', 'done', 'success'],
        ],
      ),
    );
    const [a, b] = [...at.runtime.records({ status: 'committed' })];
    expect(at.runtime.evidence(a?.evidence_ref as string)).toBe(large);
    expect(a?.evidence).toBeUndefined();
    expect(b?.evidence).toBe('small');
    expect(b?.evidence_ref).toBeUndefined();
  });

  it('writes State with the commit, and fails on a version conflict without a retry', async () => {
    await at.open({
      pure: ({ node_id }) => ({
        outputs: {},
        state_changes: [{ key: 'k', op: 'put', value: node_id as never, expected_version: 0 }],
      }),
    });
    const result = await at.run(
      workflow(
        [step('a'), step('b'), done],
        [
          ['a', 'b', 'success'],
          ['b', 'done', 'success'],
        ],
      ),
    );
    expect(result.error).toEqual({ error_class: 'E4', detail: 'conflict', node_id: 'b' });
    expect(at.runtime.state().state.k).toMatchObject({ value: 'a', version: 1 });
  });

  it('gives one instance for one request_key of one agent', async () => {
    await at.open({ pure: () => ({ outputs: {} }) });
    const start = (agent_id: string) => at.runtime.start({ workflow: one(), inputs: {}, agent_id, request_key: 'k' });
    const [a, b] = await Promise.all([start(OWNER), start(OWNER)]);
    expect(a).toBe(b);
    expect([...at.runtime.records({ status: 'workflow_started' })].length).toBe(1);
  });

  it('lets many instances run side by side', async () => {
    await at.open({ pure: ({ inputs }) => ({ outputs: { n: inputs.n } }) });
    const document = one(
      { input_mapping: { n: '${inputs.n}' } },
      { inputs: { n: {} }, outputs: { n: '${nodes.a.outputs.n}' } },
    );
    const results = await Promise.all(Array.from({ length: 32 }, (_, n) => at.run(document, { n })));
    expect(results.map(r => r.outputs?.n)).toEqual(Array.from({ length: 32 }, (_, n) => n));
    expect(checkLifecycle(at.runtime.records()).ok).toBe(true);
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

describe('what an instance sees', () => {
  it('is out of reach of its actions', async () => {
    const kept: Record<string, unknown>[] = [];
    await at.open({
      pure: ({ inputs, context, node_id }) => {
        const outputs: Record<string, unknown> = { list: [node_id] };
        kept.push(outputs);
        (inputs.list as unknown[] | undefined)?.push('changed');
        context.changed = true;
        for (const earlier of kept) if (earlier !== outputs) earlier.list = 'changed';
        return { outputs };
      },
    });
    const result = await at.run(
      workflow(
        [
          step('a'),
          step('b', { input_mapping: { list: '${nodes.a.outputs.list}' } }),
          step('c', { input_mapping: { list: '${nodes.a.outputs.list}' } }),
          done,
        ],
        [
          ['a', 'b', 'success'],
          ['b', 'c', 'success'],
          ['c', 'done', 'success'],
        ],
        { outputs: { list: '${nodes.a.outputs.list}' as never } },
      ),
    );
    expect(result.outputs).toEqual({ list: ['a'] });
    const pendings = [...at.runtime.records({ status: 'pending' })];
    expect(pendings.map(r => r.inputs)).toEqual([{}, { list: ['a'] }, { list: ['a'] }]);
  });

  it('is told to subscribers as it becomes durable, whatever they do', async () => {
    await at.open({ pure: () => ({ outputs: {} }) });
    const told: number[] = [];
    at.runtime.subscribe(() => {
      throw new Error('of the subscriber');
    });
    const stop = at.runtime.subscribe(record => told.push(record.sequence));
    await at.run(one());
    stop();
    await at.run(one());
    const first = [...at.runtime.records({ status: 'workflow_completed' })][0];
    expect(told).toEqual(Array.from({ length: first?.sequence ?? 0 }, (_, at) => at + 1));
  });

  it('runs at most as many invocations side by side as the start allows', async () => {
    let running = 0;
    let most = 0;
    await at.open({
      pure: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(resolve => setTimeout(resolve, 5));
        running -= 1;
        return { outputs: {} };
      },
    });
    const names = Array.from({ length: 6 }, (_, at) => `b${at}`);
    const document = workflow(
      [step('s', { fan_out: 'parallel' }), ...names.map(name => step(name)), { ...done, join_type: 'AND' }],
      names.flatMap((name): [string, string, string][] => [
        ['s', name, 'success'],
        [name, 'done', 'success'],
      ]),
    );
    const execution_id = await at.runtime.start({ workflow: document, inputs: {}, agent_id: OWNER, max_parallel: 2 });
    expect((await at.runtime.wait(execution_id, 10_000)).status).toBe('completed');
    expect(most).toBe(2);
  });
});

describe('opening', () => {
  it('refuses an option that is none, and makes no workspace', async () => {
    const workspace = join(tmpdir(), `ars-opening-${process.pid}`);
    const options = { workspace, action: {} } as RuntimeOptions;
    expect(await codeOf(Runtime.open(options))).toBe('usage');
    expect(await codeOf(Runtime.previewRecovery(options))).toBe('usage');
    expect(existsSync(workspace)).toBe(false);
  });
});

describe('a clock', () => {
  it('may go backwards, but has to tell a time', async () => {
    let now = Date.now();
    await at.open({ pure: () => ({ outputs: {} }) }, { clock: () => (now -= 10_000) });
    expect((await at.run(one())).status).toBe('completed');
    const times = [...at.runtime.records()].map(record => record.timestamp);
    expect(times).toEqual(times.toSorted());
    await at.runtime.close();
    let broken = false;
    await at.open({ pure: () => ({ outputs: {} }) }, { clock: () => (broken ? Number.NaN : now) });
    broken = true;
    expect(await codeOf(at.runtime.start({ workflow: one(), inputs: {}, agent_id: OWNER }))).toBe('usage');
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

describe('the registry', () => {
  it('is durable, never changes a version, and is not needed by what runs', async () => {
    await at.open({ pure: () => ({ outputs: {} }) });
    await at.runtime.putRegistry({ actions: [pure] });
    await at.runtime.putRegistry({ actions: [pure] });
    expect(await codeOf(at.runtime.putRegistry({ actions: [{ ...pure, idempotent: false }] }))).toBe('conflict');
    await at.runtime.close();
    await at.open({ pure: () => ({ outputs: {} }) });
    expect((await at.run(one({}, { actions: [] }))).status).toBe('completed');
    await at.runtime.removeRegistry({ actions: ['pure@1.0.0'] });
    expect(await codeOf(at.run(one({}, { actions: [] })))).toBe('denied');
  });
});
