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
  /** The name of the input, of the output or in the result. */
  name = '';
  #text = '';
  #start = 0;
  #dot = 0;

  /** The node that is read. */
  get node_id(): string {
    return this.#text.slice(this.#start, this.#dot);
  }

  /** Returns what is found under the name of the node that is read. */
  find(graph: { indexOf(text: string, start: number, end: number): number }): number {
    return graph.indexOf(this.#text, this.#start, this.#dot);
  }

  /** Whether it is this node that is read. */
  isOf(node_id: string): boolean {
    return this.#start + node_id.length === this.#dot && this.#text.startsWith(node_id, this.#start);
  }

  /** Reads a path at a place; returns where it ends, -1 where there is no plain one. */
  read(text: string, at: number): number {
    let start = at + 7;
    if (text.startsWith('nodes.', at)) {
      this.root = NODES;
      this.#text = text;
      this.#start = at + 6;
      this.#dot = segmentEnd(text, this.#start);
      if (this.#dot === this.#start || !text.startsWith('.outputs.', this.#dot)) return -1;
      start = this.#dot + 9;
    } else if (text.startsWith('inputs.', at)) this.root = INPUTS;
    else if (text.startsWith('result.', at)) this.root = RESULT;
    else return -1;
    const end = segmentEnd(text, start);
    if (end === start) return -1;
    this.name = text.slice(start, end);
    return end;
  }

  /**
   * Reads `inputs.a`, `nodes.a.outputs.b` or `nodes["a"].outputs.b` in an expression, where a name after a dot is an
   * identifier; returns where it ends, -1 where there is no such path.
   */
  readMember(text: string, at: number): number {
    let start = at + 7;
    if (text.startsWith('nodes', at)) {
      this.root = NODES;
      this.#text = text;
      const quote = text.charCodeAt(at + 5) === OPEN ? text.charCodeAt(at + 6) : 0;
      const isQuoted = quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE;
      if (!isQuoted && text.charCodeAt(at + 5) !== DOT) return -1;
      this.#start = at + (isQuoted ? 7 : 6);
      this.#dot = isQuoted ? segmentEnd(text, this.#start) : identifierEnd(text, this.#start);
      if (this.#dot === this.#start || (!isQuoted && RESERVED.has(this.node_id))) return -1;
      if (isQuoted && (text.charCodeAt(this.#dot) !== quote || text.charCodeAt(this.#dot + 1) !== SHUT)) return -1;
      const end = isQuoted ? this.#dot + 2 : this.#dot;
      if (!text.startsWith('.outputs.', end)) return -1;
      start = end + 9;
    } else if (text.startsWith('inputs.', at)) this.root = INPUTS;
    else return -1;
    const end = identifierEnd(text, start);
    if (end === start) return -1;
    this.name = text.slice(start, end);
    return RESERVED.has(this.name) ? -1 : end;
  }
}

/** What is no name after a dot in an expression, or is better looked at twice. */
const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

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
    if (text.charCodeAt(last) !== CLOSE || !text.startsWith('${')) return false;
    const end = this.path.read(text, 2);
    this.standsIn = 'nothing';
    if (end === last || end === -1) return end === last;
    if (!text.startsWith(' ?? ', end)) return false;
    this.standsIn = 'path';
    if (this.other.read(text, end + 4) === last) return true;
    this.standsIn = 'literal';
    return this.#readLiteral(text.slice(end + 4, last));
  }

  #readLiteral(text: string): boolean {
    this.literal = LITERALS.get(text);
    if (this.literal !== undefined) return true;
    if (!/^(?:0|[1-9][0-9]{0,14})$/.test(text)) return false;
    this.literal = Number(text);
    return true;
  }
}

const CLOSE = 0x7d;
const OPEN = 0x5b;
const SHUT = 0x5d;
const DOT = 0x2e;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;

/** Where a name ends that has only characters which need no second look. */
function segmentEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isPlain =
      (code >= 0x61 && code <= 0x7a) ||
      (code >= 0x30 && code <= 0x39) ||
      (code >= 0x41 && code <= 0x5a) ||
      code === 0x2d ||
      code === 0x5f;
    if (!isPlain) break;
  }
  return at;
}

/** Where an identifier ends; where there is none, the start. */
function identifierEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
    if (!isLetter && !(at > start && code >= 0x30 && code <= 0x39)) break;
  }
  return at;
}
