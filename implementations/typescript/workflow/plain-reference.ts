import type { Path } from './mapping-template.js';

/** The roots of plain references. */
export const INPUTS = 0;
export const NODES = 1;
export const RESULT = 2;

/** The literals that stand in most often, by their text; other ones are numbers. */
const LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['null', null],
  ['true', true],
  ['false', false],
  ['""', ''],
  ['[]', []],
  ['{}', {}],
]);

/** One of the paths `inputs.a`, `nodes.a.outputs.b` and `result.a` in a text. */
export class PlainPath {
  root = INPUTS;
  #text = '';
  /** Where the name of the node begins and ends, and that of the input, of the output or in the result. */
  #start = 0;
  #dot = 0;
  #nameStart = 0;
  #nameEnd = 0;

  /** The node that is read. */
  get node_id(): string {
    return this.#text.slice(this.#start, this.#dot);
  }

  /** The name of the input, of the output or in the result. */
  get name(): string {
    return this.#text.slice(this.#nameStart, this.#nameEnd);
  }

  /** The path by its names, as {@link parseTemplate} gives it. */
  get names(): Path {
    if (this.root === NODES) return ['nodes', this.node_id, 'outputs', this.name];
    return [this.root === INPUTS ? 'inputs' : 'result', this.name];
  }

  /** Whether that is the name of the input, of the output or in the result. */
  isNamed(name: string): boolean {
    return this.#nameStart + name.length === this.#nameEnd && this.#text.startsWith(name, this.#nameStart);
  }

