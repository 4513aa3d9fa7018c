import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isValid } from '../../schemas/index.js';
import { expected } from '../model/expected.js';
import type { Kill } from '../program.js';
import { killed, schedules, sweep } from './kills.js';
import { programs } from './workflows.js';
import { WORLDS, worlds } from './worlds.js';

const small = programs({ calm: true, length: 2 });

describe('worlds', () => {
  it('are judged by the model as they say', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(worlds(small), ({ program, world }) => {
        seen.add(world.name);
        expect(expected(program).start).toBe(world.verdict);
        for (const agent of program.agents ?? []) expect(isValid('agent', agent)).toBe(true);
        for (const permission of program.permissions ?? []) expect(isValid('permission', permission)).toBe(true);
      }),
      { numRuns: 300, seed: 2 },
    );
    expect(seen.size).toBe(WORLDS.length);
  });
});

describe('kill schedules', () => {
  it('hold between one kill and the most, of points only where asked', () => {
    fc.assert(
      fc.property(killed(small, schedules({ points: false, most: 2 })), ({ kills }) => {
        expect(kills.length === 1 || kills.length === 2).toBe(true);
        expect(kills.every(kill => kill.at !== 'point')).toBe(true);
      }),
      { numRuns: 100, seed: 1 },
    );
  });

  it('shrink to one kill at the first moment', () => {
    const [kills] =
      fc.check(
        fc.property(schedules({ points: true }), (_: readonly Kill[]) => false),
        { seed: 6 },
      ).counterexample ?? [];
    expect(kills?.length).toBe(1);
  });

  it('sweep every point at every occurrence', () => {
    const [program] = fc.sample(small, { numRuns: 1, seed: 1 });
    if (program === undefined) throw new Error('nothing was sampled');
    const swept = [...sweep(program, ['invoked', 'committed'], 3)].map(({ kills }) => kills[0]);
    expect(swept).toHaveLength(6);
    expect(swept.at(-1)).toEqual({ at: 'point', point: 'committed', occurrence: 3 });
  });
});
