import { existsSync } from 'node:fs';
import { undoneBy } from '../audit/recovery.js';
import { ArsError } from '../error.js';
import type { ActionFunctions } from '../execution/functions.js';
import { storePaths } from '../store/paths.js';
import { openReader } from '../store/store.js';
import { loadRemembered } from './action-module.js';
import { nextCommandWithoutCode } from './next-command.js';

/** Gives the code of the runs before; it is wanted only where one of them, or an undo, was interrupted. */
export async function codeOfInterrupted(
  workspace: string,
  interrupted: readonly string[] = interruptedIfAny(workspace),
): Promise<ActionFunctions> {
  if (interrupted.length === 0 && undosIfAny(workspace).length === 0) return {};
  return Object.assign({}, ...(await loadRemembered(workspace))) as ActionFunctions;
}

/**
 * Gives the code that an ended instance of the workspace can go on with where no module is named: that of the runs
 * before, without the names for which two of their modules have different code.
 */
export async function codeOfEnded(workspace: string): Promise<ActionFunctions> {
  const code = new Map<string, ActionFunctions[string]>();
  const doubtful = new Set<string>();
  for (const module of await loadRemembered(workspace))
    for (const [name, own] of Object.entries(module))
      if (code.has(name) && code.get(name) !== own) doubtful.add(name);
      else code.set(name, own);
  return Object.fromEntries([...code].filter(([name]) => !doubtful.has(name)));
}

/**
 * Gives the code of the runs before together with that of a new one.
 *
 * Throws `conflict` where both have code of the same name: what was interrupted would go on with code that is not its own.
 */
export function joinCode(before: ActionFunctions, own: ActionFunctions): ActionFunctions {
  const names = Object.keys(own).filter(name => Object.hasOwn(before, name) && before[name] !== own[name]);
  if (names.length > 0)
    throw new ArsError(
      'conflict',
      `a run with other code for ${names.join(', ')} is interrupted in this workspace; finish it first with its own code (${nextCommandWithoutCode('run', '--resume')}), or use another --workspace`,
      { details: { names } },
    );
  return { ...before, ...own };
}

/** Gives the instances that were started and have not ended, oldest first. Throws `not_found` where there is no log. */
export function interruptedIn(workspace: string): string[] {
  const reader = openReader(workspace);
  try {
    return [...reader.started({ ended: null }).ids].reverse();
  } finally {
    reader.close();
  }
}

/** An undo that somebody asked for, of an execution of an instance that has ended. */
export interface InterruptedUndo {
  readonly execution_id: string;
  /** What it undoes. */
  readonly original: string;
}

/** Gives the undos of ended instances that were begun and have not ended, oldest first. Throws `not_found` without a log. */
export function interruptedUndosIn(workspace: string): InterruptedUndo[] {
  const reader = openReader(workspace);
  try {
    const open = new Set(reader.started({ ended: null }).ids);
    const found: InterruptedUndo[] = [];
    for (const record of reader.records({ record_type: 'action', status: 'pending', incomplete: true })) {
      const original = undoneBy(record);
      if (original !== undefined && !open.has(record.context_id))
        found.push({ execution_id: record.execution_id, original });
    }
    return found;
  } finally {
    reader.close();
  }
}

/** As {@link interruptedIn}, of a workspace that need not have a log: a store whose making was cut short has none. */
export function interruptedIfAny(workspace: string): string[] {
  return ifAny(workspace, interruptedIn);
}

/** As {@link interruptedUndosIn}, of a workspace that need not have a log. */
export function undosIfAny(workspace: string): InterruptedUndo[] {
  return ifAny(workspace, interruptedUndosIn);
}

function ifAny<T>(workspace: string, read: (workspace: string) => T[]): T[] {
  if (!existsSync(storePaths(workspace).database)) return [];
  try {
    return read(workspace);
  } catch (error) {
    if (error instanceof ArsError && error.code === 'not_found') return [];
    throw error;
  }
}
