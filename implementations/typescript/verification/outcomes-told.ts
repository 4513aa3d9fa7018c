import { int32s } from '../workflow/number-arrays.js';
import { ALWAYS, SUCCESS } from './columns.js';
import type { VerificationContext } from './context.js';
import { hasWrongLabel } from './labels.js';
import type { OutcomeSets } from './outcome-sets.js';

/** What the edges of a graph tell of the outcomes of their sources. */
export interface Outcomes {
  /** For each edge that says which outcome its source had, where that can matter: the set of that outcome; else 0. */
  readonly outcomes: Int32Array;
  /** For each node the set of all its outcomes that edges tell apart, 0 where there are none. */
  readonly every: Int32Array;
  /** Of each resolving node that is a choice the set of its success. */
  readonly success: ReadonlyMap<number, number>;
  /** The number of edges with a set. */
  readonly count: number;
  /** Whether a choice is none because only sure ones count. */
  readonly isUnsure: boolean;
}

/**
 * Returns what the edges that lead to relevant nodes tell, and of resolving nodes also that they succeeded.
 *
 * Where only sure choices count, a node with a label that is none of its own (S5) is none: the label may have meant
 * another.
 */
export function readOutcomes(
  context: VerificationContext,
  sets: OutcomeSets,
  relevant: Uint8Array,
  resolving: ReadonlySet<number>,
  onlySure: boolean,
): Outcomes {
  const { graph, columns, judged } = context;
  const { outStart, outEdges, target } = graph;
  const { label } = columns;
  const { unclearEdges } = context.input;
  const isClear = unclearEdges.size === 0;
  const outcomes = int32s(graph.edgeCount);
  const every = int32s(graph.nodeCount);
  const success = new Map<number, number>();
  /** The node from which a label was met last, and its place among the labels of that one. */
  const metFrom = new Int32Array(columns.labelCount).fill(-1);
  const places = new Int32Array(columns.labelCount);
  let labels = 0;
  let count = 0;
  let isUnsure = false;
  for (let node = 0; node < graph.nodeCount; node++) {
    if (relevant[node] === 0 || judged[node] === 0) continue;
    const from = outStart[node] as number;
    const to = outStart[node + 1] as number;
    const resolves = resolving.size > 0 && resolving.has(node);
    if (to - from + (resolves ? 1 : 0) < 2) continue;
    labels = 0;
    if (resolves) meet(SUCCESS, node);
    for (let at = from; at < to; at++) {
      const edge = outEdges[at] as number;
      if (tells(edge)) meet(label[edge] as number, node);
    }
    if (labels < 2) continue;
    if (onlySure && isMislabelled(context, node)) {
      isUnsure = true;
      continue;
    }
    every[node] = sets.all(labels);
    if (resolves) success.set(node, sets.only(0, labels));
    for (let at = from; at < to; at++) {
      const edge = outEdges[at] as number;
      if (!tells(edge)) continue;
      outcomes[edge] = sets.only(places[label[edge] as number] as number, labels);
      count++;
    }
  }
  return { outcomes, every, success, count, isUnsure };

  /** Whether an edge leads to something relevant, after one outcome. */
  function tells(edge: number): boolean {
    const below = target[edge] as number;
    if (below < 0 || relevant[below] === 0 || label[edge] === ALWAYS) return false;
    return isClear || !unclearEdges.has(edge);
  }

  function meet(told: number, node: number): void {
    if (metFrom[told] === node) return;
    metFrom[told] = node;
    places[told] = labels++;
  }
}

/** Whether a label leaves a node that it does not belong to. */
function isMislabelled(context: VerificationContext, node: number): boolean {
  const { graph } = context;
  for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++)
    if (hasWrongLabel(context, graph.outEdges[at] as number)) return true;
  return false;
}
