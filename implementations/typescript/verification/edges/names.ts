import { ArsError } from '../../error.js';
import { actionKey } from '../../execution/contract.js';
import { canonicalize } from '../../state/canonical.js';
import { workflowKey } from '../../workflow/resolve.js';
import type { VerificationContext } from '../context.js';
import { atNode, type FindingDraft, usersOf } from '../rule.js';
import { skillUsers } from '../skill-users.js';

/** One finding for each node_id that is taken already, for each action that is defined already, and for the workflow. */
export function checkNames(context: VerificationContext): FindingDraft[] {
  const { graph, input } = context;
  const findings: FindingDraft[] = [];
  const isUnique = graph.nameCount === graph.nodeCount;
  for (let node = 0; node < graph.nodeCount && !isUnique; node++) {
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
  return [...findings, ...checkRegistry(context)];
}

/** One finding for each definition of the registry that is used and of which there is another one, with other content. */
function checkRegistry(context: VerificationContext): FindingDraft[] {
  const { registry } = context;
  const findings: FindingDraft[] = [];
  const actions = repeated(registry?.actions ?? [], actionKey);
  for (const { action, users, pointer } of actions.size === 0 ? [] : context.actions.used) {
    const [first, ...others] = users;
    if (pointer !== undefined || first === undefined || !actions.has(actionKey(action))) continue;
    findings.push({
      node_id: first.node_id,
      pointer: first.pointer,
      message: `The action "${actionKey(action)}" of ${first.name} is defined more than once in the registry, in different ways`,
      related: usersOf(others),
      help: 'Remove one of the two, or give it another version.',
    });
  }
  const workflows = repeated(registry?.workflows ?? [], workflowKey);
  const told = new Set<string>();
  for (const [reference, [node = 0]] of workflows.size === 0 ? [] : skillUsers(context)) {
    const skill = context.skills.resolve(reference);
    const key = skill === undefined ? '' : workflowKey(skill);
    if (!workflows.has(key) || told.has(key)) continue;
    told.add(key);
    const { node_id } = context.node(node);
    findings.push({
      node_id,
      pointer: `${context.nodePointer(node)}/workflow_ref`,
      message: `The workflow "${key}" of node "${node_id}" is defined more than once in the registry, in different ways`,
      related: [],
      help: 'Remove one of the two, or give it another version.',
    });
  }
  return findings;
}

/** The names under which there are several definitions that are not the same. */
function repeated<T>(definitions: readonly T[], keyOf: (definition: T) => string): Set<string> {
  const first = new Map<string, T>();
  const wrong = new Set<string>();
  for (const definition of definitions) {
    const key = keyOf(definition);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, definition);
    else if (earlier !== definition && contentOf(earlier) !== contentOf(definition)) wrong.add(key);
  }
  return wrong;
}

function contentOf(definition: unknown): unknown {
  try {
    return canonicalize(definition);
  } catch (error) {
    if (error instanceof ArsError) return definition;
    throw error;
  }
}
