import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
    for (const file of [join('compliance', 'error.js'), ...TREES.flatMap(tree => modulesIn(code, tree))])
      copyModule(code, folder, file);
    mkdirSync(join(folder, 'schemas'), { recursive: true });
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

function copyModule(from: string, to: string, file: string): void {
  mkdirSync(dirname(join(to, file)), { recursive: true });
  copyFileSync(join(from, file), join(to, file));
}
