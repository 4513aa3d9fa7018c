import { NameIndex } from './name-index.js';
import { int32s } from './number-arrays.js';

/** What a graph needs to know of a node. */
export interface GraphNode {
  readonly node_id: string;
}

/** What a graph needs to know of an edge. */
export interface GraphEdge {
  readonly from_node: string;
  readonly to_node: string;
  readonly label: string;
}

/** A part of a workflow that has the form of a graph; node and edge may be any supertype of the schema's. */
export interface GraphSource<N extends GraphNode = GraphNode, E extends GraphEdge = GraphEdge> {
  readonly workflow?: { readonly start?: string };
  readonly nodes: readonly N[];
  readonly edges: readonly E[];
}

/**
 * A workflow as indices: node i is `nodes[i]` and edge e is `edges[e]`, both as the document orders them.
 *
 * The out-edges of node i are `outEdges[outStart[i] … outStart[i + 1] - 1]`, in document order, and the in-edges in
 * the same way. An end that names no node is -1 in `source` or `target`; such an edge is still among the out-edges or
 * in-edges of its other end. Of several nodes with one node_id, edges belong to the first.
 */
export interface Graph<N extends GraphNode = GraphNode, E extends GraphEdge = GraphEdge> {
  readonly nodes: readonly N[];
  readonly edges: readonly E[];
  readonly nodeCount: number;
  readonly edgeCount: number;
  /** The node_id of each node. */
  readonly names: readonly string[];
  /** How many different node_ids there are; less than nodeCount where nodes share one. */
  readonly nameCount: number;
  readonly source: Int32Array;
  readonly target: Int32Array;
  readonly outStart: Int32Array;
  readonly outEdges: Int32Array;
  readonly inStart: Int32Array;
  readonly inEdges: Int32Array;
  /** The index of a node by its name, which may be a part of a text; -1 where there is none. */
  indexOf(text: string, start?: number, end?: number): number;
  /** The start node by `workflow.start`, or the only node without in-edges; -1 where there is none or more than one. */
  readonly start: number;
  /** The nodes without in-edges, in document order. */
  readonly sources: readonly number[];
}

/** Returns the graph of a workflow, in time linear in nodes and edges; ill-formed graphs are represented as they are. */
export function buildGraph<N extends GraphNode, E extends GraphEdge>(workflow: GraphSource<N, E>): Graph<N, E> {
  const { nodes, edges } = workflow;
  const names = new Array<string>(nodes.length);
  for (let node = 0; node < nodes.length; node++) names[node] = (nodes[node] as N).node_id;
  const index = new NameIndex(nodes.length, node => names[node] as string);
  const isUnique = index.size === nodes.length;
  const source = int32s(edges.length);
  const target = int32s(edges.length);
  let from = 0;
  let to = 0;
  /** The nodes that were found last by a search, such as one error node at the end of many edges. */
  let far = 0;
  let farther = 0;
  for (let edge = 0; edge < edges.length; edge++) {
    const { from_node, to_node } = edges[edge] as E;
    source[edge] = isUnique ? findSource(from_node) : index.find(from_node);
    from = source[edge] as number;
    target[edge] = isUnique ? findTarget(to_node) : index.find(to_node);
    to = target[edge] as number;
  }
  const { start: outStart, members: outEdges } = groupBy(source, nodes.length);
  const { start: inStart, members: inEdges } = groupBy(target, nodes.length);
  const sources: number[] = [];
  for (let node = 0; node < nodes.length; node++) {
    if (inStart[node] === inStart[node + 1] && (isUnique || index.find(names[node] as string) === node))
      sources.push(node);
  }
  const named = workflow.workflow?.start;
  const start = named !== undefined ? index.find(named) : sources.length === 1 ? (sources[0] as number) : -1;
  return {
    nodes,
    edges,
    nodeCount: nodes.length,
    edgeCount: edges.length,
    names,
    nameCount: index.size,
    source,
    target,
    outStart,
    outEdges,
    inStart,
    inEdges,
    indexOf: (node_id, start, end) => index.find(node_id, start, end),
    start,
    sources,
  };

  /**
   * Documents list edges in an order like that of their nodes, so that guesses spare most searches: an edge leaves the node
   * that the one before left, the next node, or the one that it led to.
   */
  function findSource(name: string): number {
    if (names[from] === name) return from;
    if (names[from + 1] === name) return from + 1;
    return names[to] === name ? to : search(name);
  }

  /** An edge leads to a node soon behind its source, behind the target of the edge before, or to one that many lead to. */
  function findTarget(name: string): number {
    if (names[from + 1] === name) return from + 1;
    if (names[far] === name) return far;
    if (names[from + 2] === name) return from + 2;
    return names[to + 1] === name ? to + 1 : search(name);
  }

  function search(name: string): number {
    const found = names[farther] === name ? farther : index.find(name);
    if (found < 0) return found;
    farther = far;
    far = found;
    return found;
  }
}

/**
 * Returns the places of each number below the count in a list of such numbers, in order; negative ones are left out. Those
 * of number i are `members[start[i] … start[i + 1] - 1]`.
 */
export function groupBy(numbers: Int32Array, count: number): { start: Int32Array; members: Int32Array } {
  const start = int32s(count + 1);
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] as number;
    if (number >= 0) start[number] = (start[number] as number) + 1;
  }
  let end = 0;
  for (let number = 0; number <= count; number++) {
    end += start[number] as number;
    start[number] = end;
  }
  /** Filled from behind, each end becomes a start. */
  const members = int32s(end);
  for (let at = numbers.length - 1; at >= 0; at--) {
    const number = numbers[at] as number;
    if (number < 0) continue;
    const place = (start[number] as number) - 1;
    members[place] = at;
    start[number] = place;
  }
  return { start, members };
}
