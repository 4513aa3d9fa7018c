import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../schemas/types.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { confirm } from './confirmed.fixture.js';
import { checkLines } from './governance/log-check.js';
import { kills, survive } from './kills.fixture.js';
import { end, onError, open, ran, run, type Script, skill, World, workflowOf } from './nodes.fixture.js';
import { differencesOf } from './replayed.fixture.js';
import { OWNER } from './runtime.js';
import { named } from './skills.fixture.js';

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
      { numRuns: 60, examples: [[[{ point: 'invoked', occurrence: 4 }], 1]] },
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
