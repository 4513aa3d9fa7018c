import { grantScenes } from '../../generators/scenes/grants.js';
import { AGENT, granted, registered, scene } from '../../generators/scenes.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Act, Played, Scene } from '../../scene.js';
import { contrastLast, examineScene, judgeScene } from './scene-checks.js';

const BY = { granted_by: 'deputy' };
const UNTIL = '2500-01-01T00:00:00.000Z';
const LATER = '2600-01-01T00:00:00.000Z';

/** The deputy holds `execution`: `execute` for some names until some time, and grants. */
function deputy(
  grant: Act,
  own: Act = granted('deputy', 'execution:execute', { scope: 'note.*', valid_until: UNTIL }),
) {
  return scene([registered(AGENT), registered('deputy'), granted('deputy', 'governance:grant'), own, grant]);
}

const WITHIN = granted(AGENT, 'execution:execute', { ...BY, scope: 'note.put', valid_until: UNTIL });

/** What is wrong with a grant, and what the grant is. */
const BEYOND: readonly (readonly [string, Act])[] = [
  ['in another domain', granted(AGENT, 'recovery:execute', { ...BY, scope: 'note.put', valid_until: UNTIL })],
  ['of another action', granted(AGENT, 'execution:cancel', { ...BY, scope: 'note.put', valid_until: UNTIL })],
  ['of one action more', granted(AGENT, 'execution:execute:read', { ...BY, scope: 'note.put', valid_until: UNTIL })],
  ['with a wider scope', granted(AGENT, 'execution:execute', { ...BY, scope: 'note*', valid_until: UNTIL })],
  ['for everything', granted(AGENT, 'execution:execute', { ...BY, valid_until: UNTIL })],
  ['for longer', granted(AGENT, 'execution:execute', { ...BY, scope: 'note.put', valid_until: LATER })],
  ['for ever', granted(AGENT, 'execution:execute', { ...BY, scope: 'note.put' })],
];

/** Nobody gives what they do not have, and nobody gives to themselves. */
export const granting = caseProperty<Scene, Played>({
  id: 'governance/granting',
  title: 'an agent grants to others what it holds itself, as far and as long as it does',
  kind: 'message',
  requirements: ['PR3', 'PR4'],
  capabilities: ['governance'],
  cases: grantScenes,
  weight: 0.4,
  examples: [
    ...BEYOND.map(([, grant]) => deputy(grant)),
    deputy(granted('deputy', 'governance:grant', BY)),
    deputy(granted('deputy', 'execution:execute', { ...BY, scope: 'note.*', valid_until: UNTIL })),
    deputy(granted('deputy', 'governance:grant', { ...BY, valid_until: UNTIL })),
  ],
  control: { title: 'a grant of one of the names, and as long, to another agent', case: deputy(WITHIN) },
  twins: [
    {
      requirement: 'PR3',
      title: 'the same grant to itself',
      case: deputy(granted('deputy', 'execution:execute', { ...BY, scope: 'note.put', valid_until: UNTIL })),
      contrast: contrastLast('done', 'denied'),
    },
    ...BEYOND.slice(0, 4).map(([title, grant]) => ({
      requirement: 'PR4',
      title: `the same grant ${title}`,
      case: deputy(grant),
      contrast: contrastLast('done', 'denied'),
    })),
  ],
  examine: examineScene,
  judge: judgeScene,
});
