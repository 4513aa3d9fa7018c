/** How long nothing is shown, and how often the line changes, in milliseconds. */
const PATIENCE = 400;
const PERIOD = 100;

/** One line at the end of a terminal that says what is under way, once that has taken a moment. */
export class LiveLine {
  readonly #write: ((text: string) => void) | undefined;
  readonly #begun = performance.now();
  #last = 0;
  #shown = false;

  /** Without a function to write with, nothing is ever shown. */
  constructor(write: ((text: string) => void) | undefined) {
    this.#write = write;
  }

  /** Shows a text instead of the one before; `soon` also where nothing had to be shown up to now. */
  show(text: string, soon = false): void {
    if (this.#write === undefined) return;
    const now = performance.now();
    if (!soon && (now - this.#begun < PATIENCE || now - this.#last < PERIOD)) return;
    this.#last = now;
    this.#shown = true;
    this.#write(`\r\x1b[K${text} …`);
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#shown) this.#write?.('\r\x1b[K');
    this.#shown = false;
  }
}
