import { join } from 'node:path';

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
