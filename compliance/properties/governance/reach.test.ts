import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policyScenes } from '../../generators/scenes/policies.js';
import { SCENE_PLAYER } from '../../model/scene-player.fixture.js';
import { CARRIES } from '../../runner/verdict.js';
import { granting } from './granting.js';
import { instancesOfOthers } from './instances-of-others.js';
import { operations } from './operations.js';
import { permissions } from './permissions.js';
import { policies } from './policies.js';

const SEED = 424242;

describe('the scenes of a seed', () => {
  it.each([permissions, policies, granting, operations, instancesOfOthers])(
    'exercise every requirement in cases that are enough and more: $id',
    async property => {
      const found = await property.run({ subject: SCENE_PLAYER, seed: SEED, runs: 20, shrink_ms: 0 });
      expect(found.counterexamples).toEqual([]);
      expect(found.contributions.filter(({ tally }) => tally.reached <= CARRIES)).toEqual([]);
    },
  );

  it('put policies with and without scopes and conditions', () => {
    const put = fc
      .sample(policyScenes, { numRuns: 40, seed: 1 })
      .flatMap(({ acts }) => acts.flatMap(act => (act.do === 'policy' ? [act.policy] : [])));
    for (const field of ['scope', 'condition'] as const) {
      const having = put.filter(policy => policy[field] !== undefined).length;
      expect(having).toBeGreaterThan(10);
      expect(having).toBeLessThan(put.length - 10);
    }
  });
});
