import * as fc from 'fast-check';
import type { Policy } from '../../../schemas/types.js';
import type { Act, Scene } from '../../scene.js';
import { AGENT, type Errand, policy, WORKER } from '../scenes.js';
import { type Made, OTHER, steps } from './step.js';

const CONDITIONS = [
  'true',
  'inputs.amount > 10.0',
  'context.period == "closed"',
  'safety_level == "SAFE"',
  'inputs.amount',
  'context.period > 1.0',
];

const anyPolicy: fc.Arbitrary<Partial<Policy>> = fc
  .record({
    level: fc.constantFrom<Policy['level']>(0, 1, 2, 3, 3),
    effect: fc.constantFrom<Policy['effect']>('allow', 'allow', 'deny', 'conditional'),
    scope: fc.option(fc.constantFrom('*', 'keep', 'file', 'note.*', 'part*', AGENT, OTHER), {
      nil: undefined,
      freq: 2,
    }),
    condition: fc.option(fc.constantFrom(...CONDITIONS), { nil: undefined, freq: 2 }),
  })
  .map(({ scope, condition, ...rest }) => ({
    ...rest,
    ...(scope === undefined ? {} : { scope }),
    ...(condition === undefined ? {} : { condition }),
  }));

const governed: fc.Arbitrary<Act> = fc
  .record({
    workflow: fc.constantFrom<Errand>('keep', 'file', 'round', 'roll'),
    amount: fc.constantFrom(0, 20),
    period: fc.option(fc.constantFrom('open', 'closed'), { nil: undefined }),
    what: fc.constantFrom('check', 'check', 'check', 'start', 'dry_run'),
  })
  .map(({ workflow, amount, period, what }) => {
    const context = period === undefined ? {} : { context: { period } };
    return { do: what, workflow, agent_id: AGENT, inputs: { amount }, ...context } as Act;
  });

/** A policy that is in force for some acts, or for good. */
const passingPolicy: fc.Arbitrary<Made> = fc
  .record({ wanted: anyPolicy, stays: fc.boolean(), asks: fc.array(governed, { minLength: 1, maxLength: 2 }) })
  .map(({ wanted, stays, asks }) => at => {
    const version = { ...wanted, policy_id: `p${at}` };
    return [policy(version), ...asks, ...(stays ? [] : [policy({ ...version, active: false })])];
  });

/** A second version of a policy, and its end. */
const twoVersions: fc.Arbitrary<Made> = fc.tuple(governed, governed).map(([during, later]) => at => {
  const version = (name: string, active: boolean) =>
    policy({ policy_id: `p${at}`, version: name, level: 3, effect: 'allow', scope: 'elsewhere', active });
  return [version('1.0.0', true), version('2.0.0', true), during, version('1.0.0', false), later];
});

/** Two policies that say different things of one start, at one level or at the lowest and another. */
const contested: fc.Arbitrary<Made> = fc
  .record({
    strong: fc.constantFrom<Policy['effect']>('deny', 'deny', 'conditional'),
    lowest: fc.boolean(),
    level: fc.constantFrom<Policy['level']>(1, 2, 3),
    asks: fc.array(governed, { minLength: 1, maxLength: 2 }),
  })
  .map(({ strong, lowest, level, asks }) => at => {
    const versions = [
      { policy_id: `p${at}`, level: lowest ? 0 : level, effect: strong },
      { policy_id: `q${at}`, level, effect: 'allow' },
    ] as const;
    return [...versions.map(one => policy(one)), ...asks, ...versions.map(one => policy({ ...one, active: false }))];
  });

/** Scenes in which policies of all levels are put and an agent that is permitted everything asks for starts. */
export const policyScenes: fc.Arbitrary<Scene> = steps(
  [
    { arbitrary: passingPolicy, weight: 6 },
    { arbitrary: contested, weight: 3 },
    { arbitrary: twoVersions, weight: 1 },
  ],
  WORKER,
);
