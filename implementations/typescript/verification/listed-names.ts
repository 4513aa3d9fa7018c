import type { VerificationContext } from './context.js';

const lists = new WeakMap<VerificationContext, Map<object, readonly string[]>>();

/**
 * Returns the names of a mapping, of the properties of a schema or in a set, in their order. They are sorted once for a
 * document: thousands of findings can tell what names there are beside a wrong one.
 */
export function listedNames(context: VerificationContext, owner: object): readonly string[] {
  const known = lists.get(context) ?? new Map<object, readonly string[]>();
  lists.set(context, known);
  const list = known.get(owner) ?? (owner instanceof Set ? [...owner] : Object.keys(owner)).sort();
  known.set(owner, list);
  return list;
}
