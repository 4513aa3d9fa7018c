import type { VerificationContext } from './context.js';

/**
 * Returns outcomes of nodes under which as many of the joins as fit together are reached by two in-edges at once; a
 * plan is an attempt, whose success only an execution shows. Rounds differ in the in-edges that they prefer. The effort
 * is the number of edges that may be followed for it; where it did not suffice, the plan gave up.
 */
export function planOutcomes(
  context: VerificationContext,
  joins: Iterable<number>,
  round: number,
  effort: number,
): { outcomes: ReadonlyMap<number, string>; gaveUp: boolean } {
  const planner = new Planner(context, round, effort);
  let gaveUp = false;
  for (const join of joins) {
    if (planner.add(join)) continue;
    gaveUp = true;
    break;
  }
  return { outcomes: planner.outcomes, gaveUp };
}

/** A node that is to run, and with which outcome where that matters. */
export interface Wish {
  readonly node: number;
  readonly outcome: string | undefined;
}

/**
 * Returns outcomes of nodes under which the wished nodes run in one execution, undefined where this round finds none; what
 * is planned is an attempt here too.
 */
export function planRun(
  context: VerificationContext,
  wishes: readonly Wish[],
  round: number,
): Map<number, string> | undefined {
  const planner = new Planner(context, round, 2 * context.graph.edgeCount);
  return planner.wish(wishes) ? planner.outcomes : undefined;
}

class Planner {
  readonly outcomes = new Map<number, string>();
  readonly #context: VerificationContext;
  readonly #round: number;
  readonly #planned = new Set<number>();
  #effort: number;

  constructor(context: VerificationContext, round: number, effort: number) {
    this.#context = context;
    this.#round = round;
    this.#effort = effort;
  }

  /** Plans for one join more, or leaves everything as it was; returns whether there is effort left. */
  add(join: number): boolean {
    const edges = this.#context.ordered(this.#context.in(join));
    const first = this.#round % edges.length;
    const step = 1 + (Math.floor(this.#round / edges.length) % (edges.length - 1));
    const wanted = [edges[first], edges[(first + step) % edges.length]];
    const outcomes: number[] = [];
    const nodes: number[] = [];
    if (!this.#follow(wanted as number[], outcomes, nodes)) {
      for (const node of outcomes) this.outcomes.delete(node);
      for (const node of nodes) this.#planned.delete(node);
    }
    return this.#effort > 0;
  }

  /** Plans for nodes that are to run; returns whether that went without a contradiction. */
  wish(wishes: readonly Wish[]): boolean {
    for (const { node, outcome } of wishes) if (outcome !== undefined) this.outcomes.set(node, outcome);
    for (const { node } of wishes) {
      if (this.#planned.has(node)) continue;
      this.#planned.add(node);
      if (!this.#follow(this.#needed(node), [], [])) return false;
    }
    return true;
  }

  /** Sees to it that the edges are taken, and notes what was decided for it. */
  #follow(wanted: readonly number[], outcomes: number[], nodes: number[]): boolean {
    const { graph } = this.#context;
    const open = [...wanted];
    for (let edge = open.pop(); edge !== undefined; edge = open.pop()) {
      if (--this.#effort < 0) return false;
      const source = graph.source[edge] as number;
      const { label } = this.#context.edge(edge);
      if (source < 0) return false;
      if (label !== 'always') {
        if (!isOutcome(this.#context, source, label)) return false;
        const decided = this.outcomes.get(source);
        if (decided !== undefined && decided !== label) return false;
        if (decided === undefined) {
          this.outcomes.set(source, label);
          outcomes.push(source);
        }
      }
      if (this.#planned.has(source)) continue;
      this.#planned.add(source);
      nodes.push(source);
      for (const edge of this.#needed(source)) open.push(edge);
    }
    return true;
  }

  /** The in-edges that have to be taken for a node to run: all of an AND join, else one that fits what is decided. */
  #needed(node: number): readonly number[] {
    const edges = Array.from(this.#context.in(node));
    if (edges.length < 2 || this.#context.columns.isAnd[node] === 1) return edges;
    const { graph } = this.#context;
    const fitting = edges.filter(edge => {
      const decided = this.outcomes.get(graph.source[edge] as number);
      if (decided === undefined) return true;
      const { label } = this.#context.edge(edge);
      return decided === label || label === 'always';
    });
    this.#effort -= edges.length;
    const inOrder = this.#context.ordered(fitting);
    const planned = inOrder.find(edge => this.#planned.has(graph.source[edge] as number));
    const chosen = planned ?? inOrder[this.#round % Math.max(1, inOrder.length)];
    return chosen === undefined ? edges : [chosen];
  }
}

/** Whether a node can resolve with an outcome; a label that is wrong is no outcome. */
function isOutcome(context: VerificationContext, node: number, label: string): boolean {
  if (isEnd(context, node)) return false;
  if (context.node(node).type !== 'condition') return label === 'success' || label === 'failure';
  return context.conditionOf(node).type !== 'boolean' || ['true', 'false', 'default'].includes(label);
}

/** Whether a path ends at a node, whatever edges leave it. */
export function isEnd(context: VerificationContext, node: number): boolean {
  const subject = context.node(node);
  return subject.type === 'terminal' || (subject.type === 'error' && subject.handling === 'fail');
}
