import type { Workflow } from '../../../../schemas/types.js';
import { parseReference, workflowKey } from '../../workflow/resolve.js';
import type { VerificationContext } from '../context.js';
import type { UnresolvedReference } from '../references.js';
import { type FindingDraft, listNames, type Rule } from '../rule.js';
import { suggest } from '../suggestion.js';
import { explainUnresolved, meantFor, suggestOffered } from '../unresolved.js';

const USERS_SHOWN = 4;

/** S7: every action exists. @requirement S7 */
export const s7: Rule = {
  id: 'S7',
  severity: 'blocking',
  requirement:
    'Every action reference (action_def, compensation, revert, compensate_ref) resolves to a definition of a matching version.',
  why: 'A reference without a definition cannot be executed, and nobody can say what it would do.',
  help: 'Define the action in the workflow or register it, or refer to a version that exists.',
  kinds: [
    {
      id: 'no-such-action',
      summary: 'an action that is not defined',
      message: /^The action ".*" of .* does not exist: there is no action of that name$/,
    },
    {
      id: 'no-such-version',
      summary: 'a version that is not defined',
      message: /^The action ".*" of .* does not exist: there (is|are) the version/,
    },
    {
      id: 'no-range',
      summary: 'a range that is none',
      message: /^The action ".*" of .* does not exist: ".*" is no range of versions/,
    },
  ],
  failing: `actions:
  - { action_id: fetch, version: 1.2.0, determinism: deterministic, rollback: rollbackable, side_effects: [] }
nodes:
  - { node_id: fetch, type: action, action_def: fetch@^2 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: fetch, to_node: done, label: success }
`,
  passing: `actions:
  - { action_id: fetch, version: 1.2.0, determinism: deterministic, rollback: rollbackable, side_effects: [] }
nodes:
  - { node_id: fetch, type: action, action_def: fetch@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: fetch, to_node: done, label: success }
`,
  check(context) {
    const { unresolved, unknown } = context.actions;
    const illFormed = new Set(context.actions.illFormed);
    const findings = unresolved.map(reference => findingOf(context, reference));
    if (unknown.length === 0) return { findings };
    const open = unknown.filter(reference => !illFormed.has(reference));
    const reasons = [
      ...(illFormed.size === 0 ? [] : [`what ${listNames([...illFormed])} may mean does not fit its schema (SCHEMA)`]),
      ...(open.length === 0
        ? []
        : [`no registry was given in which ${listNames(open)} could be${meantText(context, open)}`]),
    ];
    return { findings, notEvaluated: reasons.join('; ') };
  },
};

/** A reference that a registry may know is often one to an action of another document, or of this one, misspelt. */
function meantText(context: VerificationContext, unknown: readonly string[]): string {
  for (const reference of unknown) {
    const definer = context.companions.definerOf(reference);
    if (definer !== undefined) return `; for "${reference}": ${definedElsewhere(definer)}`;
  }
  const ids = context.actions.ids();
  for (const reference of unknown) {
    const { name } = parseReference(reference);
    const help = suggest(context, name, ids, '') || suggestOffered(context, name);
    if (help !== '') return meantFor(help, unknown.length === 1 ? undefined : reference);
  }
  return '';
}

/** An action of another document is often thought to count here. */
function definedElsewhere(definer: Workflow): string {
  const owner = workflowKey(definer);
  return `"${owner}" defines it for itself alone; define it in this workflow as well, or in a registry for both`;
}

function findingOf(context: VerificationContext, { reference, users, versions }: UnresolvedReference): FindingDraft {
  const [first, ...others] = users;
  const definer = context.companions.definerOf(reference);
  const { reason, help } = explainUnresolved(context, reference, {
    noun: 'action',
    names: () => context.actions.ids(),
    versions,
  });
  return {
    ...(first === undefined ? {} : { node_id: first.node_id }),
    pointer: first?.pointer ?? '',
    message: `The action "${reference}" of ${first?.name ?? 'the workflow'} does not exist: ${reason}`,
    related: others
      .slice(0, USERS_SHOWN)
      .map(({ pointer, name, node_id }) => ({ pointer, node_id, message: `${name} refers to it too` })),
    help: definer === undefined ? help : `${definedElsewhere(definer)}.`,
  };
}
