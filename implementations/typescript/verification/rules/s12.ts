import { highestMatch, parseReference } from '../../workflow/resolve.js';
import type { VerificationContext } from '../context.js';
import { compareNames, type FindingDraft, listNames, type Rule, type RuleOutcome } from '../rule.js';

const USERS_SHOWN = 4;

/** S12: every skill exists. @requirement S12 */
export const s12: Rule = {
  id: 'S12',
  severity: 'blocking',
  requirement: 'Every workflow_ref resolves.',
  why: 'A skill that does not exist cannot be run.',
  help: 'Register a workflow of that name, or refer to one that exists.',
  failing: `nodes:
  - { node_id: bill, type: skill, workflow_ref: invoice@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: bill, to_node: done, label: success }
`,
  passing: `nodes:
  - { node_id: bill, type: action, action_def: invoice.send@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: bill, to_node: done, label: success }
`,
  check: context => checkSkills(context, 'name'),
};

/** One finding for each reference whose name (S12) or whose version (S13) is in no registry. */
export function checkSkills(context: VerificationContext, part: 'name' | 'version'): RuleOutcome {
  const users = new Map<string, number[]>();
  for (let node = 0; node < context.graph.nodeCount; node++) {
    const subject = context.node(node);
    if (!context.isJudged(node) || subject.type !== 'skill') continue;
    const same = users.get(subject.workflow_ref);
    if (same === undefined) users.set(subject.workflow_ref, [node]);
    else same.push(node);
  }
  const workflows = context.registry?.workflows;
  if (users.size > 0 && workflows === undefined) {
    return {
      findings: [],
      notEvaluated: `no registry was given in which ${listNames([...users.keys()].sort())} could be`,
    };
  }
  const findings: FindingDraft[] = [];
  for (const [reference, nodes] of users) {
    const { name, range } = parseReference(reference);
    const versions = (workflows ?? []).map(({ workflow }) => workflow).filter(workflow => workflow.name === name);
    const missing =
      part === 'name' ? versions.length === 0 : versions.length > 0 && highestMatch(versions, range) === undefined;
    if (!missing) continue;
    const has =
      part === 'name'
        ? 'there is no workflow of that name'
        : `there are the versions ${listNames(versions.map(({ version }) => version).sort())}`;
    findings.push(findingOf(context, reference, nodes, has));
  }
  return { findings };
}

function findingOf(
  context: VerificationContext,
  reference: string,
  nodes: readonly number[],
  has: string,
): FindingDraft {
  const name = (node: number): string => context.node(node).node_id;
  const [first = 0, ...others] = [...nodes].sort((a, b) => compareNames(name(a), name(b)));
  return {
    node_id: name(first),
    pointer: `${context.nodePointer(first)}/workflow_ref`,
    message: `The workflow "${reference}" of node "${name(first)}" does not exist: ${has}`,
    related: others.slice(0, USERS_SHOWN).map(node => ({
      pointer: `${context.nodePointer(node)}/workflow_ref`,
      node_id: name(node),
      message: `node "${name(node)}" refers to it too`,
    })),
    help: s12.help,
  };
}