  /** Returns what is found under the name of the node that is read. */
  find(graph: { indexOf(text: string, start: number, end: number): number }): number {
    return graph.indexOf(this.#text, this.#start, this.#dot);
  }

  /** Whether it is this node that is read. */
  isOf(node_id: string): boolean {
    // Names are often as long as each other, and differ at the end.
    const last = node_id.length - 1;
    if (this.#start + last + 1 !== this.#dot || this.#text.charCodeAt(this.#dot - 1) !== node_id.charCodeAt(last))
      return false;
    return this.#text.startsWith(node_id, this.#start);
  }

  /** Reads a path at a place; returns where it ends, -1 where there is no plain one. */
  read(text: string, at: number): number {
    this.#text = text;
    let start = at + 7;
    const first = text.charCodeAt(at);
    if (first === LETTER_N && text.startsWith('nodes.', at)) {
      this.root = NODES;
      const from = at + 6;
      const dot = segmentEnd(text, from);
      this.#start = from;
      this.#dot = dot;
      if (dot === from || !text.startsWith('.outputs.', dot)) return -1;
      start = dot + 9;
    } else if (first === LETTER_I && text.startsWith('inputs.', at)) this.root = INPUTS;
    else if (first === LETTER_R && text.startsWith('result.', at)) this.root = RESULT;
    else return -1;
    const end = segmentEnd(text, start);
    this.#nameStart = start;
    this.#nameEnd = end;
    return end === start ? -1 : end;
  }

  /**
   * Reads `inputs.a`, `nodes.a.outputs.b` or `nodes["a"].outputs.b` in an expression, where a name after a dot is an
   * identifier; returns where it ends, -1 where there is no such path.
   */
  readMember(text: string, at: number): number {
    this.#text = text;
    let start = at + 7;
    if (text.startsWith('nodes', at)) {
      this.root = NODES;
      const quote = text.charCodeAt(at + 5) === OPEN ? text.charCodeAt(at + 6) : 0;
      const isQuoted = quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE;
      if (!isQuoted && text.charCodeAt(at + 5) !== DOT) return -1;
      this.#start = at + (isQuoted ? 7 : 6);
      this.#dot = isQuoted ? segmentEnd(text, this.#start) : identifierEnd(text, this.#start);
      if (this.#dot === this.#start || (!isQuoted && isReserved(text, this.#start, this.#dot))) return -1;
      if (isQuoted && (text.charCodeAt(this.#dot) !== quote || text.charCodeAt(this.#dot + 1) !== SHUT)) return -1;
      const end = isQuoted ? this.#dot + 2 : this.#dot;
      if (!text.startsWith('.outputs.', end)) return -1;
      start = end + 9;
    } else if (text.startsWith('inputs.', at)) this.root = INPUTS;
    else return -1;
    const end = identifierEnd(text, start);
    this.#nameStart = start;
    this.#nameEnd = end;
    return end === start || isReserved(text, start, end) ? -1 : end;
  }
}

/** What is no name after a dot in an expression, or is better looked at twice. */
const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const LONGEST_RESERVED = Math.max(...[...RESERVED].map(word => word.length));
/** Letters with which a reserved word begins, as bits from `a` on. */
const FIRST_RESERVED = [...RESERVED].reduce((bits, word) => bits | (1 << (word.charCodeAt(0) - 0x61)), 0);

function isReserved(text: string, start: number, end: number): boolean {
  const letter = text.charCodeAt(start) - 0x61;
  if (end - start > LONGEST_RESERVED || letter < 0 || ((FIRST_RESERVED >>> letter) & 1) === 0) return false;
  return RESERVED.has(text.slice(start, end));
}

/**
 * Reads references of the most common form without building anything: a string that is exactly one of `${inputs.a}`,
 * `${nodes.a.outputs.b}` and `${result.a}`, or such a one with another path or a simple literal after `??`. What it takes
 * for one {@link parseTemplate} reads in the same way; of other strings it says nothing.
 */
export class PlainReference {
  readonly path = new PlainPath();
  /** What stands in. */
  standsIn: 'nothing' | 'path' | 'literal' = 'nothing';
  readonly other = new PlainPath();
  literal: unknown = undefined;

  /** Reads a string; returns whether it is a plain reference. */
  read(text: string): boolean {
    const last = text.length - 1;
    if (text.charCodeAt(0) !== DOLLAR || text.charCodeAt(1) !== BRACE || text.charCodeAt(last) !== CLOSE) return false;
    const end = this.path.read(text, 2);
    this.standsIn = 'nothing';
    if (end === last || end === -1) return end === last;
    if (!text.startsWith(' ?? ', end)) return false;
    const start = end + 4;
    const digit = text.charCodeAt(start) - 0x30;
    if (last === start + 1 && digit >= 0 && digit <= 9) {
      this.standsIn = 'literal';
      this.literal = digit;
      return true;
    }
    this.standsIn = 'path';
    if (this.other.read(text, start) === last) return true;
    this.standsIn = 'literal';
    return this.#readLiteral(text, start, last);
  }

  #readLiteral(text: string, start: number, end: number): boolean {
    const written = text.slice(start, end);
    this.literal = LITERALS.get(written);
    if (this.literal !== undefined) return true;
    if (!/^(?:0|[1-9][0-9]{0,14})$/.test(written)) return false;
    this.literal = Number(written);
    return true;
  }
}

const DOLLAR = 0x24;
const BRACE = 0x7b;
const CLOSE = 0x7d;
const OPEN = 0x5b;
const SHUT = 0x5d;
const DOT = 0x2e;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const LETTER_I = 0x69;
const LETTER_N = 0x6e;
const LETTER_R = 0x72;

/** For each character of ASCII whether it is a letter or `_` (2), a digit (3) or `-` (1): all of them need no second look. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[A-Za-z_]/.test(character) ? 2 : /[0-9]/.test(character) ? 3 : character === '-' ? 1 : 0;
});

/** Where a name ends that has only characters which need no second look. */
function segmentEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127 || KINDS[code] === 0) break;
  }
  return at;
}

/** Where an identifier ends; where there is none, the start. */
function identifierEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = code > 127 ? 0 : (KINDS[code] as number);
    if (kind < 2 || (kind === 3 && at === start)) break;
  }
  return at;
}
