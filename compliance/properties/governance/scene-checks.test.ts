import { describe, expect, it } from 'vitest';
import { AGENT, granted, registered, scene, started, WORKER } from '../../generators/scenes.js';
import type { Act, Played, Reply } from '../../scene.js';
import { judgeScene } from './scene-checks.js';

/** What is broken where a reader with this scope is answered so when it asks for State. */
function broken(scope: string, reply: Reply, keys?: readonly string[]): string[] {
  const before: readonly Act[] = [
    ...WORKER,
    started('keep', { label: 'a' }),
    registered('reader'),
    granted('reader', 'state:read', { scope }),
  ];
  const asked = scene([...before, { do: 'state', agent_id: 'reader', ...(keys === undefined ? {} : { keys }) }]);
  const seen = [...before.map(() => ({ replies: [] })), { replies: [reply] }];
  const played: Played = { seen, ledger: [], kills: 0, violations: [] };
  return judgeScene(asked, played)
    .filter(({ failure }) => failure !== undefined)
    .map(({ requirement }) => requirement);
}

const gives = (...keys: string[]): Reply => ({ result: { state: Object.fromEntries(keys.map(key => [key, {}])) } });
const DENIED: Reply = { error: { kind: 'denied', reasons: ['MISSING_PERMISSION'] } };

describe('State that is asked for', () => {
  it('is given as far as scopes go', () => {
    expect(broken('note/*', gives('note/keep'))).toEqual([]);
    expect(broken('note/*', gives('note/keep', AGENT))).toContain('NS4');
    expect(broken('note/*', gives())).toContain('NS4');
    expect(broken('note/*', DENIED)).toContain('NS4');
  });

  it('is refused or empty where the scopes have nothing of it', () => {
    for (const keys of [undefined, ['note/keep']]) {
      expect(broken('a*', gives(), keys)).toEqual([]);
      expect(broken('a*', DENIED, keys)).toEqual([]);
      expect(broken('a*', gives('note/keep'), keys)).toContain('NS4');
    }
  });
});
