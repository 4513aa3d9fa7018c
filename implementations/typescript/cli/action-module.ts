import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ArsError } from '../error.js';

/** The code of one action, as a module of actions gives it. */
export type ActionCode = (call: never, signal: AbortSignal) => unknown;

/**
 * Gives the functions of a module of actions, by action_id or action_id@version.
 *
 * Without a path it looks for `actions.mjs` beside the workflow and gives nothing where there is none. The functions are
 * the module's default export if that is an object, else its named exports. Throws `usage` where the module is missing,
 * does not load, or exports something else than functions.
 */
export async function loadActions(
  path: string | undefined,
  workflowFile: string | undefined,
): Promise<{ path?: string; actions: Record<string, ActionCode> }> {
  const found = path ?? besideWorkflow(workflowFile);
  if (found === undefined) return { actions: {} };
  const file = resolve(found);
  if (!existsSync(file)) throw new ArsError('usage', `--actions "${found}" does not exist`);
  let loaded: Record<string, unknown>;
  try {
    loaded = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (cause) {
    throw new ArsError('usage', `the actions in "${found}" do not load: ${(cause as Error).message}`, { cause });
  }
  const listed = loaded.default ?? loaded;
  if (typeof listed !== 'object' || listed === null) {
    throw new ArsError('usage', `"${found}" must export an object of functions by action_id`);
  }
  for (const [name, code] of Object.entries(listed)) {
    if (typeof code !== 'function')
      throw new ArsError('usage', `"${name}" in "${found}" is ${typeof code}, no function`);
  }
  return { path: found, actions: listed as Record<string, ActionCode> };
}

function besideWorkflow(workflowFile: string | undefined): string | undefined {
  if (workflowFile === undefined) return undefined;
  const candidate = resolve(dirname(workflowFile), 'actions.mjs');
  return existsSync(candidate) ? candidate : undefined;
}
