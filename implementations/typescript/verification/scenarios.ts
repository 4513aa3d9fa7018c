import { ALWAYS } from './columns.js';
import type { VerificationContext } from './context.js';
import { findMeetingBranches } from './demands.js';
import { isEnd, planOutcomes } from './scenario-plan.js';
import { findReachable, orderNodes } from './structure.js';

/** How many executions are tried: some choose in turn, some at random from the names of nodes, some by a plan. */
const SCENARIOS = 24;
const SYSTEMATIC = 4;
const PLANNED_FROM = 8;
/** In large graphs fewer executions are tried, so that the time stays in proportion. */
const LARGE = 100_000;
const SCENARIOS_IF_LARGE = 10;

/** An OR join and the in-edges that one execution takes together. */
export interface JoinTakenTwice {
  readonly join: number;
  readonly edges: readonly number[];
}

/**
 * Returns the joins among the given ones of which some execution takes two in-edges, by trying a fixed number of
 * executions; so it may miss one and never names one wrongly. Needs a graph without cycles. Deterministic.
 */
export function findJoinsTakenTwice(context: VerificationContext, joins: readonly number[]): JoinTakenTwice[] {
  const { graph } = context;
  const split = findReachable(graph, splitsOf(context));
  const left = new Set(
    findMeetingBranches(
      context,
      joins.filter(join => split[join] === 1),
    ),
  );
  const found: JoinTakenTwice[] = [];
  if (left.size === 0) return found;
  const order = orderNodes(context.components);
  const seeds = Uint32Array.from(graph.nodes, node => hashName(node.node_id));
  const options = new Map<number, string[]>();
  const scenarios = graph.nodeCount > LARGE ? SCENARIOS_IF_LARGE : SCENARIOS;
  for (let scenario = 0; scenario < scenarios && left.size > 0; scenario++) {
    const plan = scenario < PLANNED_FROM ? undefined : planOutcomes(context, left, scenario - PLANNED_FROM);
    const outcomeOf = (node: number): string => plan?.get(node) ?? choose(context, node, scenario, seeds, options);
    const { taken } = execute(context, order, outcomeOf);
    for (const join of left) {
      if (!isTakenTwice(context, join, taken)) continue;
      const edges = context.ordered(context.in(join)).filter(edge => taken[edge] === 1 && context.isCounted(edge));
      left.delete(join);
      found.push({ join, edges });
    }
  }
  return found;
}

function isTakenTwice({ graph, counted }: VerificationContext, join: number, taken: Uint8Array): boolean {
  let edges = 0;
  for (let at = graph.inStart[join] as number; at < (graph.inStart[join + 1] as number); at++) {
    const edge = graph.inEdges[at] as number;
    if (taken[edge] === 1 && counted[edge] === 1) edges++;
  }
  return edges > 1;
}

/** The nodes of which one outcome takes two edges; below none of them no two branches run together. */
function* splitsOf({ graph, columns }: VerificationContext): Generator<number> {
  const labels: number[] = [];
  for (let node = 0; node < graph.nodeCount; node++) {
    const from = graph.outStart[node] as number;
    const to = graph.outStart[node + 1] as number;
    if (to - from < 2) continue;
    labels.length = 0;
    for (let at = from; at < to; at++) {
      const label = columns.label[graph.outEdges[at] as number] as number;
      if (label === ALWAYS || labels.includes(label)) {
        yield node;
        break;
      }
      labels.push(label);
    }
  }
}

/** What one execution does: the edges that it takes and the nodes that it runs. */
export interface Scenario {
  readonly taken: Uint8Array;
  readonly ran: Uint8Array;
}

/** Returns the execution in which each node resolves with the outcome chosen for it; nodes come in topological order. */
export function execute(
  context: VerificationContext,
  order: Int32Array,
  outcomeOf: (node: number) => string,
): Scenario {
  const { graph, columns, reachable, judged } = context;
  const taken = new Uint8Array(graph.edgeCount);
  const ran = new Uint8Array(graph.nodeCount);
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
    const outcome = columns.numberOf(outcomeOf(node));
    for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++) {
      const edge = graph.outEdges[at] as number;
      if (columns.label[edge] === outcome || columns.label[edge] === ALWAYS) taken[edge] = 1;
    }
  }
  return { taken, ran };
}

function choose(
  context: VerificationContext,
  node: number,
  scenario: number,
  seeds: Uint32Array,
  options: Map<number, string[]>,
): string {
  const random = scenario < SYSTEMATIC ? scenario : mix((seeds[node] as number) ^ Math.imul(scenario, 0x9e3779b1));
  if (context.node(node).type !== 'condition')
    return scenario >= SYSTEMATIC && random % 4 === 0 ? 'failure' : 'success';
  let labels = options.get(node);
  if (labels === undefined) {
    labels = [...new Set([...context.out(node)].map(edge => context.edge(edge).label))].sort();
    options.set(node, labels);
  }
  return labels[random % Math.max(1, labels.length)] ?? '';
}

function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
