import { isAbsolute, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Returns the path of a file as reports for programs name it: relative to a folder and with slashes where it is below the
 * folder, else absolute. Standard input is `<stdin>`.
 */
export function sourcePath(file: string, cwd: string): string {
  if (file === '<stdin>') return file;
  const path = resolve(cwd, file);
  const within = relative(cwd, path);
  return (within.startsWith('..') || isAbsolute(within) ? path : within).split(sep).join('/');
}

/** Returns the same as a reference of RFC 3986, with everything escaped that could be misread. */
export function sourceUri(file: string, cwd: string): string {
  const path = sourcePath(file, cwd);
  if (isAbsolute(path)) return pathToFileURL(path).href;
  return path
    .split('/')
    .map(part => encodeURIComponent(Buffer.from(part).toString()))
    .join('/');
}
