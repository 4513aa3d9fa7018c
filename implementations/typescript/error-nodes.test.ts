import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../schemas/types.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { kills, survive } from './kills.fixture.js';
import { end, onError, open, ran, run, type Script, World, workflowOf } from './nodes.fixture.js';
import { OWNER } from './runtime.js';

const errors = (memory: MemoryWorkspace) =>
  memory.records.filter(r => r.record_type === 'error').map(r => [r.node_id, r.status, r.error_class]);

describe('an error node that retries', () => {
  const workflow = (more: Record<string, unknown> = {}, action = 'pure') =>
    workflowOf(
      [
        run('x', action, { output_mapping: { by: '${result.of}', attempt: '${result.attempt}' } }),
        onError('again', 'retry', more),
        run('next', 'pure', { input_mapping: { from: '${nodes.again.outputs.attempt}' } }),
        onError('gone', 'compensate', {
          compensate_ref: 'pure@1',
          input_mapping: { of: '${error.node_id}', class: '${error.error_class}' },
        }),
        end('done'),
        end('skipped'),
        end('given-up', 'failed'),
      ],
      [
        'x -success-> skipped',
        'x -failure-> again',
        'again -success-> next',
        'again -failure-> gone',
        'next -success-> done',
        'gone -success-> given-up',
      ],
    );

  it('executes the failed node again, whose outputs become its own', async () => {
    const { memory, world, result, trace } = await ran(workflow({ max_attempts: 3 }), { x: ['E2', 'E2', 'ok'] });
    expect(result.status).toBe('completed');
    expect(trace).toEqual({
      x: ['failure', 1],
      again: ['success', 2],
      next: ['success', 1],
      done: ['completed', 0],
      skipped: ['skipped', 0],
      gone: ['skipped', 0],
      'given-up': ['skipped', 0],
    });
    expect(world.calls.filter(call => call.node_id === 'x').map(call => [call.attempt, call.idempotency_key])).toEqual(
      [1, 2, 3].map(attempt => [attempt, `${memory.records.find(r => r.node_id === 'x')?.parent_execution_id}/x/0`]),
    );
    expect(world.calls.at(-1)?.inputs).toEqual({ from: 3 });
    expect(errors(memory)).toEqual([['again', 'success', undefined]]);
  });

  it('makes its outputs by its own output_mapping', async () => {
    const own = { max_attempts: 3, output_mapping: { attempt: 'own ${result.attempt} of ${result.of}' } };
    const { world, result } = await ran(workflow(own), { x: ['E2', 'E2', 'ok'] });
    expect(result.status).toBe('completed');
    expect(world.calls.at(-1)?.inputs).toEqual({ from: 'own 3 of x' });
  });

  it('stops at max_attempts, and says which failure was the last', async () => {
    const { memory, world, result, trace } = await ran(workflow({ max_attempts: 2 }), { x: ['E2', 'E2', 'E4', 'ok'] });
    expect(trace).toMatchObject({ x: ['failure', 1], again: ['failure', 2], gone: ['success', 1] });
    expect(result.status).toBe('failed');
    expect(world.calls.at(-1)?.inputs).toEqual({ of: 'again', class: 'E4' });
    expect(errors(memory)).toEqual([
      ['again', 'failure', 'E4'],
      ['gone', 'success', undefined],
    ]);
  });

  it('stops at the bound of the determinism, policy retries counted', async () => {
    const script = { x: ['E1'] as const };
    const bounded = workflow({ max_attempts: 3 });
    expect((await ran(bounded, script)).trace).toMatchObject({ x: ['failure', 4], again: ['failure', 0] });
    const once = workflow({ max_attempts: 2 });
    (once.nodes[0] as { retry_policy?: unknown }).retry_policy = { max_retries: 1 };
    expect((await ran(once, script)).trace).toMatchObject({ x: ['failure', 2], again: ['failure', 2] });
  });

  it('is refused before it runs where the action is non-deterministic', async () => {
    const workflowOfChance = workflow({ max_attempts: 1 }, 'chance');
    const memory = new MemoryWorkspace();
    const runtime = await open(memory, new World({ x: ['E2'] }));
    await expect(runtime.start({ workflow: workflowOfChance, inputs: {}, agent_id: OWNER })).rejects.toMatchObject({
      code: 'denied',
      details: { gate: 'verification' },
    });
  });

  it('waits before each attempt', async () => {
    const { trace } = await ran(workflow({ max_attempts: 2, backoff_ms: 20 }), { x: ['E2', 'E2', 'ok'] });
    expect(trace).toMatchObject({ again: ['success', 2] });
  });

  it('makes no attempt after a cancellation that comes while it waits', async () => {
    const world = new World({ x: ['E2'] });
    const memory = new MemoryWorkspace();
    const runtime = await open(memory, world);
    const id = await runtime.start({
      workflow: workflow({ max_attempts: 2, backoff_ms: 60_000 }),
      inputs: {},
      agent_id: OWNER,
    });
    await expect.poll(() => world.calls.length).toBe(1);
    await runtime.cancel(id, OWNER);
    const result = await runtime.wait(id, 5_000);
    expect([result.status, result.error?.detail]).toEqual(['failed', 'cancelled']);
    expect(result.trace.map(({ node_id }) => node_id)).toEqual(['x', 'skipped']);
    expect(errors(memory)).toEqual([]);
  });

  it('hands a failure on to the next that retries, within the same bound', async () => {
    const chained = workflowOf(
      [run('x', 'pure'), onError('r1', 'retry'), onError('r2', 'retry', { max_attempts: 2 }), end('done')],
      ['x -success-> done', 'x -failure-> r1', 'r1 -success-> done', 'r1 -failure-> r2', 'r2 -success-> done'],
    );
    const { trace, world, result } = await ran(chained, { x: ['E2', 'E2', 'E2', 'ok'] });
    expect(trace).toMatchObject({ x: ['failure', 1], r1: ['failure', 1], r2: ['success', 2] });
    expect(world.calls.map(call => call.attempt)).toEqual([1, 2, 3, 4]);
    expect(result.status).toBe('completed');
  });

  it('is carried over by a resume together with the failure that it took up', async () => {
    const later = workflowOf(
      [run('x', 'pure'), onError('again', 'retry'), run('next', 'pure'), end('done')],
      ['x -success-> done', 'x -failure-> again', 'again -success-> next', 'next -success-> done'],
    );
    const { runtime, world, id, result } = await ran(later, { x: ['E2', 'ok'], next: ['E2', 'ok'] });
    expect(result.status).toBe('failed');
    const second = await runtime.resume(id, OWNER);
    const resumed = await runtime.wait(second as string, 5_000);
    expect(resumed.status).toBe('completed');
    expect(world.names).toEqual(['x', 'x', 'next', 'next']);
    expect(resumed.trace.filter(({ outcome }) => outcome !== 'skipped')).toEqual([
      { node_id: 'x', outcome: 'failure', attempts: 0 },
      { node_id: 'again', outcome: 'success', attempts: 0 },
      { node_id: 'next', outcome: 'success', attempts: 1 },
      { node_id: 'done', outcome: 'completed', attempts: 0 },
    ]);
  });
});

