import { ACTION, SKILL, SUCCESS } from '../columns.js';
import type { VerificationContext } from '../context.js';
import type { FindingDraft, Rule } from '../rule.js';

/** How messages begin: each part that is added to one takes memory, and a workflow may have a finding for each node. */
const UNHANDLED_ACTION = 'Nothing handles a failure of the action "';
const UNHANDLED_SKILL = 'Nothing handles a failure of the skill "';

/** S15: failures are handled. @requirement S15 */
export const s15: Rule = {
  id: 'S15',
  severity: 'warning',
  requirement: 'A failure or an always edge leaves every action and skill node.',
  why: 'A failure that no edge takes up fails the instance, and what was done before stays as it is.',
  help: 'Add an edge with the label failure to an error node, for example one with handling: fail.',
  kinds: [
    {
      id: 'unhandled',
      summary: 'an action whose failure nothing handles',
      message: /^Nothing handles a failure of the action "/,
    },
    {
      id: 'unhandled-skill',
      summary: 'a skill whose failure nothing handles',
      message: /^Nothing handles a failure of the skill "/,
    },
  ],
  failing: `nodes:
  - { node_id: fetch, type: action, action_def: fetch@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: fetch, to_node: done, label: success }
`,
  passing: `nodes:
  - { node_id: fetch, type: action, action_def: fetch@^1 }
  - { node_id: done, type: terminal, status: completed }
  - { node_id: failed, type: error, handling: fail }
edges:
  - { from_node: fetch, to_node: done, label: success }
  - { from_node: fetch, to_node: failed, label: failure }
`,
  check(context) {
    if (context.input.edgesMissing) return { findings: [], notEvaluated: 'edges are missing or ill-formed' };
    const { id: rule, severity, help } = s15;
    const findings: FindingDraft[] = [];
    let mayBeHandled = false;
    for (let node = 0; node < context.graph.nodeCount; node++) {
      const number = context.columns.type[node];
      if ((number !== ACTION && number !== SKILL) || context.judged[node] === 0 || isHandled(context, node)) continue;
      if (context.looseEnds.handling) {
        mayBeHandled = true;
        continue;
      }
      const node_id = context.graph.names[node] as string;
      const message = `${number === ACTION ? UNHANDLED_ACTION : UNHANDLED_SKILL}${node_id}"`;
      findings.push({ node_id, pointer: context.nodePointer(node), message, related: [], help, rule, severity });
    }
    return mayBeHandled
      ? { findings, notEvaluated: 'an edge from no node may be the one that handles a failure (S5)' }
      : { findings };
  },
};

/** Whether an edge may take the failure up; a label that is wrong may have meant that. */
function isHandled({ graph, columns }: VerificationContext, node: number): boolean {
  for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++) {
    if (columns.label[graph.outEdges[at] as number] !== SUCCESS) return true;
  }
  return false;
}
