import type { Action, Registry } from '../../../schemas/types.js';
import { highestMatch, parseReference, sourceOf } from '../workflow/resolve.js';
import type { VerificationContext } from './context.js';
import { compareNames } from './rule.js';

/** Who refers to something, and where that is written. */
export interface ReferenceUser {
  readonly pointer: string;
  /** The node, or the definition that a node uses, in words. */
  readonly name: string;
  readonly node_id: string;
}

/** A reference to an action that leads to no definition. */
export interface UnresolvedReference {
  readonly reference: string;
  /** Ordered by name; never empty. */
  readonly users: readonly ReferenceUser[];
  /** The versions that there are of the name. */
  readonly versions: readonly string[];
}

/** What the references of a workflow to actions lead to. */
export interface ActionReferences {
  readonly unresolved: readonly UnresolvedReference[];
  /** References that a registry, which was not given, may know. */
  readonly unknown: readonly string[];
}

interface Use extends ReferenceUser {
  readonly reference: string;
}

/**
 * Returns what the references to actions lead to: those of reachable nodes, and those of the reverts and compensations
 * of every definition that is used. The actions of the workflow come before those of the registry.
 */
export function followActions(context: VerificationContext, registry: Registry | undefined): ActionReferences {
  const own = sourceOf(context.input.actions);
  const places = new Map(
    context.input.actions.map((action, index) => [action, `/actions/${context.input.actionPlaces?.[index] ?? index}`]),
  );
  const others = sourceOf(registry?.actions ?? []);
  const open = usesOf(context).reverse();
  const users = new Map<string, Use[]>();
  const unresolved: string[] = [];
  const unknown: string[] = [];
  for (let use = open.pop(); use !== undefined; use = open.pop()) {
    const known = users.get(use.reference);
    if (known !== undefined) {
      known.push(use);
      continue;
    }
    users.set(use.reference, [use]);
    const { name, range } = parseReference(use.reference);
    const found = highestMatch(own(name), range) ?? highestMatch(others(name), range);
    if (found !== undefined) open.push(...undoUses(found, places.get(found), use));
    else if (registry?.actions === undefined) unknown.push(use.reference);
    else unresolved.push(use.reference);
  }
  const versionsOf = (reference: string): string[] => {
    const { name } = parseReference(reference);
    return [...own(name), ...others(name)].map(action => action.version);
  };
  return {
    unresolved: unresolved.map(reference => ({
      reference,
      users: orderUsers(users.get(reference) ?? []),
      versions: versionsOf(reference),
    })),
    unknown: unknown.sort(),
  };
}

function usesOf(context: VerificationContext): Use[] {
  const uses: Use[] = [];
  for (let node = 0; node < context.graph.nodeCount; node++) {
    if (!context.isJudged(node)) continue;
    const subject = context.node(node);
    const user = { node_id: subject.node_id, name: `node "${subject.node_id}"` };
    const pointer = context.nodePointer(node);
    if (subject.type === 'action')
      uses.push({ ...user, reference: subject.action_def, pointer: `${pointer}/action_def` });
    else if (subject.type === 'error' && subject.compensate_ref !== undefined) {
      uses.push({ ...user, reference: subject.compensate_ref, pointer: `${pointer}/compensate_ref` });
    }
  }
  return uses;
}

function undoUses(action: Action, place: string | undefined, by: Use): Use[] {
  const uses: Use[] = [];
  for (const field of ['revert', 'compensation'] as const) {
    const reference = action[field];
    if (reference === undefined) continue;
    const name = `the ${field} of action "${action.action_id}@${action.version}"`;
    uses.push({
      reference,
      name,
      node_id: by.node_id,
      pointer: place === undefined ? by.pointer : `${place}/${field}`,
    });
  }
  return uses;
}

function orderUsers(uses: readonly Use[]): ReferenceUser[] {
  return [...uses].sort((a, b) => compareNames(a.name, b.name) || compareNames(a.node_id, b.node_id));
}
