import type { VerificationContext } from '../context.js';
import { cannotWaitForAll } from '../exclusive-edges.js';
import { findJoinsTakenTwice } from '../joins-taken-twice.js';
import { isOrJoin } from '../or-joins.js';
import { atEdge, edgeText, type FindingDraft, type Rule } from '../rule.js';

const EDGES_SHOWN = 4;

/** S6: joins are declared. @requirement S6 */
export const s6: Rule = {
  id: 'S6',
  severity: 'warning',
  requirement: 'A node with several in-edges declares join_type; an OR join that ends parallel branches is reported.',
  why: 'Whether a node waits for all branches or for one is a decision; an undeclared join is read as OR, and OR waits until every branch is decided.',
  help: 'Add join_type: AND to wait for all branches, or join_type: OR where one is enough.',
  kinds: [
    {
      id: 'undeclared-join',
      summary: 'several in-edges and no join_type',
      message: /^The node ".*" has [0-9]+ in-edges and no join_type$/,
    },
    {
      id: 'or-join-of-parallel-branches',
      summary: 'an OR join that waits for all of its branches',
      message: /^The OR join ".*" ends parallel branches/,
    },
  ],
  failing: `nodes:
  - { node_id: check, type: condition, expression: 'inputs.fast' }
  - { node_id: quick, type: action, action_def: quick@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: check, to_node: quick, label: 'true' }
  - { from_node: check, to_node: done, label: default }
  - { from_node: quick, to_node: done, label: success }
`,
  passing: `nodes:
  - { node_id: check, type: condition, expression: 'inputs.fast' }
  - { node_id: quick, type: action, action_def: quick@^1 }
  - { node_id: done, type: terminal, status: completed, join_type: OR }
edges:
  - { from_node: check, to_node: quick, label: 'true' }
  - { from_node: check, to_node: done, label: default }
  - { from_node: quick, to_node: done, label: success }
`,
  check(context) {
    const { graph, columns, components } = context;
    const findings: FindingDraft[] = [];
    let isDeclared = false;
    for (let node = 0; node < graph.nodeCount; node++) {
      if (!isOrJoin(context, node)) continue;
      if (columns.isOr[node] === 1) isDeclared = true;
      else findings.push(undeclared(context, node));
    }
    if (!isDeclared) return { findings };
    if (!components.acyclic)
      return { findings, notEvaluated: 'OR joins on parallel branches are looked for once there is no cycle (S1)' };
    if (context.starts.nodes.length !== 1)
      return { findings, notEvaluated: 'OR joins on parallel branches are looked for once there is one start (S4)' };
    const { found, open } = findJoinsTakenTwice(context);
    for (const { join, edges } of found) findings.push(waitingOr(context, join, edges));
    if (open === 0) return { findings };
    const joins = open === 1 ? 'one OR join' : `${open} OR joins`;
    return {
      findings,
      notEvaluated: `the search for executions ended before it was clear whether ${joins} wait for parallel branches`,
    };
  },
};

function undeclared(context: VerificationContext, node: number): FindingDraft {
  const edges = context.ordered(context.in(node)).filter(edge => context.isCounted(edge));
  const { node_id } = context.node(node);
  return {
    node_id,
    pointer: context.nodePointer(node),
    message: `The node "${node_id}" has ${edges.length} in-edges and no join_type`,
    related: edges.slice(0, EDGES_SHOWN).map(edge => atEdge(context, edge, edgeText(context, edge))),
    help: cannotWaitForAll(context, node)
      ? 'Add join_type: OR; the in-edges exclude each other, so that it cannot wait for all.'
      : s6.help,
  };
}

function waitingOr(context: VerificationContext, node: number, edges: readonly number[]): FindingDraft {
  const { node_id } = context.node(node);
  return {
    node_id,
    pointer: context.nodePointer(node),
    message: `The OR join "${node_id}" ends parallel branches: it waits for all of them, and runs if one arrives`,
    related: edges
      .slice(0, EDGES_SHOWN)
      .map(edge => atEdge(context, edge, `${edgeText(context, edge)} can be taken together with the other`)),
    help: 'Use join_type: AND if all branches are needed; nothing is faster with OR.',
  };
}
