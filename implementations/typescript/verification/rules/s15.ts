import type { VerificationContext } from '../context.js';
import type { FindingDraft, Rule } from '../rule.js';

const LABELS = new Set(['success', 'failure', 'always']);

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
    if (context.input.edgesMissing) return { findings: [], notEvaluated: 'some edges are ill-formed' };
    const findings: FindingDraft[] = [];
    for (let node = 0; node < context.graph.nodeCount; node++) {
      if (!context.isJudged(node)) continue;
      const { node_id, type } = context.node(node);
      if ((type !== 'action' && type !== 'skill') || isHandled(context, node)) continue;
      const message = `Nothing handles a failure of the ${type} "${node_id}"`;
      findings.push({ node_id, pointer: context.nodePointer(node), message, related: [], help: s15.help });
    }
    return { findings };
  },
};

/** Whether an edge may take the failure up; a label that is wrong may have meant that. */
function isHandled(context: VerificationContext, node: number): boolean {
  for (const edge of context.out(node)) {
    const { label } = context.edge(edge);
    if (label === 'failure' || label === 'always' || !LABELS.has(label)) return true;
  }
  return false;
}
