import * as fc from 'fast-check';
import type { Permission } from '../../../schemas/types.js';
import { OWNER } from '../../program.js';
import type { Scene } from '../../scene.js';
import { AGENT, FAR, granted, PAST, registered } from '../scenes.js';
import { type Made, steps } from './step.js';

const DEPUTY = 'deputy';
const MIDDLE = '2500-01-01T00:00:00.000Z';

const anyPermission: fc.Arbitrary<Omit<Permission, 'granted_to' | 'granted_by'>> = fc
  .record({
    domain: fc.constantFrom<Permission['domain']>('execution', 'execution', 'audit', 'governance'),
    actions: fc.constantFrom<Permission['actions']>(['execute'], ['execute', 'read'], ['read'], ['grant']),
    scope: fc.option(fc.constantFrom('*', 'note.*', 'note.put', 'k*', 'keep'), { nil: undefined, freq: 2 }),
    valid_until: fc.option(fc.constantFrom(FAR, MIDDLE, MIDDLE, PAST), { nil: undefined, freq: 2 }),
  })
  .map(({ scope, valid_until, ...rest }) => ({
    ...rest,
    ...(scope === undefined ? {} : { scope }),
    ...(valid_until === undefined ? {} : { valid_until }),
  }));

/** The operator permits the deputy something, or the deputy permits it to somebody, who makes use of it. */
const passedOn: fc.Arbitrary<Made> = fc
  .record({
    wanted: anyPermission,
    granted_by: fc.constantFrom(OWNER, DEPUTY, DEPUTY, DEPUTY),
    granted_to: fc.constantFrom(AGENT, AGENT, DEPUTY),
  })
  .map(({ wanted, granted_by, granted_to }) => at => {
    const to = granted_by === OWNER ? DEPUTY : granted_to;
    const permission = { ...wanted, granted_by, granted_to: to, permission_id: `p${at}` };
    return [
      { do: 'grant', permission },
      { do: 'check', workflow: 'keep', agent_id: granted_to },
    ];
  });

/** The deputy permits itself what it holds. */
const toItself: fc.Arbitrary<Made> = fc
  .constantFrom<Permission['actions']>(['grant'], ['grant'], ['write'])
  .map(actions => at => {
    const permission_id = `p${at}`;
    return [
      {
        do: 'grant',
        permission: { domain: 'governance', actions, granted_by: DEPUTY, granted_to: DEPUTY, permission_id },
      },
    ];
  });

/** Scenes in which an agent grants to itself and to others what it holds and what it does not. */
export const grantScenes: fc.Arbitrary<Scene> = steps(
  [
    { arbitrary: passedOn, weight: 9 },
    { arbitrary: toItself, weight: 1 },
  ],
  [registered(AGENT), registered(DEPUTY), granted(DEPUTY, 'governance:grant')],
);
