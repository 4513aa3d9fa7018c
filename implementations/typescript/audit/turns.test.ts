import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

/** Work that tells when it begins, and ends when it is told to. */
function tracked() {
  const told: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    told.push(name);
    return new Promise<string>(resolve => ends.set(name, () => resolve(name)));
  };
  const settled = () => new Promise(resolve => setImmediate(resolve));
  return { told, work, settled, end: (name: string) => ends.get(name)?.() };
}

describe('Turns', () => {
  it('lets work that shares a name go on side by side, and work that has its turn alone after all before', async () => {
    const { told, work, settled, end } = tracked();
    const turns = new Turns();
    const all = [
      turns.share('n', work('shared 1')),
      turns.share('n', work('shared 2')),
      turns.take('n', work('alone 1')),
      turns.share('n', work('shared 3')),
      turns.take('n', work('alone 2')),
      turns.take('other', work('other')),
    ];
    await settled();
    expect(told).toEqual(['shared 1', 'shared 2', 'other']);
    expect([turns.isTaken('n'), turns.isTaken('m')]).toEqual([true, false]);
    for (const name of ['shared 2', 'shared 1', 'alone 1', 'shared 3', 'alone 2', 'other']) {
      end(name);
      await settled();
    }
    expect(told).toEqual(['shared 1', 'shared 2', 'other', 'alone 1', 'shared 3', 'alone 2']);
    expect(await Promise.all(all)).toEqual(['shared 1', 'shared 2', 'alone 1', 'shared 3', 'alone 2', 'other']);
    expect([turns.isTaken('n'), turns.isTaken('other')]).toEqual([false, false]);
  });

  it('goes on after work that failed, which rejects', async () => {
    const turns = new Turns();
    const fails = () => Promise.reject(new RangeError('no'));
    const failed = [turns.share('n', fails), turns.take('n', fails)].map(work => expect(work).rejects.toThrow('no'));
    expect(await turns.take('n', async () => 'after')).toBe('after');
    await Promise.all(failed);
  });
});
