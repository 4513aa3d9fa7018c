import type { VerificationContext } from '../context.js';
import { atNode, type FindingDraft } from '../rule.js';

/** One finding for each node_id that is taken already, for each action that is defined already, and for the workflow. */
export function checkNames(context: VerificationContext): FindingDraft[] {
  const { graph, input } = context;
  const findings: FindingDraft[] = [];
  for (let node = 0; node < graph.nodeCount; node++) {
    const { node_id } = context.node(node);
    const first = graph.indexOf(node_id);
    if (first === node) continue;
    findings.push({
      node_id,
      pointer: context.nodePointer(node),
      message: `The node_id "${node_id}" is taken already`,
      related: [atNode(context, first, 'by this node')],
      help: 'Rename one of the two, and the edges that mean it.',
    });
  }
  if (context.isTaken && input.workflow !== undefined) {
    const { name, version } = input.workflow.workflow;
    findings.push({
      pointer: '/workflow/name',
      message: `The workflow "${name}@${version}" is defined already by a document that was given before`,
      related: [],
      help: 'Give one of the two another name or version.',
    });
  }
  const actions = new Map<string, string>();
  for (const [index, { action_id, version }] of input.actions.entries()) {
    const id = `${action_id}@${version}`;
    const pointer = `/actions/${input.actionPlaces?.[index] ?? index}`;
    const first = actions.get(id);
    if (first === undefined) {
      actions.set(id, pointer);
      continue;
    }
    findings.push({
      pointer,
      message: `The action "${id}" is defined already`,
      related: [{ pointer: first, message: 'here' }],
      help: 'Remove one of the two, or give it another version.',
    });
  }
  return findings;
}
