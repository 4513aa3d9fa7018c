/** The longest line that the protocol allows, in bytes without its line feed. */
export const LINE_CAP = 8 * 1024 * 1024;

/** How many bytes of a bad line are quoted. */
export const QUOTE_BYTES = 200;

/** One line as it came in: its text, or the beginning of one that cannot be a message. */
export type Line =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too_long'; readonly quote: string; readonly bytes: number }
  | { readonly kind: 'not_utf8'; readonly quote: string; readonly bytes: number };

const LINE_FEED = 0x0a;

/** Cuts a stream of bytes into lines, whatever the chunks are; the time is linear in the bytes. */
export class LineReader {
  readonly #cap: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(cap: number = LINE_CAP) {
    this.#cap = cap;
  }

  /** The lines that end in this chunk. Empty lines are left out. */
  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(LINE_FEED, from);
      if (at < 0) break;
      this.#keep(chunk.subarray(from, at));
      this.#finish(lines);
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
    return lines;
  }

  /** What is left without a line feed at the end of the stream; a message that was cut off is no message. */
  end(): Line | undefined {
    const lines: Line[] = [];
    this.#finish(lines);
    return lines[0];
  }

  #keep(part: Buffer): void {
    const room = this.#cap + 1 - this.#bytes;
    if (part.length > 0 && room > 0) this.#parts.push(part.length > room ? part.subarray(0, room) : part);
    this.#bytes += part.length;
  }

  #finish(lines: Line[]): void {
    const [first] = this.#parts;
    const bytes = this.#bytes;
    const whole = this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    if (bytes === 0 || (bytes === 1 && whole[0] === 0x0d)) return;
    if (bytes > this.#cap) {
      lines.push({ kind: 'too_long', quote: whole.toString('utf8', 0, QUOTE_BYTES), bytes });
      return;
    }
    try {
      lines.push({ kind: 'text', text: this.#decoder.decode(whole) });
    } catch {
      lines.push({ kind: 'not_utf8', quote: whole.toString('utf8', 0, QUOTE_BYTES), bytes });
    }
  }
}
