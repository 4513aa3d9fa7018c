import { describe, expect, it } from 'vitest';
import { buildGraph, type Graph } from './graph.js';

const edge = (from_node: string, to_node: string, label = 'success') => ({ from_node, to_node, label });
const outOf = (graph: Graph, node: number): number[] => [
  ...graph.outEdges.subarray(graph.outStart[node], graph.outStart[node + 1]),
];
const into = (graph: Graph, node: number): number[] => [
  ...graph.inEdges.subarray(graph.inStart[node], graph.inStart[node + 1]),
];

describe('buildGraph', () => {
  it('groups edges by node in document order', () => {
    const graph = buildGraph({
      nodes: [{ node_id: 'a' }, { node_id: 'b' }, { node_id: 'c' }],
      edges: [edge('b', 'c'), edge('a', 'c'), edge('a', 'b'), edge('a', 'c', 'always')],
    });
    expect(outOf(graph, 0)).toEqual([1, 2, 3]);
    expect(into(graph, 2)).toEqual([0, 1, 3]);
    expect(graph.sources).toEqual([0]);
    expect(graph.start).toBe(0);
  });

  it('represents dangling edges and repeated nodes', () => {
    const graph = buildGraph({
      nodes: [{ node_id: 'a' }, { node_id: 'a' }, { node_id: '__proto__' }],
      edges: [edge('a', 'nowhere'), edge('nowhere', '__proto__'), edge('x', 'y')],
    });
    expect([...graph.source]).toEqual([0, -1, -1]);
    expect([...graph.target]).toEqual([-1, 2, -1]);
    expect(outOf(graph, 0)).toEqual([0]);
    expect(into(graph, 2)).toEqual([1]);
    expect(graph.indexOf('constructor')).toBe(-1);
  });

  it('takes the start that is named, and none where several nodes could be it', () => {
    const nodes = [{ node_id: 'a' }, { node_id: 'b' }];
    expect(buildGraph({ nodes, edges: [] }).start).toBe(-1);
    expect(buildGraph({ nodes, edges: [], workflow: { start: 'b' } }).start).toBe(1);
    expect(buildGraph({ nodes, edges: [], workflow: { start: 'c' } }).start).toBe(-1);
    expect(buildGraph({ nodes: [], edges: [] }).start).toBe(-1);
  });

  it('takes a million nodes', () => {
    const nodes = Array.from({ length: 1_000_000 }, (_, at) => ({ node_id: `n${at}` }));
    const edges = Array.from({ length: 999_999 }, (_, at) => edge(`n${at}`, `n${at + 1}`));
    const graph = buildGraph({ nodes, edges });
    expect(graph.start).toBe(0);
    expect(into(graph, 999_999)).toEqual([999_998]);
  });
});
