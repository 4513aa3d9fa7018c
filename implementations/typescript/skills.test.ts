import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node, Workflow } from '../../schemas/types.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { confirm } from './confirmed.fixture.js';
import { checkLines } from './governance/log-check.js';
import { kills, survive } from './kills.fixture.js';
import { end, onError, open, ran, run, type Script, World, workflowOf } from './nodes.fixture.js';
import { differencesOf } from './replayed.fixture.js';
import { OWNER } from './runtime.js';

const skill = (node_id: string, name: string, more: Partial<Node> = {}) =>
  ({ node_id, type: 'skill', workflow_ref: `${name}@^1`, ...more }) as Node;
const named = (name: string, more: Partial<Workflow> = {}): Partial<Workflow> => ({
  ...more,
  workflow: { name, version: '1.0.0' },
});

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

describe('a doubt in a child', () => {
  const once = workflowOf(
    [run('i1', 'once', { irreversible: 'acknowledged' } as Partial<Node>), end('i-done')],
    ['i1 -success-> i-done'],
    {},
    named('once'),
  );
  const workflow = workflowOf(
    [skill('s', 'middle', { irreversible: 'acknowledged' } as Partial<Node>), run('b', 'pure'), end('done')],
    ['s -success-> b', 'b -success-> done'],
  );
  const middle = workflowOf(
    [skill('m', 'once', { irreversible: 'acknowledged' } as Partial<Node>), end('m-done')],
    ['m -success-> m-done'],
    {},
    named('middle'),
  );

  it.each(['live', 'after a restart'])('stops every ancestor until it is resolved and resumed: %s', async when => {
    const memory = new MemoryWorkspace();
    const world = new World({});
    const invoke = world.invoke.bind(world);
    world.invoke = async call => {
      if (call.node_id !== 'i1') return invoke(call);
      world.calls.push(call);
      return { error: { error_class: 'E2', detail: 'lost', effect: 'unknown' } };
    };
    world.probe = async () => ({ verdict: 'unknown' });
    let runtime = await open(memory, world);
    await runtime.putRegistry({ workflows: [once, middle] });
    const wanted = { workflow, inputs: {}, agent_id: OWNER };
    const id = await runtime.start({ ...wanted, confirmation_id: await confirm(runtime, wanted) });
    expect((await runtime.wait(id, 5_000)).status).toBe('in_doubt');
    if (when !== 'live') {
      await runtime.close();
      runtime = await open(memory, world);
      expect(runtime.recovery?.level).toBe('FAILED');
      expect((await runtime.wait(id, 10_000)).status).toBe('in_doubt');
    }
    await expect(runtime.resume(id, OWNER)).rejects.toMatchObject({ code: 'illegal_state' });
    const doubted = memory.records.find(r => r.status === 'in_doubt')?.execution_id as string;
    await runtime.resolve({ execution_id: doubted, verdict: 'applied', outputs: { of: 'i1' }, approver: OWNER });
    expect(memory.records.some(r => r.status === 'workflow_completed')).toBe(false);
    await runtime.resume(id, OWNER);
    expect((await runtime.wait(id, 5_000)).status).toBe('completed');
    expect(world.names).toEqual(['i1', 'b']);
    expect(checkLines(memory.lines)).toEqual([]);
    expect(differencesOf(memory)).toEqual([]);
  });
});

