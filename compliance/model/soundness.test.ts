import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../schemas/types.js';
import { editedWorkflows } from '../generators/edits.js';
import { certainAt } from './certain.js';
import { isImpossible } from './demand.js';
import { executionsOf } from './executions.js';
import { brokenRules, type RuleGraph } from './soundness.js';

/** Executions are all tried out where so few nodes can come out in several ways. */
const FEW = 9;

function graphOf({ nodes, edges }: Workflow): RuleGraph {
  const order: string[] = [];
  for (const _ of nodes) {
    const next = nodes.find(
      ({ node_id }) =>
        !order.includes(node_id) && edges.every(edge => edge.to_node !== node_id || order.includes(edge.from_node)),
    );
    if (next !== undefined) order.push(next.node_id);
  }
  return { nodes: new Map(nodes.map(node => [node.node_id, node])), edges, order, starts: [] };
}

describe('what chapter 8 says of small graphs', () => {
  it('is broken by about half of the edits, in every way', () => {
    const found = fc.sample(editedWorkflows, { numRuns: 600, seed: 1 }).map(brokenRules);
    expect(new Set(found.flatMap(rules => [...rules]))).toEqual(new Set(['S1', 'S2', 'S3', 'S4', 'S5', 'S8']));
    const sound = found.filter(({ size }) => size === 0).length;
    expect(sound).toBeGreaterThan(150);
    expect(sound).toBeLessThan(450);
  });

  it('agrees with all executions: what is certain always was, and an impossible join never runs', () => {
    fc.assert(
      fc.property(editedWorkflows, workflow => {
        const broken = brokenRules(workflow);
        const graph = graphOf(workflow);
        if (['S1', 'S4', 'S5'].some(rule => broken.has(rule))) return;
        if (workflow.nodes.filter(({ type }) => type !== 'terminal').length > FEW) return;
        const certain = certainAt(graph);
        for (const execution of executionsOf(graph))
          for (const reader of execution.keys()) {
            expect(isImpossible(graph, reader)).toBe(false);
            for (const id of certain.get(reader) ?? []) expect(execution.get(id)).toBe('success');
          }
      }),
      { numRuns: 300, seed: 2 },
    );
  });
});
