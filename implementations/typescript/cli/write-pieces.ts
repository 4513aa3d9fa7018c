import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ArsError } from '../error.js';
import { visible } from './code-frame.js';
import { refusalOf } from './system-refusal.js';

/** How much is put together before it is written, in UTF-16 code units. */
const CHUNK = 1 << 16;

/** Writes pieces in larger chunks, and waits where the reader is slower. */
export async function writePieces(pieces: Iterable<string>, write: (text: string) => unknown): Promise<void> {
  for (const chunk of chunksOf(pieces)) await write(chunk);
}

/** Writes pieces to a file, whose folder is made. Throws `usage` (details {file}) where that cannot be. */
export async function writePiecesToFile(pieces: Iterable<string>, file: string, cwd: string): Promise<void> {
  const path = resolve(cwd, file);
  try {
    await mkdir(dirname(path), { recursive: true });
    await pipeline(Readable.from(chunksOf(pieces)), createWriteStream(path));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
    throw new ArsError('usage', `Cannot write ${visible(file)}: ${refusalOf(cause)}`, { details: { file }, cause });
  }
}

function* chunksOf(pieces: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
