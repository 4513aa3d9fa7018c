import { trustScenes } from '../../generators/scenes/trust.js';
import { AGENT, registered, scene, started } from '../../generators/scenes.js';
import { OWNER } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Act, Played, Scene } from '../../scene.js';
import { examineScene, judgeSceneWith } from './scene-checks.js';

const READ: Act = { do: 'records', agent_id: OWNER, how: 'export' };
const KNOWN = registered(AGENT);

/** Trust changes in the log, and nothing else in it does. */
export const trust = caseProperty<Scene, Played>({
  id: 'governance/trust',
  title: 'every change of trust is in the log, however close together, and what is in the log stays as it is',
  kind: 'message',
  requirements: ['AI3', 'G3'],
  capabilities: ['governance', 'audit'],
  cases: trustScenes,
  weight: 0.4,
  examples: [
    scene([KNOWN, READ, started('keep', { times: 4 }), READ]),
    scene([KNOWN, READ, registered(AGENT, 'CONDITIONAL'), READ, registered(AGENT), READ]),
    scene([KNOWN, started('keep'), READ, started('keep'), registered(AGENT, 'UNKNOWN'), started('keep'), READ]),
  ],
  control: {
    title: 'trust that falls by two starts, is raised again, and read in between',
    case: scene([KNOWN, started('keep'), READ, started('keep'), registered(AGENT), READ]),
  },
  twins: [
    {
      requirement: 'AI3',
      title: 'the log without the record that it was raised',
      tamper: played => ({ ...played, log: (played.log ?? []).filter(({ record_type }) => record_type !== 'trust') }),
    },
    { requirement: 'G3', title: 'the log in which the first denial tells another trust', tamper: rewritten },
  ],
  examine: examineScene,
  judge: judgeSceneWith(['AI3', 'G3']),
});

function rewritten(played: Played): Played {
  const seen = played.seen.map(one =>
    one.whole === undefined
      ? one
      : { ...one, whole: one.whole.replace('"trust_after":"CONDITIONAL"', '"trust_after":"X"') },
  );
  return { ...played, seen };
}
