import type { Edge, Node } from '../../../schemas/types.js';
import type { Graph } from '../workflow/graph.js';
import { int32s, uint8s } from '../workflow/number-arrays.js';
import type { Columns } from './columns.js';

/** The nodes that no path from a start leads to. */
export interface Unreached {
  readonly count: number;
  /** The smallest node_id of them. */
  readonly first: string;
}

/** Returns the earlier edge of each one that has the same ends and label as another. */
export function findRepeats(graph: Graph<Node, Edge>, { label }: Columns): Map<number, number> {
  const { nodeCount, outStart, outEdges, target } = graph;
  const repeats = new Map<number, number>();
  /** For each node the one plus one of which it was seen last that an edge leads to it. */
  const seenFrom = int32s(nodeCount);
  for (let node = 0; node < nodeCount; node++) {
    const from = outStart[node] as number;
    const to = outStart[node + 1] as number;
    if (to - from < 2) continue;
    let again = false;
    for (let at = from; at < to; at++) {
      const below = target[outEdges[at] as number] as number;
      if (below < 0 || seenFrom[below] === node + 1) again = true;
      else seenFrom[below] = node + 1;
    }
    if (again) noteRepeats(graph, outEdges.subarray(from, to), edge => `${label[edge]}`, repeats);
  }
  const withSource = outStart[nodeCount] as number;
  if (withSource < graph.edgeCount) {
    const others = int32s(graph.edgeCount - withSource);
    let count = 0;
    for (let edge = 0; edge < graph.edgeCount; edge++) if ((graph.source[edge] as number) < 0) others[count++] = edge;
    const sourceOf = (edge: number) => JSON.stringify((graph.edges[edge] as Edge).from_node);
    noteRepeats(graph, others, edge => `${label[edge]} ${sourceOf(edge)}`, repeats);
  }
  return repeats;
}

/** Notes the repeats among edges, by what tells them apart beside the names of their targets. */
function noteRepeats(
  graph: Graph<Node, Edge>,
  edges: Int32Array,
  rest: (edge: number) => string,
  repeats: Map<number, number>,
): void {
  const first = new Map<string, number>();
  for (const edge of edges) {
    const key = `${rest(edge)} ${(graph.edges[edge] as Edge).to_node}`;
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, edge);
    else repeats.set(edge, earlier);
  }
}

/** Returns the nodes that share their node_id with another. */
export function findAmbiguous(graph: Graph<Node, Edge>): Set<number> {
  const ambiguous = new Set<number>();
  if (graph.nameCount === graph.nodeCount) return ambiguous;
  for (let node = 0; node < graph.nodeCount; node++) {
    const first = graph.indexOf((graph.nodes[node] as Node).node_id);
    if (first !== node) ambiguous.add(first).add(node);
  }
  return ambiguous;
}

/** Returns how many nodes nothing leads to, and the smallest node_id of them; undefined where there are none. */
export function findUnreached(graph: Graph<Node, Edge>, reachable: Uint8Array): Unreached | undefined {
  if (!reachable.includes(0)) return undefined;
  let count = 0;
  let first: string | undefined;
  for (let node = 0; node < reachable.length; node++) {
    if (reachable[node] === 1) continue;
    count += 1;
    const { node_id } = graph.nodes[node] as Node;
    if (first === undefined || node_id < first) first = node_id;
  }
  return first === undefined ? undefined : { count, first };
}

/** Marks the nodes that the rules judge: reachable, well-formed, and the only one of their name. */
export function findJudged(
  reachable: Uint8Array,
  unclear: ReadonlySet<number>,
  ambiguous: ReadonlySet<number>,
): Uint8Array {
  const judged = uint8s(reachable.length);
  judged.set(reachable);
  for (const node of unclear) judged[node] = 0;
  for (const node of ambiguous) judged[node] = 0;
  return judged;
}

/** Marks the edges that count for the rules on labels and joins: well-formed, not a repeat, from a reachable source. */
export function findCounted(
  graph: Graph,
  reachable: Uint8Array,
  repeats: ReadonlyMap<number, number>,
  unclear: ReadonlySet<number>,
): Uint8Array {
  const counted = uint8s(graph.edgeCount);
  for (let edge = 0; edge < graph.edgeCount; edge++) {
    const source = graph.source[edge] as number;
    if (source < 0 || reachable[source] === 1) counted[edge] = 1;
  }
  for (const edge of repeats.keys()) counted[edge] = 0;
  for (const edge of unclear) counted[edge] = 0;
  return counted;
}
