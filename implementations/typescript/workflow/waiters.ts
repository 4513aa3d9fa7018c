import { after } from '../execution/attempt.js';

/** Those who wait for something that can be looked up at any time. */
export class Waiters {
  readonly #looks = new Set<() => void>();

  /** Resolves when `settled` says so at a look, at once where it says so now, and at the latest after so many milliseconds. */
  async wait(settled: () => boolean, budget_ms: number): Promise<void> {
    if (settled()) return;
    await new Promise<void>(resolve => {
      const end = () => {
        cancel();
        this.#looks.delete(look);
        resolve();
      };
      const look = () => {
        if (settled()) end();
      };
      const cancel = after(budget_ms, end);
      this.#looks.add(look);
    });
  }

  /** Lets all that wait look again. */
  look(): void {
    for (const look of [...this.#looks]) look();
  }
}
