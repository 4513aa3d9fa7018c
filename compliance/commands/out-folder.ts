import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SuiteError } from '../error.js';
import { systemReason } from '../system-reason.js';

/** Makes sure that something can be written into a folder before an hour of work is put into it; throws `usage` where not. */
export function claimFolder(out: string): void {
  try {
    // One by one: Node's own way of making parents never comes back where a folder refuses entries with ENOENT.
    const wanted: string[] = [];
    for (let folder = resolve(out); !existsSync(folder); folder = dirname(folder)) wanted.unshift(folder);
    for (const folder of wanted) mkdirSync(folder);
    if (!statSync(out).isDirectory()) throw new Error('it is no folder');
    accessSync(out, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new SuiteError('usage', `cannot write to '${out}': ${systemReason(cause)}`, { cause });
  }
}
