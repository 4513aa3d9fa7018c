import * as fc from 'fast-check';
import { OWNER } from '../../program.js';
import type { Act, Scene } from '../../scene.js';
import { AGENT, confirmed, granted, policy, registered, scene, started, WORKER } from '../scenes.js';
import { STRANGER } from './step.js';

const CLERK = 'clerk';
const BLANK = 'blank';

/** What everybody tries at a door, by the name of who does. */
export const DOORS: readonly ((by: string, at: number) => Act)[] = [
  (by, at) => ({ do: 'register', agent: { agent_id: `new-${at}`, trust: 'UNTRUSTED' }, by }),
  (by, at) => granted('other', 'state:read', { permission_id: `g${at}`, granted_by: by }),
  (by, at) => policy({ policy_id: `q${at}`, level: 3, effect: 'allow', scope: 'elsewhere' }, by),
  (by, at) => ({ do: 'approve', confirmation_id: `c${at}`, approver: by, of: { workflow: 'keep', agent_id: AGENT } }),
  by => ({ do: 'check', workflow: 'keep', agent_id: by }),
  by => ({ do: 'dry_run', workflow: 'keep', agent_id: by }),
  by => ({ do: 'state', agent_id: by }),
  by => ({ do: 'records', agent_id: by, how: 'query' }),
  by => ({ do: 'records', agent_id: by, how: 'export' }),
  by => ({ do: 'evidence', agent_id: by, label: 'shown', node_id: 'show-1' }),
  by => ({ do: 'resume', agent_id: by, label: 'failed' }),
  by => ({ do: 'undo', agent_id: by, label: 'kept', node_id: 'keep-1' }),
  by => ({ do: 'resolve', approver: by, label: 'doubtful', node_id: 'doubt-1' }),
  by => ({ do: 'register', agent: { agent_id: by, trust: 'TRUSTED' }, by }),
  by => ({ do: 'register', agent: { agent_id: OWNER, trust: 'UNTRUSTED' }, by }),
  by => ({ do: 'cancel', agent_id: by, label: 'waiting' }),
  by => ({ do: 'start', workflow: 'keep', agent_id: by }),
];

/** What a workspace holds that agents try to get at: instances of every kind, all of one agent. */
export const HOUSE: readonly Act[] = [
  ...WORKER,
  started('keep', { label: 'kept' }),
  started('show', { label: 'shown' }),
  started('fail', { label: 'failed' }),
  ...confirmed('doubt', OWNER, { label: 'doubtful' }),
  started('wait', { label: 'waiting' }),
  registered(CLERK),
  registered(BLANK, 'UNKNOWN'),
  registered('other'),
];

const KEYS = [
  'governance:grant',
  'governance:write',
  'approval:grant',
  'execution:execute',
  'execution:cancel',
  'execution:undo',
  'audit:read',
  'state:read',
  'recovery:resolve',
];

/** Scenes in which agents that hold something, nothing, or are not known try doors. */
export const doorScenes: fc.Arbitrary<Scene> = fc
  .record({
    keys: fc.oneof(fc.constant<string[]>([]), fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 4 })),
    doors: fc.array(
      fc.tuple(fc.nat({ max: DOORS.length - 1 }), fc.constantFrom(CLERK, CLERK, CLERK, BLANK, STRANGER)),
      {
        minLength: 6,
        maxLength: 12,
      },
    ),
  })
  .map(({ keys, doors }) =>
    scene([
      ...HOUSE,
      ...keys.map(key => granted(CLERK, key)),
      ...doors.map(([door, by], at) => (DOORS[door] as (typeof DOORS)[number])(by, at)),
    ]),
  );

/** Every door in turn, tried by one agent with these permissions. */
export function allDoors(by: string, keys: readonly string[] = []): Scene {
  return scene([...HOUSE, ...keys.map(key => granted(by, key)), ...DOORS.map((door, at) => door(by, at))]);
}
