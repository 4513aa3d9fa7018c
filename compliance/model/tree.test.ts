import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../schemas/types.js';
import type { Program } from '../program.js';
import { fails, gives, type Sketch, sketch } from './testing/sketch.js';
import { runTree } from './tree.js';

type Drawn = NonNullable<Sketch['nodes']>[string];

const error = (handling: string, more: object = {}): Drawn =>
  ({ type: 'error', action_def: undefined, handling, ...more }) as Drawn;

function run(drawn: Sketch | Program): {
  readonly trace: Record<string, string>;
  readonly tree: ReturnType<typeof runTree>;
} {
  const tree = runTree('edges' in drawn ? sketch(drawn) : drawn);
  const trace = [...tree.root.resolved].map(([id, { outcome, attempts }]) => [id, `${outcome} ${attempts}`]);
  return { trace: { ...Object.fromEntries(trace), status: tree.root.status }, tree };
}

/** An action `x`, and what becomes of its failure. */
const handled = (nodes: Sketch['nodes'], script: Sketch['script'], ...edges: string[]): Sketch => ({
  edges: ['x success done', 'x failure e', ...edges],
  nodes: { done: { join_type: 'OR' }, ...nodes },
  ...(script === undefined ? {} : { script }),
});

describe('error nodes', () => {
  const again = { e: error('retry', { max_attempts: 2 }) };

  it('execute the failed node again, up to max_attempts', () => {
    const script = { x: [fails('E4'), fails('E4'), gives()] };
    expect(run(handled(again, script, 'e success done')).trace).toMatchObject({ x: 'failure 1', e: 'success 2' });
    const spent = { x: [fails('E4')] };
    const { trace, tree } = run(handled(again, spent, 'e success done'));
    expect(trace).toMatchObject({ e: 'failure 2', done: 'skipped 0', status: 'failed' });
    expect(tree.root.error).toEqual({ node_id: 'e', error_class: 'E4' });
    expect(tree.calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  });

  it('map the new result seeing the failure that they take up, and by the mapping of the failed node without an own one', () => {
    const script = { x: [fails('E4'), gives({ value: 2 })] };
    const own = { e: error('retry', { output_mapping: { why: '${error.node_id}', now: '${result.value}' } }) };
    const outputs = (nodes: Sketch['nodes']) =>
      run(handled(nodes, script, 'e success done')).tree.root.scope.nodes.get('e');
    expect(outputs(own)).toEqual({ why: 'x', now: 2 });
    expect(outputs({ ...again, x: { output_mapping: { was: '${result.value}' } } })).toEqual({ was: 2 });
  });

  it('execute nothing once the bound is reached', () => {
    const { trace } = run(handled(again, { x: [fails('E1')] }, 'e success done'));
    expect(trace).toMatchObject({ x: 'failure 4', e: 'failure 0' });
  });

  it('fail the instance, whatever terminals it reaches', () => {
    const drawn = handled({ e: error('fail') }, { x: [fails('E2')] });
    const edges = ['s success x', 's success y', 'y success done', ...drawn.edges];
    expect(run({ ...drawn, edges }).trace).toMatchObject({ done: 'completed 0', e: 'failure 0', status: 'failed' });
  });

  it('undo what has committed, the last commit first, and fail where an undo did', () => {
    const nodes = { e: error('rollback'), over: { type: 'terminal', action_def: undefined, status: 'compensated' } };
    const undone = (reply: object) => {
      const drawn = handled(nodes as Sketch['nodes'], { x: [fails('E2')] }, 'e success over');
      const program = sketch({
        ...drawn,
        edges: ['a success b', 'b success x', ...drawn.edges],
        action: { rollback: 'compensatable', side_effects: ['memory'], compensation: 'undo@*' },
        more: [{ action_id: 'undo', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable' }],
      });
      return run({ ...program, script: { ...program.script, actions: { undo: [{ reply: reply as never }] } } });
    };
    const good = undone({ outputs: {} });
    expect(good.trace).toMatchObject({ e: 'success 0', over: 'compensated 0', status: 'compensated' });
    expect(good.tree.commits.all.map(({ state }) => state)).toEqual(['undone', 'undone']);
    const bad = undone({ error: { error_class: 'E2', detail: 'no', effect: 'none' } });
    expect(bad.trace).toMatchObject({ e: 'failure 0', status: 'failed' });
    expect(bad.tree.root.error).toEqual({ node_id: 'e', error_class: 'E2' });
  });

  it('undo last, in order of their names, each followed by what it makes ready', () => {
    const drawn: Sketch = {
      edges: [
        's success x',
        's success y',
        'x failure n',
        'y failure m',
        'm success z',
        'z success done',
        'n success done',
      ],
      nodes: { m: error('rollback'), n: error('compensate'), done: { join_type: 'OR' } } as Sketch['nodes'] & object,
      script: { x: [fails('E2')], y: [fails('E2')] },
    };
    const order = [...run(drawn).tree.root.resolved.keys()];
    expect(order.filter(id => 'mnz'.includes(id))).toEqual(['m', 'z', 'n']);
  });

  it('show the failure that they were reached by', () => {
    const input_mapping = { class: '${error.error_class}', of: '${error.node_id}' };
    const nodes = { e: error('compensate', { compensate_ref: 'act@*', input_mapping }) };
    const { tree } = run(handled(nodes, { x: [fails('E3')] }, 'e success done'));
    expect(tree.calls.at(-1)).toMatchObject({ node_id: 'e', inputs: { class: 'E3', of: 'x' } });
  });
});

describe('skill nodes', () => {
  const child = (script: Sketch['script'], more: Partial<Workflow> = {}): Program => {
    const inner = sketch({
      edges: ['c success end'],
      nodes: { end: { type: 'terminal', status: 'completed' } } as never,
    });
    const outer = sketch({
      edges: ['sk success done', 'sk failure e', 'e success done'],
      nodes: {
        sk: { type: 'skill', action_def: undefined, workflow_ref: 'inner@^1.0.0' },
        e: error('retry', { max_attempts: 2 }),
        done: { join_type: 'OR' },
      } as Sketch['nodes'] & object,
      ...(script === undefined ? {} : { script }),
    });
    const workflow = { ...inner.workflow, ...more, workflow: { name: 'inner', version: '1.2.0' } };
    return { ...outer, registry: { workflows: [workflow] }, script: { nodes: { ...outer.script.nodes, ...script } } };
  };

  it('come to what their child comes to', () => {
    const { trace, tree } = run(child({ c: [gives()] }));
    expect(trace).toMatchObject({ sk: 'success 1', status: 'completed' });
    expect(tree.instances.map(({ workflow }) => workflow.workflow.name)).toEqual(['sketch', 'inner']);
  });

  it('fail ordinarily with a child that failed with E5, and a retry resumes it', () => {
    const { trace, tree } = run(child({ c: [fails('E5'), gives()] }));
    expect(trace).toMatchObject({ sk: 'failure 1', e: 'success 1', status: 'completed' });
    expect(tree.instances.at(-1)?.resumes).toBe(tree.instances[1]);
    expect(tree.calls.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it('fail with E4 and without a child where an input is missing', () => {
    const { trace, tree } = run(child({ c: [gives()] }, { inputs: { n: {} } }));
    expect(trace).toMatchObject({ sk: 'failure 0', e: 'failure 0', status: 'failed' });
    expect(tree.instances).toHaveLength(1);
  });
});
