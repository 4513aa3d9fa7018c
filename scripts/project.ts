import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project, found from this module, wherever it was compiled to. */
export const ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

/** What a generator gives. */
export interface Generated {
  /** The text of each file that it owns, by path relative to the project. */
  readonly files: Readonly<Record<string, string>>;
  /** What is wrong with its sources, each as `file:line: what`. */
  readonly problems: readonly string[];
}

/** The paths, relative to the project, of all files below a folder that end in `suffix`, sorted by code unit. */
export function listFiles(folder: string, suffix: string): string[] {
  const start = join(ROOT, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith(suffix))
    .map(entry => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

function findRoot(start: string): string {
  let folder = start;
  while (!existsSync(join(folder, 'package-lock.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`No project folder above "${start}"; run the script from a clone.`);
    folder = parent;
  }
  return folder;
}
