import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { folderOf } from '../../schemas/load.js';
import { type Mutant, plant } from './mutant.js';

/** A faulty runtime, ready to be started. */
export interface Planted {
  /** The path of its adapter. */
  readonly adapter: string;
  remove(): void;
}

const RUNTIME = join('implementations', 'typescript');

/** What an adapter of the runtime is made of, and what it needs not. */
const TREES = ['schemas', join('compliance', 'adapter'), join('compliance', 'wire'), RUNTIME];
const NOT_NEEDED = /(?:^|[\\/])(?:cli|testing)[\\/]/;

/**
 * Gives a copy of the compiled reference runtime with the fault in it. It stands in the folder of the compiled code, where
 * it finds the same libraries. Throws `suite_bug` where the fault has no place.
 */
export function planted(mutant: Mutant, code: string): Planted {
  const folder = join(code, 'planted', `${mutant.id}-${process.pid}`);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  remove();
  try {
    const edited = new Set(mutant.edits.map(({ file }) => join(RUNTIME, file)));
    const modules = [join('compliance', 'error.js'), ...TREES.flatMap(tree => modulesIn(code, tree))];
    for (const name of new Set([...modules.map(dirname), 'schemas']))
      mkdirSync(join(folder, name), { recursive: true });
    for (const file of modules) if (!edited.has(file)) putModule(join(code, file), join(folder, file));
    for (const name of ['v1.0', 'validators'] as const)
      symlinkSync(folderOf(name), join(folder, 'schemas', name), 'junction');
    for (const file of new Set(mutant.edits.map(edit => edit.file)))
      writeFileSync(join(folder, RUNTIME, file), plant(mutant, file, readFileSync(join(code, RUNTIME, file), 'utf8')));
  } catch (error) {
    remove();
    throw error;
  }
  return { adapter: join(folder, RUNTIME, 'adapter.js'), remove };
}

function modulesIn(code: string, tree: string): string[] {
  return readdirSync(join(code, tree), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.js'))
    .map(entry => relative(code, join(entry.parentPath, entry.name)))
    .filter(file => !NOT_NEEDED.test(file));
}

/** One file under two names costs less than a copy; where files cannot have two, it is copied. */
function putModule(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
