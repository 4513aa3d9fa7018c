import type { Graph } from '../workflow/graph.js';

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
  const of = new Int32Array(nodeCount).fill(-1);
  const index = new Int32Array(nodeCount).fill(-1);
  const low = new Int32Array(nodeCount);
  /** The nodes on the way from the root, and which out-edge of each comes next. */
  const path: number[] = [];
  const next: number[] = [];
  const open: number[] = [];
  const cyclic: number[] = [];
  let visited = 0;
  for (let root = 0; root < nodeCount; root++) {
    if (index[root] !== -1) continue;
    enter(root);
    while (path.length > 0) {
      const depth = path.length - 1;
      const node = path[depth] as number;
      const at = next[depth] as number;
      if (at < (outStart[node + 1] as number)) {
        next[depth] = at + 1;
        const child = target[outEdges[at] as number] as number;
        if (child < 0) continue;
        if (index[child] === -1) enter(child);
        else if (of[child] === -1) low[node] = Math.min(low[node] as number, index[child] as number);
        continue;
      }
      path.pop();
      next.pop();
      if (depth > 0) {
        const parent = path[depth - 1] as number;
        low[parent] = Math.min(low[parent] as number, low[node] as number);
      }
      if (low[node] === index[node]) closeComponent(node);
    }
  }
  return { count: cyclic.length, of, visited: index, cyclic: Uint8Array.from(cyclic), acyclic: !cyclic.includes(1) };

  function enter(node: number): void {
    index[node] = visited;
    low[node] = visited++;
    path.push(node);
    next.push(outStart[node] as number);
    open.push(node);
  }

  function closeComponent(node: number): void {
    const number = cyclic.length;
    let members = 0;
    let member: number;
    do {
      member = open.pop() as number;
      of[member] = number;
      members++;
    } while (member !== node);
    cyclic.push(members > 1 || hasSelfLoop(graph, node) ? 1 : 0);
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
  const order = new Int32Array(components.of.length);
  for (let node = 0; node < order.length; node++) order[placeOf(components, node)] = node;
  return order;
}

/** Returns the place of a node of an acyclic graph in that order. */
export function placeOf({ count, of }: Components, node: number): number {
  return count - 1 - (of[node] as number);
}

/** Returns which nodes can be reached from some, themselves included; backwards, from which those can be reached. */
export function findReachable(
  graph: Graph,
  from: Iterable<number>,
  direction: 'forwards' | 'backwards' = 'forwards',
): Uint8Array {
  const forwards = direction === 'forwards';
  const start = forwards ? graph.outStart : graph.inStart;
  const edges = forwards ? graph.outEdges : graph.inEdges;
  const other = forwards ? graph.target : graph.source;
  const reached = new Uint8Array(graph.nodeCount);
  const open: number[] = [];
  for (const node of from) {
    if (reached[node] === 1) continue;
    reached[node] = 1;
    open.push(node);
  }
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (let at = start[node] as number; at < (start[node + 1] as number); at++) {
      const next = other[edges[at] as number] as number;
      if (next < 0 || reached[next] === 1) continue;
      reached[next] = 1;
      open.push(next);
    }
  }
  return reached;
}
