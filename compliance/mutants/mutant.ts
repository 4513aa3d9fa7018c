import { join } from 'node:path';
import { SuiteError } from '../error.js';
import { packageRoot } from '../runner/package.js';

/** The environment variable that names the mutant to load. */
export const MUTANT_VARIABLE = 'ARS_MUTANT';

/** One fault to be planted in the compiled reference runtime. */
export interface Mutant {
  readonly id: string;
  /** The requirement that has to turn red. */
  readonly requirement: string;
  /** What the faulty runtime does. */
  readonly why: string;
  /** The compiled file, relative to dist/implementations/typescript. */
  readonly file: string;
  /** The text to be replaced; it occurs exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** Gives the source with the fault in it; throws `suite_bug` where the text to be replaced is not there exactly once. */
export function plant(mutant: Mutant, source: string): string {
  const parts = source.split(mutant.find);
  if (parts.length !== 2) {
    throw new SuiteError(
      'suite_bug',
      `mutant '${mutant.id}': its text occurs ${parts.length - 1} times in ${mutant.file}, not once; adapt the mutant`,
      { details: { mutant: mutant.id, file: mutant.file, occurrences: parts.length - 1 } },
    );
  }
  return parts.join(mutant.replace);
}

/** Gives the path of the compiled file in which a mutant is planted. */
export function mutantFile(mutant: Mutant, root: string = packageRoot()): string {
  return join(root, 'dist', 'implementations', 'typescript', mutant.file);
}
