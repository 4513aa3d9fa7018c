import canonicalize from 'canonicalize';
import { isValid } from '../../schemas/index.js';
import { digest, hashOf } from './chain.js';

/** The end of a log: its last sequence and hash. */
export interface LogHead {
  readonly sequence: number;
  readonly hash: string;
}

/** What verifying a text in interchange form gives (Ch6, verifying a log). */
export type TextVerdict =
  | { readonly ok: true; readonly head: LogHead }
  | { readonly ok: false; readonly first_bad_sequence: number };

interface Line extends LogHead {
  readonly prev_hash: string;
  readonly redacted?: true;
  readonly timestamp: string;
  readonly incarnation: number;
}

/** The verdict on a text, from a head on; by default from that of an empty log. Linear in the text. */
export function verifyText(text: string, from: LogHead = { sequence: 0, hash: digest('') }): TextVerdict {
  let head = from;
  let seen = { timestamp: '', incarnation: 1 };
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf('\n', at);
    const line = feed === -1 ? undefined : readLine(text.slice(at, feed));
    const linked = line !== undefined && line.sequence === head.sequence + 1 && line.prev_hash === head.hash;
    if (!linked || !(line.redacted === true || isSound(line, seen)))
      return { ok: false, first_bad_sequence: head.sequence + 1 };
    if (line.redacted !== true) seen = line;
    head = { sequence: line.sequence, hash: line.hash };
    at = feed + 1;
  }
  return { ok: true, head };
}

/** The record or stub that a line is the canonical form of; undefined where it is that of none. */
function readLine(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (canonicalize(value) !== text) return undefined;
    return isValid('audit-record', value) || isValid('audit-record#stub', value) ? (value as Line) : undefined;
  } catch {
    return undefined;
  }
}

function isSound(line: Line, seen: { readonly timestamp: string; readonly incarnation: number }): boolean {
  const ordered = line.timestamp >= seen.timestamp && line.incarnation >= seen.incarnation;
  return ordered && line.hash === hashOf({ ...line });
}
