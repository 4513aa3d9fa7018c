import { uint8s } from '../workflow/number-arrays.js';
import { ALWAYS } from './columns.js';
import type { VerificationContext } from './context.js';
import { isEnd } from './scenario-plan.js';

/** What one execution does: the edges that it takes and the nodes that it runs. */
export interface Scenario {
  readonly taken: Uint8Array;
  readonly ran: Uint8Array;
}

/** Returns the execution in which each node resolves with the label chosen for it. Needs a graph without cycles. */
export function execute(context: VerificationContext, outcomeOf: (node: number) => number): Scenario {
  const { graph, columns, order, reachable, judged } = context;
  const taken = uint8s(graph.edgeCount);
  const ran = uint8s(graph.nodeCount);
  const starts = new Set(context.starts.nodes);
  for (let next = 0; next < order.length; next++) {
    const node = order[next] as number;
    if (reachable[node] === 0) continue;
    const from = graph.inStart[node] as number;
    const to = graph.inStart[node + 1] as number;
    let arrived = 0;
    for (let at = from; at < to; at++) arrived += taken[graph.inEdges[at] as number] as number;
    const runs = from === to ? starts.has(node) : columns.isAnd[node] === 1 ? arrived === to - from : arrived > 0;
    if (!runs || judged[node] === 0) continue;
    ran[node] = 1;
    if (isEnd(context, node)) continue;
    const outcome = outcomeOf(node);
    for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++) {
      const edge = graph.outEdges[at] as number;
      if (columns.label[edge] === outcome || columns.label[edge] === ALWAYS) taken[edge] = 1;
    }
  }
  return { taken, ran };
}
