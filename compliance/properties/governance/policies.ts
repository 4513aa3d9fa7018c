import { policyScenes } from '../../generators/scenes/policies.js';
import { checked, policy, scene, started, WORKER } from '../../generators/scenes.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Act, Played, Scene } from '../../scene.js';
import { contrastLast, examineScene, judgeScene } from './scene-checks.js';

/** A permitted agent asks for a workflow in spite of these policies. */
function under(...policies: readonly Act[]): Scene {
  return scene([...WORKER, ...policies, checked('keep')]);
}

const ALLOW = policy({ policy_id: 'allow', level: 3, effect: 'allow' });
const CALM = policy({ policy_id: 'calm', level: 0, effect: 'deny', condition: 'inputs.amount > 10.0' });

/** A version of a policy that is about nothing that is started. */
function version(name: string, active = true): Act {
  return policy({ policy_id: 'one', version: name, active, level: 1, effect: 'allow', scope: 'elsewhere' });
}

const ONE = version('1.0.0');
const TWO = version('2.0.0');

/** What policies say is combined by level and strength, and no permission prevails over it. */
export const policies = caseProperty<Scene, Played>({
  id: 'governance/policies',
  title: 'a denial of level 0 prevails, then the highest level, in it a denial, then a condition; errors deny',
  kind: 'message',
  requirements: ['MG2', 'MG3', 'MG4', 'GF3', 'I4', 'GFR3'],
  capabilities: ['governance'],
  cases: policyScenes,
  weight: 0.8,
  examples: [
    under(policy({ policy_id: 'ask', level: 3, effect: 'conditional' }), ALLOW),
    under(policy({ policy_id: 'error', level: 1, effect: 'allow', condition: 'inputs.amount' })),
    under(policy({ policy_id: 'error', level: 0, effect: 'allow', condition: 'nothing.such' }), ALLOW),
    under(ALLOW, policy({ policy_id: 'no', level: 2, effect: 'deny' })),
    under(
      policy({ policy_id: 'no', effect: 'deny', scope: 'note.*' }),
      policy({ policy_id: 'yes', level: 2, effect: 'allow' }),
    ),
    under(policy({ policy_id: 'no', effect: 'deny', condition: 'inputs.amount < 1.0' }), ALLOW),
    under(policy({ policy_id: 'error', level: 2, effect: 'conditional', condition: 'inputs.amount.x' })),
    scene([...WORKER, ONE, TWO, started('keep'), version('2.0.0', false), started('keep')]),
    scene([...WORKER, TWO, ONE, checked('keep'), version('1.0.0', false), checked('keep')]),
    scene([...WORKER, ONE, version('2.0.0', false), started('keep'), TWO, started('keep')]),
  ],
  control: {
    title: 'two versions of a policy are active no longer, and what is applicable allows',
    case: scene([...WORKER, CALM, ONE, TWO, checked('keep'), version('2.0.0', false), ALLOW, checked('keep')]),
  },
  twins: [
    {
      requirement: 'MG2',
      title: 'with a denial of the same level as the allowance',
      case: under(CALM, policy({ policy_id: 'no', level: 3, effect: 'deny' }), ALLOW),
      contrast: contrastLast('allowed', 'denied'),
    },
    {
      requirement: 'MG3',
      title: 'with a denial of level 0 that is applicable',
      case: under(policy({ policy_id: 'no', level: 0, effect: 'deny' }), ALLOW),
      contrast: contrastLast('allowed', 'denied'),
    },
    {
      requirement: 'MG4',
      title: 'with a denial alone',
      case: under(policy({ policy_id: 'no', level: 1, effect: 'deny' })),
      contrast: contrastLast('allowed', 'denied'),
    },
    {
      requirement: 'GF3',
      title: 'with a condition that names what is not there',
      case: under(policy({ policy_id: 'error', level: 3, effect: 'allow', condition: 'context.period == "open"' })),
      contrast: contrastLast('allowed', 'denied'),
    },
    {
      requirement: 'I4',
      title: 'with both versions active',
      case: under(CALM, ONE, TWO, ALLOW),
      contrast: contrastLast('allowed', 'denied'),
    },
    {
      requirement: 'GFR3',
      title: 'with the version that is put as inactive for once active again',
      case: under(CALM, ONE, TWO, version('2.0.0', false), TWO, ALLOW),
      contrast: contrastLast('allowed', 'denied'),
    },
  ],
  examine: examineScene,
  judge: judgeScene,
});
