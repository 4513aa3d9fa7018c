import { int32s, uint8s } from '../workflow/number-arrays.js';
import { ALWAYS, CONDITION, DEFAULT, FAIL, FAILURE, FALSE, SUCCESS, TERMINAL, TRUE } from './columns.js';
import type { VerificationContext } from './context.js';

/** No number of a label: how a node resolves does not matter. */
export const UNDECIDED = -1;

/** A node that is to run, and the number of the label of its outcome where that matters. */
export interface Wish {
  readonly node: number;
  readonly outcome: number | undefined;
}

/**
 * Decides for nodes how they resolve, so that joins are reached or nodes run. A plan is an attempt, whose success only an
 * execution shows; rounds differ in the in-edges that they prefer.
 */
export class Planner {
  /** For each node the number of the label of the outcome that was decided, or {@link UNDECIDED}. */
  readonly outcomes: Int32Array;
  readonly #context: VerificationContext;
  /** Whether it is planned that a node runs. */
  readonly #runs: Uint8Array;
  /** What was decided and planned in turn, so that it can be taken back; and how much that is. */
  readonly #decided: Int32Array;
  readonly #planned: Int32Array;
  #decidedCount = 0;
  #plannedCount = 0;
  /** Edges that are to be taken; an array that is emptied would give its memory back, so that only their number is. */
  readonly #open: number[] = [];
  #openCount = 0;
  readonly #fitting: number[] = [];
  /** The in-edges of the graph, and the nodes of which they were put in order: most are asked for several times or never. */
  readonly #ordered: Int32Array;
  readonly #isOrdered: Uint8Array;
  #round = 0;
  #effort = 0;

  constructor(context: VerificationContext) {
    const { nodeCount, inEdges } = context.graph;
    this.#context = context;
    this.outcomes = int32s(nodeCount).fill(UNDECIDED);
    this.#runs = uint8s(nodeCount);
    this.#decided = int32s(nodeCount);
    this.#planned = int32s(nodeCount);
    this.#ordered = int32s(inEdges.length);
    this.#ordered.set(inEdges);
    this.#isOrdered = uint8s(nodeCount);
  }

  /** The nodes of which an outcome was decided. */
  get decided(): Int32Array {
    return this.#decided.subarray(0, this.#decidedCount);
  }

  /** Forgets everything; the effort is the number of edges that may be followed from here on. */
  begin(round: number, effort: number): void {
    this.#takeBack(0, 0);
    this.#round = round;
    this.#effort = effort;
  }

