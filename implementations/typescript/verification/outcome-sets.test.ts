import { describe, expect, it } from 'vitest';
import { OutcomeSets } from './outcome-sets.js';
import { type Draw, drawFrom } from './testing/enumerate.js';

const ANY = -1;

/** A set of outcomes in both forms. */
interface Pair {
  readonly number: number;
  readonly outcomes: ReadonlySet<number>;
}

function drawPair(draw: Draw, sets: OutcomeSets, width: number): Pair {
  const near = draw(width);
  const reach = draw(2) === 0 ? width : Math.min(width, 40);
  const outcomes = Array.from({ length: 1 + draw(draw(2) === 0 ? 4 : 60) }, () => (near + draw(reach)) % width);
  return { number: sets.unionOf(outcomes.map(at => sets.only(at, width))), outcomes: new Set(outcomes) };
}

describe('sets of outcomes', () => {
  it.each([2, 30, 31, 33, 61, 1000, 4000])('of %i are what sets are', width => {
    const sets = new OutcomeSets(1_000_000, 1_000_000);
    const draw = drawFrom(width);
    const all = sets.all(width);
    const pool: Pair[] = [{ number: all, outcomes: new Set(Array.from({ length: width }, (_, at) => at)) }];
    const drawn = (): Pair => pool[draw(pool.length)] as Pair;
    for (let round = 0; round < 150; round++) {
      const [one, other] = draw(3) === 0 ? [drawPair(draw, sets, width), drawn()] : [drawn(), drawn()];
      const shared = new Set([...one.outcomes].filter(at => other.outcomes.has(at)));
      const either = new Set([...one.outcomes, ...other.outcomes]);
      const intersection = sets.intersection(one.number, other.number);
      const union = sets.union(one.number, other.number);
      const at = draw(width);
      const single = sets.only(at, width);
      expect({
        areDisjoint: sets.areDisjoint(one.number, other.number),
        isEmpty: intersection === 0,
        isFirst: intersection === one.number,
        isAll: sets.isAllOf(union, all),
        isPart: sets.isAllOf(one.number, union),
        lacksShared: sets.areDisjoint(intersection, single),
        lacksEither: sets.areDisjoint(union, single),
      }).toEqual({
        areDisjoint: shared.size === 0,
        isEmpty: shared.size === 0,
        isFirst: shared.size === one.outcomes.size,
        isAll: either.size === width,
        isPart: either.size === one.outcomes.size,
        lacksShared: !shared.has(at),
        lacksEither: !either.has(at),
      });
      if (shared.size > 0) pool.push({ number: intersection, outcomes: shared });
      pool.push({ number: union, outcomes: either });
    }
  });

  it('that exclude nothing are the whole of every union and narrow no intersection', () => {
    const sets = new OutcomeSets(1000, 1000);
    for (const width of [3, 300]) {
      const one = sets.only(1, width);
      expect([sets.union(one, ANY), sets.union(ANY, one)]).toEqual([ANY, ANY]);
      expect([sets.intersection(one, ANY), sets.intersection(ANY, one)]).toEqual([one, one]);
      expect([sets.areDisjoint(one, ANY), sets.isAllOf(one, ANY)]).toEqual([false, false]);
      expect([sets.areDisjoint(one, 0), sets.union(one, 0), sets.intersection(0, one)]).toEqual([true, one, 0]);
    }
  });

  it.each([
    ['room', 20, 1000],
    ['steps', 1000, 5],
  ])('only become greater once there is no more %s', (_, room, steps) => {
    const sets = new OutcomeSets(room, steps);
    const [width, low, high] = [600, [0, 100, 200], [50, 150, 250]];
    const [even, odd] = [low, high].map(places => sets.unionOf(places.map(at => sets.only(at, width))));
    expect(sets.unionOf([even, odd, sets.only(599, width), sets.all(width)] as number[])).toBe(ANY);
    const [one, two] = [sets.only(3, width), sets.only(300, width)];
    expect(sets.union(one, two)).toBe(ANY);
    expect(sets.intersection(one, two)).toBe(one);
  });
});
