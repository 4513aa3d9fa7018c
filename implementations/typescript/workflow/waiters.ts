import { delay } from '../execution/attempt.js';

/** Those who wait for something that can be looked up at any time. */
export class Waiters {
  readonly #looks = new Set<() => void>();

  /** Resolves when `settled` says so at a look, at once where it says so now, and at the latest after so many milliseconds. */
  async wait(settled: () => boolean, budget_ms: number): Promise<void> {
    if (settled()) return;
    const timer = new AbortController();
    const change = new Promise<void>(resolve => {
      const look = () => {
        if (!settled()) return;
        this.#looks.delete(look);
        resolve();
      };
      this.#looks.add(look);
      timer.signal.addEventListener('abort', () => this.#looks.delete(look), { once: true });
    });
    await Promise.race([change, delay(budget_ms, timer.signal)]);
    timer.abort('settled');
  }

  /** Lets all that wait look again. */
  look(): void {
    for (const look of [...this.#looks]) look();
  }
}
