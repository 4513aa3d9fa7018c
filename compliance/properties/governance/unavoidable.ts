import { SHUT_OUT, triedScenes } from '../../generators/scenes/tried.js';
import { AGENT, granted, registered, scene, started } from '../../generators/scenes.js';
import { OWNER } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Act, Played, Scene } from '../../scene.js';
import { contrastLast, examineScene, judgeSceneWith } from './scene-checks.js';

const RESUME: Act = { do: 'resume', agent_id: AGENT, label: 'failed', as: 'resumed' };
const BACK: readonly Act[] = [registered(AGENT), granted(AGENT, 'execution:execute')];
const FORCED = { context: { force: true, agent_id: OWNER, gates: 'none' } };

/** There is no way round the gates. */
export const unavoidable = caseProperty<Scene, Played>({
  id: 'governance/unavoidable',
  title: 'whichever way an instance is asked for, all gates are asked once, and what verification fails is not started',
  kind: 'message',
  requirements: ['EG4', 'G4', 'ET2', 'GF5'],
  capabilities: ['governance', 'audit'],
  cases: triedScenes,
  weight: 0.4,
  examples: [
    scene([...SHUT_OUT, started('keep', FORCED), started('keep', { ...FORCED, by_id: true })]),
    scene([...SHUT_OUT, registered(AGENT), RESUME, ...BACK, RESUME]),
    scene([...SHUT_OUT, ...BACK, started('odd', { confirmation_id: 'granted' })]),
    scene([...SHUT_OUT, started('odd', { agent_id: OWNER }), started('odd', { agent_id: OWNER, by_id: true })]),
    scene([...SHUT_OUT, ...BACK, started('odd', { by_id: true }), started('keep', { by_id: true })]),
  ],
  control: {
    title: 'an ended instance is resumed with the permission given back',
    case: scene([...SHUT_OUT, ...BACK, RESUME]),
  },
  twins: [
    {
      requirement: 'EG4',
      title: 'without the permission given back it is not resumed',
      case: scene([...SHUT_OUT, registered(AGENT), RESUME]),
      contrast: contrastLast('done', 'denied'),
    },
    {
      requirement: 'G4',
      title: 'an unsound workflow of the operator, with all that could allow it',
      case: scene([...SHUT_OUT, started('odd', { agent_id: OWNER })]),
      contrast: contrastLast('done', 'denied'),
    },
    {
      requirement: 'ET2',
      title: 'an unsound workflow from the registry',
      case: scene([...SHUT_OUT, ...BACK, started('odd', { by_id: true })]),
      contrast: contrastLast('done', 'denied'),
    },
    {
      requirement: 'GF5',
      title: 'a denial, and a permission that comes too late for it',
      case: scene([...SHUT_OUT, started('keep'), ...BACK, { do: 'records', agent_id: AGENT, how: 'query' }]),
      contrast: (_control, { ledger }) => {
        const invoked = ledger.filter(({ kind }) => kind === 'invoke').length;
        return invoked === 1 ? undefined : { message: 'what was denied was started', expected: 1, observed: invoked };
      },
    },
  ],
  examine: examineScene,
  judge: judgeSceneWith(['GF5']),
});
