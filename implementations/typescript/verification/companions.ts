import valid from 'semver/functions/valid.js';
import type { Action, Workflow } from '../../../schemas/types.js';
import { highestMatch, isInRange, parseReference } from '../workflow/resolve.js';
import type { VerifiedInput } from './input.js';

/** What can be read of a definition that does not fit its schema. */
export interface IllFormed {
  /** Its name, where it is a text. */
  readonly name: string | undefined;
  /** Its version, where it is one. */
  readonly version: string | undefined;
}

/** The documents that are verified together, as far as one of them says something about another. */
export interface Companions {
  readonly workflows: readonly Workflow[];
  /** Whether a reference may mean one of them that does not fit its schema. */
  mayMeanIllFormed(reference: string): boolean;
  /** The workflow that defines an action for itself that a reference could mean; undefined where none does. */
  definerOf(reference: string): Workflow | undefined;
}

/** Returns what is known of the documents that are verified together; it is found out once somebody asks. */
export function companionsOf(inputs: readonly VerifiedInput[]): Companions {
  let illFormed: Map<string, IllFormed[]> | undefined;
  let definers: Map<string, Definer[]> | undefined;
  return {
    workflows: inputs.flatMap(({ workflow }) => workflow ?? []),
    mayMeanIllFormed(reference) {
      illFormed ??= byName(inputs.flatMap(input => input.illFormed ?? []));
      return (illFormed.get(parseReference(reference).name) ?? []).some(each => mayBeMeant(each, reference));
    },
    definerOf(reference) {
      const { name, range } = parseReference(reference);
      definers ??= findDefiners(inputs);
      return highestMatch(definers.get(name) ?? [], range)?.workflow;
    },
  };
}

/** Returns what can be read of a definition, from the values of its name and its version. */
export function illFormed(name: unknown, version: unknown): IllFormed {
  return {
    name: typeof name === 'string' ? name : undefined,
    version: typeof version === 'string' && valid(version) !== null ? version : undefined,
  };
}

/** Whether a reference may mean a definition that does not fit its schema: what cannot be read of it may be anything. */
export function mayBeMeant({ name, version }: IllFormed, reference: string): boolean {
  const asked = parseReference(reference);
  return (name ?? asked.name) === asked.name && (version === undefined || isInRange(version, asked.range));
}

interface Definer {
  readonly version: string;
  readonly workflow: Workflow;
}

function findDefiners(inputs: readonly VerifiedInput[]): Map<string, Definer[]> {
  const definers = new Map<string, Definer[]>();
  const add = ({ action_id, version }: Action, workflow: Workflow): void => {
    const known = definers.get(action_id);
    if (known === undefined) definers.set(action_id, [{ version, workflow }]);
    else known.push({ version, workflow });
  };
  for (const { workflow } of inputs)
    if (workflow !== undefined) for (const action of workflow.actions ?? []) add(action, workflow);
  return definers;
}

function byName(definitions: readonly IllFormed[]): Map<string, IllFormed[]> {
  const named = new Map<string, IllFormed[]>();
  for (const definition of definitions) {
    if (definition.name === undefined) continue;
    const known = named.get(definition.name);
    if (known === undefined) named.set(definition.name, [definition]);
    else known.push(definition);
  }
  return named;
}
