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
 * Returns the strongly connected components (Tarjan 1972, without recursion, and with a node kept only once it is clear that it
 * does not close its component, as Pearce 2016 does).
 */
export function findComponents(graph: Graph): Components {
  const { nodeCount, outStart, outEdges, target } = graph;
  const of = int32s(nodeCount).fill(-1);
  const index = int32s(nodeCount).fill(-1);
  const cyclic = uint8s(nodeCount);
  /**
   * Two stacks in one array, since no node is in both: from the front the nodes on the way from the root to the one that is
   * looked at, from behind those whose component is still open. Of each on the way the out-edge that comes next, and how low it leads.
   */
  const stacks = int32s(nodeCount);
  const next = int32s(nodeCount);
  const lows = int32s(nodeCount);
  let open = nodeCount;
  let visited = 0;
  let count = 0;
  let acyclic = true;
  for (let root = 0; root < nodeCount; root++) if (index[root] === -1) search(root);
  return { count, of, visited: index, cyclic: cyclic.subarray(0, count), acyclic };

  function search(root: number): void {
    let depth = 0;
    let node = root;
    let at = outStart[node] as number;
    index[node] = visited;
    let low = visited++;
    for (;;) {
      if (at < (outStart[node + 1] as number)) {
        const child = target[outEdges[at++] as number] as number;
        if (child < 0) continue;
        if (index[child] === -1) {
          stacks[depth] = node;
          next[depth] = at;
          lows[depth++] = low;
          node = child;
          at = outStart[node] as number;
          index[node] = visited;
          low = visited++;
        } else if (of[child] === -1) low = Math.min(low, index[child] as number);
        continue;
      }
      if (low === index[node]) closeComponent(node);
      else stacks[--open] = node;
      if (depth === 0) return;
      node = stacks[--depth] as number;
      at = next[depth] as number;
      low = Math.min(low, lows[depth] as number);
    }
  }

  /** Closes the component of a node, which is that of the open ones that were met after it, too. */
  function closeComponent(node: number): void {
    const first = index[node] as number;
    let members = 1;
    of[node] = count;
    for (; open < nodeCount && (index[stacks[open] as number] as number) > first; open++) {
      of[stacks[open] as number] = count;
      members++;
    }
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
