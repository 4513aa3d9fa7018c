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
  const { nodeCount, outStart, outEdges, source, target } = graph;
  /** Of a node whose component is open how low it leads, as {@link openAt} writes it. */
  const of = int32s(nodeCount);
  const visited = int32s(nodeCount).fill(-1);
  const cyclic = uint8s(nodeCount);
  /**
   * Two stacks in one array, since no node is in both. From the front those on the way from the root to the one that is looked
   * at: of each the place of the out-edge that comes next. From behind the nodes that others of an open component lead to.
   */
  const stacks = int32s(nodeCount);
  let open = nodeCount;
  let met = 0;
  let count = 0;
  let acyclic = true;
  for (let root = 0; root < nodeCount; root++) {
    if (visited[root] !== -1) continue;
    let depth = 0;
    let node = root;
    let at = outStart[node] as number;
    of[node] = openAt(met);
    visited[node] = met++;
    for (;;) {
      if (at < (outStart[node + 1] as number)) {
        const child = target[outEdges[at++] as number] as number;
        if (child < 0) continue;
        if (visited[child] === -1) {
          stacks[depth++] = at;
          node = child;
          at = outStart[node] as number;
          of[node] = openAt(met);
          visited[node] = met++;
        } else if ((of[child] as number) < 0) of[node] = Math.max(of[node] as number, openAt(visited[child] as number));
        continue;
      }
      const low = of[node] as number;
      if (low === openAt(visited[node] as number)) {
        const isAlone = open === nodeCount || (visited[stacks[open] as number] as number) < (visited[node] as number);
        while (open < nodeCount && (visited[stacks[open] as number] as number) > (visited[node] as number))
          of[stacks[open++] as number] = count;
        of[node] = count;
        if (!isAlone || hasSelfLoop(graph, node)) {
          cyclic[count] = 1;
          acyclic = false;
        }
        count++;
      } else stacks[--open] = node;
      if (depth === 0) break;
      at = stacks[--depth] as number;
      node = source[outEdges[at - 1] as number] as number;
      if ((of[node] as number) < low) of[node] = low;
    }
  }
  return { count, of, visited, cyclic: cyclic.subarray(0, count), acyclic };
}

/** How low an open node leads, as a negative number, which is none of a component: the lower, the greater. */
function openAt(visited: number): number {
  return -1 - visited;
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
