import { isValid, validate } from '../../../schemas/index.js';
import type { AuditRecord, RedactedRecord } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { canonicalize, digest, digestText } from '../state/canonical.js';
import { isPlainlyCanonical } from '../state/plainly-canonical.js';
import type { Head } from './log.js';
import { RecordForms, type RecordLinks } from './record-forms.js';

/** The head of an empty log: nothing, and the hash of the empty string. */
export const GENESIS: Head = { sequence: 0, hash: digestText('') };

/** Why a line is not the next record of a chain. */
export type ChainReason =
  | 'not_json'
  | 'not_canonical'
  | 'schema'
  | 'sequence'
  | 'incarnation'
  | 'timestamp'
  | 'prev_hash'
  | 'hash';

/** What a check of a chain found: its head, or the sequence that belongs where the first bad line stands. */
export type ChainVerdict<Reason extends string = ChainReason> =
  | { readonly ok: true; readonly head: Head }
  | { readonly ok: false; readonly first_bad_sequence: number; readonly reason: Reason; readonly message: string };

/** One fault of a line. */
export interface ChainFault<Reason extends string = ChainReason> {
  readonly reason: Reason;
  readonly message: string;
}

/** Whether the hash of a record is that of its canonical text without it. No text holds its own hash in another place. */
export function hasOwnHash(text: string, { hash }: Pick<AuditRecord, 'hash'>): boolean {
  const member = `"hash":"${hash}",`;
  const at = text.indexOf(member);
  return at > 0 && digestText(text.slice(0, at) + text.slice(at + member.length)) === hash;
}

/** The head of a log that ends with this record. */
export function headOf(record: Pick<AuditRecord, 'sequence' | 'hash'>): Head {
  return { sequence: record.sequence, hash: record.hash };
}

/**
 * A check of a chain, line by line, in constant memory.
 *
 * A line is a record or, to a reader without permission, its stub; of a stub only the links are checked. That the chain is
 * whole says nothing about a tail that was cut off: compare `head` with one kept where the writer cannot reach.
 *
 * @requirement AW3
 * @requirement AW5
 * @requirement AW6
 */
export interface ChainCheck {
  readonly head: Head;
  /** The fault of the next line, given without its line feed; undefined where it is the next record. */
  accept(line: string): ChainFault | undefined;
  /** The record of the last accepted line; undefined before the first. */
  readonly last: AuditRecord | RedactedRecord | undefined;
  /** The timestamp of the last accepted line; undefined before the first, and of a stub. */
  readonly timestamp: string | undefined;
}

/** A check that goes on from a head which is known to be good. */
export function startChainCheck(from: Head = GENESIS): ChainCheck {
  let head = from;
  let last: string | AuditRecord | RedactedRecord | undefined;
  let newest: RecordLinks | undefined;
  const forms = new RecordForms();
  return {
    get head() {
      return head;
    },
    get last() {
      if (typeof last === 'string') last = JSON.parse(last) as AuditRecord;
      return last;
    },
    get timestamp() {
      return newest?.sequence === head.sequence ? newest.timestamp : undefined;
    },
    accept(line) {
      const links = newest && forms.read(line);
      if (
        links !== undefined &&
        linkFault(links, head) === undefined &&
        contentFault(links, line, newest) === undefined
      ) {
        last = line;
        head = headOf(links);
        newest = links;
        return undefined;
      }
      const read = readLine(line);
      if ('reason' in read) {
        return read;
      }
      const fault =
        linkFault(read.value, head) ?? ('redacted' in read.value ? undefined : contentFault(read.value, line, newest));
      if (fault !== undefined) {
        return fault;
      }
      last = read.value;
      head = headOf(read.value);
      if (!('redacted' in read.value)) {
        newest = read.value;
        forms.learn(read.value);
      }
      return undefined;
    },
  };
}

/** The verdict on a chain of lines without line feeds, or of records. */
export function verifyChain(
  lines: Iterable<string | AuditRecord | RedactedRecord>,
  from: Head = GENESIS,
): ChainVerdict {
  const check = startChainCheck(from);
  for (const line of lines) {
    const fault = typeof line === 'string' ? check.accept(line) : acceptValue(check, line);
    if (fault !== undefined) {
      return { ok: false, first_bad_sequence: check.head.sequence + 1, ...fault };
    }
  }
  return { ok: true, head: check.head };
}

function acceptValue(check: ChainCheck, value: AuditRecord | RedactedRecord): ChainFault | undefined {
  try {
    return check.accept(canonicalize(value));
  } catch (error) {
    return refusalFault(error);
  }
}

function readLine(line: string): { value: AuditRecord | RedactedRecord } | ChainFault {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    const why = line.startsWith('\ufeff')
      ? 'it begins with a byte order mark, which the interchange form does not have'
      : (error as Error).message;
    return { reason: 'not_json', message: `the line is not JSON: ${why}` };
  }
  try {
    if (!isPlainlyCanonical(line, value) && canonicalize(value) !== line) {
      const why = line.endsWith('\r') ? '; it ends with CR LF, where a line feed alone stands between records' : '';
      return { reason: 'not_canonical', message: `the line is not in canonical form (RFC 8785)${why}` };
    }
  } catch (error) {
    return refusalFault(error);
  }
  if (isValid('audit-record', value) || isValid('audit-record#stub', value)) {
    return { value };
  }
  const defect = validate('audit-record', value)[0];
  return {
    reason: 'schema',
    message: `the record does not fit its schema at "${defect?.pointer}": ${defect?.message}`,
  };
}

function refusalFault(error: unknown): ChainFault {
  if (error instanceof ArsError && error.code === 'not_canonical') {
    return { reason: 'not_canonical', message: error.message };
  }
  throw error;
}

function linkFault(record: RecordLinks | RedactedRecord, head: Head): ChainFault | undefined {
  if (record.sequence !== head.sequence + 1) {
    return { reason: 'sequence', message: `sequence ${record.sequence} follows ${head.sequence}` };
  }
  if (record.prev_hash !== head.hash) {
    return { reason: 'prev_hash', message: `prev_hash is ${record.prev_hash}, the previous record has ${head.hash}` };
  }
  return undefined;
}

function contentFault(record: RecordLinks, line: string, previous: RecordLinks | undefined): ChainFault | undefined {
  if (!hasOwnHash(line, record)) {
    const { hash, ...content } = record;
    return { reason: 'hash', message: `hash is ${hash}, the content has ${digest(content)}` };
  }
  if (previous === undefined) {
    return undefined;
  }
  if (record.timestamp < previous.timestamp) {
    return { reason: 'timestamp', message: `timestamp ${record.timestamp} is before ${previous.timestamp}` };
  }
  if (record.incarnation < previous.incarnation) {
    return { reason: 'incarnation', message: `incarnation ${record.incarnation} follows ${previous.incarnation}` };
  }
  return undefined;
}
