import * as fc from 'fast-check';
import type { Permission, Policy } from '../../schemas/types.js';
import { OWNER } from '../program.js';
import type { Act, Scene } from '../scene.js';
import {
  AGENT,
  confirmed,
  type Errand,
  FAR,
  granted,
  PAST,
  policy,
  registered,
  scene,
  started,
  WORKER,
} from './scenes.js';

/** Another registered agent, and one that nobody registers. */
export const OTHER = 'other';
export const STRANGER = 'stranger';

/** Some acts that are made once their place in the scene is known, so that their names are their own. */
type Made = (at: number) => readonly Act[];

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

function steps(
  made: readonly { arbitrary: fc.Arbitrary<Made>; weight: number }[],
  before: readonly Act[],
): fc.Arbitrary<Scene> {
  return fc
    .array(fc.oneof(...made), { minLength: 4, maxLength: 9 })
    .map(list => scene([...before, ...list.flatMap((make, at) => make(at))]));
}

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

const SECOND = 'second';

/** What two agents have done, with skills, undos and a crash. */
const doneStep: fc.Arbitrary<Made> = fc
  .record({
    workflow: fc.constantFrom<Errand>('keep', 'round', 'back', 'fail', 'wait'),
    agent_id: fc.constantFrom(AGENT, SECOND),
    more: fc.boolean(),
  })
  .map(({ workflow, agent_id, more }) => at => {
    const label = `i${at}`;
    const begin = started(workflow, { agent_id, label });
    if (!more) return [begin];
    if (workflow === 'keep') return [begin, { do: 'undo', agent_id, label, node_id: 'keep-1' }];
    if (workflow === 'fail') return [begin, { do: 'resume', agent_id, label, as: `${label}-again` }];
    if (workflow === 'wait') return [begin, { do: 'cancel', agent_id, label }, { do: 'finish', label }];
    return [begin];
  });

/** Two agents that may do everything with what is their own. */
export const PAIR: readonly Act[] = [
  ...WORKER,
  granted(AGENT, 'execution:undo'),
  registered(SECOND),
  granted(SECOND, 'execution:execute:undo'),
];

/** Scenes in which two agents have things done, undone and resumed. */
export const doneScenes: fc.Arbitrary<Scene> = steps([{ arbitrary: doneStep, weight: 1 }], PAIR);

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
