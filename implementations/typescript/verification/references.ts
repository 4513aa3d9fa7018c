import type { Action, Node, Registry } from '../../../schemas/types.js';
import { actionKey } from '../execution/contract.js';
import { groupBy } from '../workflow/graph.js';
import { uint8s } from '../workflow/number-arrays.js';
import { highestMatch, parseReference, sourceOf } from '../workflow/resolve.js';
import { meaning } from './companions.js';
import type { VerificationContext } from './context.js';
import { compareNames, listNames } from './rule.js';

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

/** A definition that something in the workflow uses. */
export interface UsedDefinition {
  readonly action: Action;
  /** Nodes first, each kind ordered by name; never empty. */
  readonly users: readonly ReferenceUser[];
  /** Where the workflow defines it; undefined where the registry does. */
  readonly pointer: string | undefined;
}

/** What the references of a workflow to actions lead to. */
export interface ActionReferences {
  /** Every definition that is used, once, ordered by id and version. */
  readonly used: readonly UsedDefinition[];
  readonly unresolved: readonly UnresolvedReference[];
  /** References of which nothing can be said: what they may mean is not given, or ill-formed. */
  readonly unknown: readonly string[];
  /** Those of them that may mean an action of the workflow which does not fit its schema. */
  readonly illFormed: readonly string[];
  /** What a node refers to as its action; undefined where it refers to none, or to none that is known. */
  ofNode(node: number): Action | undefined;
  /** What a reference leads to; undefined where it leads to nothing that is known. */
  resolve(reference: string): Action | undefined;
  /** The ids of all actions that there are. */
  ids(): readonly string[];
}

/** Who refers to what: judged nodes, and definitions that are used. */
interface Users {
  /** The references of judged nodes, as they are met. */
  readonly references: readonly string[];
  /** The definitions that have a reference, by that. */
  readonly definitions: Map<string, ReferenceUser[]>;
  /** The nodes that have a reference. */
  nodesOf(reference: string): Int32Array;
}

/**
 * Returns what the references to actions lead to: those of reachable nodes, and those of the reverts and compensations
 * of every definition that is used. The actions of the workflow come before those of the registry.
 */
export function followActions(context: VerificationContext, registry: Registry | undefined): ActionReferences {
  const own = sourceOf(context.input.actions);
  const others = sourceOf(registry?.actions ?? []);
  const users = findUsers(context);
  const places = new Map<Action, number>();
  for (const [index, action] of context.input.actions.entries())
    places.set(action, context.input.actionPlaces?.[index] ?? index);
  const unresolved: string[] = [];
  const unknown: string[] = [];
  const illFormed: string[] = [];
  const mayMeanIllFormed = meaning(context.input.illFormedActions ?? []);
  const named = ({ name }: { readonly name: string }): Action[] => [...own(name), ...others(name)];
  const resolved = new Map<string, Action | undefined>();
  const resolve = (reference: string): Action | undefined => {
    const known = resolved.get(reference);
    if (known !== undefined || resolved.has(reference)) return known;
    const { name, range } = parseReference(reference);
    const found = highestMatch(own(name), range) ?? highestMatch(others(name), range);
    resolved.set(reference, found);
    return found;
  };
  const usedBy = new Map<Action, string[]>();
  for (const [reference, node] of findLeads(context, users, resolve)) {
    const found = resolve(reference);
    if (found === undefined) {
      if (mayMeanIllFormed(reference)) {
        illFormed.push(reference);
        continue;
      }
      const mayBeElsewhere = registry?.actions === undefined && named(parseReference(reference)).length === 0;
      (mayBeElsewhere ? unknown : unresolved).push(reference);
      continue;
    }
    const known = usedBy.get(found);
    if (known === undefined) usedBy.set(found, [reference]);
    else known.push(reference);
    if (hasUndo(found)) addUndoUsers(users, found, places.get(found), nodeUser(context, node));
  }
  const versionsOf = (reference: string): string[] => named(parseReference(reference)).map(({ version }) => version);
  const { columns, judged } = context;
  /** What judged nodes refer to, by the number of the reference. */
  const definitions: (Action | undefined)[] = [];
  for (const reference of users.references)
    definitions[columns.references.get(reference) as number] = resolve(reference);
  return {
    ofNode(node) {
      const number = columns.reference[node] as number;
      if (judged[node] === 1) return number < 0 ? undefined : definitions[number];
      const reference = referenceOf(context.node(node));
      return reference === undefined ? undefined : resolve(reference);
    },
    used: usedDefinitions(context, usedBy, users, places),
    resolve,
    ids: () => [...new Set([...context.input.actions, ...(registry?.actions ?? [])].map(action => action.action_id))],
    unresolved: unresolved.map(reference => ({
      reference,
      get users() {
        return describe(context, users, [reference]);
      },
      versions: versionsOf(reference),
    })),
    unknown: [...unknown, ...illFormed].sort(),
    illFormed: illFormed.sort(),
  };
}

function usedDefinitions(
  context: VerificationContext,
  usedBy: ReadonlyMap<Action, readonly string[]>,
  users: Users,
  places: ReadonlyMap<Action, number>,
): Definition[] {
  const used: Definition[] = [];
  for (const [action, references] of usedBy) {
    const place = places.get(action);
    const pointer = place === undefined ? undefined : `/actions/${place}`;
    used.push(new Definition(action, pointer, () => describe(context, users, references)));
  }
  return used.sort((a, b) => compareNames(a.name, b.name));
}

