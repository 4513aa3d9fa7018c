import { isAbsolute, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The folder that names of files are relative to, and the one that reports for programs are relative to. */
export interface PathBase {
  readonly cwd: string;
  readonly root: string;
}

/**
 * Returns where paths begin in reports: at the folder of the repository where a GitHub Action runs in it, since that is
 * where GitHub looks for files, else at the folder in which the command was called.
 */
export function pathBase(cwd: string, env: Readonly<Record<string, string | undefined>>): PathBase {
  const workspace = env.GITHUB_WORKSPACE ?? '';
  return { cwd, root: workspace !== '' && isBelow(workspace, cwd) ? workspace : cwd };
}

function isBelow(folder: string, path: string): boolean {
  const within = relative(folder, path);
  return !within.startsWith('..') && !isAbsolute(within);
}

/**
 * Returns the path of a file as reports for programs name it: relative to the root and with slashes where it is below the
 * root, else absolute. Standard input is `<stdin>`.
 */
export function sourcePath(file: string, { cwd, root }: PathBase): string {
  if (file === '<stdin>') return file;
  const path = resolve(cwd, file);
  return (isBelow(root, path) ? relative(root, path) : path).split(sep).join('/');
}

/** Returns the same as a reference of RFC 3986, with everything escaped that could be misread. */
export function sourceUri(file: string, base: PathBase): string {
  const path = sourcePath(file, base);
  if (isAbsolute(path)) return pathToFileURL(path).href;
  return path
    .split('/')
    .map(part => encodeURIComponent(Buffer.from(part).toString()))
    .join('/');
}
