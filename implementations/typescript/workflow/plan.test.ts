import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action, Workflow } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { nonAncestors } from './ancestry.js';
import { buildGraph } from './graph.js';
import { bindInputs, compileInputs, planResolved, planWorkflow } from './plan.js';
import { highestMatch, sourceOf } from './resolve.js';

const action = (action_id: string, version = '1.0.0', more: Partial<Action> = {}): Action => ({
  action_id,
  version,
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
  ...more,
});

/** The worked example of the audit chapter. */
const keep: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'keep', version: '1.0.0' },
  inputs: { text: { schema: { type: 'string' } } },
  outputs: { size: '${nodes.save.outputs.size}' as never },
  actions: [action('note.put', '1.0.0', { idempotent: true })],
  nodes: [
    {
      node_id: 'save',
      type: 'action',
      action_def: 'note.put@^1.0.0',
      input_mapping: { text: '${inputs.text}' as never },
    },
    { node_id: 'done', type: 'terminal', status: 'completed' },
  ],
  edges: [{ from_node: 'save', to_node: 'done', label: 'success' }],
};

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof ArsError ? error.code : String(error);
  }
}

describe('a plan', () => {
  it('has the digest that the chapter prints', () => {
    const plan = planWorkflow(keep, sourceOf([]));
    expect(plan.resolved_digest).toBe('sha256:7b1d04f9935a6646f71df089df20592d3930df9943c5173c4a7602f096a0bc7c');
  });

  it('means the same when it is made again from its documents, and nothing else does', () => {
    const registry = [action('x', '1.0.0'), action('x', '1.2.0', { revert: 'y@1' }), action('x', '2.0.0'), action('y')];
    const workflow: Workflow = {
      ...keep,
      inputs: {},
      outputs: {},
      nodes: [{ node_id: 'save', type: 'action', action_def: 'x@^1' }, keep.nodes[1] as never],
    };
    const plan = planWorkflow(workflow, sourceOf(registry));
    expect(plan.resolved.actions.map(a => `${a.action_id}@${a.version}`)).toEqual(['x@1.2.0', 'y@1.0.0']);
    expect(planResolved(plan.resolved, plan.resolved_digest).resolved_digest).toBe(plan.resolved_digest);
    const other = { ...plan.resolved, actions: plan.resolved.actions.map(a => ({ ...a, idempotent: true })) };
    expect(codeOf(() => planResolved(other, plan.resolved_digest))).toBe('log_corrupt');
  });

  it('prefers the definitions of the document, and the highest version of those that fit', () => {
    const all = ['1.0.0', '1.10.0', '1.9.0', '2.0.0-rc.1', '1.10.0+b'].map(version => ({ version }));
    expect(highestMatch(all, '^1')?.version).toBe('1.10.0+b');
    expect(highestMatch(all, '^3')).toBeUndefined();
    const plan = planWorkflow(keep, sourceOf([action('note.put', '1.5.0')]));
    expect([...plan.actions.keys()]).toEqual(['note.put@1.0.0']);
  });

  it('refuses what cannot be resolved, compiled or read', () => {
    const plan = (nodes: unknown[]) => () => planWorkflow({ ...keep, nodes: nodes as never }, sourceOf([]));
    const [save, done] = keep.nodes;
    expect(codeOf(plan([{ ...save, action_def: 'gone@1' }, done]))).toBe('not_found');
    expect(codeOf(plan([{ ...save, input_mapping: { a: '${' } }, done]))).toBe('mapping_invalid');
    expect(codeOf(plan([{ ...save, input_mapping: { a: '${nodes.done.outputs.x}' } }, done]))).toBe('mapping_invalid');
    expect(codeOf(plan([save, { node_id: 'done', type: 'condition', expression: '1 +' }]))).toBe('expression_invalid');
    expect(codeOf(plan([save, { node_id: 'done', type: 'skill', workflow_ref: 'other@1' }]))).toBe('not_found');
  });

  it('binds inputs: those given, defaults, nothing unknown or unfit', () => {
    const inputs = { a: { schema: { type: 'number' } }, b: { default: 2 as never }, c: { required: false } };
    const plan = planWorkflow(
      { ...keep, inputs, outputs: {}, nodes: [keep.nodes[1] as never], edges: [] },
      sourceOf([]),
    );
    expect(bindInputs(plan, { a: 1 })).toEqual({ a: 1, b: 2 });
    for (const wrong of [{}, { a: 'x' }, { a: 1, d: 1 }])
      expect(codeOf(() => bindInputs(plan, wrong))).toBe('invalid_document');
  });

  it('binds no default that its schema refuses, as it binds no such input', () => {
    const schema = { type: 'string', minLength: 9 };
    const inputs = { name: { schema, default: 'world' as never, required: false } };
    const bind = (given: Record<string, unknown>) => () =>
      bindInputs({ workflow: { ...keep, inputs }, workflow_id: 'keep@1.0.0', inputChecks: checks }, given);
    const checks = compileInputs({ ...keep, inputs });
    expect(codeOf(bind({}))).toBe('invalid_document');
    expect(codeOf(bind({ name: 'world' }))).toBe('invalid_document');
    expect(bind({ name: 'wide world' })()).toEqual({ name: 'wide world' });
  });
});

describe('ancestry', () => {
  it('agrees with walking backwards', () => {
    const dag = fc.integer({ min: 2, max: 60 }).chain(size =>
      fc.record({
        size: fc.constant(size),
        pairs: fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 2 * size }),
        readings: fc.array(fc.record({ reader: fc.nat(size - 1), source: fc.nat(size - 1) }), { maxLength: 80 }),
      }),
    );
    fc.assert(
      fc.property(dag, ({ size, pairs, readings }) => {
        const nodes = Array.from({ length: size }, (_, at) => ({ node_id: `n${at}` }));
        const edges = pairs
          .filter(([a, b]) => a !== b)
          .map(([a, b]) => ({ from_node: `n${Math.min(a, b)}`, to_node: `n${Math.max(a, b)}`, label: 'success' }));
        const graph = buildGraph({ nodes, edges });
        const above = (node: number): Set<number> => {
          const found = new Set<number>();
          const open = [node];
          for (let at = open.pop(); at !== undefined; at = open.pop())
            for (const { from_node, to_node } of edges) {
              const from = Number(from_node.slice(1));
              if (to_node !== `n${at}` || found.has(from)) continue;
              found.add(from);
              open.push(from);
            }
          return found;
        };
        const expected = readings.filter(({ reader, source }) => !above(reader).has(source));
        expect(nonAncestors(graph, readings)).toEqual(expected);
      }),
    );
  });
});
