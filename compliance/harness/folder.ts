import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Tree, TreeEntry } from '../dialogue.js';

/** Up to so many bytes a JSON file is given with its text. */
const SMALL = 65_536;

/** What is below a folder; nothing where there is no folder. A file that goes while it is looked at is left out. */
export async function lookAt(folder: string): Promise<Tree> {
  const tree: Record<string, TreeEntry> = {};
  const open = [''];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entries = await readdir(join(folder, at), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) {
        open.push(path);
        tree[`${path}/`] = { kind: 'folder' };
      } else if (entry.isFile()) {
        const bytes = await readFile(join(folder, path)).catch(() => undefined);
        if (bytes !== undefined) tree[path] = fileEntry(path, bytes);
      } else tree[path] = { kind: 'other' };
    }
  }
  return Object.fromEntries(Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Writes a file below a folder, with the folders that it needs. */
export async function writeInto(folder: string, path: string, text: string): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** Replaces a text by one of the same length in every file below a folder, and gives in how many places. */
export async function replaceIn(folder: string, text: string, by: string): Promise<number> {
  const [old, other] = [Buffer.from(text), Buffer.from(by)];
  let places = 0;
  for (const [path, { kind }] of Object.entries(await lookAt(folder))) {
    if (kind !== 'file') continue;
    const bytes = await readFile(join(folder, path));
    const before = places;
    for (let at = bytes.indexOf(old); at >= 0; at = bytes.indexOf(old, at + old.length)) {
      other.copy(bytes, at);
      places += 1;
    }
    if (places > before) await writeFile(join(folder, path), bytes);
  }
  return places;
}

function fileEntry(path: string, bytes: Buffer): TreeEntry {
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const isText = /\.jsonl?$/.test(path) && bytes.length <= SMALL;
  return { kind: 'file', digest, ...(isText ? { text: bytes.toString('utf8') } : {}) };
}
