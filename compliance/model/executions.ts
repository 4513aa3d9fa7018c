import type { Node } from '../../schemas/types.js';
import type { RuleGraph } from './soundness.js';

/** One execution: how each node that it runs was resolved. */
export type Execution = ReadonlyMap<string, string>;

/**
 * Every execution of a small graph without cycles: any choice of one outcome for each node that runs, values aside. It
 * grows by a factor for every node that can come out in several ways.
 */
export function executionsOf(graph: RuleGraph): Execution[] {
  let executions: Execution[] = [new Map()];
  for (const id of graph.order ?? []) {
    const node = graph.nodes.get(id) as Node;
    const ins = graph.edges.filter(({ to_node }) => to_node === id);
    executions = executions.flatMap(before => {
      const taken = ins.filter(({ from_node, label }) => {
        const outcome = before.get(from_node);
        return outcome !== undefined && (label === outcome || label === 'always');
      }).length;
      const needed = ins.length === 1 || node.join_type === 'AND' ? ins.length : Math.min(1, ins.length);
      return taken < needed ? [before] : outcomesOf(node, graph).map(outcome => new Map([...before, [id, outcome]]));
    });
  }
  return executions;
}

function outcomesOf(node: Node, { edges }: RuleGraph): readonly string[] {
  if (node.type === 'terminal') return [node.status];
  if (node.type === 'error' && node.handling === 'fail') return ['failure'];
  if (node.type !== 'condition') return ['success', 'failure'];
  return [...new Set(edges.filter(({ from_node }) => from_node === node.node_id).map(({ label }) => label))];
}
