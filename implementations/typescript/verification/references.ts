import type { Action, Node, Registry } from '../../../schemas/types.js';
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
  /** Nodes first, each kind ordered by name; never empty. */
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

/** Everything that refers to one thing: nodes by index, and definitions. */
interface Users {
  readonly nodes: number[];
  readonly definitions: ReferenceUser[];
}

/**
 * Returns what the references to actions lead to: those of reachable nodes, and those of the reverts and compensations
 * of every definition that is used. The actions of the workflow come before those of the registry.
 */
export function followActions(context: VerificationContext, registry: Registry | undefined): ActionReferences {
  const own = sourceOf(context.input.actions);
  const others = sourceOf(registry?.actions ?? []);
  const users = usersOf(context);
  const places = new Map(
    context.input.actions.map((action, index) => [action, context.input.actionPlaces?.[index] ?? index]),
  );
  const open = [...users.keys()];
  const unresolved: string[] = [];
  const unknown: string[] = [];
  for (let reference = open.pop(); reference !== undefined; reference = open.pop()) {
    const { name, range } = parseReference(reference);
    const found = highestMatch(own(name), range) ?? highestMatch(others(name), range);
    if (found === undefined) (registry?.actions === undefined ? unknown : unresolved).push(reference);
    else for (const undo of addUndoUsers(context, users, reference, found, places.get(found))) open.push(undo);
  }
  const versionsOf = (reference: string): string[] => {
    const { name } = parseReference(reference);
    return [...own(name), ...others(name)].map(action => action.version);
  };
  return {
    unresolved: unresolved.map(reference => ({
      reference,
      users: describe(context, users.get(reference)),
      versions: versionsOf(reference),
    })),
    unknown: unknown.sort(),
  };
}

function usersOf(context: VerificationContext): Map<string, Users> {
  const users = new Map<string, Users>();
  for (let node = 0; node < context.graph.nodeCount; node++) {
    const reference = context.isJudged(node) ? referenceOf(context.node(node)) : undefined;
    if (reference === undefined) continue;
    const known = users.get(reference);
    if (known === undefined) users.set(reference, { nodes: [node], definitions: [] });
    else known.nodes.push(node);
  }
  return users;
}

function referenceOf(node: Node): string | undefined {
  if (node.type === 'action') return node.action_def;
  return node.type === 'error' ? node.compensate_ref : undefined;
}

/** Adds the references of a definition that is used; returns those that were not there before. */
function addUndoUsers(
  context: VerificationContext,
  users: Map<string, Users>,
  by: string,
  action: Action,
  place: number | undefined,
): string[] {
  const added: string[] = [];
  for (const field of ['revert', 'compensation'] as const) {
    const reference = action[field];
    if (reference === undefined) continue;
    const user = firstUser(context, users.get(by));
    const pointer = place === undefined ? (user?.pointer ?? '') : `/actions/${place}/${field}`;
    const name = `the ${field} of action "${action.action_id}@${action.version}"`;
    const definition = { pointer, name, node_id: user?.node_id ?? '' };
    const known = users.get(reference);
    if (known !== undefined) known.definitions.push(definition);
    else {
      users.set(reference, { nodes: [], definitions: [definition] });
      added.push(reference);
    }
  }
  return added;
}

/** The user of a reference whose node has the smallest name. */
function firstUser(context: VerificationContext, users: Users | undefined): ReferenceUser | undefined {
  let least: number | undefined;
  for (const node of users?.nodes ?? []) {
    if (least === undefined || compareNames(context.node(node).node_id, context.node(least).node_id) < 0) least = node;
  }
  return describe(context, least === undefined ? users : { nodes: [least], definitions: [] })[0];
}

/** The users of a reference, nodes first, each kind ordered by name. */
function describe(context: VerificationContext, users: Users | undefined): ReferenceUser[] {
  const nodes = (users?.nodes ?? []).map((node): ReferenceUser => {
    const { node_id, type } = context.node(node);
    const field = type === 'action' ? 'action_def' : 'compensate_ref';
    return { pointer: `${context.nodePointer(node)}/${field}`, name: `node "${node_id}"`, node_id };
  });
  nodes.sort((a, b) => compareNames(a.node_id, b.node_id));
  const definitions = [...(users?.definitions ?? [])].sort(
    (a, b) => compareNames(a.name, b.name) || compareNames(a.node_id, b.node_id),
  );
  return [...nodes, ...definitions];
}
