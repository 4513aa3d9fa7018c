import { describe, expect, it } from 'vitest';
import { allDoors, DOORS } from '../generators/scenes/doors.js';
import {
  AGENT,
  checked,
  granted,
  PAST,
  policy,
  registered,
  revoked,
  scene,
  started,
  WORKER,
} from '../generators/scenes.js';
import { OWNER } from '../program.js';
import type { Act, Scene } from '../scene.js';
import { decide } from './scene.js';
import { courseOf, SCENE_TIME, trustChangesOf } from './scene-course.js';
import { RULES } from './scene-gates.js';

function wordsOf(...acts: readonly Act[]): string[] {
  return courseOf(scene(acts), SCENE_TIME).map(({ words }) => words.join(', '));
}

/** The rules without which the last act would be answered otherwise. */
function rulesOf(played: Scene): string[] {
  const act = played.acts.at(-1) as Act;
  const last = courseOf(played, SCENE_TIME).at(-1);
  return RULES.filter(rule => last !== undefined && decide(last.world, act, rule) !== last.words[0]);
}

describe('what has to come of acts', () => {
  it('follows permissions and the trust that denied starts take away', () => {
    const acts = [
      registered(AGENT),
      started('keep', { times: 2 }),
      granted(AGENT, 'execution:execute'),
      checked('keep'),
    ];
    const denied = 'denied governance MISSING_PERMISSION';
    expect(wordsOf(...acts)).toEqual(['done', `${denied}, ${denied}`, 'done', 'denied UNTRUSTED UNTRUSTED']);
    const trusts = trustChangesOf(scene(acts), SCENE_TIME).changes.map(({ trust }) => trust);
    expect(trusts).toEqual(['CONDITIONAL', 'UNTRUSTED']);
  });

  it('leaves a check, a dry run and a confirmation that is not needed without consequences', () => {
    const asked = { workflow: 'pay', agent_id: AGENT } as const;
    const words = wordsOf(
      registered(AGENT),
      checked('pay'),
      { do: 'dry_run', ...asked },
      granted(AGENT, 'execution:execute'),
      { do: 'approve', confirmation_id: 'c', approver: OWNER, of: asked },
      started('keep', { confirmation_id: 'c' }),
      started('pay', { confirmation_id: 'c' }),
      started('pay', { confirmation_id: 'c' }),
    );
    expect(words.slice(1)).toEqual([
      'denied MISSING_PERMISSION TRUSTED',
      'denied governance MISSING_PERMISSION',
      'done',
      'done',
      'started',
      'started',
      'denied safety CONFIRMATION_USED',
    ]);
  });

  it('ends what may not go on after a restart', () => {
    const waiting = [...WORKER, started('wait', { label: 'w' })];
    const end: readonly Act[] = [{ do: 'reopen' }, { do: 'finish', label: 'w' }];
    expect(wordsOf(...waiting, ...end).at(-1)).toBe('completed');
    expect(wordsOf(...waiting, revoked('all'), ...end).at(-1)).toBe('failed');
  });
});

describe('the rules that an answer depends on', () => {
  it.each<[string, Scene, string[]]>([
    [
      'a lapsed permission',
      scene([registered(AGENT), granted(AGENT, 'execution:execute', { valid_until: PAST }), checked('keep')]),
      ['PR2'],
    ],
    ['another domain', scene([registered(AGENT), granted(AGENT, 'recovery:execute'), checked('keep')]), ['DI2']],
    ['a revoked permission', scene([...WORKER, revoked('all'), checked('keep')]), ['PR6']],
    ['an agent that nobody registered', scene([checked('keep', { agent_id: 'stranger' })]), ['AI1']],
    [
      'a denial beside an allowance',
      scene([...WORKER, policy({ level: 1 }), policy({ policy_id: 'q', level: 1, effect: 'allow' }), checked('keep')]),
      ['MG2', 'MG4'],
    ],
    ['what is allowed', scene([...WORKER, checked('keep')]), []],
  ])('are those of %s', (_title, played, rules) => {
    expect(rulesOf(played)).toEqual(rules);
  });

  it('open every door to who is permitted, and none to who is not known', () => {
    const keys = ['governance:grant', 'governance:write', 'approval:grant', 'execution:execute', 'state:read'];
    const open = courseOf(allDoors('clerk', keys), SCENE_TIME).slice(-DOORS.length);
    const shut = courseOf(allDoors('stranger'), SCENE_TIME).slice(-DOORS.length);
    expect(open.slice(0, 5).map(({ words }) => words[0])).toEqual(['done', 'done', 'done', 'done', 'allowed TRUSTED']);
    for (const { words } of shut) expect(words[0]).toMatch(/SECURITY_BREACH/);
  });
});
