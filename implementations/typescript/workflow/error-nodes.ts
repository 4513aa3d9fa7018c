import type { Edge, Node } from '../../../schemas/types.js';
import { topologicalOrder } from './ancestry.js';
import type { Graph } from './graph.js';

/** Which retrying error nodes execute what. */
export interface RetriedNodes {
  /** The node whose action a retrying error node executes: the failed one, or what that one executes itself; -1 where there is none. */
  readonly targets: Int32Array;
  /** The retrying error node that a node's failure edge leads to; -1 where there is none. */
  readonly retriers: Int32Array;
}

/**
 * Which nodes are executed again, by which error nodes. The graph is acyclic.
 *
 * @requirement EN2
 */
export function retriedNodes(graph: Graph<Node, Edge>): RetriedNodes {
  const targets = new Int32Array(graph.nodeCount).fill(-1);
  const retriers = new Int32Array(graph.nodeCount).fill(-1);
  const retrying: number[] = [];
  graph.nodes.forEach((node, index) => {
    if (node.type === 'error' && node.handling === 'retry') retrying.push(index);
  });
  if (retrying.length === 0) return { targets, retriers };
  for (const node of topologicalOrder(graph)) {
    const subject = graph.nodes[node] as Node;
    if (subject.type !== 'error' || subject.handling !== 'retry') continue;
    const edge = graph.inEdges[graph.inStart[node] as number];
    const source = edge === undefined ? -1 : (graph.source[edge] as number);
    if (source < 0) continue;
    retriers[source] = node;
    targets[node] = executes(graph.nodes[source] as Node) ? source : (targets[source] as number);
  }
  return { targets, retriers };
}

function executes(node: Node): boolean {
  return (
    node.type === 'action' || node.type === 'skill' || (node.type === 'error' && node.compensate_ref !== undefined)
  );
}

/**
 * For each node the nearest error node that dominates it, an error node itself counting as such; -1 where there is none.
 * The graph is acyclic and every node is reached from its start.
 */
export function dominatingErrors(graph: Graph<Node, Edge>): Int32Array {
  const order = topologicalOrder(graph);
  const place = new Int32Array(graph.nodeCount);
  order.forEach((node, index) => {
    place[node] = index;
  });
  const dominator = new Int32Array(graph.nodeCount).fill(-1);
  const nearest = new Int32Array(graph.nodeCount).fill(-1);
  const meet = (a: number, b: number): number => {
    let [left, right] = [a, b];
    while (left !== right && left >= 0 && right >= 0) {
      if ((place[left] as number) > (place[right] as number)) left = dominator[left] as number;
      else right = dominator[right] as number;
    }
    return left === right ? left : -1;
  };
  for (const node of order) {
    let found: number | undefined;
    for (let at = graph.inStart[node] as number; at < (graph.inStart[node + 1] as number); at++) {
      const source = graph.source[graph.inEdges[at] as number] as number;
      found = found === undefined ? source : meet(found, source);
    }
    dominator[node] = found ?? -1;
    nearest[node] =
      graph.nodes[node]?.type === 'error' ? node : found === undefined || found < 0 ? -1 : (nearest[found] as number);
  }
  return nearest;
}
