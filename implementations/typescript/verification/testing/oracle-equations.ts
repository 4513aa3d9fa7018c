import type { SmallGraph } from './small-graph.js';

/** The chapter's equations, written down as sets and maps; the executions are the judge of both. */

/** Returns for each node which have committed for certain when it runs. */
export function certainAt(
  graph: SmallGraph,
  order: readonly number[],
  reached: readonly boolean[],
): readonly ReadonlySet<number>[] {
  const certain: Set<number>[] = graph.nodes.map(() => new Set());
  for (const at of order) {
    const sets = graph.edges
      .filter(({ from, to }) => to === at && reached[from])
      .map(({ from, label }) => {
        const kind = graph.nodes[from]?.kind;
        const adds = label === 'success' && kind !== 'condition' && kind !== 'choice';
        return new Set([...(certain[from] as Set<number>), ...(adds ? [from] : [])]);
      });
    const [first = new Set<number>(), ...others] = sets;
    certain[at] =
      graph.nodes[at]?.join === 'AND'
        ? new Set(sets.flatMap(set => [...set]))
        : new Set([...first].filter(node => others.every(set => set.has(node))));
  }
  return certain;
}

type Demand = Map<number, ReadonlySet<string>>;

/** Returns the AND joins that the seven steps of the chapter call impossible. */
export function impossibleJoins(graph: SmallGraph, order: readonly number[], reached: readonly boolean[]): number[] {
  const demands = new Map<number, Demand>();
  const impossible = new Set<number>();
  const findings: number[] = [];
  for (const at of order) {
    if (!reached[at]) continue;
    const into = graph.edges.filter(({ from, to }) => to === at && reached[from]);
    const live = into.filter(({ from }) => !impossible.has(from));
    const along = live.map(({ from, label }): Demand => {
      const demand = new Map(demands.get(from));
      return label === 'always' ? demand : demand.set(from, new Set([label]));
    });
    const all = into.length === 1 || graph.nodes[at]?.join === 'AND';
    if (all ? live.length < into.length : into.length > 0 && live.length === 0) {
      impossible.add(at);
      continue;
    }
    const demand = all ? unite(along) : common(along);
    demands.set(at, demand);
    if (![...demand.values()].some(labels => labels.size === 0)) continue;
    impossible.add(at);
    findings.push(at);
  }
  return findings;
}

function unite(all: readonly Demand[]): Demand {
  const united: Demand = new Map();
  for (const demand of all) {
    for (const [choice, labels] of demand) {
      const before = united.get(choice);
      united.set(choice, before === undefined ? labels : new Set([...before].filter(label => labels.has(label))));
    }
  }
  return united;
}

function common([first, ...others]: readonly Demand[]): Demand {
  const shared: Demand = new Map();
  for (const [choice, labels] of first ?? []) {
    if (!others.every(other => other.has(choice))) continue;
    shared.set(choice, new Set([...labels, ...others.flatMap(other => [...(other.get(choice) ?? [])])]));
  }
  return shared;
}
