import { createHash, hash } from 'node:crypto';
import { ArsError } from '../error.js';

/**
 * The pattern of text that needs neither an escape nor a look at its surrogates: everything but controls, quote, backslash,
 * D800–DFFF.
 */
export const PLAIN_TEXT = '[ !#-[\\]-\\ud7ff\\ue000-\\uffff]*';
const PLAIN = new RegExp(`^${PLAIN_TEXT}$`);
const LONE_SURROGATE = /\p{Surrogate}/u;
/** From here on JCS writes numbers with an exponent, so that nobody reads them as exact integers. */
const EXPONENT_FROM = 1e21;
/** Ancestors are watched for cycles only below this depth; a cycle gets there soon enough. */
const CYCLE_WATCH_DEPTH = 1024;

/** How many different keys of objects, up to so many characters long, are kept as they are written; then others are. */
const KEYS_KEPT = 2048;
const LONGEST_KEY = 128;
const keyTexts = new Map<string, string>();

/** An array (keys undefined) or object whose members are being written, in the one around it. */
interface Frame {
  readonly outer: Frame | undefined;
  readonly depth: number;
  readonly container: object;
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
}

/**
 * The canonical form of a JSON value by RFC 8785: no white space, members ordered by UTF-16 code units, numbers as
 * ECMAScript prints them.
 *
 * Nothing is altered on the way: what JSON cannot say exactly is refused with `not_canonical` and the RFC 6901 pointer of
 * the value in `details.pointer` (of the containing object where a key is at fault). Refused are NaN and infinities, lone
 * surrogates in strings and keys, cycles, everything that is not null, a boolean, a number, a string, an array or a plain
 * object, holes of arrays included, and integers beyond 2^53-1 that the form would print with all their digits. Whether
 * such an integer is the one that the sender wrote can no longer be known, and a reader with exact integers would take it
 * for exact. From 1e21 on the form has an exponent and says by itself that it is a double.
 *
 * Only own enumerable string keys count, `__proto__` like any other. Depth is limited by memory alone.
 */
export function canonicalize(value: unknown): string {
  const parts: string[] = [];
  const last = write(value, part => parts.push(part));
  return parts.length === 0 ? last : `${parts.join('')}${last}`;
}

/** How many characters are put together before they are passed on: of many more each piece would outlive several collections. */
const PART = 16_384;

/** Passes on a long canonical form in parts, each one flat text, but for the last, which it returns. */
function write(value: unknown, pass: (part: string) => unknown): string {
  if (typeof value !== 'object' || value === null) {
    return scalar(value, undefined);
  }
  let frame = open(value, undefined);
  let out = frame.keys === undefined ? '[' : '{';
  let watched: Set<object> | undefined;
  for (;;) {
    const { container, keys, length, outer } = frame;
    let member: unknown;
    while (frame.next < length) {
      const index = frame.next++;
      if (index > 0) {
        out += ',';
        if (out.length > PART) {
          // Asking for a character makes V8 write what was put together as one text.
          out.charCodeAt(0);
          pass(out);
          out = '';
        }
      }
      if (keys === undefined) {
        member = (container as readonly unknown[])[index];
      } else {
        const key = keys[index] as string;
        out += keyTexts.get(key) ?? keyText(key, frame);
        member = (container as Readonly<Record<string, unknown>>)[key];
      }
      if (typeof member === 'object' && member !== null) {
        break;
      }
      out += plainScalar(member) ?? scalar(member, frame);
      member = undefined;
    }
    if (member !== undefined) {
      watched = watch(watched, frame, member as object);
      frame = open(member as object, frame);
      out += frame.keys === undefined ? '[' : '{';
      continue;
    }
    out += keys === undefined ? ']' : '}';
    watched?.delete(container);
    if (outer === undefined) {
      return out;
    }
    frame = outer;
  }
}

/** The text of a value that is plain text or a small integer, of which most are. */
function plainScalar(value: unknown): string | undefined {
  if (typeof value === 'string') {
    return PLAIN.test(value) ? `"${value}"` : undefined;
  }
  return typeof value === 'number' && (value | 0) === value ? String(value) : undefined;
}

