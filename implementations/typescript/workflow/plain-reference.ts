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
