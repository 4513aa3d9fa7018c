import type { Action } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { ActionContract } from './contract.js';
import type { ActionHost } from './host.js';

/** An action together with what its references mean. */
export interface ResolvedAction extends ActionContract {
  /** The key of the revert of a rollbackable action or of the compensation of a compensatable one; absent: none. */
  readonly undo?: string;
}

/** All actions that an instance can come to execute, reverts and compensations included, by action_id@version. */
export type ActionTable = ReadonlyMap<string, ResolvedAction>;

/** The reference to the action that undoes this one by its category; undefined where it has none. */
export function undoReference(action: Action): string | undefined {
  if (action.rollback === 'rollbackable') return action.revert;
  return action.rollback === 'compensatable' ? action.compensation : undefined;
}

/**
 * The action that can undo an execution of this one whose outputs are not known; undefined where there is none, or where
 * it requires outputs.
 */
export function undoOf(table: ActionTable, action: ResolvedAction): ResolvedAction | undefined {
  const undo = action.undo === undefined ? undefined : table.get(action.undo);
  const required = undo?.action.input_schema?.required;
  return Array.isArray(required) && required.includes('outputs') ? undefined : undo;
}

/** The keys of the actions that a host has no code for, each once. */
export function withoutCode(actions: readonly ResolvedAction[], host: ActionHost): string[] {
  const missing = actions.filter(({ action }) => host.has?.(action.action_id, action.version) === false);
  return [...new Set(missing.map(({ key }) => key))];
}

/** The error for something that cannot be executed here; its details are {actions}. */
export function noCode(what: string, actions: readonly string[]): ArsError {
  const named = actions.map(key => `'${key}'`).join(', ');
  return new ArsError(
    'not_found',
    `${what} needs code for ${named}, and there is none; open the workspace with functions under these names, or under the action_id alone.`,
    { details: { actions } },
  );
}
