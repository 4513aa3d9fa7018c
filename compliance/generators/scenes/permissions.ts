import * as fc from 'fast-check';
import type { Permission } from '../../../schemas/types.js';
import { OWNER } from '../../program.js';
import type { Act, Scene } from '../../scene.js';
import { AGENT, type Errand, FAR, PAST, registered } from '../scenes.js';
import { type Made, OTHER, STRANGER, steps } from './step.js';

const ask = fc
  .record({
    what: fc.constantFrom('check', 'check', 'check', 'dry_run', 'start'),
    workflow: fc.constantFrom<Errand>('keep', 'keep', 'file', 'round', 'roll'),
    agent_id: fc.constantFrom(AGENT, AGENT, AGENT, AGENT, OTHER, STRANGER),
  })
  .map(({ what, ...asked }) => ({ do: what, ...asked }) as Act);

const SCOPES = ['*', 'keep', 'file', 'round', 'part', 'part.do', 'note.*', 'roll*', 'n*', 'k*', 'elsewhere'];

const permission: fc.Arbitrary<Permission> = fc
  .record({
    domain: fc.constantFrom<Permission['domain']>('execution', 'execution', 'execution', 'recovery', 'audit'),
    actions: fc.constantFrom<Permission['actions']>(['execute'], ['execute'], ['execute', 'read'], ['read']),
    scope: fc.option(fc.constantFrom(...SCOPES), { nil: undefined, freq: 2 }),
    granted_to: fc.constantFrom(AGENT, AGENT, AGENT, OTHER),
    valid_until: fc.option(fc.constantFrom(FAR, PAST), { nil: undefined, freq: 2 }),
  })
  .map(({ scope, valid_until, ...rest }) => ({
    ...rest,
    granted_by: OWNER,
    ...(scope === undefined ? {} : { scope }),
    ...(valid_until === undefined ? {} : { valid_until }),
  }));

/** A permission that counts for some acts, or for good. */
const passingGrant: fc.Arbitrary<Made> = fc
  .record({
    permission,
    stays: fc.constantFrom(true, false, false),
    asks: fc.array(ask, { minLength: 1, maxLength: 2 }),
  })
  .chain(step => fc.array(ask, { minLength: 1, maxLength: 2 }).map(later => ({ ...step, later })))
  .map(({ permission: wanted, stays, asks, later }) => at => {
    const permission_id = `p${at}`;
    const grant: Act = { do: 'grant', permission: { ...wanted, permission_id } };
    return [grant, ...asks, ...(stays ? [] : [{ do: 'revoke', permission_id, by: OWNER } as const, ...later])];
  });

/** Trust that was lost at a denied start is given back, or the agent gets another. */
const registration: fc.Arbitrary<Made> = fc
  .record({
    agent_id: fc.constantFrom(AGENT, AGENT, OTHER),
    trust: fc.constantFrom('TRUSTED', 'TRUSTED', 'TRUSTED', 'CONDITIONAL', 'UNTRUSTED', 'UNKNOWN'),
  })
  .chain(agent => ask.map(asked => () => [{ do: 'register', agent, by: OWNER } as Act, asked]));

/** Scenes in which permissions come and go and agents ask for what they may and may not. */
export const permissionScenes: fc.Arbitrary<Scene> = steps(
  [
    { arbitrary: passingGrant, weight: 4 },
    { arbitrary: registration, weight: 1 },
  ],
  [registered(AGENT), registered(OTHER)],
);
