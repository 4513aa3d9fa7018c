import { hash } from 'node:crypto';
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

const NO_FRAMES: readonly Frame[] = [];

/** An array (keys undefined) or object whose members are being written. */
interface Frame {
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
  if (typeof value !== 'object' || value === null) {
    return scalar(value, NO_FRAMES);
  }
  let frame = open(value, NO_FRAMES);
  /** The frames around it; most values have none. */
  let around: Frame[] | undefined;
  let out = frame.keys === undefined ? '[' : '{';
  let watched: Set<object> | undefined;
  for (;;) {
    const { container, keys, length } = frame;
    let member: unknown;
    while (frame.next < length) {
      const index = frame.next++;
      if (index > 0) {
        out += ',';
      }
      if (keys === undefined) {
        member = (container as readonly unknown[])[index];
      } else {
        const key = keys[index] as string;
        out += keyTexts.get(key) ?? keyText(key, [...(around ?? NO_FRAMES), frame]);
        member = (container as Readonly<Record<string, unknown>>)[key];
      }
      if (typeof member === 'object' && member !== null) {
        break;
      }
      out += plainScalar(member) ?? scalar(member, [...(around ?? NO_FRAMES), frame]);
      member = undefined;
    }
    if (member !== undefined) {
      around ??= [];
      around.push(frame);
      watched = watch(watched, around, member as object);
      frame = open(member as object, around);
      out += frame.keys === undefined ? '[' : '{';
      continue;
    }
    out += keys === undefined ? ']' : '}';
    watched?.delete(container);
    const outer = around?.pop();
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
  return digestText(canonicalize(value));
}

/** The digest of a text: SHA-256 over its UTF-8 bytes, written `sha256:<64 hex>`. */
export function digestText(value: string): string {
  return `sha256:${hash('sha256', value)}`;
}

function open(value: object, stack: readonly Frame[]): Frame {
  if (Array.isArray(value)) {
    return { container: value, keys: undefined, length: value.length, next: 0 };
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) {
    throw refusal(stack, `an object of class ${value.constructor?.name ?? 'unknown'} is not a JSON value`);
  }
  const keys = Object.keys(value);
  sortKeys(keys);
  return { container: value, keys, length: keys.length, next: 0 };
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

function keyText(key: string, stack: readonly Frame[]): string {
  const written = `${text(key, stack, 'key')}:`;
  if (key.length <= LONGEST_KEY) {
    if (keyTexts.size === KEYS_KEPT) keyTexts.clear();
    keyTexts.set(key, written);
  }
  return written;
}

function watch(watched: Set<object> | undefined, stack: readonly Frame[], member: object): Set<object> | undefined {
  if (watched === undefined) {
    if (stack.length < CYCLE_WATCH_DEPTH) {
      return undefined;
    }
    const ancestors = new Set(stack.map(frame => frame.container));
    return watch(ancestors, stack, member);
  }
  if (watched.has(member)) {
    throw refusal(stack, 'a value that contains itself is not a JSON value');
  }
  return watched.add(member);
}

function scalar(value: unknown, stack: readonly Frame[]): string {
  switch (typeof value) {
    case 'string':
      return text(value, stack, 'string');
    case 'number':
      return number(value, stack);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return 'null';
    default:
      throw refusal(stack, `a value of type ${typeof value} is not a JSON value`);
  }
}

function number(value: number, stack: readonly Frame[]): string {
  if (!Number.isFinite(value)) {
    throw refusal(stack, `${value} is not a JSON number`);
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < EXPONENT_FROM) {
    throw refusal(stack, `${value} is an integer beyond 2^53-1; send it as a string`);
  }
  return String(value);
}

function text(value: string, stack: readonly Frame[], what: 'string' | 'key'): string {
  if (PLAIN.test(value)) {
    return `"${value}"`;
  }
  if (LONE_SURROGATE.test(value)) {
    throw refusal(
      what === 'key' ? stack.slice(0, -1) : stack,
      `the ${what} ${JSON.stringify(value)} has a lone surrogate`,
    );
  }
  return JSON.stringify(value);
}

/** The error for the member that the innermost frame is at. */
function refusal(stack: readonly Frame[], what: string): ArsError {
  let pointer = '';
  for (const frame of stack) {
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
