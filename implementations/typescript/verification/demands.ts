import { int32s, uint8s } from '../workflow/number-arrays.js';
import type { VerificationContext } from './context.js';
import { type Contradiction, DemandChains } from './demand-chains.js';
import { parallelOrJoins } from './or-joins.js';
import { OutcomeSets } from './outcome-sets.js';
import { readOutcomes } from './outcomes-told.js';
import { markAbove } from './structure.js';

/** An AND join that no execution can start. */
export interface ImpossibleJoin {
  readonly join: number;
  /** The node whose outcomes are demanded together. */
  readonly choice: number;
  /** Two of the in-edges that demand them. */
  readonly edges: readonly number[];
}

/** What the demands of AND joins rule out. */
export interface Impossible {
  /** The joins that can never run; of several one above the other only the first. */
  readonly joins: readonly ImpossibleJoin[];
  /** For each node whether it never runs, because of one of these; absent where there is none. */
  readonly nodes?: Uint8Array;
  /** What {@link findMeetingBranches} gives of all OR joins, where it was found on the way. */
  readonly meeting?: readonly number[];
}

/** How many steps the comparison of demands may take for each node and edge; some always. */
const STEPS = 1_000_000;
const STEPS_PER_PART = 32;
/** How many demands an in-edge of an AND join may add to those of the others, and all together, beside what edges demand themselves. */
const UNITED = 64;
const MOST_UNITED = 1_000_000;
/** How many vertices and steps the sets of choices with many outcomes may take for each node and edge; some always. */
const SET_ROOM = 1_000_000;
const SET_ROOM_PER_PART = 8;
const SET_STEPS = 10_000_000;
const SET_STEPS_PER_PART = 64;
/** How many in-edges of an OR join are told apart. */
const WAYS = 64;

/**
 * Returns what can never run because the in-edges of an AND join demand disjoint outcomes of one choice. Needs a graph
 * without cycles.
 *
 * Sound and not complete: what is named never runs.
 */
export function findImpossible(context: VerificationContext): Impossible {
  const { graph, columns } = context;
  const joins: number[] = [];
  for (let node = 0; node < graph.nodeCount; node++)
    if (columns.isAnd[node] === 1 && isAndJoin(context, node)) joins.push(node);
  if (joins.length === 0) return { joins: [] };
  const orJoins = parallelOrJoins(context);
  const meeting = new Set(orJoins);
  const { found, impossible, isUnsure } = walkDemands(context, {
    explained: joins,
    ...visitBranches(orJoins, meeting),
  });
  if (found.length > 0) spread(context, impossible);
  return {
    joins: found,
    ...(found.length === 0 ? {} : { nodes: impossible }),
    // Where a label may have meant another, OR joins are looked at by what the labels say.
    ...(isUnsure ? {} : { meeting: orJoins.filter(join => meeting.has(join) && impossible[join] === 0) }),
  };
}

/** Marks also nodes that lead to no AND join, and are not reached but from nodes that never run. */
function spread(context: VerificationContext, impossible: Uint8Array): void {
  const { graph, order, reachable } = context;
  for (let next = 0; next < order.length; next++) {
    const node = order[next] as number;
    if (reachable[node] === 0 || impossible[node] === 1) continue;
    let open = 0;
    let shut = 0;
    for (let at = graph.inStart[node] as number; at < (graph.inStart[node + 1] as number); at++) {
      const edge = graph.inEdges[at] as number;
      if (!isLive(context, edge)) continue;
      if (impossible[graph.source[edge] as number] === 1) shut++;
      else open++;
    }
    if (shut > 0 && open === 0) impossible[node] = 1;
  }
}

/** How many in-edges of a join are compared with each other; more are compared where they part. */
const COMPARED = 16;

/**
 * Returns those of the OR joins of which two in-edges may be taken together, since they demand no disjoint outcomes; what is
 * behind an impossible AND join never runs, and is none of them.
 */
export function findMeetingBranches(context: VerificationContext, joins: readonly number[]): readonly number[] {
  const { nodes: impossible } = context.impossible;
  const wanted = impossible === undefined ? joins : joins.filter(join => impossible[join] === 0);
  if (wanted.length === 0) return [];
  const meeting = new Set(wanted);
  walkDemands(context, visitBranches(wanted, meeting));
  return wanted.filter(join => meeting.has(join));
}

