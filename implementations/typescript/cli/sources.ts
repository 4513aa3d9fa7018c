import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ArsError } from '../error.js';
import { readDocuments, type SourceDocument } from '../workspace/document.js';
import { visible } from './code-frame.js';
import { refusalOf } from './system-refusal.js';

/** What is said of a file that was named; elsewhere it is said in other words. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder; name the files in it',
};

/** How large a document may be, in bytes; what never ends is refused as well. */
export const SOURCE_BYTES = 2 ** 28;

/**
 * Returns the documents of a file, or of standard input for `-`.
 *
 * Throws `usage` (details {file, reason}) where it cannot be read; what is wrong inside is a defect of the document.
 */
export async function readSource(
  file: string,
  stdin: NodeJS.ReadableStream = process.stdin,
): Promise<SourceDocument[]> {
  return readDocuments(await readBytes(file, stdin), { file: file === '-' ? '<stdin>' : file });
}

/** The bytes of a file, or of standard input for `-`. Throws `usage` (details {file, reason}). */
export async function readBytes(
  file: string,
  stdin: NodeJS.ReadableStream = process.stdin,
  cwd = process.cwd(),
): Promise<Buffer> {
  try {
    return file === '-' ? await gather(stdin) : await readFile(resolve(cwd, file));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    const reason = REASONS[code] ?? refusalOf(cause);
    throw new ArsError('usage', `Cannot read ${visible(file)}: ${reason}`, { details: { file, reason }, cause });
  }
}

async function readFile(file: string): Promise<Buffer> {
  // Opening a pipe waits for whoever writes into it; only one that the shell has made is sure to have a writer.
  if ((await stat(file)).isFIFO() && !/^\/(?:dev|proc\/(?:self|[0-9]+))\//.test(file))
    throw new Error('it is a named pipe; give it as standard input: ars verify - < file');
  const handle = await open(file);
  try {
    return await gather(handle.createReadStream({ autoClose: false }));
  } finally {
    await handle.close();
  }
}

async function gather(stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > SOURCE_BYTES) throw new Error(`it is larger than ${SOURCE_BYTES >> 20} MiB`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
