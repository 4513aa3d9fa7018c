import type { Node } from '../../../schemas/types.js';
import type { VerificationContext } from './context.js';
import { findReachable, orderNodes } from './structure.js';

/** An AND join that no execution can start. */
export interface ImpossibleJoin {
  readonly join: number;
  /** The node whose outcomes are demanded together. */
  readonly choice: number;
  /** Two of the in-edges that demand them. */
  readonly edges: readonly number[];
}

/**
 * How many choices a node remembers; beyond that the oldest are forgotten, which can only hide an impossible join.
 * With it, time and memory stay linear in the graph.
 */
const REMEMBERED = 64;
/** How many in-edges of an OR join are told apart. */
const WAYS = 64;
/** Labels of one choice are bits of a number. */
const MOST_LABELS = 30;

/** What must have happened for a node to run: for each choice the outcomes (as bits) of which one is needed. */
type Demands = ReadonlyMap<number, number>;
const NONE: Demands = new Map();

/**
 * Returns the AND joins that can never run because their in-edges demand disjoint outcomes of one choice; of several
 * one above the other only the first. Needs a graph without cycles.
 *
 * Sound and not complete: a join that is named never runs.
 */
export function findImpossibleJoins(context: VerificationContext): ImpossibleJoin[] {
  const { graph } = context;
  const joins: number[] = [];
  for (let node = 0; node < graph.nodeCount; node++) if (isAndJoin(context, node)) joins.push(node);
  return joins.length === 0 ? [] : walkDemands(context, joins, new Set(), () => undefined);
}

/** What has to have happened for a node to run; an absent entry of a choice demands nothing of it. */
export interface NodeDemands {
  /** Whether no execution runs both, because they demand disjoint outcomes of one choice. */
  excludes(node: number, other: number): boolean;
}

/** Returns the demands of some nodes, which includes with which outcome they themselves would have resolved. */
export function findDemands(
  context: VerificationContext,
  wanted: ReadonlyMap<number, string | undefined>,
): NodeDemands {
  const kept = new Map<number, readonly Demands[]>();
  walkDemands(context, [...wanted.keys()], new Set(wanted.keys()), (node, ways, bitOf) => {
    if (!wanted.has(node)) return;
    const outcome = wanted.get(node);
    const own = outcome === undefined ? undefined : bitOf(node, outcome);
    kept.set(node, own === undefined ? ways : ways.map(demands => new Map([...demands, [node, own]])));
  });
  return {
    excludes(node, other) {
      const one = kept.get(node);
      const two = kept.get(other);
      // A node without demands on record is behind an impossible join, or was left out: it never runs together with anything.
      if (one === undefined || two === undefined) return true;
      return one.every(way => two.every(another => areDisjoint(way, another)));
    },
  };
}

function areDisjoint(one: Demands, other: Demands): boolean {
  for (const [choice, outcomes] of one) if (conflicts(other.get(choice), outcomes)) return true;
  return false;
}

/** Takes what is demanded on each of the ways on which a node can be reached last: one for an OR join's every in-edge. */
type Visit = (
  node: number,
  ways: readonly Demands[],
  bitOf: (node: number, label: string) => number | undefined,
) => void;

/**
 * Finds the demands of everything that leads to the wanted nodes, in topological order; returns the impossible joins. Of
 * the resolving nodes it is asked with which outcome they resolved, so that success counts as one of them.
 */
function walkDemands(
  context: VerificationContext,
  wanted: readonly number[],
  resolving: ReadonlySet<number>,
  visit: Visit,
): ImpossibleJoin[] {
  const { graph, reachable } = context;
  const relevant = findReachable(graph, wanted, 'backwards');
  const { bits, bitOf } = labelBits(context, relevant, resolving);
  const demands = new Map<number, Demands>();
  const waiting = new Map<number, number>();
  const impossible = new Uint8Array(graph.nodeCount);
  const found: ImpossibleJoin[] = [];
  for (const node of orderNodes(context.components)) {
    if (reachable[node] === 0 || relevant[node] === 0) continue;
    const edges = liveEdges(context, node, impossible);
    const entering = edges.map(edge => demandsOf(edge));
    const all = context.in(node).filter(edge => isLive(context, edge));
    let ways: readonly Demands[] | undefined;
    if (isAndJoin(context, node) || all.length === 1) {
      if (edges.length < all.length) impossible[node] = 1;
      const union = unite(entering);
      if ('choice' in union) {
        impossible[node] = 1;
        if (edges.length === all.length)
          found.push({
            join: node,
            choice: union.choice,
            edges: [union.first, union.second].flatMap(at => edges[at] ?? []),
          });
      } else demands.set(node, union.demands);
    } else if (all.length > 0 && edges.length === 0) impossible[node] = 1;
    else {
      demands.set(node, common(entering));
      if (entering.length > 1 && entering.length <= WAYS) ways = entering;
    }
    if (impossible[node] === 0) visit(node, ways ?? [demands.get(node) ?? NONE], bitOf);
    release(node);
  }
  return found;

  function demandsOf(edge: number): Demands {
    const source = graph.source[edge] as number;
    const inherited = demands.get(source) ?? NONE;
    const bit = bits.get(edge);
    if (bit === undefined) return inherited;
    const extended = new Map(inherited);
    extended.set(source, bit);
    return forget(extended);
  }

  /** Drops the demands of the sources whose targets have all been visited. */
  function release(node: number): void {
    let targets = 0;
    for (const edge of context.out(node)) {
      const target = graph.target[edge] as number;
      if (target >= 0 && relevant[target] === 1) targets++;
    }
    waiting.set(node, targets);
    for (const edge of context.in(node)) {
      const source = graph.source[edge] as number;
      if (source < 0) continue;
      const left = (waiting.get(source) ?? 0) - 1;
      waiting.set(source, left);
      if (left > 0) continue;
      demands.delete(source);
      waiting.delete(source);
    }
  }
}

