import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ArsError } from '../error.js';
import { type ActionFunctions, isCode } from '../execution/functions.js';
import { loadedCode } from './code-end.js';
import { visible } from './code-frame.js';
import { placeOf, placeOfSyntax } from './code-place.js';
import { errorColors } from './color.js';
import { noteCode } from './next-command.js';

/** Where a workspace keeps the paths of the modules that its runs took their code from. */
const MODULES_PATH = join('infrastructure', 'cli', 'action-modules.json');

/**
 * Gives the path of the module of actions: the one named, else `actions.mjs` beside the workflow, else none.
 *
 * Throws `usage` where the one named does not exist.
 */
export function findModule(named: string | undefined, workflowFile: string | undefined): string | undefined {
  if (named !== undefined) {
    if (existsSync(named)) return resolve(named);
    throw new ArsError('usage', `--actions "${named}" does not exist`);
  }
  if (workflowFile === undefined || workflowFile === '-') return undefined;
  const beside = resolve(dirname(workflowFile), 'actions.mjs');
  return existsSync(beside) ? beside : undefined;
}

/**
 * Gives the functions of a module of actions, by action_id or action_id@version.
 *
 * They are the module's default export if that is an object, else its named exports. Throws `usage` where the module does
 * not load or exports something else.
 */
export async function loadModule(path: string): Promise<ActionFunctions> {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new ArsError(
      'usage',
      `the actions in "${path}" do not load: it is a folder; name the module in it, as ${join(path, 'actions.mjs')}`,
    );
  let loaded: Record<string, unknown>;
  try {
    loaded = await loadedCode(path, () => import(pathToFileURL(path).href) as Promise<Record<string, unknown>>);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const place = cause instanceof SyntaxError ? placeOfSyntax(cause, path) : placeOf(cause);
    const where = place === undefined ? '' : `, at ${place}`;
    throw new ArsError('usage', `the actions in "${path}" do not load: ${reason}${where}`, { cause });
  }
  const listed = loaded.default ?? loaded;
  if (typeof listed !== 'object' || listed === null)
    throw new ArsError('usage', `"${path}" must export an object of functions by action_id`);
  for (const [name, code] of Object.entries(listed))
    if (!isCode(code))
      throw new ArsError('usage', `"${name}" in "${path}" is neither a function nor an object with invoke and probe`);
  return listed as ActionFunctions;
}

/** The modules that earlier runs in the workspace took their code from, oldest first, without those that are gone. */
function rememberedModules(workspace: string): string[] {
  return everyRemembered(workspace).filter(path => existsSync(path));
}

/** The modules that earlier runs in the workspace took their code from and that are gone. */
function goneModules(workspace: string): string[] {
  return everyRemembered(workspace).filter(path => !existsSync(path));
}

/** What can be done where code is missing, lines for a person: where it was, and where it may be now. */
export function codeAdvice(workspace: string): string {
  const gone = goneModules(workspace).map(
    path => `  an earlier run took its code from "${visible(path)}", which is gone\n`,
  );
  const near = existsSync('actions.mjs') ? ['  this folder has one: --actions actions.mjs\n'] : [];
  return [...gone, ...near].join('');
}

function everyRemembered(workspace: string): string[] {
  try {
    const listed: unknown = JSON.parse(readFileSync(join(workspace, MODULES_PATH), 'utf8'));
    return Array.isArray(listed) ? listed.filter(path => typeof path === 'string') : [];
  } catch {
    return [];
  }
}

/**
 * The code of each module that earlier runs in the workspace took theirs from, oldest first. One that does not load is told
 * on stderr and left out, so that it stands in the way of nothing that does not need it.
 */
export async function loadRemembered(workspace: string): Promise<ActionFunctions[]> {
  const loaded = rememberedModules(workspace).map(path =>
    loadModule(path).catch((error: unknown) => {
      if (!(error instanceof ArsError)) throw error;
      process.stderr.write(
        `${errorColors().yellow('!')} ${visible(error.message)}\n  earlier runs took their code from there; mend it, or name another module with --actions FILE\n`,
      );
      return {};
    }),
  );
  return Promise.all(loaded);
}

/** As {@link rememberModule}, for the commands that are named next as well; nothing where there is no module. */
export function useModule(workspace: string, path: string | undefined): void {
  if (path !== undefined && rememberModule(workspace, path)) noteCode(path);
}

/**
 * Remembers a module, so that `ars run --resume` finds the code of what was interrupted. It is for whoever holds the
 * workspace, so that there is one draft, and one that a killed process left is written anew. Gives whether there are others.
 */
export function rememberModule(workspace: string, path: string): boolean {
  const others = rememberedModules(workspace).filter(known => known !== path);
  mkdirSync(dirname(join(workspace, MODULES_PATH)), { recursive: true });
  const draft = join(workspace, `${MODULES_PATH}.new`);
  writeFileSync(draft, `${JSON.stringify([...others, path])}\n`);
  renameSync(draft, join(workspace, MODULES_PATH));
  return others.length > 0;
}
