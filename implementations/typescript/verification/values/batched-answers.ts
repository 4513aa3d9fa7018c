import { int32s } from '../../workflow/number-arrays.js';
import type { VerificationContext } from '../context.js';

/** Whether one of some nodes has committed for certain when another runs, or whether a path leads from it to there. */
export interface Question {
  readonly asks: 'commit' | 'path';
  readonly sources: readonly number[];
  readonly reader: number;
}

/** The graph in an order in which every edge leads forward, and which edges say that their source has committed. */
export interface OrderedGraph {
  readonly order: Int32Array;
  readonly position: Int32Array;
  addsSource(edge: number): boolean;
}

/** Questions about the same nodes, which are answered together. */
interface Group {
  readonly asks: Question['asks'];
  readonly sources: readonly number[];
  readonly readers: number[];
  /** The part of the order that has to be walked through. */
  readonly from: number;
  to: number;
}

const WIDTH = 32;
/** How many edges all questions together may follow; beyond that they are left open. */
const EFFORT = 8_000_000;
const EFFORT_PER_EDGE = 16;

/**
 * Answers questions by the equations of the chapter, 32 groups of them in one walk through the part of the graph between
 * their nodes; returns the answer to one, undefined where that was not asked or would have taken too long.
 */
export function answerInBatches(
  context: VerificationContext,
  order: () => OrderedGraph,
  questions: Iterable<Question>,
): (question: Question) => boolean | undefined {
  const open = [...questions];
  if (open.length === 0) return () => undefined;
  const ordered = order();
  const answers = new Map<string, boolean>();
  const groups = groupsOf(ordered.position, open);
  const walk = new Walk(context, ordered);
  let effort = EFFORT + EFFORT_PER_EDGE * context.graph.edgeCount;
  for (let first = 0; first < groups.length && effort > 0; first += WIDTH)
    effort -= walk.answer(groups.slice(first, first + WIDTH), answers);
  return question => answers.get(`${keyOf(question)} ${question.reader}`);
}

function keyOf({ asks, sources }: Pick<Question, 'asks' | 'sources'>): string {
  return `${asks} ${sources.join()}`;
}

/** The groups, ordered so that those next to each other span similar parts of the order. */
function groupsOf(position: Int32Array, questions: Iterable<Question>): Group[] {
  const groups = new Map<string, Group>();
  for (const { asks, sources, reader } of questions) {
    const to = position[reader] as number;
    const known = groups.get(keyOf({ asks, sources }));
    if (known !== undefined) {
      known.readers.push(reader);
      known.to = Math.max(known.to, to);
      continue;
    }
    const from = Math.min(...sources.map(source => position[source] as number));
    groups.set(keyOf({ asks, sources }), { asks, sources, readers: [reader], from, to });
  }
  const span = ({ from, to }: Group): number => 32 - Math.clz32(Math.max(0, to - from));
  return [...groups.values()].sort((a, b) => span(a) - span(b) || a.from - b.from);
}

/** The walk through the graph, whose memory is used again for each batch. */
class Walk {
  readonly #context: VerificationContext;
  readonly #ordered: OrderedGraph;
  /** For each node a bit for each group: what holds when it runs, and what holds behind it. */
  readonly #commits: Int32Array;
  readonly #paths: Int32Array;
  readonly #ownCommits: Int32Array;
  readonly #ownPaths: Int32Array;

  constructor(context: VerificationContext, ordered: OrderedGraph) {
    const { nodeCount } = context.graph;
    this.#context = context;
    this.#ordered = ordered;
    this.#commits = int32s(nodeCount);
    this.#paths = int32s(nodeCount);
    this.#ownCommits = int32s(nodeCount);
    this.#ownPaths = int32s(nodeCount);
  }

  /** Answers the groups and returns how many edges were followed. */
  answer(groups: readonly Group[], answers: Map<string, boolean>): number {
    for (const [bit, { asks, sources }] of groups.entries()) {
      const own = asks === 'commit' ? this.#ownCommits : this.#ownPaths;
      for (const source of sources) own[source] = (own[source] as number) | (1 << bit);
    }
    const from = Math.min(...groups.map(group => group.from));
    const to = Math.max(...groups.map(group => group.to));
    const edges = this.#through(from, to);
    for (const [bit, group] of groups.entries()) {
      const bits = group.asks === 'commit' ? this.#commits : this.#paths;
      for (const reader of group.readers) {
        const inside = (this.#ordered.position[reader] as number) >= from;
        answers.set(`${keyOf(group)} ${reader}`, inside && (((bits[reader] as number) >>> bit) & 1) === 1);
      }
      for (const source of group.sources) {
        this.#ownCommits[source] = 0;
        this.#ownPaths[source] = 0;
      }
    }
    return edges;
  }

  #through(from: number, to: number): number {
    const { graph, reachable } = this.#context;
    const { order, position } = this.#ordered;
    let followed = 0;
    for (let at = from; at <= to; at++) {
      const node = order[at] as number;
      const isAnd = this.#context.columns.isAnd[node] === 1;
      let paths = 0;
      let union = 0;
      let intersection = -1;
      let live = 0;
      for (let next = graph.inStart[node] as number; next < (graph.inStart[node + 1] as number); next++) {
        followed++;
        const edge = graph.inEdges[next] as number;
        const source = graph.source[edge] as number;
        if (source < 0 || reachable[source] === 0) continue;
        live++;
        const inside = (position[source] as number) >= from;
        if (inside) paths |= (this.#paths[source] as number) | (this.#ownPaths[source] as number);
        let commits = inside ? (this.#commits[source] as number) : 0;
        if (inside && this.#ordered.addsSource(edge)) commits |= this.#ownCommits[source] as number;
        union |= commits;
        intersection &= commits;
      }
      this.#paths[node] = paths;
      this.#commits[node] = live === 0 ? 0 : isAnd ? union : intersection;
    }
    return followed + to - from;
  }
}
