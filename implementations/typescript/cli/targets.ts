import { stat } from 'node:fs/promises';
import { join, normalize, resolve } from 'node:path';
import { compareNames } from '../verification/rule.js';
import { visible } from './code-frame.js';

/** A file to read: `-` is standard input. */
export interface Target {
  readonly file: string;
  /** Whether the file itself was named; else a folder or a pattern led to it. */
  readonly named: boolean;
}

/** What arguments mean: the files, in order, and what is wrong with the arguments that mean none. */
export interface Targets {
  readonly targets: readonly Target[];
  readonly problems: readonly string[];
}

/** The names of files that can hold a workflow. */
const DOCUMENT = /\.(?:ya?ml|json)$/i;
const BELOW = '**/*.{yaml,yml,json,YAML,YML,JSON}';

/**
 * Returns the files that arguments mean: a file is itself, a folder every YAML and JSON file below it, and what is
 * neither is a pattern, so that quotes around `*` change nothing.
 *
 * Below folders and in patterns, folders that are named `node_modules` or begin with a dot are passed over, and links to
 * folders are not followed. Each file comes once, in the order of the arguments and, within one, of the names.
 */
export async function findTargets(args: readonly string[], cwd = process.cwd()): Promise<Targets> {
  const found = new Map<string, Target>();
  const problems: string[] = [];
  const add = (file: string, named: boolean): void => {
    const key = file === '-' ? file : resolve(cwd, file);
    if (named || !found.has(key)) found.set(key, { file: found.get(key)?.file ?? file, named });
  };
  for (const arg of args) {
    const kind = arg === '-' ? 'file' : await kindOf(resolve(cwd, arg));
    if (kind === 'file') add(arg, true);
    else if (kind === 'folder') {
      const files = await filesMatching(BELOW, resolve(cwd, arg));
      if (files.length === 0) problems.push(`There is no YAML or JSON file in ${visible(arg)}`);
      for (const file of files) add(arg === '.' ? file : join(arg, file), false);
    } else if (isPattern(arg)) {
      if (isCostly(arg)) {
        problems.push(`${visible(arg)} has too many wildcards or brackets; write a simpler pattern`);
        continue;
      }
      const files = (await filesMatching(arg, cwd)).filter(file => DOCUMENT.test(file));
      if (files.length === 0) problems.push(`No YAML or JSON file matches ${visible(arg)}`);
      for (const file of files) add(normalize(file), false);
    } else add(arg, true);
  }
  return { targets: [...found.values()], problems };
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'none'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch {
    return 'none';
  }
}

function isPattern(arg: string): boolean {
  return /[*?[\]{}!]/.test(arg);
}

/** How many wildcards a name, and how many `**` a path, can have: each takes the time that a name or path is long once more. */
const MOST_STARS = 3;
const MOST_BRACKETS = 32;

/** Whether to try a pattern can take long, or to read it. */
function isCostly(pattern: string): boolean {
  const names = pattern.split('/');
  const paths = names.filter(name => name.includes('**')).length;
  const brackets = pattern.split(/[({[]/, MOST_BRACKETS + 2).length - 1;
  const isRepeating = /[+*]\(/.test(pattern);
  return isRepeating || brackets > MOST_BRACKETS || paths > MOST_STARS || names.some(name => stars(name) > MOST_STARS);
}

function stars(name: string): number {
  return name.split(/\*+/).length - 1;
}

async function filesMatching(pattern: string, cwd: string): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const posixPattern = process.platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern;
  const files = await glob(posixPattern, {
    cwd,
    ignore: ['**/node_modules/**'],
    followSymbolicLinks: false,
    expandDirectories: false,
  });
  return files.sort(compareNames);
}
