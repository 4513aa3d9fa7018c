import { constants } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ArsError } from '../error.js';
import { demandInside } from '../workspace/canonical-path.js';
import { type ChainFault, type ChainVerdict, GENESIS, headOf, startChainCheck } from './chain.js';
import { dailyPath, type InterchangeReason, type LineSource, TORN, timestampOf } from './interchange.js';
import type { Head } from './log.js';

/** The verdict on files, and the file that holds the first bad line. */
export type FilesVerdict = ChainVerdict<InterchangeReason> & { readonly file?: string };

/** What a run of the daily export wrote. */
export interface DailyExport {
  /** Files that were made or continued. */
  readonly files: readonly string[];
  /** How many records were written. */
  readonly records: number;
}

const DAILY = /[/\\]([0-9]{4})[/\\]([0-9]{2})[/\\]([0-9]{2})\.jsonl$/;
const LINE_FEED = 0x0a;
const CHUNK_BYTES = 1024 * 1024;
const TAIL_BYTES = 64 * 1024;
/** More makes no text here, and is read no further. */
const LONGEST_LINE_BYTES = constants.MAX_STRING_LENGTH;

/** The daily files of a workspace that are there, oldest first. */
export async function listDailyFiles(workspace_dir: string): Promise<string[]> {
  const root = join(workspace_dir, 'infrastructure', 'audit');
  const names = await readdir(root, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      return [];
    }
    throw error;
  });
  return names
    .map(name => join(root, name))
    .filter(path => DAILY.test(path))
    .sort();
}

/**
 * Continues the daily files `infrastructure/audit/YYYY/MM/DD.jsonl` of a workspace to the end of the log.
 *
 * Whole lines that are there stay as they are; a last line that an interrupted export left torn is written anew. Each
 * file is durable before the next is begun. Throws `log_corrupt` where the last line there is not a record of this log.
 *
 * @requirement AW2
 */
export async function writeDailyFiles(source: LineSource, workspace_dir: string): Promise<DailyExport> {
  const files: string[] = [];
  let records = 0;
  let path = '';
  let file: FileHandle | undefined;
  let buffered: string[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    await file?.appendFile(buffered.join(''));
    buffered = [];
    size = 0;
  };
  const finish = async (): Promise<void> => {
    await flush();
    await file?.sync();
  };
  try {
    for (const line of source.lines(await writtenSequence(source, workspace_dir))) {
      const wanted = join(workspace_dir, dailyPath(timestampOf(line)));
      if (wanted !== path) {
        await finish();
        await file?.close();
        demandInside(workspace_dir, dailyPath(timestampOf(line)));
        await mkdir(dirname(wanted), { recursive: true });
        file = await open(wanted, 'a');
        path = wanted;
        files.push(path);
      }
      buffered.push(line, '\n');
      size += line.length;
      records++;
      if (size >= CHUNK_BYTES) {
        await flush();
      }
    }
    await finish();
  } finally {
    await file?.close();
  }
  return { files, records };
}

/**
 * The verdict on files in the interchange form, read one after the other as one log, in constant memory but for the
 * longest line. A file that is named like a day may hold only records of that day.
 */
export async function verifyFiles(paths: Iterable<string>, from: Head = GENESIS): Promise<FilesVerdict> {
  const check = startChainCheck(from);
  for (const file of paths) {
    const day = DAILY.exec(file)?.slice(1).join('-');
    for await (const line of fileLines(file)) {
      const fault = typeof line === 'string' ? (check.accept(line) ?? dayFault(check.timestamp, day)) : line;
      if (fault !== undefined) {
        const first_bad_sequence = check.head.sequence + (fault.reason === 'day' ? 0 : 1);
        return { ok: false, first_bad_sequence, ...fault, file };
      }
    }
  }
  return { ok: true, head: check.head };
}

function dayFault(timestamp?: string, day?: string): ChainFault<InterchangeReason> | undefined {
  return day === undefined || timestamp === undefined || timestamp.startsWith(day)
    ? undefined
    : { reason: 'day', message: `a record of ${timestamp} stands in the file of ${day}` };
}

/**
 * The lines of a file, or of standard input for `-`, without their line feeds; in place of a line that cannot be read, why.
 * What stands after the last line feed is told beside, before its fault, where it is UTF-8. Nothing follows a line that is
 * longer than a text can be.
 */
export async function* fileLines(
  path: string,
  onRest: (text: string) => void = () => undefined,
  longest = LONGEST_LINE_BYTES,
): AsyncGenerator<string | ChainFault<InterchangeReason>> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of (path === '-' ? process.stdin : createReadStream(path)) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      pieces.push(chunk.subarray(start, end));
      yield decode(decoder, Buffer.concat(pieces));
      pieces = [];
      length = 0;
      start = end + 1;
    }
    if (start < chunk.length) {
      pieces.push(chunk.subarray(start));
      length += chunk.length - start;
    }
    if (length > longest) {
      yield { reason: 'too_long', message: `the line has more than ${longest} bytes, which no record has` };
      return;
    }
  }
  if (pieces.length > 0) {
    const rest = decode(decoder, Buffer.concat(pieces));
    if (typeof rest === 'string') onRest(rest);
    yield TORN;
  }
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string | ChainFault<InterchangeReason> {
  try {
    return decoder.decode(bytes);
  } catch {
    return { reason: 'not_utf8', message: 'the line is not UTF-8' };
  }
}

/** The last sequence that the daily files hold; a torn line at the end is taken away. */
async function writtenSequence(source: LineSource, workspace_dir: string): Promise<number> {
  for (const path of (await listDailyFiles(workspace_dir)).reverse()) {
    const line = await mendTail(path);
    if (line === undefined) {
      continue;
    }
    const { sequence } = headOf(parsed(line));
    const own = Number.isSafeInteger(sequence) && sequence > 0 ? source.lines(sequence - 1).next().value : undefined;
    if (own !== line) {
      throw new ArsError('log_corrupt', `the last line of "${path}" is not a record of this log; move the file away`, {
        details: { path, sequence },
      });
    }
    return sequence;
  }
  return 0;
}

function parsed(line: string): { sequence: number; hash: string } {
  try {
    return JSON.parse(line) as { sequence: number; hash: string };
  } catch {
    return { sequence: 0, hash: '' };
  }
}

/** The last whole line of a file; what stands after its line feed is cut off. */
async function mendTail(path: string): Promise<string | undefined> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    for (let length = Math.min(TAIL_BYTES, size); ; length = Math.min(2 * length, size)) {
      const tail = Buffer.alloc(length);
      await file.read(tail, 0, length, size - length);
      const last = tail.lastIndexOf(LINE_FEED);
      const before = last > 0 ? tail.lastIndexOf(LINE_FEED, last - 1) : -1;
      if (before === -1 && length < size) {
        continue;
      }
      if (last + 1 < length) {
        await file.truncate(size - length + last + 1);
      }
      return last === -1 ? undefined : tail.toString('utf8', before + 1, last);
    }
  } finally {
    await file.close();
  }
}
