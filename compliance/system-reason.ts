const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory; name a file in it',
  EACCES: 'it may not be read or written by you',
  EPERM: 'it may not be read or written by you',
  ENOTDIR: 'a part of the path is no directory',
  EEXIST: 'something else has that name',
  ENAMETOOLONG: 'the name is too long',
  EROFS: 'what is mounted there can only be read',
  ENOSPC: 'the disk is full',
};

/** Why the system refuses a file, in words; of what has none its message. */
export function systemReason(cause: unknown): string {
  const { code = '', message = String(cause) } = cause as Partial<NodeJS.ErrnoException>;
  return REASONS[code] ?? message;
}
