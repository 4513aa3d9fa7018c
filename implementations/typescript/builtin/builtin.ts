import type { Action, ErrorResult } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { ActionFunctions } from '../execution/functions.js';

/** Actions that come with the runtime: their contracts, for the registry, and their code, for {@link Runtime.open}. */
export interface BuiltinActions {
  /** The contracts, for `actions` of a workflow or {@link Runtime.putRegistry}. */
  readonly definitions: readonly Action[];
  /** The code, for `actions` of the {@link RuntimeOptions}. */
  readonly functions: ActionFunctions;
}

/** Throws `usage` where an option is none of those that are known: a limit that is misspelt would not limit. */
export function checkOptions(family: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new ArsError('usage', `${family} takes an object of options; they are ${known.join(', ')}`);
  const other = Object.keys(options).find(name => !known.includes(name));
  if (other !== undefined)
    throw new ArsError('usage', `"${other}" is no option of ${family}; they are ${known.join(', ')}`);
}

/** An answer that says why an action failed, and whether it may have had an effect. */
export function failure(
  error_class: ErrorResult['error_class'],
  detail: string,
  effect: 'none' | 'unknown' = 'none',
): { error: ErrorResult } {
  return { error: { error_class, detail, effect } };
}

/** The text of what was thrown. */
export function reasonOf(thrown: unknown): string {
  const { cause } = thrown as { cause?: unknown };
  const own = thrown instanceof Error ? thrown.message : String(thrown);
  return cause instanceof Error ? `${own}: ${cause.message}` : own;
}
