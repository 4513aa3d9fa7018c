import type { Graph } from './graph.js';

/** A node that reads the outputs of another one; both are indices of the graph. */
export interface Reading {
  readonly reader: number;
  readonly source: number;
}

const WIDTH = 32;

/**
 * The readings whose source is no ancestor of the reader, in the order given. The graph is acyclic.
 *
 * Direct predecessors are recognised at once; the rest is answered for 32 sources in one pass over the graph.
 */
export function nonAncestors<R extends Reading>(graph: Graph, readings: readonly R[]): readonly R[] {
  const open = new Map<number, R[]>();
  for (const reading of readings) {
    if (isPredecessor(graph, reading)) continue;
    const same = open.get(reading.source);
    if (same === undefined) open.set(reading.source, [reading]);
    else same.push(reading);
  }
  if (open.size === 0) return [];
  const wrong = new Set<R>();
  const order = topologicalOrder(graph);
  const sources = [...open.keys()];
  for (let first = 0; first < sources.length; first += WIDTH) {
    const batch = sources.slice(first, first + WIDTH);
    const reached = reach(graph, order, batch);
    batch.forEach((source, bit) => {
      for (const reading of open.get(source) ?? [])
        if ((((reached[reading.reader] as number) >>> bit) & 1) === 0) wrong.add(reading);
    });
  }
  return readings.filter(reading => wrong.has(reading));
}

/** The nodes in an order in which every edge leads forward; nodes on a cycle are left out. */
export function topologicalOrder(graph: Graph): Int32Array {
  const waiting = new Int32Array(graph.nodeCount);
  for (let node = 0; node < graph.nodeCount; node++)
    waiting[node] = (graph.inStart[node + 1] as number) - (graph.inStart[node] as number);
  const order = new Int32Array(graph.nodeCount);
  let filled = 0;
  for (let node = 0; node < graph.nodeCount; node++) if (waiting[node] === 0) order[filled++] = node;
  for (let next = 0; next < filled; next++) {
    const node = order[next] as number;
    for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++) {
      const target = graph.target[graph.outEdges[at] as number] as number;
      if (target < 0) continue;
      waiting[target] = (waiting[target] as number) - 1;
      if (waiting[target] === 0) order[filled++] = target;
    }
  }
  return order.subarray(0, filled);
}

function isPredecessor(graph: Graph, { reader, source }: Reading): boolean {
  for (let at = graph.inStart[reader] as number; at < (graph.inStart[reader + 1] as number); at++)
    if (graph.source[graph.inEdges[at] as number] === source) return true;
  return false;
}

/** For each node a bit for each source that it is a descendant of. */
function reach(graph: Graph, order: Int32Array, sources: readonly number[]): Uint32Array {
  const own = new Map(sources.map((source, bit) => [source, 1 << bit]));
  const reached = new Uint32Array(graph.nodeCount);
  for (const node of order) {
    const bits = (reached[node] as number) | (own.get(node) ?? 0);
    if (bits === 0) continue;
    for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++) {
      const target = graph.target[graph.outEdges[at] as number] as number;
      if (target >= 0) reached[target] = (reached[target] as number) | bits;
    }
  }
  return reached;
}
