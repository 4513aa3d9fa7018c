import type { Edge, Node } from '../../../schemas/types.js';
import type { Graph } from '../workflow/graph.js';
import { ALWAYS, type Columns, FAILURE, SUCCESS } from './columns.js';

/**
 * What edges with an end that does not exist may have been meant for. S5 names each such end; what some node lacks may be
 * just that edge, so other rules leave it out.
 */
export interface LooseEnds {
  /** Whether an edge from a reachable node leads to no node, so that some node may lack an in-edge. */
  readonly toNothing: boolean;
  /** Whether an edge from no node has a label that goes on, one that handles a failure, or one of a condition. */
  readonly onward: boolean;
  readonly handling: boolean;
  readonly choosing: boolean;
  /** The names that no node has. */
  readonly names: ReadonlySet<string>;
}

/** No edge has a missing end. */
export const NO_LOOSE_ENDS: LooseEnds = {
  toNothing: false,
  onward: false,
  handling: false,
  choosing: false,
  names: new Set(),
};

/** Returns what the edges with a missing end may have been meant for. */
export function findLooseEnds(
  graph: Graph<Node, Edge>,
  { label }: Columns,
  unclear: ReadonlySet<number>,
  reachable: Uint8Array,
): LooseEnds {
  if (graph.outEdges.length === graph.edgeCount && graph.inEdges.length === graph.edgeCount) return NO_LOOSE_ENDS;
  let found: { -readonly [Part in keyof LooseEnds]: LooseEnds[Part] } | undefined;
  const names = new Set<string>();
  for (let edge = 0; edge < graph.edgeCount; edge++) {
    const source = graph.source[edge] as number;
    const isLoose = (graph.target[edge] as number) < 0;
    if (source >= 0 && (!isLoose || reachable[source] === 0)) continue;
    found ??= { ...NO_LOOSE_ENDS, names };
    const { from_node, to_node } = graph.edges[edge] as Edge;
    if (isLoose) names.add(to_node);
    if (source >= 0) {
      found.toNothing = true;
      continue;
    }
    names.add(from_node);
    if (unclear.has(edge)) continue;
    const number = label[edge] as number;
    if (number === SUCCESS || number === ALWAYS) found.onward = true;
    if (number === FAILURE || number === ALWAYS) found.handling = true;
    if (number > ALWAYS) found.choosing = true;
  }
  return found ?? NO_LOOSE_ENDS;
}
