import type { Graph } from '../workflow/graph.js';
import { int32s, uint8s } from '../workflow/number-arrays.js';

/** The strongly connected components of a graph. */
export interface Components {
  readonly count: number;
  /** The component of each node; an edge between components leads to a smaller number. */
  readonly of: Int32Array;
  /**
   * When each node was met by the search that finds components. Without cycles, one that was met before another and has the
   * greater component leads to it.
   */
  readonly visited: Int32Array;
  /** For each component whether it holds a cycle. */
  readonly cyclic: Uint8Array;
  readonly acyclic: boolean;
}

/**
 * Returns the strongly connected components (Tarjan 1972, without recursion). What is on the way is kept in stacks and not in
 * arrays of the size of the graph, which most graphs would not fill.
 */
export function findComponents(graph: Graph): Components {
  const { nodeCount, outStart, outEdges, target } = graph;
  const of = int32s(nodeCount).fill(-1);
  const index = int32s(nodeCount).fill(-1);
  const cyclic = uint8s(nodeCount);
  /** The nodes on the way from the root to the one that is looked at; of each the out-edge that comes next, and how low it leads. */
  const path: number[] = [];
  const next: number[] = [];
  const lows: number[] = [];
  const open: number[] = [];
  let visited = 0;
  let count = 0;
  let acyclic = true;
  for (let root = 0; root < nodeCount; root++) if (index[root] === -1) search(root);
  return { count, of, visited: index, cyclic: cyclic.subarray(0, count), acyclic };

  function search(root: number): void {
    let node = root;
    let at = outStart[node] as number;
    let low = enter(node);
    for (;;) {
      if (at < (outStart[node + 1] as number)) {
        const child = target[outEdges[at++] as number] as number;
        if (child < 0) continue;
        if (index[child] === -1) {
          path.push(node);
          next.push(at);
          lows.push(low);
          node = child;
          at = outStart[node] as number;
          low = enter(node);
        } else if (of[child] === -1) low = Math.min(low, index[child] as number);
        continue;
      }
      if (low === index[node]) closeComponent(node);
      const parent = path.pop();
      if (parent === undefined) return;
      node = parent;
      at = next.pop() as number;
      low = Math.min(low, lows.pop() as number);
    }
  }

  function enter(node: number): number {
    index[node] = visited;
    open.push(node);
    return visited++;
  }

  function closeComponent(node: number): void {
    let members = 0;
    let member: number;
    do {
      member = open.pop() as number;
      of[member] = count;
      members++;
    } while (member !== node);
    if (members > 1 || hasSelfLoop(graph, node)) {
      cyclic[count] = 1;
      acyclic = false;
    }
    count++;
  }
}

function hasSelfLoop({ outStart, outEdges, target }: Graph, node: number): boolean {
  for (let at = outStart[node] as number; at < (outStart[node + 1] as number); at++) {
    if (target[outEdges[at] as number] === node) return true;
  }
  return false;
}

/** Returns the nodes of an acyclic graph so that every edge leads to a later one. */
export function orderNodes(components: Components): Int32Array {
  const order = int32s(components.of.length);
  for (let node = 0; node < order.length; node++) order[placeOf(components, node)] = node;
  return order;
}

/** Returns the place of a node of an acyclic graph in that order. */
export function placeOf({ count, of }: Components, node: number): number {
  return count - 1 - (of[node] as number);
}

/** Returns which nodes can be reached from some, themselves included. */
export function findReachable(graph: Graph, from: Iterable<number>): Uint8Array {
  const { outStart, outEdges, target } = graph;
  const reached = uint8s(graph.nodeCount);
  const open: number[] = [];
  for (const node of from) {
    if (reached[node] === 1) continue;
    reached[node] = 1;
    open.push(node);
  }
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (let at = outStart[node] as number; at < (outStart[node + 1] as number); at++) {
      const next = target[outEdges[at] as number] as number;
      if (next < 0 || reached[next] === 1) continue;
      reached[next] = 1;
      open.push(next);
    }
  }
  return reached;
}

/** Marks also what leads to a marked node of an acyclic graph, in one walk against the order of its nodes. */
export function markAbove({ outStart, outEdges, target }: Graph, order: Int32Array, marked: Uint8Array): void {
  for (let next = order.length - 1; next >= 0; next--) {
    const node = order[next] as number;
    for (let at = outStart[node] as number; marked[node] === 0 && at < (outStart[node + 1] as number); at++) {
      const below = target[outEdges[at] as number] as number;
      if (below >= 0) marked[node] = marked[below] as number;
    }
  }
}

/** Marks also what a marked node of an acyclic graph leads to, in one walk in the order of its nodes. */
export function markBelow({ inStart, inEdges, source }: Graph, order: Int32Array, marked: Uint8Array): void {
  for (let next = 0; next < order.length; next++) {
    const node = order[next] as number;
    for (let at = inStart[node] as number; marked[node] === 0 && at < (inStart[node + 1] as number); at++) {
      const above = source[inEdges[at] as number] as number;
      if (above >= 0) marked[node] = marked[above] as number;
    }
  }
}
