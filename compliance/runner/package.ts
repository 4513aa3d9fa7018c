import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SuiteError } from '../error.js';

/** Gives the folder of the package: the nearest one above this file with a package.json. */
export function packageRoot(from: string = dirname(fileURLToPath(import.meta.url))): string {
  for (let folder = from; ; folder = dirname(folder)) {
    try {
      readFileSync(join(folder, 'package.json'));
      return folder;
    } catch (error) {
      if (dirname(folder) === folder) {
        throw new SuiteError('suite_bug', 'there is no package.json above the suite', { cause: error });
      }
    }
  }
}

/** Gives the version of the suite, which is that of its package. */
export function suiteVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  return version;
}
