import type { Instance } from '../../workflow/instance.js';
import { PHASE } from '../../workflow/instance.js';

/** What follows from the log of an instance, but has no record of its own. */
export interface Unrecorded {
  /** The condition nodes that were evaluated, in that order: the label that each gave, or why it failed. */
  readonly conditions: readonly (
    | { readonly node_id: string; readonly label: string }
    | { readonly node_id: string; readonly error: string }
  )[];
  /** The nodes that were skipped, in that order. */
  readonly skipped: readonly string[];
  /** Of an instance that has not ended: the nodes that are next, and what each of them waits for. */
  readonly waiting: readonly {
    readonly node_id: string;
    /** The nodes that have to be resolved before; none where it could start, or wants only to be tried again. */
    readonly for: readonly string[];
    /** Whether it waits for its next attempt. */
    readonly again?: true;
  }[];
}

/** Gives what an instance, folded from its log, came to without a record of it, and what it waits for. */
export function unrecordedOf(instance: Instance): Unrecorded {
  const { plan, outcome, failures, resolved, end } = instance;
  const { names } = plan.graph;
  const conditions: Unrecorded['conditions'][number][] = [];
  const skipped: string[] = [];
  for (const node of resolved) {
    const node_id = names[node] as string;
    if (outcome[node] === 'skipped') skipped.push(node_id);
    else if (plan.steps[node]?.kind === 'condition') {
      const error = failures.get(node)?.detail;
      conditions.push(error === undefined ? { node_id, label: takenFrom(instance, node) } : { node_id, error });
    }
  }
  return { conditions, skipped, waiting: end === undefined ? waitingIn(instance) : [] };
}

/** The label of the out-edge that was taken. */
function takenFrom({ plan: { graph }, edgeTaken }: Instance, node: number): string {
  for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++) {
    const edge = graph.outEdges[at] as number;
    if (edgeTaken[edge] === 1) return (graph.edges[edge] as { label: string }).label;
  }
  return '';
}

function waitingIn({ plan: { graph }, phase, open }: Instance): Unrecorded['waiting'] {
  const waiting: Unrecorded['waiting'][number][] = [];
  for (let node = 0; node < graph.nodeCount; node++) {
    const node_id = graph.names[node] as string;
    if (phase[node] === PHASE.backoff) waiting.push({ node_id, for: [], again: true });
    else if (phase[node] === PHASE.ready) waiting.push({ node_id, for: [] });
    else if (phase[node] === PHASE.waiting) {
      const [from, until] = [graph.inStart[node] as number, graph.inStart[node + 1] as number];
      if (open[node] === until - from) continue;
      const before = new Set<string>();
      for (let at = from; at < until; at++) {
        const source = graph.source[graph.inEdges[at] as number] as number;
        if (phase[source] !== PHASE.resolved) before.add(graph.names[source] as string);
      }
      waiting.push({ node_id, for: [...before] });
    }
  }
  return waiting;
}
