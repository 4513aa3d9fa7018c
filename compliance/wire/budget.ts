/** A limit of time that stands still while the other side waits for us. */
export class Budget {
  readonly #onSpent: () => void;
  #left: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param ms how long the budget lasts, in milliseconds of running time */
  constructor(ms: number, onSpent: () => void) {
    this.#left = ms;
    this.#onSpent = onSpent;
  }

  /** Lets the time run. */
  run(): void {
    if (this.#timer !== undefined) return;
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onSpent, Math.max(0, this.#left));
  }

  /** Stops the time; what is left is kept. */
  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left -= performance.now() - this.#since;
  }
}
