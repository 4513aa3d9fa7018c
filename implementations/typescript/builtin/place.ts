import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/**
 * Gives the absolute path of a file below a folder, or why it is none: a path that leads out of the folder, by its parts
 * or through a link, a link itself, or something that is no file.
 */
export async function placeBelow(root: string, path: string): Promise<{ path: string } | { refused: string }> {
  if (path === '' || path.includes('\0')) return { refused: `"${path}" is no path` };
  if (isAbsolute(path)) return { refused: `"${path}" is absolute; paths are relative to the folder of the actions` };
  const wanted = resolve(root, path);
  if (!isBelow(resolve(root), wanted)) return { refused: `"${path}" leads out of the folder of the actions` };
  try {
    const base = await realpath(root);
    const parent = await realpath(dirname(wanted));
    if (parent !== base && !isBelow(base, parent)) return { refused: `"${path}" leads out through a link` };
    const target = join(parent, basename(wanted));
    const found = await lstat(target).catch((error: NodeJS.ErrnoException) => error);
    if (found instanceof Error) return found.code === 'ENOENT' ? { path: target } : { refused: found.message };
    if (!found.isFile()) return { refused: `"${path}" is no plain file` };
    return { path: target };
  } catch {
    const folder = dirname(path) === '.' ? 'the folder of the actions' : `the folder of "${path}"`;
    return { refused: `${folder} does not exist; make it before, as no action does` };
  }
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