describe('an error node that undoes the instance', () => {
  const workflow = (handling: string, more: readonly string[] = []) =>
    workflowOf(
      [
        run('a', 'roll'),
        run('b', 'comp'),
        run('c', 'once', { irreversible: 'acknowledged' } as Partial<Node>),
        run('d', 'pure'),
        onError('back', handling),
        end('undone', 'compensated'),
        end('done'),
      ],
      [
        'a -success-> b',
        'b -success-> c',
        'c -success-> d',
        'd -success-> done',
        'd -failure-> back',
        'back -success-> undone',
        ...more,
      ],
    );

  it.each(['compensate', 'rollback'])('%s: in reverse order of commit, what is irreversible passed over', async how => {
    const { world, result, memory, trace } = await ran(workflow(how), { d: ['E2'] });
    expect(result.status).toBe('compensated');
    expect(world.names).toEqual(['a', 'b', 'c', 'd', 'undo b', 'undo a']);
    expect(
      memory.records.filter(r => /rolled_back|compensated/.test(r.status)).map(r => [r.status, r.node_id]),
    ).toEqual(
      [
        ['compensated', 'b'],
        ['rolled_back', 'a'],
        ['compensated', 'undone'],
        ['workflow_compensated', undefined],
      ].map(([status, node]) => [status, node]),
    );
    expect(trace).toMatchObject({ back: ['success', 0] });
  });

  it('attempts every undo although one fails, and fails then', async () => {
    const { world, result, memory } = await ran(workflow('rollback'), { d: ['E2'], 'undo b': ['E2'] });
    expect(world.names.slice(-2)).toEqual(['undo b', 'undo a']);
    expect(result).toMatchObject({ status: 'failed', error: { node_id: 'back', error_class: 'E2' } });
    expect(errors(memory)).toEqual([['back', 'failure', 'E2']]);
  });

  it('waits until nothing else is ready or running, and several go one after the other by node_id', async () => {
    const parallel = workflowOf(
      [
        run('s', 'roll', { fan_out: 'parallel' } as Partial<Node>),
        run('p', 'pure'),
        run('q', 'pure'),
        run('r', 'roll'),
        run('t', 'roll'),
        onError('z1', 'rollback'),
        onError('z0', 'rollback'),
        run('after', 'roll'),
        end('e1', 'compensated'),
        end('e2', 'compensated'),
        end('e3', 'compensated'),
      ],
      [
        's -success-> p',
        's -success-> q',
        's -success-> r',
        'p -success-> e1',
        'p -failure-> z1',
        'q -success-> e1',
        'q -failure-> z0',
        'r -success-> t',
        't -success-> e1',
        'z0 -success-> after',
        'after -success-> e2',
        'z1 -success-> e3',
      ],
    );
    (parallel.nodes.find(node => node.node_id === 'e1') as { join_type?: string }).join_type = 'OR';
    const { world, result } = await ran(parallel, { p: ['E2'], q: ['E2'] }, { max_parallel: 1 });
    expect(result.status).toBe('compensated');
    expect(world.names).toEqual(['s', 'p', 'q', 'r', 't', 'undo t', 'undo r', 'undo s', 'after', 'undo after']);
  });

  it('lets nothing be resumed of what it undid', async () => {
    const { runtime, id } = await ran(workflow('rollback'), { d: ['E2'] });
    await expect(runtime.resume(id, OWNER)).rejects.toMatchObject({ code: 'illegal_state' });
  });

  it('undoes what a resumed instance carried over, too', async () => {
    const twice = workflowOf(
      [
        run('a', 'roll'),
        run('b', 'pure'),
        run('c', 'pure'),
        onError('back', 'rollback'),
        end('undone', 'compensated'),
        end('done'),
      ],
      ['a -success-> b', 'b -success-> c', 'c -success-> done', 'c -failure-> back', 'back -success-> undone'],
    );
    const { runtime, world, id, result } = await ran(twice, { b: ['E2', 'ok'], c: ['E2'] });
    expect(result.status).toBe('failed');
    const second = (await runtime.resume(id, OWNER)) as string;
    expect((await runtime.wait(second, 5_000)).status).toBe('compensated');
    expect(world.names).toEqual(['a', 'b', 'b', 'c', 'undo a']);
  });
});

