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
const CARRIAGE_RETURN = 0x0d;

/** Cuts a stream of bytes into lines, whatever the chunks are; the time is linear in the bytes. */
export class LineReader {
  readonly #cap: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** The beginning of a line whose end has not come yet; of a line that is too long, as much as is quoted. */
  #kept = Buffer.alloc(0);
  #kept_bytes = 0;
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
      this.#finish(chunk.subarray(from, at), lines);
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
    return lines;
  }

  /** What is left without a line feed at the end of the stream; a message that was cut off is no message. */
  end(): Line | undefined {
    const lines: Line[] = [];
    this.#finish(Buffer.alloc(0), lines);
    return lines[0];
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    const wanted = this.#bytes > this.#cap ? Math.min(QUOTE_BYTES, this.#bytes) : this.#bytes;
    if (wanted > this.#kept.length) {
      const grown = Buffer.alloc(Math.max(wanted, 2 * this.#kept.length));
      this.#kept.copy(grown, 0, 0, this.#kept_bytes);
      this.#kept = grown;
    }
    if (wanted > this.#kept_bytes) part.copy(this.#kept, this.#kept_bytes, 0, wanted - this.#kept_bytes);
    this.#kept_bytes = wanted;
  }

  #finish(last: Buffer, lines: Line[]): void {
    const whole = this.#bytes === 0 ? last : this.#joined(last);
    const bytes = this.#bytes === 0 ? last.length : this.#bytes;
    this.#kept = Buffer.alloc(0);
    this.#kept_bytes = 0;
    this.#bytes = 0;
    if (bytes === 0 || (bytes === 1 && whole[0] === CARRIAGE_RETURN)) return;
    const quote = () => whole.toString('utf8', 0, QUOTE_BYTES);
    if (bytes > this.#cap) {
      lines.push({ kind: 'too_long', quote: quote(), bytes });
      return;
    }
    try {
      lines.push({ kind: 'text', text: this.#decoder.decode(whole) });
    } catch {
      lines.push({ kind: 'not_utf8', quote: quote(), bytes });
    }
  }

  #joined(last: Buffer): Buffer {
    this.#keep(last);
    return this.#kept.subarray(0, this.#kept_bytes);
  }
}
