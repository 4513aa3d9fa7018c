import type { VerificationContext } from './context.js';
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
  const order = orderNodes(context.components);
  const seeds = Uint32Array.from(graph.nodes, node => hashName(node.node_id));
  const options = new Map<number, string[]>();
  const split = findReachable(graph, splitsOf(context));
  const left = new Set(joins.filter(join => split[join] === 1));
  const scenarios = graph.nodeCount > LARGE ? SCENARIOS_IF_LARGE : SCENARIOS;
  const found: JoinTakenTwice[] = [];
  for (let scenario = 0; scenario < scenarios && left.size > 0; scenario++) {
    const plan = scenario < PLANNED_FROM ? undefined : planOutcomes(context, left, scenario - PLANNED_FROM);
    const outcomeOf = (node: number): string => plan?.get(node) ?? choose(context, node, scenario, seeds, options);
    const { taken } = execute(context, order, outcomeOf);
    for (const join of left) {
      const edges = context.ordered(context.in(join)).filter(edge => taken[edge] === 1 && context.isCounted(edge));
      if (edges.length < 2) continue;
      left.delete(join);
      found.push({ join, edges });
    }
  }
  return found;
}

/** The nodes of which one outcome takes two edges; below none of them no two branches run together. */
function* splitsOf(context: VerificationContext): Generator<number> {
  for (let node = 0; node < context.graph.nodeCount; node++) {
    const edges = context.out(node);
    if (edges.length < 2) continue;
    const labels = new Set<string>();
    for (const edge of edges) {
      const { label } = context.edge(edge);
      if (label === 'always' || labels.has(label)) {
        yield node;
        break;
      }
      labels.add(label);
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
  const { graph } = context;
  const taken = new Uint8Array(graph.edgeCount);
  const ran = new Uint8Array(graph.nodeCount);
  const starts = new Set(context.starts.nodes);
  for (const node of order) {
    if (context.reachable[node] === 0) continue;
    const edges = context.in(node);
    let arrived = 0;
    for (const edge of edges) arrived += taken[edge] as number;
    const and = context.node(node).join_type === 'AND';
    const runs = edges.length === 0 ? starts.has(node) : and ? arrived === edges.length : arrived > 0;
    if (!runs || !context.isJudged(node)) continue;
    ran[node] = 1;
    if (isEnd(context, node)) continue;
    const outcome = outcomeOf(node);
    for (const edge of context.out(node)) {
      const { label } = context.edge(edge);
      if (label === outcome || label === 'always') taken[edge] = 1;
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