  /**
   * Plans that two in-edges of one join more are taken, or leaves everything as it was; returns whether there is effort
   * left.
   */
  add(join: number): boolean {
    const { inStart } = this.#context.graph;
    const edges = this.#inOrder(join);
    const from = inStart[join] as number;
    const count = (inStart[join + 1] as number) - from;
    const first = this.#round % count;
    const step = 1 + (Math.floor(this.#round / count) % (count - 1));
    const [decided, planned] = [this.#decidedCount, this.#plannedCount];
    this.#openCount = 0;
    this.#open[this.#openCount++] = edges[from + first] as number;
    this.#open[this.#openCount++] = edges[from + ((first + step) % count)] as number;
    if (!this.#follow()) this.#takeBack(decided, planned);
    return this.#effort > 0;
  }

  /** Plans for nodes that are to run; returns whether that went without a contradiction. */
  wish(wishes: readonly Wish[]): boolean {
    for (const { node, outcome } of wishes) if (outcome !== undefined) this.#decide(node, outcome);
    for (const { node } of wishes) {
      if (this.#runs[node] === 1) continue;
      this.#plan(node);
      this.#openCount = 0;
      this.#need(node);
      if (!this.#follow()) return false;
    }
    return true;
  }

  #decide(node: number, outcome: number): void {
    if (this.outcomes[node] === UNDECIDED) this.#decided[this.#decidedCount++] = node;
    this.outcomes[node] = outcome;
  }

  #plan(node: number): void {
    this.#runs[node] = 1;
    this.#planned[this.#plannedCount++] = node;
  }

  /** Forgets all but what was decided and planned first. */
  #takeBack(decided: number, planned: number): void {
    while (this.#decidedCount > decided) this.outcomes[this.#decided[--this.#decidedCount] as number] = UNDECIDED;
    while (this.#plannedCount > planned) this.#runs[this.#planned[--this.#plannedCount] as number] = 0;
  }

  /** Sees to it that the open edges are taken; returns whether they can be. */
  #follow(): boolean {
    const { graph, columns } = this.#context;
    while (this.#openCount > 0) {
      const edge = this.#open[--this.#openCount] as number;
      if (--this.#effort < 0) return false;
      const source = graph.source[edge] as number;
      if (source < 0) return false;
      const label = columns.label[edge] as number;
      const decided = this.outcomes[source] as number;
      if (label !== ALWAYS && decided !== label) {
        if (decided !== UNDECIDED || !isOutcome(this.#context, source, label)) return false;
        this.#decide(source, label);
      }
      if (this.#runs[source] === 1) continue;
      this.#plan(source);
      this.#need(source);
    }
    return true;
  }

  /** Opens the in-edges that have to be taken for a node to run: all of an AND join, else one that fits what is decided. */
  #need(node: number): void {
    const { graph, columns } = this.#context;
    const from = graph.inStart[node] as number;
    const to = graph.inStart[node + 1] as number;
    const chosen = to - from < 2 || columns.isAnd[node] === 1 ? -1 : this.#choose(node);
    if (chosen >= 0) {
      this.#open[this.#openCount++] = chosen;
      return;
    }
    const edges = to - from < 2 ? graph.inEdges : this.#inOrder(node);
    for (let at = from; at < to; at++) this.#open[this.#openCount++] = edges[at] as number;
  }

  /** The in-edge of a node that fits what is decided: one from a node that runs, else another in each round; -1 for none. */
  #choose(node: number): number {
    const { source, inStart } = this.#context.graph;
    const { label } = this.#context.columns;
    const edges = this.#inOrder(node);
    const from = inStart[node] as number;
    const to = inStart[node + 1] as number;
    this.#effort -= to - from;
    const fitting = this.#fitting;
    let count = 0;
    for (let at = from; at < to; at++) {
      const edge = edges[at] as number;
      const before = source[edge] as number;
      const decided = before < 0 ? UNDECIDED : (this.outcomes[before] as number);
      if (decided !== UNDECIDED && decided !== label[edge] && label[edge] !== ALWAYS) continue;
      if (this.#runs[before] === 1) return edge;
      fitting[count++] = edge;
    }
    return count === 0 ? -1 : (fitting[this.#round % count] as number);
  }

  /** The in-edges of all nodes, those of one in the order of the names of their ends and of their labels. */
  #inOrder(node: number): Int32Array {
    const edges = this.#ordered;
    if (this.#isOrdered[node] === 1) return edges;
    this.#isOrdered[node] = 1;
    const { inStart } = this.#context.graph;
    const from = inStart[node] as number;
    const to = inStart[node + 1] as number;
    if (to - from > FEW) {
      edges.set(this.#context.ordered(edges.subarray(from, to)), from);
      return edges;
    }
    for (let next = from + 1; next < to; next++) {
      const edge = edges[next] as number;
      let place = next;
      for (; place > from && this.#context.compareEdges(edges[place - 1] as number, edge) > 0; place--)
        edges[place] = edges[place - 1] as number;
      edges[place] = edge;
    }
    return edges;
  }
}

/** How many edges are put in order by comparing each with those before. */
const FEW = 8;

/** Whether a node can resolve with an outcome; a label that is wrong is no outcome. */
function isOutcome(context: VerificationContext, node: number, label: number): boolean {
  if (isEnd(context, node)) return false;
  if (context.columns.type[node] !== CONDITION) return label === SUCCESS || label === FAILURE;
  if (label === TRUE || label === FALSE || label === DEFAULT) return true;
  return context.conditionOf(node).type !== 'boolean';
}

/** Whether a path ends at a node, whatever edges leave it. */
export function isEnd({ columns }: VerificationContext, node: number): boolean {
  const type = columns.type[node];
  return type === TERMINAL || type === FAIL;
}
