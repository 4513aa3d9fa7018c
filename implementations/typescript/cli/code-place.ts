import { spawnSync } from 'node:child_process';
import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ActionFunction, ActionFunctions } from '../execution/functions.js';

/** What is in this folder is ars itself, and no code of actions. */
const OWN = fileURLToPath(new URL('..', import.meta.url));
const FRAME = /^\s*at (?:.*\()?(?:async )?(.+?):(\d+):(\d+)\)?$/;

/** Where in the code of the actions something was thrown, as file:line:column; undefined where its stack does not say. */
export function placeOf(thrown: unknown): string | undefined {
  for (const line of stackOf(thrown).split('\n')) {
    const [, at = '', row, column] = FRAME.exec(line) ?? [];
    const file = fileOf(at);
    if (file !== undefined) return `${shown(file)}:${row}:${column}`;
  }
  return undefined;
}

/**
 * The file and line of an error of syntax in a module or in what it imports; undefined where nothing tells.
 *
 * Node tells of one that it found while it parsed to nobody but the reader of its stderr. A process of its own therefore
 * links the module once more, and ends before it evaluates any of it.
 */
export function placeOfSyntax({ stack = '' }: SyntaxError, path: string): string | undefined {
  const own = placeIn(stack);
  if (own !== undefined) return own;
  const program = `import 'data:text/javascript,process.exit(0)';import ${JSON.stringify(pathToFileURL(path).href)};`;
  return placeIn(spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }).stderr);
}

/** The file and line that the first line of a stack or of stderr names. */
function placeIn(text: string): string | undefined {
  const [, file = '', line] = /^(\S.*):(\d+)$/.exec(text.split('\n', 1)[0] ?? '') ?? [];
  if (file.startsWith('file:')) return `${fileURLToPath(file)}:${line}`;
  return isAbsolute(file) ? `${file}:${line}` : undefined;
}

/** Functions that do as they did, and the places where they threw, by the execution_id of the call. */
export interface WatchedFunctions {
  readonly functions: ActionFunctions;
  readonly places: ReadonlyMap<string, string>;
}

/** Takes down where functions throw. */
export function watchThrows(functions: ActionFunctions): WatchedFunctions {
  const places = new Map<string, string>();
  const watched =
    (invoke: ActionFunction): ActionFunction =>
    async (call, signal) => {
      try {
        return await invoke(call, signal);
      } catch (error) {
        const place = placeOf(error);
        if (place !== undefined) places.set(call.execution_id, place);
        throw error;
      }
    };
  const entries = Object.entries(functions).map(([name, code]): [string, ActionFunctions[string]] => {
    if (typeof code === 'function') return [name, watched(code)];
    const invoke = watched((call, signal) => code.invoke(call, signal));
    return [name, { invoke, probe: (call, signal) => code.probe(call, signal) }];
  });
  return { functions: Object.fromEntries(entries), places };
}

/** What was thrown may be anything, and even looking at it may throw. */
function stackOf(thrown: unknown): string {
  try {
    const { stack } = thrown as { stack?: unknown };
    return typeof stack === 'string' ? stack : '';
  } catch {
    return '';
  }
}

/** The file of a frame, where that is code of the actions. */
function fileOf(at: string): string | undefined {
  let file = at;
  try {
    if (at.startsWith('file:')) file = fileURLToPath(at);
  } catch {
    return undefined;
  }
  return isAbsolute(file) && !file.startsWith(OWN) && !file.includes(`${sep}node_modules${sep}`) ? file : undefined;
}

function shown(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith('..') || isAbsolute(near) ? file : near;
}
