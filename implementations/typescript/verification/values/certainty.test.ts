import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Edge, Node, Workflow } from '../../../../schemas/types.js';
import { createContext, type VerificationContext } from '../context.js';
import { verify } from '../index.js';
import { wholeInput } from '../input.js';
import { findCertainty } from './certainty.js';

const COUNT = 70;

/** A graph of many joins, every edge of which leads to a later node. */
const graphs = fc
  .array(fc.tuple(fc.nat(), fc.nat(), fc.nat({ max: 9 }), fc.boolean()), { minLength: COUNT, maxLength: COUNT })
  .map((shapes): Workflow => {
    const nodes = shapes.map(
      ([, , , isAnd], at): Node => ({
        node_id: `n${at}`,
        type: 'action',
        action_def: 'act@^1',
        fan_out: 'parallel',
        join_type: isAnd ? 'AND' : 'OR',
      }),
    );
    const edges: Edge[] = [];
    for (let at = 1; at < COUNT; at++) {
      const [one = 0, other = 0, label = 0] = shapes[at] ?? [];
      const near = Math.max(0, at - 1 - (one % 4));
      edges.push({ from_node: `n${near}`, to_node: `n${at}`, label: label < 7 ? 'success' : 'always' });
      const far = other % at;
      if (far !== near)
        edges.push({ from_node: `n${far}`, to_node: `n${at}`, label: label % 2 === 0 ? 'success' : 'always' });
    }
    return { schema_version: '1.0', workflow: { name: 'w', version: '1.0.0' }, nodes, edges };
  });

/** For each node the names that are certain when it runs, and those that are before it, by the equations. */
function byEquations(workflow: Workflow): { certain: Set<number>; before: Set<number> }[] {
  const found: { certain: Set<number>; before: Set<number> }[] = [];
  for (const [at, node] of workflow.nodes.entries()) {
    const into = workflow.edges.filter(({ to_node }) => to_node === node.node_id);
    const before = new Set<number>();
    const branches = into.map(({ from_node, label }) => {
      const source = Number(from_node.slice(1));
      for (const earlier of [source, ...(found[source]?.before ?? [])]) before.add(earlier);
      return new Set([...(found[source]?.certain ?? []), ...(label === 'success' ? [source] : [])]);
    });
    const all = new Set(branches.flatMap(branch => [...branch]));
    const certain =
      node.join_type === 'AND' ? all : new Set([...all].filter(name => branches.every(branch => branch.has(name))));
    found[at] = { certain, before };
  }
  return found;
}

describe('findCertainty', () => {
  it('answers every question as the equations do', () => {
    fc.assert(
      fc.property(graphs, workflow => {
        const context: VerificationContext = createContext(wholeInput(workflow), {});
        const certainty = findCertainty(context);
        const expected = byEquations(workflow);
        const nodes = workflow.nodes.map((_, at) => at);
        const pairs = nodes.flatMap(source => nodes.map(reader => ({ sources: [source], reader })));
        const two = nodes.map(reader => ({ sources: [(reader * 7) % COUNT, (reader * 3) % COUNT], reader }));
        certainty.prepare([
          ...pairs.flatMap(pair => [
            { asks: 'commit' as const, ...pair },
            { asks: 'path' as const, ...pair },
          ]),
          ...two.map(pair => ({ asks: 'commit' as const, ...pair })),
        ]);
        for (const { sources, reader } of pairs) {
          const [source = 0] = sources;
          expect(certainty.hasCommitted(sources, reader)).toBe(expected[reader]?.certain.has(source));
          expect(certainty.isAncestor(source, reader)).toBe(expected[reader]?.before.has(source));
        }
        for (const { sources, reader } of two) {
          const known = expected[reader]?.certain;
          if (sources.some(source => known?.has(source))) expect(certainty.hasCommitted(sources, reader)).toBe(true);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('leaves nothing open in a graph of some thousand joins', () => {
    const count = 4000;
    const nodes = Array.from(
      { length: count },
      (_, at): Node => ({
        node_id: `n${at}`,
        type: 'action',
        action_def: 'act@^1',
        fan_out: 'parallel',
        join_type: at % 3 === 0 ? 'AND' : 'OR',
        input_mapping: {
          x: `\${nodes.n${(at * 7919) % Math.max(1, at)}.outputs.v ?? null}`,
          y: `\${nodes.n0.outputs.v}`,
        },
      }),
    );
    (nodes[0] as { input_mapping?: object }).input_mapping = {};
    const edges = nodes.slice(1).flatMap((_, at): Edge[] =>
      [...new Set([at, (at * 31) % (at + 1)])].map(from => ({
        from_node: `n${from}`,
        to_node: `n${at + 1}`,
        label: from % 5 === 0 ? 'always' : 'success',
      })),
    );
    const workflow = { schema_version: '1.0', workflow: { name: 'w', version: '1.0.0' }, nodes, edges };
    const { rules } = verify(workflow);
    expect(rules.find(({ rule }) => rule === 'S8')?.reason ?? '').not.toContain('too many to search');
  });
});
