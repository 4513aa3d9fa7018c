import * as fc from 'fast-check';
import { OWNER } from '../../program.js';
import type { Act, Scene } from '../../scene.js';
import { AGENT, type Errand, policy, registered, started, WORKER } from '../scenes.js';
import { type Made, OTHER, steps } from './step.js';

/** Ways to ask for an instance that the gates do not allow. */
const tried: fc.Arbitrary<Made> = fc
  .record({
    workflow: fc.constantFrom<Errand>('keep', 'odd', 'pay', 'odd'),
    agent_id: fc.constantFrom(AGENT, AGENT, OWNER, OTHER),
    by_id: fc.boolean(),
    how: fc.constantFrom('plain', 'key', 'force', 'name', 'dry_run'),
  })
  .map(({ workflow, agent_id, by_id, how }) => at => {
    const asked = { workflow, agent_id, ...(by_id ? { by_id: true as const } : {}) };
    if (how === 'dry_run') return [{ do: 'dry_run', ...asked }];
    const more = {
      ...(how === 'key' ? { request_key: `k${at}` } : {}),
      ...(how === 'force' ? { context: { force: true, agent_id: OWNER, gates: 'none' } } : {}),
      ...(how === 'name' ? { confirmation_id: 'granted' } : {}),
    };
    return [started(workflow, { ...asked, ...more, label: `t${at}` })];
  });

/** An agent has had something started that failed, and may start nothing any more; a policy allows everything. */
export const SHUT_OUT: readonly Act[] = [
  ...WORKER,
  registered(OTHER),
  started('fail', { label: 'failed' }),
  { do: 'revoke', permission_id: 'all', by: OWNER },
  policy({ policy_id: 'open', level: 3, effect: 'allow' }),
  { do: 'approve', confirmation_id: 'granted', approver: OWNER, of: { workflow: 'odd', agent_id: AGENT } },
];

const again: fc.Arbitrary<Made> = fc.constant(() => [
  registered(AGENT),
  { do: 'resume', agent_id: AGENT, label: 'failed', as: 'resumed' } as const,
]);

/** Scenes in which agents try to get past the gates. */
export const triedScenes: fc.Arbitrary<Scene> = steps(
  [
    { arbitrary: tried, weight: 4 },
    { arbitrary: again, weight: 1 },
  ],
  SHUT_OUT,
);
