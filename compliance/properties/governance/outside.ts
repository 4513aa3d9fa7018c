import * as fc from 'fast-check';
import type { Agent } from '../../../schemas/types.js';
import { AGENT, checked, foreignLog, granted, registered, scene, started, WORKER } from '../../generators/scenes.js';
import { OWNER } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Act, Played, Scene } from '../../scene.js';
import { contrastLast, examineScene, judgeSceneWith } from './scene-checks.js';

const READ: Act = { do: 'records', agent_id: OWNER, how: 'export' };
const FOREIGN: Act = { do: 'verify_log', text: foreignLog() };
const STATE: Act = { do: 'state', agent_id: OWNER };
const PAY = started('pay', { confirmation_id: 'foreign' });

/** An agent of this trust may start the workflow whose action answers with documents of governance, and asks for others. */
function bribed(trust: Agent['trust'], ...asked: readonly Act[]): Scene {
  return scene([
    registered(AGENT, trust),
    granted(AGENT, 'execution:execute', { scope: 'bribe*' }),
    started('bribe'),
    ...asked,
  ]);
}

const asked = fc
  .constantFrom('keep', 'bribe', 'roll', 'file' as const)
  .map(workflow => checked(workflow as 'keep' | 'bribe' | 'roll' | 'file'));

const scenes: fc.Arbitrary<Scene> = fc
  .record({
    trust: fc.constantFrom<Agent['trust']>('TRUSTED', 'CONDITIONAL'),
    acts: fc.array(asked, { minLength: 1, maxLength: 3 }),
    foreign: fc.constantFrom<readonly Act[]>([], [started('keep', { agent_id: OWNER }), READ, FOREIGN, PAY, STATE]),
  })
  .map(({ trust, acts, foreign }) => {
    const { acts: before } = bribed(trust, ...acts);
    return scene([...before, ...foreign]);
  });

/** What comes from outside changes nothing that governance or the log knows. */
export const outside = caseProperty<Scene, Played>({
  id: 'governance/outside',
  title: 'answers of hosts change no document of governance, and logs of somewhere else neither log nor State',
  kind: 'message',
  requirements: ['ET1', 'ET3'],
  capabilities: ['governance', 'audit', 'state'],
  cases: scenes,
  weight: 0.3,
  examples: [
    bribed('CONDITIONAL', checked('bribe'), checked('keep')),
    bribed('TRUSTED', checked('bribe'), started('keep'), checked('keep')),
    scene([...WORKER, started('keep'), READ, FOREIGN, STATE, PAY]),
    scene([...WORKER, started('keep'), READ, FOREIGN, PAY, STATE, READ]),
    scene([...WORKER, started('bribe'), READ, FOREIGN, checked('keep'), STATE]),
  ],
  control: {
    title: 'a confirmation that was granted here, after a foreign log was verified',
    case: scene([
      ...WORKER,
      started('bribe'),
      checked('keep'),
      READ,
      FOREIGN,
      { do: 'approve', confirmation_id: 'own', approver: OWNER, of: { workflow: 'pay', agent_id: AGENT } },
      started('pay', { confirmation_id: 'own' }),
    ]),
  },
  twins: [
    {
      requirement: 'ET3',
      title: 'the confirmation of the foreign log',
      case: scene([...WORKER, started('bribe'), checked('keep'), READ, FOREIGN, PAY]),
      contrast: contrastLast('done', 'denied'),
    },
    {
      requirement: 'ET1',
      title: 'a permission that only an answer gave',
      case: bribed('TRUSTED', started('keep')),
      contrast: contrastLast('done', 'denied'),
    },
  ],
  examine: examineScene,
  judge: judgeSceneWith(['ET3']),
});
