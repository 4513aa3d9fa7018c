import { describe, expect, it } from 'vitest';
import type { Node, Workflow } from '../../schemas/types.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { end, onError, open, ran, run, skill, World, workflowOf } from './nodes.fixture.js';
import { OWNER } from './runtime.js';
import { named } from './skills.fixture.js';

/** Two steps, the second of which tells how often it was tried. */
const inner = workflowOf(
  [run('i1', 'roll', { input_mapping: { of: '${inputs.of}' } } as Partial<Node>), run('i2', 'pure'), end('i-done')],
  ['i1 -success-> i2', 'i2 -success-> i-done'],
  { tried: '${nodes.i2.outputs.attempt}', of: '${inputs.of}' },
  named('inner', { inputs: { of: { schema: { type: 'string' } }, n: { schema: { type: 'integer' }, default: 7 } } }),
);

const outer = workflowOf(
  [
    run('a', 'pure'),
    skill('s', 'inner', { input_mapping: { of: '${nodes.a.outputs.of}' } } as Partial<Node>),
    run('b', 'pure', { input_mapping: { tried: '${nodes.s.outputs.tried}' } } as Partial<Node>),
    end('done'),
    onError('stop', 'fail', { join_type: 'OR' }),
  ],
  [
    'a -success-> s',
    's -success-> b',
    'b -success-> done',
    's -failure-> stop',
    'a -failure-> stop',
    'b -failure-> stop',
  ],
  { tried: '${nodes.s.outputs.tried}' },
);

