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

/**
 * Reads references of the most common form without building anything: a string that is exactly one of `${inputs.a}`,
 * `${nodes.a.outputs.b}` and `${result.a}`, or such a one with a simple literal after `??`. What it takes for one
 * {@link parseTemplate} reads in the same way; of other strings it says nothing.
 */
export class PlainReference {
  root = INPUTS;
  /** The name of the input, of the output or in the result. */
  name = '';
  hasDefault = false;
  literal: unknown = undefined;
  #text = '';
  #dot = 0;

  /** The node that is read. */
  get node_id(): string {
    return this.#text.slice(8, this.#dot);
  }

  /** Whether it is this node that is read. */
  isOf(node_id: string): boolean {
    return 8 + node_id.length === this.#dot && this.#text.startsWith(node_id, 8);
  }

  /** Reads a string; returns whether it is a plain reference. */
  read(text: string): boolean {
    const last = text.length - 1;
    if (text.charCodeAt(last) !== CLOSE || !text.startsWith('${')) return false;
    let at = 9;
    if (text.startsWith('nodes.', 2)) {
      const dot = text.indexOf('.', 8);
      if (!text.startsWith('.outputs.', dot)) return false;
      this.root = NODES;
      this.#text = text;
      this.#dot = dot;
      if (segmentEnd(text, 8) !== dot) return false;
      at = dot + 9;
    } else if (text.startsWith('inputs.', 2)) this.root = INPUTS;
    else if (text.startsWith('result.', 2)) this.root = RESULT;
    else return false;
    const end = segmentEnd(text, at);
    if (end === at) return false;
    this.name = text.slice(at, end);
    this.hasDefault = end !== last;
    return !this.hasDefault || (text.startsWith(' ?? ', end) && this.#readLiteral(text.slice(end + 4, last)));
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
