import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it where they are missing, so that they survive a power loss.
 *
 * Throws what the file system says. They are made one by one: where the file system answers that a folder which it lists
 * is not there, as /proc does, the recursive call of the platform tries for ever.
 */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let path = resolve(folder); !existsSync(path) && dirname(path) !== path; path = dirname(path))
    missing.push(path);
  for (const path of missing.reverse()) {
    makeOne(path);
    syncFolder(dirname(path));
  }
}

/** Another process may make the same folder at the same time. */
function makeOne(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Makes the names in a folder durable. Windows has no such call, and needs none. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