describe('an error node that fails', () => {
  it('marks the instance with the failure that reached it', async () => {
    const { result, memory } = await ran(
      workflowOf([run('x', 'pure'), onError('stop', 'fail'), end('done')], ['x -success-> done', 'x -failure-> stop']),
      { x: ['E3'] },
    );
    expect(result).toMatchObject({ status: 'failed', error: { node_id: 'stop', error_class: 'E3' } });
    expect(errors(memory)).toEqual([['stop', 'failure', 'E3']]);
  });
});

describe('a retry after an effect that was undone', () => {
  it('has another idempotency key', async () => {
    const workflow = workflowOf(
      [run('x', 'roll'), onError('again', 'retry'), end('done')],
      ['x -success-> done', 'x -failure-> again', 'again -success-> done'],
    );
    (workflow.nodes[0] as { output_mapping?: unknown }).output_mapping = { v: '${result.v}' };
    const memory = new MemoryWorkspace();
    const world = new World({});
    let first = true;
    const invoke = world.invoke.bind(world);
    world.invoke = async call => {
      const answer = await invoke(call);
      if (call.action_id !== 'roll' || 'error' in answer) return answer;
      const outputs = first ? answer.outputs : { v: 1 };
      first = false;
      return { outputs };
    };
    const runtime = await open(memory, world);
    const id = await runtime.start({ workflow, inputs: {}, agent_id: OWNER });
    const { status, trace } = await runtime.wait(id, 5_000);
    expect([status, trace.find(entry => entry.node_id === 'again')?.outcome]).toEqual(['completed', 'success']);
    expect(world.calls.map(call => [call.action_id, call.idempotency_key.replace(id, 'i')])).toEqual([
      ['roll', 'i/x/0'],
      ['undo', expect.stringMatching(/^undo/)],
      ['roll', 'i/x/1'],
    ]);
  });
});

describe('a crash amid error nodes', () => {
  const workflow = workflowOf(
    [
      run('a', 'roll'),
      run('b', 'comp'),
      run('x', 'pure'),
      onError('again', 'retry', { max_attempts: 2 }),
      run('y', 'pure'),
      onError('note', 'compensate', { compensate_ref: 'roll@1', input_mapping: { of: '${error.node_id}' } }),
      run('z', 'pure'),
      onError('back', 'rollback'),
      end('undone', 'compensated'),
      end('done', 'completed'),
    ],
    [
      'a -success-> b',
      'b -success-> x',
      'x -success-> y',
      'x -failure-> again',
      'again -success-> y',
      'y -success-> z',
      'y -failure-> note',
      'note -success-> z',
      'z -success-> done',
      'z -failure-> back',
      'back -success-> undone',
    ],
  );
  for (const id of ['y', 'z']) (workflow.nodes.find(n => n.node_id === id) as { join_type?: string }).join_type = 'OR';
  const script: Script = { x: ['E2', 'E2', 'ok'], y: ['E2'], z: ['E2'] };

  it('ends as if there had been none, wherever it comes, also twice', async () => {
    await fc.assert(
      fc.asyncProperty(kills(9), async killed => {
        const { memory, committed } = await survive(
          killed,
          script,
          { workflow, inputs: {}, agent_id: OWNER },
          { ended: ({ status }) => expect(status).toBe('compensated') },
        );
        expect(committed).toEqual(
          [' a', ' b', ' note', ' x', 'compensate b', 'revert a', 'revert note', 'revert x'].sort(),
        );
        expect(errors(memory).map(([node, status]) => `${node} ${status}`)).toEqual([
          'again success',
          'note success',
          'back success',
        ]);
      }),
      { numRuns: 60 },
    );
  });
});
