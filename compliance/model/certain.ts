import type { RuleGraph } from './soundness.js';

/**
 * What has certainly committed when each node runs, by the equations of S8: a success edge adds its source, an AND join
 * unites, any other node has what all its in-edges have.
 */
export function certainAt({ nodes, edges, order = [] }: RuleGraph): ReadonlyMap<string, ReadonlySet<string>> {
  const certain = new Map<string, ReadonlySet<string>>();
  for (const id of order) {
    const along = edges
      .filter(({ to_node }) => to_node === id)
      .map(({ from_node, label }) => {
        const before = certain.get(from_node) ?? new Set<string>();
        return label === 'success' ? new Set([...before, from_node]) : before;
      });
    const all = new Set(along.flatMap(set => [...set]));
    const unites = nodes.get(id)?.join_type === 'AND';
    certain.set(id, unites ? all : new Set([...all].filter(one => along.every(set => set.has(one)))));
  }
  return certain;
}
