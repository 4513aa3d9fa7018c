import { nearest } from '../../../schemas/index.js';
import type { VerificationContext } from './context.js';

/** How many names one document may have a wrong one compared with; beyond that nothing is suggested. */
const EFFORT = 200_000;
/** Beyond so many names none is looked for that is like a wrong one. */
const MOST_CANDIDATES = 10_000;

const spent = new WeakMap<VerificationContext, number>();

/** Returns the name that was probably meant, as a question; else other help. */
export function suggest(
  context: VerificationContext,
  name: string,
  names: readonly string[],
  otherwise: string,
): string {
  const effort = (spent.get(context) ?? 0) + names.length;
  if (names.length > MOST_CANDIDATES || effort > EFFORT) return otherwise;
  spent.set(context, effort);
  const meant = nearest(name, names);
  return meant === undefined || meant === name ? otherwise : `Did you mean "${meant}"?`;
}

/** Returns what {@link suggest} does, of the names of nodes. */
export function suggestNode(context: VerificationContext, name: string, otherwise: string): string {
  if (context.graph.nodeCount > MOST_CANDIDATES || (spent.get(context) ?? 0) > EFFORT) return otherwise;
  return suggest(
    context,
    name,
    context.graph.nodes.map(node => node.node_id),
    otherwise,
  );
}