describe('a skill node', () => {
  it('runs its workflow as a child instance in the same log', async () => {
    const { memory, world, result, trace, id } = await ran(outer, {}, { skills: [inner] });
    expect(result).toMatchObject({ status: 'completed', outputs: { tried: 1 } });
    expect(trace).toMatchObject({ s: ['success', 1], b: ['success', 1] });
    expect(world.names).toEqual(['a', 'i1', 'i2', 'b']);
    const [child] = memory.records.filter(r => r.status === 'workflow_started' && r.execution_id !== id);
    expect(child).toMatchObject({
      parent_execution_id: id,
      context_id: id,
      node_id: 's',
      workflow_id: 'inner@1.0.0',
      inputs: { of: 'a', n: 7 },
    });
    expect(memory.records.find(r => r.record_type === 'skill')).toMatchObject({
      status: 'success',
      node_id: 's',
      parent_execution_id: id,
      refers_to: [child?.execution_id],
    });
    expect(memory.records.filter(r => r.record_type === 'gate').every(r => r.execution_id === id)).toBe(true);
    expect(world.calls.find(call => call.node_id === 'i1')?.idempotency_key).toBe(`${child?.execution_id}/i1/0`);
  });

  it('fails as its child did, and that is an ordinary failure, also of class E5', async () => {
    const { result, memory } = await ran(outer, { i2: ['E5'] }, { skills: [inner] });
    expect(result).toMatchObject({ status: 'failed', error: { node_id: 'stop', error_class: 'E5' } });
    expect(memory.records.find(r => r.record_type === 'skill')).toMatchObject({ status: 'failure', error_class: 'E5' });
  });

  it('fails with E4 and without a child where its inputs do not fit', async () => {
    const wrong = { ...outer, nodes: outer.nodes.map(node => ({ ...node })) } as Workflow;
    (wrong.nodes[1] as { input_mapping: unknown }).input_mapping = { of: '${nodes.a.outputs.attempt}' };
    const { result, memory, trace } = await ran(wrong, {}, { skills: [inner] });
    expect(result).toMatchObject({ status: 'failed', error: { node_id: 'stop', error_class: 'E4' } });
    expect(trace).toMatchObject({ s: ['failure', 0] });
    expect(memory.records.filter(r => r.status === 'workflow_started')).toHaveLength(1);
    const [record] = memory.records.filter(r => r.record_type === 'skill');
    expect([record?.status, record?.refers_to]).toEqual(['failure', undefined]);
  });

  it('keeps to the limit of its root, and blocks nothing itself', async () => {
    const wide = workflowOf(
      [
        run('a', 'pure', { fan_out: 'parallel' } as Partial<Node>),
        ...[1, 2, 3].map(at => skill(`s${at}`, 'inner', { input_mapping: { of: 'x' } } as Partial<Node>)),
        end('done', 'completed'),
      ],
      [1, 2, 3].flatMap(at => [`a -success-> s${at}`, `s${at} -success-> done`]),
    );
    (wide.nodes.at(-1) as { join_type?: string }).join_type = 'AND';
    const memory = new MemoryWorkspace();
    const world = new World({});
    let now = 0;
    let most = 0;
    const invoke = world.invoke.bind(world);
    world.invoke = async call => {
      now += 1;
      most = Math.max(most, now);
      await new Promise(resolve => setTimeout(resolve, 5));
      now -= 1;
      return invoke(call);
    };
    for (const limit of [1, 2]) {
      most = 0;
      const runtime = await open(memory, world);
      await runtime.putRegistry({ workflows: [inner] });
      const id = await runtime.start({ workflow: wide, inputs: {}, agent_id: OWNER, max_parallel: limit });
      expect((await runtime.wait(id, 5_000)).status).toBe('completed');
      expect(most).toBe(limit);
      await runtime.close();
    }
  });

  it('is cancelled with its root, children before parents', async () => {
    const memory = new MemoryWorkspace();
    const world = new World({});
    let release = () => {};
    const invoke = world.invoke.bind(world);
    world.invoke = async call => {
      if (call.node_id === 'i1') await new Promise<void>(resolve => (release = resolve));
      return invoke(call);
    };
    const runtime = await open(memory, world);
    await runtime.putRegistry({ workflows: [inner] });
    const id = await runtime.start({ workflow: outer, inputs: {}, agent_id: OWNER });
    await expect.poll(() => memory.records.some(r => r.node_id === 'i1')).toBe(true);
    await runtime.cancel(id, OWNER);
    release();
    const { status, error } = await runtime.wait(id, 5_000);
    expect([status, error?.detail]).toEqual(['failed', 'cancelled']);
    expect(memory.records.slice(-4).map(r => [r.record_type, r.status])).toEqual([
      ['action', 'committed'],
      ['workflow', 'workflow_failed'],
      ['skill', 'failure'],
      ['workflow', 'workflow_failed'],
    ]);
    expect(world.names).toEqual(['a', 'i1']);
  });

  it('is retried by an error node that resumes its ended child', async () => {
    const workflow = workflowOf(
      [skill('s', 'inner', { input_mapping: { of: 'x' } } as Partial<Node>), onError('again', 'retry'), end('done')],
      ['s -success-> done', 's -failure-> again', 'again -success-> done'],
      { tried: '${nodes.again.outputs.tried ?? 0}' },
    );
    (workflow.nodes[2] as { join_type?: string }).join_type = 'OR';
    const { result, world, trace, memory } = await ran(workflow, { i2: ['E2', 'ok'] }, { skills: [inner] });
    expect(result).toMatchObject({ status: 'completed', outputs: { tried: 1 } });
    expect(world.names).toEqual(['i1', 'i2', 'i2']);
    expect(trace).toMatchObject({ s: ['failure', 1], again: ['success', 1] });
    const children = memory.records.filter(r => r.status === 'workflow_started' && r.node_id === 's');
    expect(children[1]?.refers_to).toEqual([children[0]?.execution_id]);
  });

  it('is not retried where something in its child was undone', async () => {
    const undoing = workflowOf(
      [
        run('i1', 'roll'),
        run('i2', 'pure'),
        onError('back', 'rollback'),
        end('i-done'),
        end('i-undone', 'compensated'),
      ],
      ['i1 -success-> i2', 'i2 -success-> i-done', 'i2 -failure-> back', 'back -success-> i-undone'],
      {},
      named('undoing'),
    );
    const workflow = workflowOf(
      [
        skill('s', 'undoing'),
        onError('again', 'retry'),
        end('done', 'completed'),
        end('gone', 'failed'),
        onError('h', 'compensate', { compensate_ref: 'pure@1' }),
      ],
      ['s -success-> done', 's -failure-> again', 'again -success-> done', 'again -failure-> h', 'h -success-> gone'],
    );
    (workflow.nodes[2] as { join_type?: string }).join_type = 'OR';
    const { result, trace, world } = await ran(workflow, { i2: ['E2'] }, { skills: [undoing] });
    expect(result.status).toBe('failed');
    expect(trace).toMatchObject({ s: ['failure', 1], again: ['failure', 0], h: ['success', 1] });
    expect(world.names).toEqual(['i1', 'i2', 'undo i1', 'h']);
  });

  it('is undone with what undoes its parent, all in one reverse order of commit', async () => {
    const workflow = workflowOf(
      [
        run('a', 'roll'),
        skill('s', 'inner', { input_mapping: { of: 'x' } } as Partial<Node>),
        run('b', 'roll'),
        run('c', 'pure'),
        onError('back', 'rollback'),
        end('undone', 'compensated'),
        end('done'),
      ],
      [
        'a -success-> s',
        's -success-> b',
        'b -success-> c',
        'c -success-> done',
        'c -failure-> back',
        'back -success-> undone',
      ],
    );
    const { result, world } = await ran(workflow, { c: ['E2'] }, { skills: [inner] });
    expect(result.status).toBe('compensated');
    expect(world.names.slice(-3)).toEqual(['undo b', 'undo i1', 'undo a']);
  });

  it('resumes its child when its root is resumed, so that nothing committed is executed again', async () => {
    const { runtime, world, id, result } = await ran(outer, { i2: ['E2', 'ok'] }, { skills: [inner] });
    expect(result.status).toBe('failed');
    const second = (await runtime.resume(id, OWNER)) as string;
    expect(await runtime.wait(second, 5_000)).toMatchObject({ status: 'completed', outputs: { tried: 1 } });
    expect(world.names).toEqual(['a', 'i1', 'i2', 'i2', 'b']);
  });

  it('keeps its definition when the registry changes meanwhile', async () => {
    const memory = new MemoryWorkspace();
    const world = new World({});
    let runtime = await open(memory, world, { point: 'pending_durable', occurrence: 2 });
    await runtime.putRegistry({ workflows: [inner] });
    const id = await runtime.start({ workflow: outer, inputs: {}, agent_id: OWNER });
    await expect(runtime.wait(id, 5_000)).rejects.toMatchObject({ code: 'storage_failed' });
    runtime = await open(memory, world);
    await runtime.removeRegistry({ workflows: ['inner@1.0.0'] });
    expect((await runtime.wait(id, 5_000)).status).toBe('completed');
  });
});

