/** One line of the wire, with its moment in milliseconds since the transcript began. */
export interface TranscriptEntry {
  readonly at_ms: number;
  readonly incarnation: number;
  readonly direction: 'sent' | 'received' | 'stderr' | 'event';
  readonly line: string;
}

/** The longest line that a transcript keeps whole, in characters. */
const LINE_KEPT = 16 * 1024;

/** What went over the wire in one case; of a long one, its beginning and its end. */
export class Transcript {
  readonly #half: number;
  readonly #head: TranscriptEntry[] = [];
  #tail: TranscriptEntry[] = [];
  #head_size = 0;
  #tail_size = 0;
  #dropped = 0;
  #began = performance.now();

  /** @param cap the most characters that are kept */
  constructor(cap = 4 * 1024 * 1024) {
    this.#half = cap / 2;
  }

  /** Forgets everything. */
  reset(): void {
    this.#head.length = 0;
    this.#tail = [];
    this.#head_size = 0;
    this.#tail_size = 0;
    this.#dropped = 0;
    this.#began = performance.now();
  }

  add(direction: TranscriptEntry['direction'], incarnation: number, text: string): void {
    const line = text.length > LINE_KEPT ? `${text.slice(0, LINE_KEPT)}… (${text.length} characters)` : text;
    const entry = { at_ms: Math.round(performance.now() - this.#began), incarnation, direction, line };
    if (this.#head_size + line.length <= this.#half && this.#tail.length === 0) {
      this.#head.push(entry);
      this.#head_size += line.length;
      return;
    }
    this.#tail.push(entry);
    this.#tail_size += line.length;
    if (this.#tail_size > 2 * this.#half) this.#shorten();
  }

  /** What was kept, in order. */
  entries(): readonly TranscriptEntry[] {
    if (this.#dropped === 0) return [...this.#head, ...this.#tail];
    const at_ms = this.#tail[0]?.at_ms ?? 0;
    const gap = {
      at_ms,
      incarnation: 0,
      direction: 'event' as const,
      line: `${this.#dropped} lines are left out here`,
    };
    return [...this.#head, gap, ...this.#tail];
  }

  /** The entries as one JSON value a line. */
  toNdjson(): string {
    return this.entries()
      .map(entry => `${JSON.stringify(entry)}\n`)
      .join('');
  }

  #shorten(): void {
    let from = 0;
    while (this.#tail_size > this.#half && from < this.#tail.length) {
      this.#tail_size -= this.#tail[from]?.line.length ?? 0;
      from += 1;
    }
    this.#dropped += from;
    this.#tail = this.#tail.slice(from);
  }
}
