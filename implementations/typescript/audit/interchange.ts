import type { AuditExportResult } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { type ChainFault, type ChainReason, type ChainVerdict, startChainCheck } from './chain.js';

/** Where the canonical texts of a log come from: those after a sequence, in sequence order, without line feeds. */
export interface LineSource {
  lines(after?: number): IterableIterator<string>;
}

/** Why a text or file in the interchange form does not verify. */
export type InterchangeReason = ChainReason | 'not_utf8' | 'too_long' | 'torn' | 'day';

/** A page of the export holds at most so many bytes, unless a single record has more. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** The fault of a last line without a line feed. */
export const TORN: ChainFault<InterchangeReason> = {
  reason: 'torn',
  message: 'the last line has no line feed: its writer was stopped, or the end was cut off',
};

/**
 * A page of the interchange form: whole lines in sequence order, from after `cursor` on; `next` is the cursor of the
 * following page and absent on the last. Throws `usage` for a cursor that no page gave.
 */
export function exportPage(source: LineSource, cursor?: string, max_bytes = MAX_PAGE_BYTES): AuditExportResult {
  let sequence = readCursor(cursor);
  let bytes = 0;
  const page: string[] = [];
  for (const line of source.lines(sequence)) {
    const size = Buffer.byteLength(line) + 1;
    if (page.length > 0 && bytes + size > max_bytes) {
      return { text: joined(page), next: String(sequence) };
    }
    page.push(line);
    bytes += size;
    sequence++;
  }
  return { text: joined(page) };
}

/** The verdict on a text in the interchange form. */
export function verifyText(text: string): ChainVerdict<InterchangeReason> {
  const check = startChainCheck();
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const fault = end === -1 ? TORN : check.accept(text.slice(start, end));
    if (fault !== undefined) {
      return { ok: false, first_bad_sequence: check.head.sequence + 1, ...fault };
    }
    start = end + 1;
  }
  return { ok: true, head: check.head };
}

/** The path of the file of a UTC day below the workspace, always with slashes. */
export function dailyPath(timestamp: string): string {
  return `infrastructure/audit/${timestamp.slice(0, 10).replaceAll('-', '/')}.jsonl`;
}

/** The timestamp in the canonical text of a record. What follows it are plain strings, so its name's last place is its own. */
export function timestampOf(line: string): string {
  const name = '"timestamp":"';
  const start = line.lastIndexOf(name) + name.length;
  return line.slice(start, start + '2026-01-01T00:00:00.000Z'.length);
}

function readCursor(cursor: string | undefined): number {
  const sequence = cursor === undefined ? 0 : /^[0-9]{1,15}$/.test(cursor) ? Number(cursor) : undefined;
  if (sequence === undefined) {
    throw new ArsError(
      'usage',
      `${JSON.stringify(cursor)} is no cursor of an export; pass what the last page gave as next`,
      {
        details: { cursor },
      },
    );
  }
  return sequence;
}

function joined(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
