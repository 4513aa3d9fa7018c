import { DOCUMENT_DEPTH, DOCUMENT_SIZE, excerpt, TreeBuilder } from './source-tree.js';

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /[^\s,:{}[\]"]+/y;
const WORDS = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** What the reader wants next. */
type Wanted = 'value' | 'first key' | 'key' | 'first element' | 'separator' | 'end';

/**
 * Reads a strict JSON text (RFC 8259) into a tree with places.
 *
 * Accepts exactly what `JSON.parse` accepts, but for what ARS refuses: repeated keys, numbers that a double cannot hold,
 * lone surrogates, more than {@link DOCUMENT_DEPTH} nested containers, and more than {@link DOCUMENT_SIZE} values and keys. After an error of syntax nothing more is read.
 */
export function readJson(text: string): TreeBuilder {
  return new JsonReader(text).read();
}

class JsonReader {
  readonly #text: string;
  readonly #tree: TreeBuilder;
  /** The closing bracket of each open container, and where it was opened. */
  readonly #closers: ('}' | ']')[] = [];
  readonly #openers: number[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tree = new TreeBuilder(/\\[uU]|\p{Surrogate}/u.test(text));
  }

  read(): TreeBuilder {
    let wanted: Wanted | undefined = 'value';
    while (wanted !== undefined) {
      this.#skipSpace();
      if (wanted === 'end') {
        if (this.#at < this.#text.length)
          this.#fail('Something follows the end of the JSON document', 'A JSON file holds one value.');
        break;
      }
      wanted = this.#step(wanted);
    }
    return this.#tree;
  }

  #step(wanted: Wanted): Wanted | undefined {
    const char = this.#text[this.#at];
    if (char === undefined)
      return this.#unclosed('The JSON text ends too early', `Is a '${this.#closers.at(-1) ?? 'value'}' missing?`);
    if ((wanted === 'first key' && char === '}') || (wanted === 'first element' && char === ']')) return this.#close();
    if (wanted === 'first key' || wanted === 'key') return this.#key(char);
    if (wanted !== 'separator') return this.#value(char);
    const closer = this.#closers.at(-1);
    if (char === closer) return this.#close();
    if (char !== ',')
      return this.#unclosed(`A ',' or '${closer}' is missing before '${char}'`, 'Members are separated by commas.');
    this.#at++;
    return closer === '}' ? 'key' : 'value';
  }

  #close(): Wanted {
    this.#at++;
    this.#closers.pop();
    this.#openers.pop();
    this.#tree.close(this.#at);
    return this.#closers.length === 0 ? 'end' : 'separator';
  }

  #key(char: string): Wanted | undefined {
    const start = this.#at;
    if (char !== '"')
      return this.#fail(
        `A key in double quotes is missing before '${char}'`,
        'JSON has no trailing commas, and its keys are quoted.',
      );
    const key = this.#string();
    if (key === undefined) return undefined;
    this.#tree.key(key, start, this.#at);
    this.#skipSpace();
    if (this.#text[this.#at] !== ':')
      return this.#fail(`A ':' is missing after the key "${excerpt(key)}"`, 'A member is written "key": value.');
    this.#at++;
    return 'value';
  }

  #value(char: string): Wanted | undefined {
    const start = this.#at;
    if (char === ']' || char === '}' || char === ',')
      return this.#fail(
        `A value is missing before '${char}'`,
        'JSON has no trailing commas, and a value between any two.',
      );
    if (this.#tree.size >= DOCUMENT_SIZE)
      return this.#fail(`There are more than ${DOCUMENT_SIZE} values and keys`, 'Make the document smaller.');
    if (char === '{' || char === '[') {
      if (this.#tree.depth === DOCUMENT_DEPTH) {
        return this.#fail(`More than ${DOCUMENT_DEPTH} containers are nested`, 'Make the document flatter.');
      }
      this.#tree.open(char === '{' ? 'object' : 'array', start);
      this.#openers.push(start);
      this.#closers.push(char === '{' ? '}' : ']');
      this.#at++;
      return char === '{' ? 'first key' : 'first element';
    }
    const value = char === '"' ? this.#string() : /[-0-9]/.test(char) ? this.#number() : this.#word();
    if (value === undefined) return undefined;
    this.#tree.scalar(value, start, this.#at);
    return this.#closers.length === 0 ? 'end' : 'separator';
  }

  #skipSpace(): void {
    for (; ; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
    }
  }

  #string(): string | undefined {
    const start = this.#at;
    const text = this.#text;
    let at = start + 1;
    let plain = true;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 34) break;
      if (code < 32) plain = false;
      else if (code === 92) {
        plain = false;
        at++;
      }
    }
    this.#at = at + 1;
    if (at >= text.length) {
      this.#at = start;
      return this.#fail('A string has no closing quote', 'Close it with ".');
    }
    if (plain) return text.slice(start + 1, at);
    try {
      return JSON.parse(text.slice(start, at + 1)) as string;
    } catch {
      this.#at = start;
      return this.#fail(
        'A string holds a control character or an unknown escape',
        'JSON knows \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX.',
        at + 1,
      );
    }
  }

  #number(): number | undefined {
    NUMBER.lastIndex = this.#at;
    const source = NUMBER.exec(this.#text)?.[0];
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.#text)?.[0];
    if (source === undefined || source !== word) {
      return this.#fail(
        `"${excerpt(word ?? '')}" is no JSON number`,
        'A number is written like -1, 2.5 or 1e9.',
        this.#at + (word ?? '').length,
      );
    }
    const value = Number(source);
    checkNumber(this.#tree, source, value, this.#at);
    this.#at += source.length;
    return value;
  }

  #word(): boolean | null | undefined {
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.#text)?.[0] ?? this.#text[this.#at] ?? '';
    const end = this.#at + word.length;
    const value = WORDS.get(word);
    if (value === undefined) {
      return this.#fail(
        `"${excerpt(word)}" is no JSON value`,
        'Strings stand in double quotes; the words are true, false and null.',
        end,
      );
    }
    this.#at = end;
    return value;
  }

  /** Fails, and says what is open. */
  #unclosed(message: string, help: string): undefined {
    const opener = this.#openers.at(-1);
    const related =
      opener === undefined
        ? undefined
        : { message: `this ${this.#text.charAt(opener)} is open`, start: opener, end: opener + 1 };
    this.#tree.defect(message, help, this.#at, this.#at + 1, related);
    return undefined;
  }

  #fail(message: string, help: string, end = this.#at + 1): undefined {
    this.#tree.defect(message, help, this.#at, end);
    return undefined;
  }
}

/** Reports a number that a double cannot hold as it is written. */
export function checkNumber(tree: TreeBuilder, source: string, value: number, start: number): void {
  const end = start + source.length;
  if (!Number.isFinite(value)) {
    tree.defect(
      `The number ${excerpt(source)} is not finite`,
      'Numbers are IEEE doubles, without infinities and NaN.',
      start,
      end,
    );
  } else if (!Number.isSafeInteger(value) && /^[-+]?(?:[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+)$/.test(source)) {
    tree.defect(
      `The integer ${excerpt(source)} is beyond 2^53-1`,
      'Write it as a string: a double would alter it.',
      start,
      end,
    );
  }
}