/** A walk that takes out of the OR joins those whose branches demand disjoint outcomes. */
function visitBranches(joins: readonly number[], meeting: Set<number>): Walk {
  const visit: Visit = (node, ways, chains) => {
    const meet = ways.length <= COMPARED ? meetPairwise(ways, chains) : !chains.partDisjointly(ways);
    if (!meet) meeting.delete(node);
  };
  return { visited: joins, visit, mostWays: Number.POSITIVE_INFINITY };
}

function meetPairwise(ways: readonly number[], chains: DemandChains): boolean {
  for (let one = 1; one < ways.length; one++)
    for (let other = 0; other < one; other++)
      if (!chains.areDisjoint(ways[one] as number, ways[other] as number)) return true;
  return false;
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
  const kept = new Map<number, readonly number[]>();
  let chains: DemandChains | undefined;
  const visit: Visit = (node, ways, all, successOf) => {
    chains = all;
    const own = wanted.get(node) === 'success' ? successOf(node) : 0;
    kept.set(node, own === 0 ? ways : ways.map(way => all.add(way, node, own)));
  };
  const visited = [...wanted.keys()];
  walkDemands(context, { visited, visit, resolving: new Set(visited) });
  return {
    excludes(node, other) {
      const one = kept.get(node);
      const two = kept.get(other);
      // A node without demands on record is behind an impossible join, or was left out: it never runs together with anything.
      if (one === undefined || two === undefined || chains === undefined) return true;
      return one.every(way => two.every(another => chains?.areDisjoint(way, another)));
    },
  };
}

/**
 * Takes what is demanded on each of the ways on which a wanted node can be reached last: one for an OR join's every in-edge.
 * Success of a node that is asked for is a set of its own, 0 where that is no choice.
 */
type Visit = (node: number, ways: readonly number[], chains: DemandChains, successOf: (node: number) => number) => void;

/** What is asked of a walk through demands. */
interface Walk {
  /** AND joins: those that are impossible are found; choices with a label that may have meant another count for nothing. */
  readonly explained?: readonly number[];
  readonly visited: readonly number[];
  readonly visit: Visit;
  /** Nodes of which it is asked with which outcome they resolved, so that success counts as one of them. */
  readonly resolving?: ReadonlySet<number>;
  /** How many in-edges of an OR join are told apart; {@link WAYS} where absent. */
  readonly mostWays?: number;
}

const NOBODY: ReadonlySet<number> = new Set();

/**
 * Finds the demands of everything that leads to the nodes that are asked for, in topological order; returns which of it is
 * impossible, the joins to be explained that make it so, and whether a choice counted for nothing.
 */
