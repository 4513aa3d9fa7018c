import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What is written beside a file before it takes the place of that file. */
export interface Draft {
  /** The folder of the file that it is for, so that a rename is enough. */
  readonly folder: string;
  /** Whose work it belongs to: hexadecimal digits that nobody else has. */
  readonly owner: string;
  readonly bytes: Uint8Array;
  /** What others may do with it; absent: what is usual for a new file. */
  readonly mode?: number | undefined;
}

/** The mode of what nobody else may read. */
const OWN = 0o600;
const NAME = /^\.ars-([0-9a-f]+)-([0-9]+)-[0-9]+\.new$/;
/** The drafts that this process is at. */
const inUse = new Set<string>();
let count = 0;

/**
 * Writes a draft, flushes it, and gives what `use` makes of it, which renames or links it. It is gone in the end, whatever
 * happens; what a killed process leaves of it {@link removeDrafts} takes away.
 */
export async function withDraft<T>(
  { folder, owner, bytes, mode }: Draft,
  use: (path: string) => Promise<T>,
): Promise<T> {
  count += 1;
  const path = join(folder, `.ars-${owner}-${process.pid}-${count}.new`);
  inUse.add(path);
  try {
    const file = await open(path, 'w', mode === undefined ? undefined : OWN);
    try {
      if (mode !== undefined) await file.chmod(mode & 0o777);
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    return await use(path);
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
    inUse.delete(path);
  }
}

/** Takes away the drafts of an owner that no living process is at; what cannot be taken away stays. */
export async function removeDrafts(folder: string, owner: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, whose, pid] = NAME.exec(name) ?? [];
    const path = join(folder, name);
    if (whose === owner && !isWrittenBy(Number(pid), path)) await rm(path, { force: true }).catch(() => undefined);
  }
}

function isWrittenBy(pid: number, path: string): boolean {
  if (pid === process.pid) return inUse.has(path);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
