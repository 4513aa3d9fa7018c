import * as fc from 'fast-check';
import { OWNER } from '../../program.js';
import type { Act, Scene } from '../../scene.js';
import { AGENT, registered, started } from '../scenes.js';
import { type Made, OTHER, steps } from './step.js';

/** An agent's trust is set, or falls because it starts what it may not, once or several times at one time. */
const trustStep: fc.Arbitrary<Made> = fc
  .record({
    agent_id: fc.constantFrom(AGENT, AGENT, OTHER),
    trust: fc.constantFrom('TRUSTED', 'TRUSTED', 'CONDITIONAL', 'UNTRUSTED', 'UNKNOWN'),
    what: fc.constantFrom('register', 'start', 'start', 'check', 'dry_run', 'read'),
    times: fc.constantFrom(1, 1, 2, 3),
  })
  .map(({ agent_id, trust, what, times }) => () => {
    if (what === 'read') return [{ do: 'records', agent_id: OWNER, how: 'export' }];
    if (what === 'register') return [{ do: 'register', agent: { agent_id, trust }, by: OWNER } as Act];
    if (what === 'start') return [started('keep', { agent_id, times })];
    return [{ do: what, workflow: 'keep', agent_id } as Act];
  });

/** Scenes in which the trust of agents changes, while nobody may start anything. */
export const trustScenes: fc.Arbitrary<Scene> = steps(
  [{ arbitrary: trustStep, weight: 1 }],
  [registered(AGENT), registered(OTHER), { do: 'records', agent_id: OWNER, how: 'export' }],
);
