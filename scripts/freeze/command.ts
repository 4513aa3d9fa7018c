import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFreezeState } from './check.js';
import { draftErratum, markPublished } from './errata.js';
import { ERRATA_FILE, FROZEN_FILE, frozenText } from './frozen.js';

/** What a run of `npm run freeze` prints, and its exit code. */
export interface FreezeOutcome {
  readonly code: 0 | 1;
  readonly text: string;
}

/**
 * Publishes the text below a folder, once, or tells how it differs from what was published.
 *
 * With `draft` it gives the erratum that the present changes need, and writes nothing.
 */
export function freeze(root: string, date: string, draft: boolean): FreezeOutcome {
  const { frozen, errata, present, levels, uncovered, problems } = readFreezeState(root);
  const files = Object.keys(present).length;
  if (frozen === undefined) {
    if (draft) return { code: 1, text: 'Nothing is published yet, so nothing needs an erratum.\n' };
    if (problems.length > 0) return { code: 1, text: lines(problems) };
    const path = join(root, ERRATA_FILE);
    writeFileSync(path, markPublished(readFileSync(path, 'utf8'), date));
    writeFileSync(join(root, FROZEN_FILE), frozenText(present, levels, date));
    return { code: 0, text: `Published on ${date}: ${files} files. From now on a change needs an erratum.\n` };
  }
  if (draft) {
    const text =
      uncovered.length === 0
        ? 'Every change has its erratum.\n'
        : draftErratum(errata.errata.length + 1, date, uncovered);
    return { code: uncovered.length === 0 ? 1 : 0, text };
  }
  if (problems.length > 0)
    return { code: 1, text: `Published on ${frozen.frozen}, and never again:\n${lines(problems)}` };
  const count = errata.errata.length;
  return {
    code: 0,
    text: `Published on ${frozen.frozen}: ${files} files, ${count} errata, and nothing differs from them.\n`,
  };
}

function lines(problems: readonly string[]): string {
  return problems.map(problem => `  ${problem}\n`).join('');
}
