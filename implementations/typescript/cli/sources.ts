import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { ArsError } from '../error.js';
import { readDocuments, type SourceDocument } from '../workspace/document.js';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory; name the files in it',
  EACCES: 'it may not be read',
  EPERM: 'it may not be read',
  ENOTDIR: 'a part of the path is no directory',
  ERR_STRING_TOO_LONG: 'it is too large',
  ERR_FS_FILE_TOO_LARGE: 'it is too large',
};

/**
 * Returns the documents of a file, or of standard input for `-`.
 *
 * Throws `usage` (details {file, reason}) where it cannot be read; what is wrong inside is a defect of the document.
 */
export async function readSource(
  file: string,
  stdin: NodeJS.ReadableStream = process.stdin,
): Promise<SourceDocument[]> {
  try {
    const bytes = file === '-' ? await buffer(stdin) : await readFile(file);
    return readDocuments(bytes, { file: file === '-' ? '<stdin>' : file });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    const reason = REASONS[code] ?? (cause as Error).message;
    throw new ArsError('usage', `Cannot read ${file}: ${reason}`, { details: { file, reason }, cause });
  }
}
