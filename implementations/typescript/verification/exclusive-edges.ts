import { ALWAYS, SUCCESS } from './columns.js';
import type { VerificationContext } from './context.js';

/** How far up the branches of a join are followed. */
const STEPS_UP = 8;
/** The in-edges of a join are compared where it has no more: some of more would depend on the order of the document. */
const MOST_COMPARED = 8;

/** Whether a join has two in-edges, and near above it are two outcomes of one node that lead to one of these each. */
export function isAfterOneChoice(context: VerificationContext, join: number): boolean {
  const { inStart, inEdges } = context.graph;
  const from = inStart[join] as number;
  if (inStart[join + 1] !== from + 2) return false;
  return areExclusive(context, inEdges[from] as number, inEdges[from + 1] as number);
}

/** Whether two in-edges of a node are seen, near above it, to exclude each other, so that it can never wait for all. */
export function cannotWaitForAll(context: VerificationContext, join: number): boolean {
  const edges = context.in(join);
  return (
    edges.length <= MOST_COMPARED &&
    edges.some((one, at) => edges.subarray(0, at).some(other => areExclusive(context, one, other)))
  );
}

/**
 * Returns the nearest join above a node, itself included, that is no AND join and one of whose branches a node commits
 * on, near above it: where it waited for all, that one would have committed. -1 where there is none, or it cannot wait.
 */
export function joinToWaitAt(context: VerificationContext, reader: number, source: number): number {
  let join = reader;
  for (let steps = 0; steps < STEPS_UP && context.in(join).length === 1; steps++)
    join = context.graph.source[context.in(join)[0] as number] as number;
  const edges = join < 0 ? [] : context.in(join);
  if (
    edges.length < 2 ||
    edges.length > MOST_COMPARED ||
    context.columns.isAnd[join] === 1 ||
    cannotWaitForAll(context, join)
  )
    return -1;
  return edges.some(edge => commitsAlong(context, edge, source)) ? join : -1;
}

/** Whether a node commits on the way to an edge, as far as there is one way only. */
function commitsAlong(context: VerificationContext, edge: number, node: number): boolean {
  let at = edge;
  for (let steps = 0; steps < STEPS_UP && at !== -1; steps++) {
    if (context.graph.source[at] === node) return context.columns.label[at] === SUCCESS;
    at = edgeAbove(context, at);
  }
  return false;
}

function areExclusive(context: VerificationContext, first: number, second: number): boolean {
  let one = first;
  for (let steps = 0; steps < STEPS_UP && one !== -1; steps++) {
    let other = second;
    for (let others = 0; others < STEPS_UP && other !== -1; others++) {
      if (areOutcomesOfOne(context, one, other)) return true;
      other = edgeAbove(context, other);
    }
    one = edgeAbove(context, one);
  }
  return false;
}

/** Whether two edges are taken after different outcomes of one node, so that never both are. */
function areOutcomesOfOne({ graph, columns, judged, input }: VerificationContext, one: number, other: number): boolean {
  const source = graph.source[one] as number;
  if (source < 0 || graph.source[other] !== source || judged[source] === 0) return false;
  const [label, another] = [columns.label[one] as number, columns.label[other] as number];
  const areSure = !input.unclearEdges.has(one) && !input.unclearEdges.has(other);
  return areSure && label !== another && label !== ALWAYS && another !== ALWAYS;
}

/** The only in-edge of the node from which an edge comes; -1 where it has none or several. */
function edgeAbove({ graph }: VerificationContext, edge: number): number {
  const source = graph.source[edge] as number;
  if (source < 0) return -1;
  const from = graph.inStart[source] as number;
  return graph.inStart[source + 1] === from + 1 ? (graph.inEdges[from] as number) : -1;
}
