/** How deeply containers may be nested in a document. */
export const DOCUMENT_DEPTH = 1000;

/** How many values and keys a document may have. */
export const DOCUMENT_SIZE = 20_000_000;

/** A defect of a text, before its offsets are turned into lines and columns. */
export interface TextDefect {
  readonly message: string;
  readonly help: string;
  readonly start: number;
  readonly end: number;
  /** Another place that helps to see it. */
  readonly related?: { readonly message: string; readonly start: number; readonly end: number };
}

/** For how many repeated keys the first place is looked for. */
const MOST_RELATED = 20;
/** How much of a text a message repeats. */
const SHOWN = 60;

/** Returns a text as messages repeat it: the beginning of a long one, and how long it is. */
export function excerpt(text: string): string {
  return text.length <= SHOWN
    ? text
    : `${text.slice(0, SHOWN).replace(/[\ud800-\udbff]$/, '')}… (${text.length} characters)`;
}

type Container = Record<string, unknown> | unknown[];
interface Frame {
  readonly container: Container;
  readonly entry: number;
  key: string;
  /** A member that repeats a key or has no proper one is read, and left out. */
  keyed: boolean;
  /** Whether a dash is likely to be missing, so that repeated keys are those of another entry of a list. */
  joined: boolean;
}

const SCALAR = 0;
const OBJECT = 1;
const ARRAY = 2;
const KEY = 3;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Builds a JSON value while a reader goes over its text, and remembers where every key and value stands.
 *
 * The places are one flat list of entries in reading order, so that a document of a million nodes costs no objects.
 */
export class TreeBuilder {
  readonly defects: TextDefect[] = [];
  value: unknown;
  readonly #kinds = new IntegerList();
  readonly #starts = new IntegerList();
  readonly #ends = new IntegerList();
  /** For containers the entry after the last one inside, for keys their index in the list of names. */
  readonly #nexts = new IntegerList();
  readonly #keys: string[] = [];
  readonly #frames: Frame[] = [];
  readonly #checkSurrogates: boolean;

  /** The flag says whether strings can hold a lone surrogate at all, which the reader knows from one look at the text. */
  constructor(checkSurrogates: boolean) {
    this.#checkSurrogates = checkSurrogates;
  }

  /** How many containers are open. */
  get depth(): number {
    return this.#frames.length;
  }

  /** How many values and keys there are up to now. */
  get size(): number {
    return this.#kinds.size;
  }

  defect(message: string, help: string, start: number, end: number, related?: TextDefect['related']): void {
    this.defects.push({ message, help, start, end, ...(related === undefined ? {} : { related }) });
  }

  /** Takes the key of the next member; the flag says whether it stands in a block of YAML. */
  key(text: string, start: number, end: number, inBlock = false): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    this.#text(text, start, end);
    const repeated = Object.hasOwn(frame.container, text);
    if (repeated && !frame.joined) {
      const isEntry = inBlock && Array.isArray(this.#frames.at(-2)?.container);
      frame.joined = isEntry && firstKey(frame.container) === text;
      this.defect(
        `The key "${excerpt(text)}" appears twice in one object`,
        frame.joined
          ? 'Does a new entry of the list begin here? Write - before it; else keep one of the two, or rename it.'
          : 'Keep one of the two, or rename it.',
        start,
        end,
        this.defects.length < MOST_RELATED ? this.#keyOf(frame, text) : undefined,
      );
    }
    frame.key = text;
    frame.keyed = !repeated;
    const entry = this.#entry(KEY, start, end);
    this.#nexts.set(entry, this.#keys.push(text) - 1);
  }

