import { existsSync, statSync } from 'node:fs';
import { ArsError } from '../error.js';
import { storePaths } from '../store/paths.js';

/** The folder of the workspace where the command line names none. */
export const DEFAULT_WORKSPACE = '.ars';

/** Throws `usage` for a workspace without a name, and `workspace_foreign` where something else than a folder has that name. */
export function demandFolder(workspace: string): void {
  if (workspace === '') throw new ArsError('usage', '--workspace names no folder; . is the one that you are in');
  if (!canBeFolder(workspace))
    throw new ArsError('workspace_foreign', `"${workspace}" is no folder; move it away, or use another --workspace`, {
      details: { workspace },
    });
}

/** Throws `not_found` where a folder is no workspace yet, and says what is missing in it. */
export function demandWorkspace(workspace: string, missing: string): void {
  if (!existsSync(storePaths(workspace).database))
    throw new ArsError('not_found', `"${workspace}" is no workspace yet, so ${missing}; run a workflow in it first`, {
      details: { workspace },
    });
}

/** Whether a path is that of a folder, or of nothing yet. */
function canBeFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw error;
  }
}
