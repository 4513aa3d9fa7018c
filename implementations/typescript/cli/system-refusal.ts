import { visible } from './code-frame.js';

/** What the system says and what to do, by the code of its error. */
const REFUSALS: Readonly<Record<string, readonly [reason: string, advice?: string]>> = {
  ENOENT: ['there is no such file or folder', 'check how it is written, and that the folder is there'],
  EACCES: ['permission is denied', 'check the permissions of that place, and as whom you are at work'],
  EPERM: ['permission is denied', 'check the permissions of that place, and as whom you are at work'],
  EROFS: ['what is mounted there can only be read', 'use another place'],
  ENOSPC: ['the disk is full', 'make room on it, and call it again'],
  EDQUOT: ['the disk is full for you', 'make room on it, and call it again'],
  ENOTDIR: ['a part of the path is a file where a folder has to be', 'move it away, or use another place'],
  EISDIR: ['it is a folder, and a file is wanted', 'name a file in it, or another place'],
  EEXIST: ['a file is there where a folder has to be', 'move it away, or use another place'],
  ENOTEMPTY: ['the folder is not empty', 'move what is in it away, or use another place'],
  ENAMETOOLONG: ['the name is too long', 'use a shorter one'],
  ELOOP: ['its links go round in a circle'],
  EMFILE: ['too many files are open', 'raise the limit (ulimit -n), and call it again'],
  ENFILE: ['too many files are open', 'close other programs, and call it again'],
  EBUSY: ['another program holds it', 'end that program, and call it again'],
  EIO: ['the device does not answer as it should', 'check the disk, or use another place'],
};

/** What was tried, by the name of the call to the system. */
const TRIED: Readonly<Record<string, string>> = {
  mkdir: 'make the folder',
  rename: 'rename',
  unlink: 'remove',
  rmdir: 'remove',
  rm: 'remove',
  write: 'write',
  fsync: 'write',
  ftruncate: 'write',
  open: 'open',
  read: 'read',
  scandir: 'read',
  stat: 'look at',
  lstat: 'look at',
};

type SystemError = Error & {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly path?: unknown;
};

/** Returns why the system refused something and what to do, for whoever knows where; its own words where it is none that is known. */
export function refusalOf(error: unknown): string {
  const known = REFUSALS[String((error as SystemError).code)];
  if (known === undefined) return visible(error instanceof Error ? error.message : String(error));
  return known.filter(text => text !== undefined).join('; ');
}

/** Returns what was tried, where, why the system refused it, and what to do. */
export function refusalText(error: SystemError): string {
  const { code, syscall, path } = error;
  if (REFUSALS[String(code)] === undefined) return refusalOf(error);
  const what = TRIED[String(syscall)] ?? 'use';
  const where = typeof path === 'string' ? `"${visible(path)}"` : 'a file';
  return `cannot ${what} ${where}: ${refusalOf(error)} (${code})`;
}
