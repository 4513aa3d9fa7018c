import { getEventListeners, setMaxListeners } from 'node:events';

/** How many actions may be given the same signal, one after the other: what they hang on it must not grow for ever. */
const MOST_USES = 1000;

/**
 * The end of all waiting for the answers of actions, and the signals by which the actions learn of it. Actions that run
 * without a timeout share a signal, as long as none of them leaves something on it.
 */
export class Abandonment {
  readonly #waiting = new Map<() => void, AbortController>();
  #shared: AbortController | undefined;
  #uses = 0;
  #happened = false;

  /**
   * Waits for an answer from now on: the signal for the action, which is that of its own controller where it has one.
   * `abandoned` is called once when nobody waits any longer, before the signal is aborted. Undefined where that has been.
   */
  enter(abandoned: () => void, own?: AbortController): AbortSignal | undefined {
    if (this.#happened) return undefined;
    const controller = own ?? this.#share();
    this.#waiting.set(abandoned, controller);
    return controller.signal;
  }

  /** The answer has come, or is waited for no longer. */
  leave(abandoned: () => void): void {
    const controller = this.#waiting.get(abandoned);
    this.#waiting.delete(abandoned);
    if (controller === undefined || controller !== this.#shared) return;
    if (this.#uses >= MOST_USES || getEventListeners(controller.signal, 'abort').length > 0) this.#shared = undefined;
  }

  /** Nobody waits any longer, now and later. */
  happen(): void {
    this.#happened = true;
    const controllers = new Set(this.#waiting.values());
    for (const abandoned of [...this.#waiting.keys()]) abandoned();
    for (const controller of controllers) controller.abort(new Error('abandoned'));
  }

  #share(): AbortController {
    if (this.#shared === undefined) {
      this.#shared = new AbortController();
      this.#uses = 0;
      setMaxListeners(0, this.#shared.signal);
    }
    this.#uses += 1;
    return this.#shared;
  }
}
