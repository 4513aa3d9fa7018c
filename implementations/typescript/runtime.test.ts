import { describe, expect, it } from 'vitest';
import type { Node } from '../../schemas/types.js';
import { checkLifecycle } from './audit/lifecycle.js';
import type { ActionFunctions } from './execution/functions.js';
import { done, one, runtimeOfTests, step, workflow } from './opened.fixture.js';
import { OWNER } from './runtime.js';

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

  it.each([
    ['', 'started'],
    [', also after a restart', 'restarted'],
    [', also where it is resumed after its end', 'resumed'],
  ])('runs at most as many invocations side by side as the start allows%s', async (_, how) => {
    let running = 0;
    let most = 0;
    let isFailing = how === 'resumed';
    const functions: ActionFunctions = {
      pure: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(resolve => setTimeout(resolve, 5));
        running -= 1;
        return isFailing ? { error: { error_class: 'E4', detail: 'not now', effect: 'none' } } : { outputs: {} };
      },
    };
    await at.open(functions);
    const names = Array.from({ length: 6 }, (_, at) => `b${at}`);
    const document = workflow(
      [step('s', { fan_out: 'parallel' }), ...names.map(name => step(name)), { ...done, join_type: 'AND' }],
      names.flatMap((name): [string, string, string][] => [
        ['s', name, 'success'],
        [name, 'done', 'success'],
      ]),
    );
    let execution_id = await at.runtime.start({ workflow: document, inputs: {}, agent_id: OWNER, max_parallel: 2 });
    if (how === 'restarted') {
      await at.runtime.close();
      running = 0;
      await at.open(functions);
    }
    if (how === 'resumed') {
      expect((await at.runtime.wait(execution_id, 10_000)).status).toBe('failed');
      isFailing = false;
      execution_id = (await at.runtime.resume(execution_id, OWNER)) as string;
    }
    expect((await at.runtime.wait(execution_id, 10_000)).status).toBe('completed');
    expect(most).toBe(2);
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
});
