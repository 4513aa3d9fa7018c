import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where the parts of a store lie below a workspace. */
export interface StorePaths {
  readonly folder: string;
  readonly database: string;
  readonly lock: string;
}

/** The paths of the store of a workspace; nothing is made. */
export function storePaths(workspace_dir: string): StorePaths {
  const folder = join(workspace_dir, 'infrastructure', 'store');
  return { folder, database: join(folder, 'ars.db'), lock: join(folder, 'lock.db') };
}

/** Makes a folder and those above it where they are missing, so that they survive a power loss. */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let path = folder; !existsSync(path); path = dirname(path)) {
    missing.push(path);
  }
  mkdirSync(folder, { recursive: true });
  for (const path of missing) {
    syncFolder(dirname(path));
  }
}

/** Makes the names in a folder durable. Windows has no such call, and needs none. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') {
    return;
  }
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
