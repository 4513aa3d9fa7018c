import { join } from 'node:path';

/** Where the parts of a store lie below a workspace. */
export interface StorePaths {
  readonly folder: string;
  readonly database: string;
  readonly lock: string;
  /** Where the holder of the lock names itself. */
  readonly holder: string;
}

/** The canonical path of the store's folder in a workspace. */
export const STORE_PATH = 'infrastructure/store';

/** The paths of the store of a workspace; nothing is made. */
export function storePaths(workspace_dir: string): StorePaths {
  const folder = join(workspace_dir, STORE_PATH);
  return { folder, database: join(folder, 'ars.db'), lock: join(folder, 'lock.db'), holder: join(folder, 'lock.json') };
}