describe('a child that completed while its node failed', () => {
  const workflow = workflowOf(
    [
      skill('s', 'inner', {
        input_mapping: { of: 'x' },
        output_mapping: { v: '${result.tried.deep}' },
      } as Partial<Node>),
      onError('again', 'retry'),
      run('z', 'pure'),
      end('done', 'completed'),
    ],
    ['s -success-> done', 's -failure-> again', 'again -failure-> z', 'again -success-> done', 'z -success-> done'],
  );
  (workflow.nodes[2] as Node & { handling?: string; join_type?: string }).join_type = 'OR';
  (workflow.nodes[3] as { join_type?: string }).join_type = 'OR';

  it('is not run again, by a retry or by a resume', async () => {
    const failing = {
      ...workflow,
      nodes: workflow.nodes.filter(n => n.node_id !== 'z'),
      edges: workflow.edges.filter(e => e.from_node !== 'z' && e.to_node !== 'z'),
    } as Workflow;
    const { runtime, id, world, trace, result } = await ran(failing, {}, { skills: [inner] });
    expect(result.status).toBe('failed');
    expect(trace).toMatchObject({ s: ['failure', 1], again: ['failure', 0] });
    const second = (await runtime.resume(id, OWNER)) as string;
    expect((await runtime.wait(second, 10_000)).status).toBe('failed');
    expect(world.names).toEqual(['i1', 'i2']);
  });
});
