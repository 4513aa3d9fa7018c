import type { Kind, SmallEdge, SmallGraph } from './small-graph.js';

/** What all executions of a graph together show, by node index. */
export interface Executions {
  /** How many there are, by the outcomes of the nodes. */
  readonly count: number;
  /** Whether some execution runs the node. */
  readonly runs: readonly boolean[];
  /** Whether some execution takes two in-edges of the node. */
  readonly joined: readonly boolean[];
  /** Whether some execution runs the first node while the second has not committed. */
  readonly lacks: readonly (readonly boolean[])[];
  /** Whether some execution runs the first node, and something that the second executes has committed. */
  readonly commits: readonly (readonly boolean[])[];
  /** Whether some execution runs the node and no error node that a path leads from. */
  readonly withoutError: readonly boolean[];
}

const DEAD = 'dead';

/** The outcomes of a node as far as its out-edges tell them apart; a dead one takes no edge, whatever its label. */
function outcomesOf(kind: Kind, labels: ReadonlySet<string>): string[] {
  if (kind === 'condition' || kind === 'choice') return [...labels, DEAD];
  if (kind === 'completed' || kind === 'failed' || kind === 'fail') return [DEAD];
  return labels.has('always') || labels.has('failure') ? ['success', 'failure', DEAD] : ['success', 'failure'];
}

/** Returns the nodes so that every edge leads to a later one, or undefined where there is a cycle. */
export function orderOf({ nodes, edges }: SmallGraph): number[] | undefined {
  const order: number[] = [];
  while (order.length < nodes.length) {
    const next = nodes.findIndex(
      (_, at) => !order.includes(at) && edges.every(edge => edge.to !== at || order.includes(edge.from)),
    );
    if (next < 0) return undefined;
    order.push(next);
  }
  return order;
}

/**
 * Fires the graph with every combination of outcomes, by the rule of the workflow chapter: a node is decided when all
 * its in-edges are; one edge, or an AND join, needs all of them taken, an OR join one. Needs a graph without cycles.
 */
export function explore(graph: SmallGraph, start: number, order: readonly number[]): Executions {
  const size = graph.nodes.length;
  const into = graph.nodes.map((_, at) => graph.edges.filter(edge => edge.to === at));
  const outcomes = graph.nodes.map(({ kind }, at) =>
    outcomesOf(kind, new Set(graph.edges.filter(edge => edge.from === at).map(edge => edge.label))),
  );
  const table = (): boolean[][] => graph.nodes.map(() => new Array<boolean>(size).fill(false));
  const runs = new Array<boolean>(size).fill(false);
  const joined = new Array<boolean>(size).fill(false);
  const withoutError = new Array<boolean>(size).fill(false);
  const [lacks, commits] = [table(), table()];
  const errors = graph.nodes.map((_, at) => errorsBefore(graph, at));
  const chosen = new Array<number>(size).fill(0);
  const ran = new Array<boolean>(size);
  let count = 0;
  const outcomeOf = (at: number): string => outcomes[at]?.[chosen[at] as number] as string;
  const isTaken = ({ from, label }: SmallEdge): boolean => {
    const outcome = outcomeOf(from);
    return ran[from] === true && outcome !== DEAD && (label === 'always' || label === outcome);
  };
  do {
    count++;
    ran.fill(false);
    for (const at of order) {
      const edges = into[at] as SmallEdge[];
      const taken = edges.reduce((sum, edge) => sum + (isTaken(edge) ? 1 : 0), 0);
      const needed = graph.nodes[at]?.join === 'AND' ? edges.length : 1;
      ran[at] = edges.length === 0 ? at === start : taken >= needed;
      if (taken > 1) joined[at] = true;
    }
    for (let at = 0; at < size; at++) {
      if (!ran[at]) continue;
      runs[at] = true;
      if (!(errors[at] as number[]).some(error => ran[error])) withoutError[at] = true;
      for (let other = 0; other < size; other++) {
        const committed = ran[other] === true && outcomeOf(other) === 'success';
        if (!committed) (lacks[at] as boolean[])[other] = true;
        // Of a skill that failed, its content may have committed all the same.
        if (committed || (ran[other] && graph.nodes[other]?.kind === 'skill')) (commits[at] as boolean[])[other] = true;
      }
    }
  } while (advance(chosen, outcomes));
  return { count, runs, joined, lacks, commits, withoutError };
}

/** The error nodes from which a path leads to a node, and itself if it is one. */
function errorsBefore(graph: SmallGraph, at: number): number[] {
  const isError = (node: number): boolean =>
    !['action', 'skill', 'condition', 'choice', 'completed', 'failed'].includes(graph.nodes[node]?.kind as Kind);
  return graph.nodes.flatMap((_, node) => (isError(node) && (node === at || leads(graph, node, at)) ? [node] : []));
}

/** Whether a path of at least one edge leads from one node to another. */
export function leads({ edges }: SmallGraph, from: number, to: number, without = -1): boolean {
  const seen = new Set<number>();
  const visit = (at: number): boolean =>
    edges.some(edge => {
      if (edge.from !== at || edge.to === without || seen.has(edge.to)) return false;
      seen.add(edge.to);
      return edge.to === to || visit(edge.to);
    });
  return from !== without && visit(from);
}

/** Counts the choices up by one; false once every combination was there. */
function advance(chosen: number[], outcomes: readonly (readonly string[])[]): boolean {
  for (let at = 0; at < chosen.length; at++) {
    chosen[at] = (chosen[at] as number) + 1;
    if ((chosen[at] as number) < (outcomes[at] as string[]).length) return true;
    chosen[at] = 0;
  }
  return false;
}
