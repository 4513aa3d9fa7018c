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
 * Most sources are passed on every path to the reader, or on one that trees of first and of last in-edges have: that takes
 * a step each. The rest is answered for 32 sources in one pass over the part of the graph between them and their readers.
 */
export function nonAncestors<R extends Reading>(graph: Graph, readings: readonly R[]): readonly R[] {
  let open = readings.filter(reading => !isPredecessor(graph, reading));
  if (open.length === 0) return [];
  const order = topologicalOrder(graph);
  for (const which of ['first', 'last'] as const) {
    const isAbove = spanningTree(graph, order, which);
    open = open.filter(({ source, reader }) => !isAbove(source, reader));
    if (open.length === 0) return [];
  }
  const wrong = new Set<R>();
  const position = new Int32Array(graph.nodeCount);
  for (let at = 0; at < order.length; at++) position[order[at] as number] = at;
  const bySource = new Map<number, R[]>();
  for (const reading of open) {
    const same = bySource.get(reading.source);
    if (same === undefined) bySource.set(reading.source, [reading]);
    else same.push(reading);
  }
  const place = (node: number): number => position[node] as number;
  const sources = [...bySource.keys()].sort((a, b) => place(a) - place(b));
  for (let first = 0; first < sources.length; first += WIDTH) {
    const batch = sources.slice(first, first + WIDTH);
    const asked = batch.map(source => bySource.get(source) as R[]);
    const last = asked.flat().reduce((most, { reader }) => Math.max(most, place(reader)), 0);
    const reached = reach(graph, order.subarray(place(batch[0] as number), last + 1), batch);
    for (const [bit, same] of asked.entries())
      for (const reading of same) if ((((reached[reading.reader] as number) >>> bit) & 1) === 0) wrong.add(reading);
  }
  return readings.filter(reading => wrong.has(reading));
}

/** Whether the one node is above the other in the tree that has of each node's in-edges the first, or the last. */
function spanningTree(
  graph: Graph,
  order: Int32Array,
  which: 'first' | 'last',
): (node: number, below: number) => boolean {
  const parents = new Int32Array(graph.nodeCount).fill(-1);
  const sizes = new Int32Array(graph.nodeCount);
  for (let next = order.length - 1; next >= 0; next--) {
    const node = order[next] as number;
    const [from, to] = [graph.inStart[node] as number, (graph.inStart[node + 1] as number) - 1];
    const parent = to < from ? -1 : (graph.source[graph.inEdges[which === 'first' ? from : to] as number] as number);
    parents[node] = parent;
    sizes[node] = (sizes[node] as number) + 1;
    if (parent >= 0) sizes[parent] = (sizes[parent] as number) + (sizes[node] as number);
  }
  /** Nodes are numbered so that what is below one has the numbers that follow its own. */
  const numbers = new Int32Array(graph.nodeCount);
  const free = new Int32Array(graph.nodeCount);
  let roots = 0;
  for (const node of order) {
    const parent = parents[node] as number;
    const number = parent < 0 ? roots : (free[parent] as number);
    if (parent < 0) roots += sizes[node] as number;
    else free[parent] = number + (sizes[node] as number);
    numbers[node] = number;
    free[node] = number + 1;
  }
  return (node, below) => {
    const distance = (numbers[below] as number) - (numbers[node] as number);
    return distance > 0 && distance < (sizes[node] as number);
  };
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
