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
  let mayMean: ((reference: string) => boolean) | undefined;
  let definers: Map<string, Definer[]> | undefined;
  return {
    workflows: inputs.flatMap(({ workflow }) => workflow ?? []),
    mayMeanIllFormed(reference) {
      mayMean ??= meaning(inputs.flatMap(({ illFormed }) => (illFormed?.name === undefined ? [] : illFormed)));
      return mayMean(reference);
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

/** Returns what tells whether a reference may mean one of these definitions: what cannot be read of one may be anything. */
export function meaning(definitions: readonly IllFormed[]): (reference: string) => boolean {
  const versions = new Map<string | undefined, Set<string | undefined>>();
  for (const { name, version } of definitions) {
    const known = versions.get(name);
    if (known === undefined) versions.set(name, new Set([version]));
    else known.add(version);
  }
  const isOneIn = (name: string | undefined, range: string): boolean => {
    for (const version of versions.get(name) ?? []) if (version === undefined || isInRange(version, range)) return true;
    return false;
  };
  return reference => {
    const { name, range } = parseReference(reference);
    return isOneIn(name, range) || isOneIn(undefined, range);
  };
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
