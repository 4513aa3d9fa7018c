import { permissionScenes } from '../../generators/scenes/permissions.js';
import { AGENT, checked, FAR, granted, PAST, registered, revoked, scene, started } from '../../generators/scenes.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Played, Scene } from '../../scene.js';
import { contrastLast, examineScene, judgeScene } from './scene-checks.js';

const KNOWN = registered(AGENT);

/** The permissions for the workflow, for the skill in it, and for the actions of both. */
const ROUND = granted(AGENT, 'execution:execute', { scope: 'round' });
const PART = granted(AGENT, 'execution:execute', { scope: 'part*', valid_until: FAR });
const NOTE = granted(AGENT, 'execution:execute', { scope: 'note.*', permission_id: 'p' });

/** Asks about a workflow with a skill, with these permissions. */
function asking(...acts: Scene['acts']): Scene {
  return scene([KNOWN, ...acts, checked('round')]);
}

/** A start is allowed to whoever holds valid permissions for all of it, and to nobody else. */
export const permissions = caseProperty<Scene, Played>({
  id: 'governance/permissions',
  title: 'valid permissions execution:execute have to cover every name of a start when it is asked for',
  kind: 'message',
  requirements: ['PR1', 'PR2', 'PR6', 'DI2', 'EG1'],
  capabilities: ['governance'],
  cases: permissionScenes,
  weight: 0.6,
  examples: [
    asking(ROUND),
    scene([KNOWN, granted(AGENT, 'execution:execute', { scope: 'file' }), checked('file'), started('file')]),
    asking(granted(AGENT, 'recovery:execute')),
    scene([KNOWN, granted(AGENT, 'execution:execute', { valid_until: PAST }), checked('keep'), started('keep')]),
    scene([
      KNOWN,
      granted(AGENT, 'execution:execute', { permission_id: 'p' }),
      started('keep'),
      revoked('p'),
      started('keep'),
    ]),
  ],
  control: {
    title: 'a start whose workflow, skill and actions are covered by several permissions',
    case: asking(ROUND, PART, NOTE),
  },
  twins: [
    {
      requirement: 'PR1',
      title: 'without the permission for the action of the skill',
      case: asking(ROUND, granted(AGENT, 'execution:execute', { scope: 'part', valid_until: FAR }), NOTE),
      contrast: contrastLast('allowed', 'denied'),
    },
    {
      requirement: 'PR2',
      title: 'with a permission of the skill that has lapsed',
      case: asking(ROUND, granted(AGENT, 'execution:execute', { scope: 'part*', valid_until: PAST }), NOTE),
      contrast: contrastLast('allowed', 'denied'),
    },
    {
      requirement: 'PR6',
      title: 'with the permission of the first action revoked',
      case: asking(ROUND, PART, NOTE, revoked('p')),
      contrast: contrastLast('allowed', 'denied'),
    },
    {
      requirement: 'DI2',
      title: 'with the permission of the first action in another domain',
      case: asking(ROUND, PART, granted(AGENT, 'recovery:execute', { scope: 'note.*', permission_id: 'p' })),
      contrast: contrastLast('allowed', 'denied'),
    },
    {
      requirement: 'EG1',
      title: 'one of two answers to the same question turned round',
      tamper: turned,
    },
  ],
  examine: examineScene,
  judge: judgeScene,
});

/** The second of the last two answers says the opposite. */
function turned(played: Played): Played {
  const seen = [...played.seen];
  const last = seen.at(-1);
  const [first, second] = last?.replies ?? [];
  if (first === undefined || second === undefined || !('result' in second)) return played;
  const opposite = { result: { ...second.result, decision: 'denied' } };
  return { ...played, seen: [...seen.slice(0, -1), { replies: [first, opposite] }] };
}
