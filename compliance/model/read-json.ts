/** The value of a JSON text, or why it has none that a runtime may take in (Ch4, values). */
export type Read =
  | { readonly value: unknown }
  | { readonly refused: 'syntax' | 'number' | 'surrogate' | 'duplicate_key' };

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const STRING = /"(?:[^"\\]|\\.)*"/sy;
const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
const LONE = /\p{Surrogate}/u;

class Refusal {
  readonly why: Extract<Read, { refused: unknown }>['refused'];
  constructor(why: Refusal['why']) {
    this.why = why;
  }
}

/** Reads a JSON text and alters nothing: what a double, a string or an object cannot say is refused. */
export function readJson(text: string): Read {
  try {
    return { value: new Reader(text).document() };
  } catch (cause) {
    if (cause instanceof Refusal) return { refused: cause.why };
    if (cause instanceof SyntaxError) return { refused: 'syntax' };
    throw cause;
  }
}

/** An array, or an object with the key that waits for its value. */
type Frame = { readonly list: unknown[] } | { readonly members: Map<string, unknown>; key: string };

class Reader {
  readonly #text: string;
  readonly #open: Frame[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    let value = this.#begin();
    for (let frame = this.#open.at(-1); frame !== undefined; frame = this.#open.at(-1)) {
      this.#put(frame, value);
      value = this.#end(frame) ? this.#close() : this.#begin();
    }
    if (this.#next() !== '') throw new Refusal('syntax');
    return value;
  }

  /** The next scalar or empty container; containers that begin before it are opened. */
  #begin(): unknown {
    for (;;) {
      const char = this.#next();
      if (char !== '{' && char !== '[') return char === '"' ? this.#string() : this.#literal();
      this.#at += 1;
      if (this.#next() === (char === '{' ? '}' : ']')) {
        this.#at += 1;
        return char === '{' ? {} : [];
      }
      this.#open.push(char === '{' ? { members: new Map(), key: this.#key() } : { list: [] });
    }
  }

  #literal(): unknown {
    const word = Object.keys(WORDS).find(candidate => this.#text.startsWith(candidate, this.#at));
    if (word === undefined) return this.#number();
    this.#at += word.length;
    return WORDS[word];
  }

  #put(frame: Frame, value: unknown): void {
    if ('list' in frame) frame.list.push(value);
    else frame.members.set(frame.key, value);
  }

  /** Whether the innermost container ends here; else a comma is passed, and in an object a key. */
  #end(frame: Frame): boolean {
    const char = this.#next();
    this.#at += 1;
    if (char === ('list' in frame ? ']' : '}')) return true;
    if (char !== ',') throw new Refusal('syntax');
    if ('members' in frame) {
      frame.key = this.#key();
      if (frame.members.has(frame.key)) throw new Refusal('duplicate_key');
    }
    return false;
  }

  #close(): unknown {
    const frame = this.#open.pop() as Frame;
    return 'list' in frame ? frame.list : Object.fromEntries(frame.members);
  }

  #key(): string {
    if (this.#next() !== '"') throw new Refusal('syntax');
    const key = this.#string();
    if (this.#next() !== ':') throw new Refusal('syntax');
    this.#at += 1;
    return key;
  }

  #string(): string {
    const value = JSON.parse(this.#match(STRING)) as string;
    if (LONE.test(value)) throw new Refusal('surrogate');
    return value;
  }

  #number(): number {
    const value = Number(this.#match(NUMBER));
    const inexact = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
    if (inexact || !Number.isFinite(value)) throw new Refusal('number');
    return value;
  }

  #next(): string {
    SPACE.lastIndex = this.#at;
    this.#at += SPACE.exec(this.#text)?.[0].length ?? 0;
    return this.#text.charAt(this.#at);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw new Refusal('syntax');
    this.#at += found.length;
    return found;
  }
}