/** Whether a node waits for several in-edges at once. */
export function isAndJoin(context: VerificationContext, node: number): boolean {
  const { join_type } = context.node(node) as Node;
  return join_type === 'AND' && context.isJudged(node) && context.in(node).length > 1;
}

function isLive(context: VerificationContext, edge: number): boolean {
  const source = context.graph.source[edge] as number;
  return source >= 0 && context.reachable[source] === 1;
}

function liveEdges(context: VerificationContext, node: number, impossible: Uint8Array): number[] {
  return context
    .ordered(context.in(node))
    .filter(edge => isLive(context, edge) && impossible[context.graph.source[edge] as number] === 0);
}

interface LabelBits {
  readonly bits: ReadonlyMap<number, number>;
  bitOf(node: number, label: string): number | undefined;
}

/** For each edge that says which outcome its source had, where that can matter: the outcome as a bit. */
function labelBits(context: VerificationContext, relevant: Uint8Array, resolving: ReadonlySet<number>): LabelBits {
  const { graph, input } = context;
  const bits = new Map<number, number>();
  const ownLabels = new Map<number, ReadonlyMap<string, number>>();
  for (let node = 0; node < graph.nodeCount; node++) {
    if (relevant[node] === 0 || !context.isJudged(node)) continue;
    const labels = new Map<string, number>(resolving.has(node) ? [['success', 0]] : []);
    const edges = context.ordered(context.out(node)).filter(edge => {
      const target = graph.target[edge] as number;
      return (
        target >= 0 && relevant[target] === 1 && !input.unclearEdges.has(edge) && context.edge(edge).label !== 'always'
      );
    });
    for (const edge of edges) {
      const { label } = context.edge(edge);
      if (!labels.has(label)) labels.set(label, labels.size);
    }
    if (labels.size < 2 || labels.size > MOST_LABELS) continue;
    if (resolving.has(node)) ownLabels.set(node, labels);
    for (const edge of edges) bits.set(edge, 1 << (labels.get(context.edge(edge).label) ?? 0));
  }
  const bitOf = (node: number, label: string): number | undefined => {
    const at = ownLabels.get(node)?.get(label);
    return at === undefined ? undefined : 1 << at;
  };
  return { bits, bitOf };
}

/** What is demanded where all of several hold, or the first choice of which they leave no outcome. */
function unite(all: readonly Demands[]): { demands: Demands } | { choice: number; first: number; second: number } {
  if (all.length === 1) return { demands: all[0] ?? NONE };
  const united = new Map<number, number>();
  for (const [second, demands] of all.entries()) {
    for (const [choice, outcomes] of demands) {
      const left = (united.get(choice) ?? outcomes) & outcomes;
      if (left === 0) return { choice, first: all.findIndex(other => conflicts(other.get(choice), outcomes)), second };
      united.set(choice, left);
    }
  }
  return { demands: forget(united) };
}

function conflicts(outcomes: number | undefined, others: number): boolean {
  return outcomes !== undefined && (outcomes & others) === 0;
}

/** What is demanded where at least one of several holds. */
function common(all: readonly Demands[]): Demands {
  const [first, ...others] = all;
  if (first === undefined) return NONE;
  const shared = new Map<number, number>();
  for (const [choice, outcomes] of first) {
    let union: number | undefined = outcomes;
    for (const other of others) {
      const more = other.get(choice);
      union = more === undefined || union === undefined ? undefined : union | more;
    }
    if (union !== undefined) shared.set(choice, union);
  }
  return shared;
}

function forget(demands: Map<number, number>): Demands {
  for (const choice of demands.keys()) {
    if (demands.size <= REMEMBERED) break;
    demands.delete(choice);
  }
  return demands;
}
