import { lstatSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { ArsError } from '../error.js';

/**
 * Whether a text is a canonical path: relative, with `/` between names, without `.`, `..` and empty names.
 *
 * @requirement FS2
 */
export function isCanonicalPath(path: string): boolean {
  return !path.includes('\0') && path.split('/').every(name => name !== '' && name !== '.' && name !== '..');
}

/** Whether there is a file of the workspace at a canonical path; what a link leads to outside the folder is none. */
export function isWorkspaceFile(root: string, path: string): boolean {
  const place = placeOf(join(root, path));
  const top = placeOf(root);
  if (place === undefined || top === undefined || !isBelow(top, place)) return false;
  return statSync(place, { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * Throws `workspace_foreign` where a canonical path of the workspace, or the way to it, leads out of the folder by a
 * symbolic link, or to nothing, so that nothing is written through it.
 *
 * @requirement FS4
 */
export function demandInside(root: string, path: string): void {
  const names = path.split('/');
  for (let length = 1; length <= names.length; length++) {
    const way = names.slice(0, length).join('/');
    const link = join(root, way);
    const entry = lstatSync(link, { throwIfNoEntry: false });
    if (entry === undefined) return;
    // What is no link lies where it seems to, also where another process takes it away now.
    if (!entry.isSymbolicLink()) continue;
    const place = placeOf(link);
    if (place !== undefined && isBelow(realpathSync(root), place)) continue;
    throw new ArsError(
      'workspace_foreign',
      `"${way}" of the workspace "${resolve(root)}" is a link that leads ${place === undefined ? 'nowhere' : `out of it, to "${place}"`}; nothing is written there`,
      { details: { path: way, ...(place === undefined ? {} : { place }) } },
    );
  }
}

function placeOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function isBelow(root: string, place: string): boolean {
  const way = relative(root, place);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && resolve(root, way) === place;
}
