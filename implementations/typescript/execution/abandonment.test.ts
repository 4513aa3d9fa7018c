import { describe, expect, it } from 'vitest';
import { Abandonment } from './abandonment.js';

const nothing = () => undefined;

/** One that enters, and how often it was told that nobody waits. */
function enter(abandonment: Abandonment, own?: AbortController) {
  let told = 0;
  const abandoned = () => {
    told += 1;
  };
  const signal = abandonment.enter(abandoned, own);
  if (signal === undefined) throw new Error('too late');
  return { signal, leave: () => abandonment.leave(abandoned), told: () => told };
}

describe('Abandonment', () => {
  it('tells all that wait, then aborts their signals, and lets nobody in any more', () => {
    const abandonment = new Abandonment();
    const own = new AbortController();
    const [one, two, timed] = [enter(abandonment), enter(abandonment), enter(abandonment, own)];
    let before: boolean[] = [];
    abandonment.enter(() => (before = [one.signal.aborted, timed.signal.aborted]));
    expect(timed.signal).toBe(own.signal);
    abandonment.happen();
    expect([one.told(), two.told(), timed.told()]).toEqual([1, 1, 1]);
    expect(before).toEqual([false, false]);
    expect([one.signal.aborted, two.signal.aborted, timed.signal.aborted]).toEqual([true, true, true]);
    expect(abandonment.enter(nothing)).toBeUndefined();
  });

  it('does not tell who has left', () => {
    const abandonment = new Abandonment();
    const one = enter(abandonment);
    one.leave();
    abandonment.happen();
    expect([one.told(), one.signal.aborted]).toEqual([0, false]);
  });

  it('gives a signal to one at a time, so that no action hears or silences another', () => {
    const abandonment = new Abandonment();
    const heard: string[] = [];
    const both = () => heard.push('both');
    const [one, two] = [enter(abandonment), enter(abandonment)];
    one.signal.onabort = event => {
      heard.push('one');
      event.stopImmediatePropagation();
    };
    one.signal.addEventListener('abort', both);
    two.signal.onabort = () => heard.push('two');
    two.signal.addEventListener('abort', both);
    two.signal.removeEventListener('abort', both);
    abandonment.happen();
    expect(heard).toEqual(['one', 'two']);
  });

  it.each<[string, (signal: AbortSignal, heard: () => void) => void]>([
    ['a listener', (signal, heard) => signal.addEventListener('abort', heard)],
    ['onabort', (signal, heard) => Object.assign(signal, { onabort: heard })],
    ['a signal that depends on it', (signal, heard) => AbortSignal.any([signal]).addEventListener('abort', heard)],
    ['a property', signal => Object.assign(signal, { mine: true })],
  ])('gives no signal again on which %s was left', (_, leaveOn) => {
    const abandonment = new Abandonment();
    const clean = enter(abandonment);
    clean.leave();
    const littered = enter(abandonment);
    expect(littered.signal).toBe(clean.signal);
    let heard = 0;
    leaveOn(littered.signal, () => {
      heard += 1;
    });
    littered.leave();
    const next = enter(abandonment);
    expect(next.signal).not.toBe(littered.signal);
    abandonment.happen();
    expect([littered.signal.aborted, next.signal.aborted, heard]).toEqual([false, true, 0]);
  });

  it('gives no signal for ever', () => {
    const abandonment = new Abandonment();
    const signals = new Set<AbortSignal>();
    for (let at = 0; at < 5000; at++) {
      const { signal, leave } = enter(abandonment);
      signals.add(signal);
      leave();
    }
    expect(signals.size).toBe(5);
  });
});
