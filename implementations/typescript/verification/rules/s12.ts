import { highestMatch, parseReference } from '../../workflow/resolve.js';
import type { VerificationContext } from '../context.js';
import { compareNames, type FindingDraft, listNames, type Rule, type RuleOutcome } from '../rule.js';
import { skillUsers } from '../skill-users.js';
import { suggest } from '../suggestion.js';
import { explainUnresolved, meantFor, type Unresolved } from '../unresolved.js';

const USERS_SHOWN = 4;

/** S12: every skill exists. @requirement S12 */
export const s12: Rule = {
  id: 'S12',
  severity: 'blocking',
  requirement: 'Every workflow_ref resolves.',
  why: 'A skill that does not exist cannot be run.',
  help: 'Register a workflow of that name, or refer to one that exists.',
  kinds: [
    {
      id: 'no-such-skill',
      summary: 'a skill that there is not',
      message: /^The workflow ".*" of node ".*" does not exist: there is no workflow/,
    },
  ],
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

/**
 * One finding for each reference whose name (S12) or whose version (S13) there is not. One that may mean an ill-formed
 * document is left open, since that is the defect. Without a registry a name that
 * is defined nowhere is left open; one that is defined with other versions is not. Of a name that there is not, S13 is
 * not evaluated.
 */
export function checkSkills(context: VerificationContext, part: 'name' | 'version'): RuleOutcome {
  const findings: FindingDraft[] = [];
  const unknown: string[] = [];
  for (const [reference, nodes] of skillUsers(context)) {
    const { skills } = context;
    const { name, range } = parseReference(reference);
    const versions = skills.named(name).map(({ workflow }) => workflow);
    if (highestMatch(versions, range) !== undefined) continue;
    if (context.companions.mayMeanIllFormed(reference)) unknown.push(reference);
    else if (!skills.complete && versions.length === 0) unknown.push(reference);
    else if ((versions.length === 0) === (part === 'name')) {
      const unresolved = explainUnresolved(context, reference, {
        noun: 'workflow',
        names: () => skills.names(),
        versions: versions.map(({ version }) => version),
      });
      findings.push(findingOf(context, reference, nodes, unresolved));
    } else if (part === 'version') unknown.push(reference);
  }
  return unknown.length === 0 ? { findings } : { findings, notEvaluated: unknownSkills(context, unknown) };
}

/** Returns why skills could not be judged. */
export function unknownSkills(context: VerificationContext, references: readonly string[]): string {
  const { skills, companions } = context;
  const illFormed = references.filter(reference => companions.mayMeanIllFormed(reference));
  if (illFormed.length > 0) {
    const reason = `what ${listNames(illFormed.sort())} may mean does not fit its schema (SCHEMA)`;
    const others = references.filter(reference => !companions.mayMeanIllFormed(reference));
    return others.length === 0 ? reason : `${reason}; ${unknownSkills(context, others)}`;
  }
  const names = listNames([...references].sort());
  const isKnown = references.every(reference => skills.named(parseReference(reference).name).length > 0);
  return skills.complete || isKnown
    ? `there is no workflow ${names} (S12, S13)`
    : `no registry was given in which ${names} could be${meantText(context, references)}`;
}

/** A skill that a registry may have is often one of the documents at hand, misspelt. */
function meantText(context: VerificationContext, references: readonly string[]): string {
  const names = context.skills.names();
  for (const reference of [...references].sort()) {
    const help = suggest(context, parseReference(reference).name, names, '');
    if (help !== '') return meantFor(help, references.length === 1 ? undefined : reference);
  }
  return '';
}

function findingOf(
  context: VerificationContext,
  reference: string,
  nodes: readonly number[],
  { reason, help }: Unresolved,
): FindingDraft {
  const name = (node: number): string => context.node(node).node_id;
  const [first = 0, ...others] = [...nodes].sort((a, b) => compareNames(name(a), name(b)));
  return {
    node_id: name(first),
    pointer: `${context.nodePointer(first)}/workflow_ref`,
    message: `The workflow "${reference}" of node "${name(first)}" does not exist: ${reason}`,
    related: others.slice(0, USERS_SHOWN).map(node => ({
      pointer: `${context.nodePointer(node)}/workflow_ref`,
      node_id: name(node),
      message: `node "${name(node)}" refers to it too`,
    })),
    help,
  };
}