function walkDemands(
  context: VerificationContext,
  { explained, visited, visit, resolving = NOBODY, mostWays = WAYS }: Walk,
): { found: ImpossibleJoin[]; impossible: Uint8Array; isUnsure: boolean } {
  const { graph, reachable, order } = context;
  const { inStart, inEdges, source } = graph;
  const relevant = uint8s(graph.nodeCount);
  for (const node of visited) relevant[node] = 1;
  if (explained !== undefined) for (const node of explained) relevant[node] = 1;
  markAbove(graph, order, relevant);
  const parts = graph.nodeCount + graph.edgeCount;
  const sets = new OutcomeSets(SET_ROOM + SET_ROOM_PER_PART * parts, SET_STEPS + SET_STEPS_PER_PART * parts);
  const told = readOutcomes(context, sets, relevant, resolving, explained !== undefined);
  const { outcomes, every, success, count, isUnsure } = told;
  const found: ImpossibleJoin[] = [];
  const impossible = uint8s(graph.nodeCount);
  if (count === 0 && visited.length === 0) return { found, impossible, isUnsure };
  const united = Math.min(MOST_UNITED, UNITED * countUnited(context, relevant));
  const room = count + 2 * (graph.nodeCount + WAYS * resolving.size) + united;
  const shares = explained === undefined || visited.length === 0 ? 1 : 2;
  const chains = new DemandChains(sets, every, room, shares * (STEPS + STEPS_PER_PART * parts));
  /** Of each node what is demanded, {@link DemandChains.none} from the start. */
  const demands = int32s(graph.nodeCount);
  const isVisited = uint8s(graph.nodeCount);
  for (const node of visited) isVisited[node] = 1;
  const successOf = (node: number): number => success.get(node) ?? 0;
  const listAlong = (edge: number): number => {
    const above = source[edge] as number;
    const outcome = outcomes[edge] as number;
    return outcome === 0 ? (demands[above] as number) : chains.add(demands[above] as number, above, outcome);
  };
  for (let next = 0; next < order.length; next++) {
    const node = order[next] as number;
    if (reachable[node] === 0 || relevant[node] === 0) continue;
    if (isVisited[node] !== 1 && followOnly(node)) continue;
    const isAnd = isAndJoin(context, node);
    const entering: number[] = [];
    let all = 0;
    for (let at = inStart[node] as number; at < (inStart[node + 1] as number); at++) {
      const edge = inEdges[at] as number;
      const above = source[edge] as number;
      if (above < 0 || reachable[above] === 0) continue;
      all++;
      if (impossible[above] === 0) entering.push(listAlong(edge));
    }
    if (isAnd || all === 1) {
      if (entering.length < all) impossible[node] = 1;
      const united = chains.unite(entering);
      if (typeof united === 'number') demands[node] = united;
      else {
        impossible[node] = 1;
        if (explained !== undefined && entering.length === all) found.push(explain(node, united, entering));
      }
    } else if (all > 0 && entering.length === 0) impossible[node] = 1;
    else demands[node] = chains.common(entering);
    if (impossible[node] === 1 || isVisited[node] !== 1) continue;
    const isSplit = !isAnd && entering.length > 1 && entering.length <= mostWays;
    visit(node, isSplit ? entering : [demands[node] as number], chains, successOf);
  }
  return { found, impossible, isUnsure };

  /** Passes on what the only in-edge of a node demands, as that of most nodes; returns whether it has just one. */
  function followOnly(node: number): boolean {
    const from = inStart[node] as number;
    if (inStart[node + 1] !== from + 1) return false;
    const edge = inEdges[from] as number;
    const above = source[edge] as number;
    if (above < 0 || reachable[above] === 0) return false;
    if (impossible[above] === 1) impossible[node] = 1;
    else demands[node] = listAlong(edge);
    return true;
  }

  /** The contradiction at a join, if possible found once more in an order that the document does not decide. */
  function explain(join: number, contradiction: Contradiction, entering: readonly number[]): ImpossibleJoin {
    const live = [...context.in(join)].filter(edge => isLive(context, edge));
    const ordered = context.ordered(live);
    const lists = new Map(live.map((edge, at) => [edge, entering[at] as number]));
    const again = chains.unite(ordered.map(edge => lists.get(edge) as number));
    const [edges, { choice, first, second }] = typeof again === 'number' ? [live, contradiction] : [ordered, again];
    return { join, choice, edges: [first, second].flatMap(at => edges[at] ?? []) };
  }
}

/** How many in-edges the AND joins among some nodes have. */
function countUnited(context: VerificationContext, relevant: Uint8Array): number {
  const { graph, columns } = context;
  const { inStart } = graph;
  let united = 0;
  for (let node = 0; node < graph.nodeCount; node++)
    if (relevant[node] === 1 && columns.isAnd[node] === 1 && isAndJoin(context, node))
      united += (inStart[node + 1] as number) - (inStart[node] as number);
  return united;
}

/** Whether a node waits for several in-edges at once. */
function isAndJoin({ graph, columns, judged }: VerificationContext, node: number): boolean {
  const edges = (graph.inStart[node + 1] as number) - (graph.inStart[node] as number);
  return columns.isAnd[node] === 1 && judged[node] === 1 && edges > 1;
}

function isLive({ graph, reachable }: VerificationContext, edge: number): boolean {
  const source = graph.source[edge] as number;
  return source >= 0 && reachable[source] === 1;
}