  /** Where the key of a member stands that was read before. */
  #keyOf({ entry }: Frame, text: string): TextDefect['related'] {
    const [kinds, nexts] = [this.#kinds.values(), this.#nexts.values()];
    for (let at = entry + 1; at < kinds.length && kinds[at] === KEY; at = nexts[at + 1] as number)
      if (this.#keys[nexts[at] as number] === text)
        return {
          message: 'it is here first',
          start: this.#starts.values()[at] as number,
          end: this.#ends.values()[at] as number,
        };
    return undefined;
  }

  /** Takes a scalar, or a finished value that stands for one. */
  scalar(value: unknown, start: number, end: number): void {
    if (typeof value === 'string') this.#text(value, start, end);
    this.#entry(SCALAR, start, end);
    this.#attach(value);
  }

  /** Opens an object or array; the value is the one that will be filled. */
  open(kind: 'object' | 'array', start: number): Container {
    const container: Container = kind === 'array' ? [] : {};
    this.#attach(container);
    const entry = this.#entry(kind === 'array' ? ARRAY : OBJECT, start, start);
    this.#frames.push({ container, entry, key: '', keyed: false, joined: false });
    return container;
  }

  /** Closes the innermost container; returns how many entries it has, itself included. */
  close(end: number): number {
    const frame = this.#frames.pop();
    if (frame === undefined) return 0;
    this.#ends.set(frame.entry, end);
    this.#nexts.set(frame.entry, this.size);
    return this.size - frame.entry;
  }

  /** Finishes the document and returns its places. */
  places(): Places {
    return new Places(
      this.#kinds.values(),
      this.#starts.values(),
      this.#ends.values(),
      this.#nexts.values(),
      this.#keys,
    );
  }

  #text(text: string, start: number, end: number): void {
    if (!this.#checkSurrogates || !LONE_SURROGATE.test(text)) return;
    this.defect(
      'The text holds half of a surrogate pair',
      'Write the whole character, or its escape as a pair \\uD83D\\uDE00.',
      start,
      end,
    );
  }

  #entry(kind: number, start: number, end: number): number {
    const entry = this.#kinds.push(kind);
    this.#starts.push(start);
    this.#ends.push(end);
    this.#nexts.push(entry + 1);
    return entry;
  }

  #attach(value: unknown): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) this.value = value;
    else if (Array.isArray(frame.container)) frame.container.push(value);
    else if (frame.keyed) setOwn(frame.container, frame.key, value);
  }
}

function firstKey(container: Container): string | undefined {
  for (const key in container) return key;
  return undefined;
}

function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A place in a text: from the first code unit up to, not including, the last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A growing list of integers. */
class IntegerList {
  size = 0;
  #items = new Int32Array(64);

  /** Appends an integer and returns its index. */
  push(value: number): number {
    if (this.size === this.#items.length) {
      const larger = new Int32Array(this.size * 2);
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.size] = value;
    return this.size++;
  }

  set(index: number, value: number): void {
    this.#items[index] = value;
  }

  values(): Int32Array {
    return this.#items.subarray(0, this.size);
  }
}

/** Where the keys and values of one document stand. */
export class Places {
  readonly #kinds: Int32Array;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  readonly #nexts: Int32Array;
  readonly #keys: readonly string[];
  /** The children of the containers that were looked into: positions of an array, key entries of an object. */
  readonly #children = new Map<number, readonly number[] | ReadonlyMap<string, number>>();

  constructor(kinds: Int32Array, starts: Int32Array, ends: Int32Array, nexts: Int32Array, keys: readonly string[]) {
    this.#kinds = kinds;
    this.#starts = starts;
    this.#ends = ends;
    this.#nexts = nexts;
    this.#keys = keys;
  }

  /**
   * Returns where the value at an RFC 6901 pointer stands, or the key before it.
   *
   * Where the pointer leads to nothing, the place of the innermost container on its way.
   */
  find(pointer: string, part: 'key' | 'value'): Span {
    let entry = 0;
    let key = -1;
    for (const token of pointer.split('/').slice(1)) {
      const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
      const children = this.#childrenOf(entry);
      if (children instanceof Map) {
        const found = children.get(name);
        if (found === undefined) return this.#span(entry, -1, part);
        key = found;
        entry = found + 1;
      } else {
        const found = (children as readonly number[])[Number(name)];
        if (found === undefined) return this.#span(entry, -1, part);
        key = -1;
        entry = found;
      }
    }
    return this.#span(entry, key, part);
  }

  #span(entry: number, key: number, part: 'key' | 'value'): Span {
    const at = part === 'key' && key >= 0 ? key : entry;
    return { start: this.#starts[at] ?? 0, end: this.#ends[at] ?? 0 };
  }

  #childrenOf(entry: number): readonly number[] | ReadonlyMap<string, number> {
    const known = this.#children.get(entry);
    if (known !== undefined) return known;
    const kind = this.#kinds[entry];
    const list: number[] = [];
    const map = new Map<string, number>();
    const end = this.#nexts[entry] ?? 0;
    for (let at = entry + 1; at < end; ) {
      if (kind === ARRAY) list.push(at);
      else if (this.#kinds[at] === KEY) {
        const name = this.#keys[this.#nexts[at] as number] ?? '';
        if (!map.has(name)) map.set(name, at);
        at++;
        continue;
      }
      at = this.#nexts[at] as number;
    }
    const children = kind === ARRAY ? list : map;
    this.#children.set(entry, children);
    return children;
  }
}
