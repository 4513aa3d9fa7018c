import { SuiteError } from '../error.js';

/** One fault to be planted in the compiled reference runtime. */
export interface Mutant {
  readonly id: string;
  /** The requirement that has to turn red. */
  readonly requirement: string;
  /** What the faulty runtime does. */
  readonly why: string;
  readonly edits: readonly Edit[];
}

/** One change of a compiled file. */
export interface Edit {
  /** Relative to the compiled implementations/typescript. */
  readonly file: string;
  /** The text to be replaced; it occurs exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** Gives the source of a file with the fault in it; throws `suite_bug` where a text is not there exactly once. */
export function plant(mutant: Mutant, file: string, source: string): string {
  let planted = source;
  for (const edit of mutant.edits) {
    if (edit.file !== file) continue;
    const parts = planted.split(edit.find);
    if (parts.length !== 2) {
      const occurrences = parts.length - 1;
      throw new SuiteError(
        'suite_bug',
        `mutant '${mutant.id}': its text occurs ${occurrences} times in ${file}, not once; adapt the mutant`,
        { details: { mutant: mutant.id, file, occurrences } },
      );
    }
    planted = parts.join(edit.replace);
  }
  return planted;
}
