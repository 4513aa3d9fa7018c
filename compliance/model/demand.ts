import type { RuleGraph } from './soundness.js';

/** For each choice the outcomes of which one has to be taken. */
type Demand = ReadonlyMap<string, ReadonlySet<string>>;

/** Whether a node is an AND join whose in-edges demand outcomes that exclude each other, by the rules of S2. */
export function isImpossible(graph: RuleGraph, node_id: string): boolean {
  return graph.nodes.get(node_id)?.join_type === 'AND' && demandsOf(graph).get(node_id) === 'impossible';
}

/** What it takes to get to each node; behind an impossible one nothing does. */
function demandsOf({ nodes, edges, order = [] }: RuleGraph): ReadonlyMap<string, Demand | 'impossible'> {
  const demands = new Map<string, Demand | 'impossible'>();
  for (const id of order) {
    const ins = edges.filter(({ to_node }) => to_node === id);
    const along = ins.map(({ from_node, label }) => {
      const before = demands.get(from_node) ?? new Map();
      if (before === 'impossible' || label === 'always') return before;
      return new Map([...before, [from_node, new Set([label])]]);
    });
    const isAnd = nodes.get(id)?.join_type === 'AND' || ins.length === 1;
    demands.set(id, ins.length === 0 ? new Map() : isAnd ? all(along) : some(along));
  }
  return demands;
}

function all(along: readonly (Demand | 'impossible')[]): Demand | 'impossible' {
  const result = new Map<string, ReadonlySet<string>>();
  for (const demand of along) {
    if (demand === 'impossible') return demand;
    for (const [choice, outcomes] of demand) {
      const before = result.get(choice);
      result.set(choice, before === undefined ? outcomes : new Set([...before].filter(one => outcomes.has(one))));
    }
  }
  return [...result.values()].some(({ size }) => size === 0) ? 'impossible' : result;
}

function some(along: readonly (Demand | 'impossible')[]): Demand | 'impossible' {
  const possible = along.filter(demand => demand !== 'impossible');
  const [first, ...others] = possible;
  if (first === undefined) return 'impossible';
  const result = new Map<string, ReadonlySet<string>>();
  for (const [choice, outcomes] of first) {
    if (!others.every(demand => demand.has(choice))) continue;
    result.set(choice, new Set([...outcomes, ...others.flatMap(demand => [...(demand.get(choice) ?? [])])]));
  }
  return result;
}
