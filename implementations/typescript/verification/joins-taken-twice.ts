import { int32s } from '../workflow/number-arrays.js';
import { ALWAYS, CONDITION, FAIL, FAILURE, SUCCESS, TERMINAL } from './columns.js';
import type { VerificationContext } from './context.js';
import { findMeetingBranches } from './demands.js';
import { parallelOrJoins } from './or-joins.js';
import { type Choices, chooseOutcomes, PlannedOutcomes } from './scenario-choices.js';
import { Planner } from './scenario-plan.js';
import { placeOf } from './structure.js';

/** How many of the executions of the second round follow a plan. */
const PLANS = 8;
/** How many edges all plans together may follow: some always, so that small graphs are planned to the end. */
const EFFORT = 2_000;

/** An OR join and the in-edges that one execution takes together. */
export interface JoinTakenTwice {
  readonly join: number;
  readonly edges: readonly number[];
}

/** What was found out about OR joins. */
export interface JoinsTakenTwice {
  readonly found: readonly JoinTakenTwice[];
  /** How many are left of which neither was found, because the search was cut short. */
  readonly open: number;
}

/**
 * Returns the OR joins of which some execution takes two in-edges, by trying a fixed number of
 * executions; so it may miss one and never names one wrongly. Needs a graph without cycles. Deterministic.
 *
 * Two rounds go through the graph, each with as many executions at once as a number has bits, some of the second by a plan for what
 * the first left open.
 */
export function findJoinsTakenTwice(context: VerificationContext): JoinsTakenTwice {
  const found: JoinTakenTwice[] = [];
  const left = new Set(context.impossible.meeting ?? findMeetingBranches(context, parallelOrJoins(context)));
  if (left.size === 0) return { found, open: 0 };
  const taken = int32s(context.graph.edgeCount);
  tryOutcomes(chooseOutcomes(context, 0));
  if (left.size === 0) return { found, open: 0 };
  const { planned, gaveUp } = planAll(context, left);
  tryOutcomes(chooseOutcomes(context, 1, planned));
  return { found, open: gaveUp ? left.size : 0 };

  function tryOutcomes(choices: Choices): void {
    taken.fill(0);
    const gone = executeAll(context, choices, taken);
    for (const join of left) {
      if (placeOf(context.components, join) >= gone) continue;
      const twice = takenTwice(context, join, taken);
      if (twice === 0) continue;
      const first = twice & -twice;
      const edges = context.in(join).filter(edge => ((taken[edge] as number) & first) !== 0 && context.isCounted(edge));
      left.delete(join);
      found.push({ join, edges: context.ordered(edges) });
    }
  }
}

/** The executions in which two in-edges of a join are taken. */
function takenTwice({ graph, counted }: VerificationContext, join: number, taken: Int32Array): number {
  let once = 0;
  let twice = 0;
  for (let at = graph.inStart[join] as number; at < (graph.inStart[join + 1] as number); at++) {
    const edge = graph.inEdges[at] as number;
    if (counted[edge] === 0) continue;
    twice |= once & (taken[edge] as number);
    once |= taken[edge] as number;
  }
  return twice;
}

/**
 * Plans for joins, each plan with others first and with other in-edges in mind; all together take an effort in proportion
 * to the graph.
 */
function planAll(
  context: VerificationContext,
  left: ReadonlySet<number>,
): { planned: PlannedOutcomes; gaveUp: boolean } {
  const planned = new PlannedOutcomes(context.graph.nodeCount);
  const planner = new Planner(context);
  const effort = Math.ceil(Math.max(EFFORT, context.graph.edgeCount >> 2) / PLANS);
  const joins = [...left];
  let gaveUp = false;
  for (let round = 0; round < PLANS; round++) {
    const first = Math.floor((joins.length * round) / PLANS);
    planner.begin(round, effort);
    for (let at = 0; at < joins.length; at++) {
      if (planner.add(joins[(first + at) % joins.length] as number)) continue;
      gaveUp = true;
      break;
    }
    for (const node of planner.decided) planned.add(node, planner.outcomes[node] as number, 1 << round);
  }
  return { planned, gaveUp };
}

/**
 * Writes for each edge which of the executions take it, a bit for each, where nodes resolve as chosen. Returns how many
 * nodes had to be gone through in their order: behind them no execution runs one.
 */
function executeAll(context: VerificationContext, choices: Choices, taken: Int32Array): number {
  const { graph, columns, components, order, reachable, judged } = context;
  const { type } = columns;
  const [start = 0] = context.starts.nodes;
  /** How many edges are taken whose targets are still to come; the start is reached, too. */
  let open = 1;
  let next = placeOf(components, start);
  for (; open > 0; next++) {
    const node = order[next] as number;
    const from = graph.inStart[node] as number;
    const to = graph.inStart[node + 1] as number;
    const isAnd = columns.isAnd[node] === 1;
    let runs = isAnd ? -1 : 0;
    for (let at = from; at < to; at++) {
      const arrived = taken[graph.inEdges[at] as number] as number;
      if (arrived !== 0) open--;
      runs = isAnd ? runs & arrived : runs | arrived;
    }
    if (node === start) open--;
    if (reachable[node] === 0 || judged[node] === 0) continue;
    if (from === to) runs = node === start ? -1 : 0;
    if (runs === 0 || type[node] === TERMINAL || type[node] === FAIL) continue;
    open +=
      type[node] === CONDITION
        ? choose(context, node, runs, choices, taken)
        : resolve(context, node, runs, choices, taken);
  }
  return next;
}

/** Writes which executions take the edges of a condition; returns how many edges some take to a node. */
function choose(context: VerificationContext, node: number, runs: number, choices: Choices, taken: Int32Array): number {
  const { graph, columns } = context;
  const { chosenBy, places } = choices.labelsOf(node);
  let opened = 0;
  for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++) {
    const edge = graph.outEdges[at] as number;
    const label = columns.label[edge] as number;
    taken[edge] = label === ALWAYS ? runs : runs & (chosenBy[places[label] as number] as number);
    if (taken[edge] !== 0 && (graph.target[edge] as number) >= 0) opened++;
  }
  return opened;
}

/** Does the same for a node that resolves with success or failure. */
function resolve(
  context: VerificationContext,
  node: number,
  runs: number,
  choices: Choices,
  taken: Int32Array,
): number {
  const { graph, columns } = context;
  const failures = choices.failuresOf(node);
  let opened = 0;
  for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++) {
    const edge = graph.outEdges[at] as number;
    const label = columns.label[edge];
    taken[edge] =
      label === SUCCESS ? runs & ~failures : label === FAILURE ? runs & failures : label === ALWAYS ? runs : 0;
    if (taken[edge] !== 0 && (graph.target[edge] as number) >= 0) opened++;
  }
  return opened;
}
