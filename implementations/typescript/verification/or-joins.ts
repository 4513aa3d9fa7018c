import { uint8s } from '../workflow/number-arrays.js';
import { ALWAYS, FAIL } from './columns.js';
import { countedInEdges, type VerificationContext } from './context.js';
import { isAfterOneChoice } from './exclusive-edges.js';
import { markBelow } from './structure.js';
import { undoes } from './values/known-values.js';

/** Whether a node is judged, and has several in-edges of which it does not need all. */
export function isOrJoin(context: VerificationContext, node: number): boolean {
  const { columns } = context;
  if (columns.isAnd[node] === 1 || columns.type[node] === FAIL || context.judged[node] === 0) return false;
  return countedInEdges(context, node) > 1;
}

/**
 * Returns the declared OR joins on which parallel branches may meet; none where a look at each shows that none do. Needs a
 * graph without cycles. Error nodes that undo are left out: they start when nothing else runs, however they are declared.
 */
export function parallelOrJoins(context: VerificationContext): readonly number[] {
  const { graph, columns, order } = context;
  const joins: number[] = [];
  for (let node = 0; node < graph.nodeCount; node++)
    if (columns.isOr[node] === 1 && isOrJoin(context, node) && !undoes(context.node(node))) joins.push(node);
  if (joins.length === 0) return [];
  const split = splitsOf(context);
  markBelow(graph, order, split);
  const below = joins.filter(join => split[join] === 1);
  return below.every(join => isAfterOneChoice(context, join)) ? [] : below;
}

/** The nodes of which one outcome takes two edges; below none of them no two branches run together. */
function splitsOf({ graph, columns }: VerificationContext): Uint8Array {
  const splits = uint8s(graph.nodeCount);
  /** The node from which a label was seen last. */
  const seenFrom = new Int32Array(columns.labelCount).fill(-1);
  for (let node = 0; node < graph.nodeCount; node++) {
    const from = graph.outStart[node] as number;
    const to = graph.outStart[node + 1] as number;
    if (to - from < 2) continue;
    for (let at = from; at < to; at++) {
      const label = columns.label[graph.outEdges[at] as number] as number;
      if (label === ALWAYS || seenFrom[label] === node) {
        splits[node] = 1;
        break;
      }
      seenFrom[label] = node;
    }
  }
  return splits;
}
