import { getEventListeners } from 'node:events';

/** How many actions may be given the same signal, one after the other: what they hang on it must not grow for ever. */
const MOST_USES = 1000;
/** How many signals are kept for the next actions. */
const MOST_KEPT = 64;

/** A signal that actions without a timeout have one after the other. */
interface LentSignal {
  readonly controller: AbortController;
  /** How many properties the signal had when it was made: signals that depend on it stand in one more. */
  readonly properties: number;
  uses: number;
}

/**
 * The end of all waiting for the answers of actions, and the signals by which the actions learn of it. While an action runs
 * its signal is its own: what one action does to it, as setting `onabort` or stopping the event, keeps nothing from another.
 * Without a timeout it is one that an earlier action had and left nothing on, where there is one: to make one takes time.
 */
export class Abandonment {
  readonly #waiting = new Map<() => void, LentSignal>();
  readonly #free: LentSignal[] = [];
  #happened = false;

  /**
   * Waits for an answer from now on: the signal for the action, which is that of its own controller where it has one.
   * `abandoned` is called once when nobody waits any longer, before the signal is aborted. Undefined where that has been.
   */
  enter(abandoned: () => void, own?: AbortController): AbortSignal | undefined {
    if (this.#happened) return undefined;
    const lent = own === undefined ? this.#lend() : { controller: own, properties: 0, uses: MOST_USES };
    this.#waiting.set(abandoned, lent);
    return lent.controller.signal;
  }

  /** The answer has come, or is waited for no longer. */
  leave(abandoned: () => void): void {
    const lent = this.#waiting.get(abandoned);
    if (lent === undefined) return;
    this.#waiting.delete(abandoned);
    if (lent.uses < MOST_USES && this.#free.length < MOST_KEPT && isUntouched(lent)) this.#free.push(lent);
  }

  /** Nobody waits any longer, now and later. */
  happen(): void {
    this.#happened = true;
    const waiting = [...this.#waiting];
    for (const [abandoned] of waiting) abandoned();
    for (const [, { controller }] of waiting) controller.abort(new Error('abandoned'));
  }

  #lend(): LentSignal {
    const lent = this.#free.pop() ?? newSignal();
    lent.uses += 1;
    return lent;
  }
}

function newSignal(): LentSignal {
  const controller = new AbortController();
  return { controller, properties: Reflect.ownKeys(controller.signal).length, uses: 0 };
}

/** Whether nothing was left on the signal, as far as one can see: no listener, no signal that depends on it. */
function isUntouched({ controller: { signal }, properties }: LentSignal): boolean {
  return getEventListeners(signal, 'abort').length === 0 && Reflect.ownKeys(signal).length === properties;
}