describe('a crash amid skills', () => {
  const leaf = workflowOf(
    [run('l1', 'comp'), run('l2', 'pure'), end('l-done')],
    ['l1 -success-> l2', 'l2 -success-> l-done'],
    { x: '${nodes.l2.outputs.of}' },
    named('leaf'),
  );
  const branch = workflowOf(
    [skill('k', 'leaf', { fan_out: 'parallel' } as Partial<Node>), run('m', 'roll'), skill('k2', 'leaf'), end('both')],
    ['k -success-> m', 'k -success-> k2', 'm -success-> both', 'k2 -success-> both'],
    { x: '${nodes.k2.outputs.x}' },
    named('branch'),
  );
  const root = workflowOf(
    [
      run('a', 'roll'),
      skill('s', 'branch'),
      onError('again', 'retry'),
      run('z', 'pure'),
      onError('back', 'rollback'),
      end('undone', 'compensated'),
      end('done'),
    ],
    [
      'a -success-> s',
      's -success-> z',
      's -failure-> again',
      'again -success-> z',
      'z -success-> done',
      'z -failure-> back',
      'back -success-> undone',
    ],
  );
  for (const [workflow, id] of [
    [root, 'z'],
    [branch, 'both'],
  ] as const)
    (workflow.nodes.find(n => n.node_id === id) as { join_type?: string }).join_type = id === 'z' ? 'OR' : 'AND';
  const script: Script = { m: ['E2', 'ok'], z: ['E2'] };

  it('ends as if there had been none', async () => {
    await fc.assert(
      fc.asyncProperty(kills(14), fc.integer({ min: 1, max: 3 }), async (killed, max_parallel) => {
        const { memory, committed } = await survive(
          killed,
          script,
          { workflow: root, inputs: {}, agent_id: OWNER, max_parallel },
          {
            ready: runtime => runtime.putRegistry({ workflows: [leaf, branch] }),
            ended: ({ status, trace }) =>
              expect([status, trace.find(entry => entry.node_id === 'again')?.outcome]).toEqual([
                'compensated',
                'success',
              ]),
          },
        );
        expect(committed).toEqual(
          [
            ' a',
            ' l1',
            ' l2',
            ' l1',
            ' l2',
            ' m',
            'compensate l1',
            'compensate l1',
            'revert a',
            'revert m',
            'revert l2',
            'revert l2',
          ].sort(),
        );
        const started = memory.records.filter(r => r.status === 'workflow_started').length;
        const ended = memory.records.filter(r => /^workflow_(completed|failed|compensated)$/.test(r.status)).length;
        expect([started, ended]).toEqual([5, 5]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('what is undone in a tree', () => {
  const child = workflowOf(
    [run('i1', 'roll'), run('i2', 'pure'), onError('back', 'rollback'), end('i-done'), end('i-undone', 'compensated')],
    ['i1 -success-> i2', 'i2 -success-> i-done', 'i2 -failure-> back', 'back -success-> i-undone'],
    {},
    named('child'),
  );

  it('is tried again by the error node of the parent where that of the child could not do it', async () => {
    const workflow = workflowOf(
      [skill('s', 'child'), onError('back', 'rollback'), end('done'), end('undone', 'compensated')],
      ['s -success-> done', 's -failure-> back', 'back -success-> undone'],
    );
    const { result, world } = await ran(workflow, { i2: ['E2'], 'undo i1': ['E2', 'ok'] }, { skills: [child] });
    expect(result.status).toBe('compensated');
    expect(world.names).toEqual(['i1', 'i2', 'undo i1', 'undo i1']);
  });

  it('is undone within the limit of what runs side by side', async () => {
    const workflow = workflowOf(
      [
        run('a', 'pure', { fan_out: 'parallel' } as Partial<Node>),
        ...[1, 2, 3].map(n => skill(`s${n}`, 'child', { join_type: 'OR' })),
        end('done', 'completed'),
      ],
      [1, 2, 3].flatMap(n => [`a -success-> s${n}`, `s${n} -always-> done`]),
    );
    (workflow.nodes.at(-1) as { join_type?: string }).join_type = 'OR';
    const memory = new MemoryWorkspace();
    const world = new World({ i2: ['E2'] });
    let now = 0;
    let most = 0;
    const invoke = world.invoke.bind(world);
    world.invoke = async call => {
      most = Math.max(most, ++now);
      await new Promise(resolve => setTimeout(resolve, 3));
      now -= 1;
      return invoke(call);
    };
    const runtime = await open(memory, world);
    await runtime.putRegistry({ workflows: [child] });
    const id = await runtime.start({ workflow, inputs: {}, agent_id: OWNER, max_parallel: 1 });
    expect((await runtime.wait(id, 5_000)).status).toBe('completed');
    expect([most, world.names.filter(name => name === 'undo i1').length]).toEqual([1, 3]);
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