/** A definition whose users are described once somebody asks for them. */
class Definition implements UsedDefinition {
  readonly name: string;
  readonly action: Action;
  readonly pointer: string | undefined;
  readonly #describe: () => readonly ReferenceUser[];
  #users: readonly ReferenceUser[] | undefined;

  constructor(action: Action, pointer: string | undefined, describeUsers: () => readonly ReferenceUser[]) {
    this.name = actionKey(action);
    this.action = action;
    this.pointer = pointer;
    this.#describe = describeUsers;
  }

  get users(): readonly ReferenceUser[] {
    this.#users ??= this.#describe();
    return this.#users;
  }
}

function findUsers({ graph, columns, judged }: VerificationContext): Users {
  const { reference, references: numbers } = columns;
  const texts = [...numbers.keys()];
  const references: string[] = [];
  const isMet = uint8s(texts.length);
  for (let node = 0; node < graph.nodeCount; node++) {
    const number = reference[node] as number;
    if (number < 0 || judged[node] === 0 || isMet[number] === 1) continue;
    isMet[number] = 1;
    references.push(texts[number] as string);
  }
  let groups: { readonly start: Int32Array; readonly members: Int32Array } | undefined;
  const nodesOf = (reference: string): Int32Array => {
    const number = numbers.get(reference);
    if (number === undefined) return new Int32Array();
    groups ??= groupBy(
      columns.reference.map((each, node) => (judged[node] === 1 ? each : -1)),
      numbers.size,
    );
    return groups.members.subarray(groups.start[number], groups.start[number + 1]);
  };
  return { references, definitions: new Map(), nodesOf };
}

function referenceOf(node: Node): string | undefined {
  if (node.type === 'action') return node.action_def;
  return node.type === 'error' ? node.compensate_ref : undefined;
}

const UNDOS = ['revert', 'compensation'] as const;

function hasUndo(action: Action | undefined): boolean {
  return action !== undefined && (action.revert !== undefined || action.compensation !== undefined);
}

/**
 * For each reference that nodes lead to, through whatever definitions, the first of these nodes by name; that is not looked
 * for where no definition refers to another one.
 */
function findLeads(
  context: VerificationContext,
  users: Users,
  resolve: (reference: string) => Action | undefined,
): Map<string, number> {
  const name = (node: number): string => context.node(node).node_id;
  const first = (nodes: Int32Array): number =>
    nodes.reduce((least, node) => (compareNames(name(node), name(least)) < 0 ? node : least));
  const { references } = users;
  if (!references.some(reference => hasUndo(resolve(reference)))) return new Map(references.map(each => [each, -1]));
  const direct = references.map(reference => ({ reference, node: first(users.nodesOf(reference)) }));
  direct.sort((a, b) => compareNames(name(a.node), name(b.node)) || compareNames(a.reference, b.reference));
  const leads = new Map<string, number>();
  for (const { reference: start, node } of direct) {
    const open = [start];
    for (let reference = open.pop(); reference !== undefined; reference = open.pop()) {
      if (leads.has(reference)) continue;
      leads.set(reference, node);
      const action = resolve(reference);
      for (const field of UNDOS) if (action?.[field] !== undefined) open.push(action[field]);
    }
  }
  return leads;
}

/** Adds a definition that is used to the users of what it refers to; one of the registry has the place of the node that leads to it. */
function addUndoUsers(users: Users, action: Action, place: number | undefined, lead: ReferenceUser): void {
  for (const field of UNDOS) {
    const reference = action[field];
    if (reference === undefined) continue;
    const pointer = place === undefined ? lead.pointer : `/actions/${place}/${field}`;
    const name = `the ${field} of action "${action.action_id}@${action.version}"`;
    const definition = { pointer, name, node_id: lead.node_id };
    const known = users.definitions.get(reference);
    if (known === undefined) users.definitions.set(reference, [definition]);
    else known.push(definition);
  }
}

function nodeUser(context: VerificationContext, node: number): ReferenceUser {
  const { node_id, type } = context.node(node);
  const field = type === 'action' ? 'action_def' : 'compensate_ref';
  return { pointer: `${context.nodePointer(node)}/${field}`, name: `node "${node_id}"`, node_id };
}

/** The users of a reference: nodes by name, then definitions by the node that leads to them and by name. */
function describe(context: VerificationContext, users: Users, references: readonly string[]): ReferenceUser[] {
  const nodes: ReferenceUser[] = [];
  const definitions: ReferenceUser[] = [];
  for (const reference of references) {
    for (const node of users.nodesOf(reference)) nodes.push(nodeUser(context, node));
    for (const definition of users.definitions.get(reference) ?? []) definitions.push(definition);
  }
  nodes.sort((a, b) => compareNames(a.node_id, b.node_id));
  definitions.sort((a, b) => compareNames(a.node_id, b.node_id) || compareNames(a.name, b.name));
  return [...nodes, ...definitions];
}

/** Why a rule about definitions leaves some out; undefined where every reference leads to one. */
export function unknownDefinitions({ unknown, unresolved, illFormed }: ActionReferences): string | undefined {
  if (illFormed.length > 0 && illFormed.length === unknown.length && unresolved.length === 0)
    return `the definition of ${listNames(illFormed)} is ill-formed (SCHEMA)`;
  const missing = [...unknown, ...unresolved.map(({ reference }) => reference)].sort();
  return missing.length === 0 ? undefined : `there is no definition of ${listNames(missing)} (S7)`;
}
