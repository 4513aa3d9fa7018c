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
  const outcomes = new Int32Array(graph.edgeCount);
  const every = new Int32Array(graph.nodeCount);
  const success = new Map<number, number>();
  /** The node from which a label was met last, and its place among the labels of that one. */
  const metFrom = new Int32Array(columns.labelCount).fill(-1);
  const places = new Int32Array(columns.labelCount);
  let labels = 0;
  let count = 0;
  for (let node = 0; node < graph.nodeCount; node++) {
    if (relevant[node] === 0 || judged[node] === 0) continue;
    const from = graph.outStart[node] as number;
    const to = graph.outStart[node + 1] as number;
    const resolves = resolving.has(node);
    if (to - from + (resolves ? 1 : 0) < 2) continue;
    if (!resolves && !tellsApart(context, relevant, from, to)) continue;
    labels = 0;
    if (resolves) meet(SUCCESS, node);
    for (let at = from; at < to; at++) {
      const edge = graph.outEdges[at] as number;
      if (tells(context, relevant, edge)) meet(columns.label[edge] as number, node);
    }
    if (labels < 2 || (onlySure && isMislabelled(context, node))) continue;
    every[node] = sets.all(labels);
    if (resolves) success.set(node, sets.only(0, labels));
    for (let at = from; at < to; at++) {
      const edge = graph.outEdges[at] as number;
      if (!tells(context, relevant, edge)) continue;
      outcomes[edge] = sets.only(places[columns.label[edge] as number] as number, labels);
      count++;
    }
  }
  return { outcomes, every, success, count };

  function meet(label: number, node: number): void {
    if (metFrom[label] === node) return;
    metFrom[label] = node;
    places[label] = labels++;
  }
}

/** Whether two of some out-edges, by their places, tell different outcomes. */
function tellsApart(context: VerificationContext, relevant: Uint8Array, from: number, to: number): boolean {
  const { graph, columns } = context;
  let first = -1;
  for (let at = from; at < to; at++) {
    const edge = graph.outEdges[at] as number;
    if (!tells(context, relevant, edge)) continue;
    const label = columns.label[edge] as number;
    if (first === -1) first = label;
    else if (label !== first) return true;
  }
  return false;
}

/** Whether a label leaves a node that it does not belong to. */
function isMislabelled(context: VerificationContext, node: number): boolean {
  const { graph } = context;
  for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++)
    if (hasWrongLabel(context, graph.outEdges[at] as number)) return true;
  return false;
}

/** Whether an edge leads to something relevant, after one outcome. */
function tells({ graph, columns, input }: VerificationContext, relevant: Uint8Array, edge: number): boolean {
  const target = graph.target[edge] as number;
  if (target < 0 || relevant[target] === 0) return false;
  return columns.label[edge] !== ALWAYS && (input.unclearEdges.size === 0 || !input.unclearEdges.has(edge));
}