/** The digest of a JSON value: SHA-256 over its canonical form, written `sha256:<64 hex>`. Refuses like {@link canonicalize}. */
export function digest(value: unknown): string {
  let hashing: ReturnType<typeof createHash> | undefined;
  const last = write(value, part => {
    hashing ??= createHash('sha256');
    hashing.update(part);
  });
  return hashing === undefined ? digestText(last) : `sha256:${hashing.update(last).digest('hex')}`;
}

/** The digest of a text: SHA-256 over its UTF-8 bytes, written `sha256:<64 hex>`. */
export function digestText(value: string): string {
  return `sha256:${hash('sha256', value)}`;
}

function open(value: object, outer: Frame | undefined): Frame {
  const depth = outer === undefined ? 1 : outer.depth + 1;
  if (Array.isArray(value)) {
    return { outer, depth, container: value, keys: undefined, length: value.length, next: 0 };
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) {
    throw refusal(outer, notPlainText(value.constructor?.name));
  }
  const keys = Object.keys(value);
  sortKeys(keys);
  return { outer, depth, container: value, keys, length: keys.length, next: 0 };
}

/** What to give in place of an object that JSON has nothing for. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['Date', 'its toISOString()'],
  ['Map', 'Object.fromEntries() of it'],
  ['Set', 'an array of its members'],
  ['URL', 'its href'],
  ['Buffer', "its toString('base64')"],
]);

function notPlainText(name: unknown): string {
  const known = typeof name === 'string' ? name : 'unknown';
  const instead = INSTEAD.get(known);
  return `an object of class ${known} is not a JSON value${instead === undefined ? '' : `; give ${instead}`}`;
}

/** So many keys are put in order faster by inserting one after the other. */
const FEW_KEYS = 16;

function sortKeys(keys: string[]): void {
  if (keys.length > FEW_KEYS) {
    keys.sort();
    return;
  }
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string;
    let at = i;
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
}

function keyText(key: string, frame: Frame): string {
  const written = `${text(key, frame.outer, 'key')}:`;
  if (key.length <= LONGEST_KEY) {
    if (keyTexts.size === KEYS_KEPT) keyTexts.clear();
    keyTexts.set(key, written);
  }
  return written;
}

function watch(watched: Set<object> | undefined, frame: Frame, member: object): Set<object> | undefined {
  if (watched === undefined) {
    if (frame.depth < CYCLE_WATCH_DEPTH) {
      return undefined;
    }
    const ancestors = new Set(around(frame).map(({ container }) => container));
    return watch(ancestors, frame, member);
  }
  if (watched.has(member)) {
    throw refusal(frame, 'a value that contains itself is not a JSON value');
  }
  return watched.add(member);
}

function scalar(value: unknown, frame: Frame | undefined): string {
  switch (typeof value) {
    case 'string':
      return text(value, frame, 'string');
    case 'number':
      return number(value, frame);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return 'null';
    default:
      throw refusal(frame, `a value of type ${typeof value} is not a JSON value`);
  }
}

function number(value: number, frame: Frame | undefined): string {
  if (!Number.isFinite(value)) {
    throw refusal(frame, `${value} is not a JSON number`);
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < EXPONENT_FROM) {
    throw refusal(frame, `${value} is an integer beyond 2^53-1; send it as a string`);
  }
  return String(value);
}

function text(value: string, frame: Frame | undefined, what: 'string' | 'key'): string {
  if (PLAIN.test(value)) {
    return `"${value}"`;
  }
  if (LONE_SURROGATE.test(value)) {
    throw refusal(frame, `the ${what} ${JSON.stringify(value)} has a lone surrogate`);
  }
  return JSON.stringify(value);
}

/** A frame and those around it, the outermost first. */
function around(innermost: Frame | undefined): Frame[] {
  const frames: Frame[] = [];
  for (let frame = innermost; frame !== undefined; frame = frame.outer) frames.push(frame);
  return frames.reverse();
}

/** The error for the member that a frame is at. */
function refusal(innermost: Frame | undefined, what: string): ArsError {
  let pointer = '';
  for (const frame of around(innermost)) {
    const index = frame.next - 1;
    const token = frame.keys === undefined ? String(index) : (frame.keys[index] as string);
    pointer += `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return new ArsError('not_canonical', `${what} (at ${pointer === '' ? 'the root' : quoted(pointer)})`, {
    details: { pointer },
  });
}

function quoted(pointer: string): string {
  return JSON.stringify(pointer.length > 200 ? `${pointer.slice(0, 200)}…` : pointer);
}
