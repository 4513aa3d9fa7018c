import { SuiteError } from '../../error.js';
import { inWorld, WORLDS, worlds } from '../../generators/worlds.js';
import { MODEL_TIME } from '../../model/expected.js';
import { mayStart } from '../../model/gate.js';
import type { Observation, Program } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import { anyProgram } from '../cases.js';
import { chain } from '../drawn.js';
import { notDenied } from '../not-denied.js';
import { invoked, started } from '../seen.js';

const DENYING = WORLDS.filter(({ verdict }) => verdict === 'denied');

/** A chain of two in the world of a name. */
function chainIn(name: string): Program {
  const world = WORLDS.find(candidate => candidate.name === name);
  if (world === undefined) throw new SuiteError('suite_bug', `there is no world '${name}'`);
  return inWorld(chain(2), world);
}

/** Who may not, does not. */
export const denied = caseProperty<Program, Observation>({
  id: 'governance/denied',
  title: 'who is unknown, untrusted or not permitted is denied by the governance gate, and nothing is executed',
  kind: 'program',
  requirements: ['G2'],
  capabilities: ['governance'],
  weight: 0.5,
  cases: worlds(anyProgram).map(({ program }) => program),
  examples: DENYING.map(world => inWorld(chain(2), world)),
  control: {
    title: 'a registered agent without a permission is denied',
    case: chainIn('without permission'),
  },
  twins: [
    {
      requirement: 'G2',
      title: 'with the permission granted the same workflow is executed',
      case: chainIn('permitted everywhere'),
      contrast: (_control, twin) =>
        started(twin) && invoked(twin) ? undefined : { message: 'an agent with the permission was refused' },
    },
  ],
  examine: async (subject, program) => {
    const evidence = await subject.observe(program);
    return { evidence, kills: evidence.kills, violations: evidence.violations ?? [] };
  },
  judge: (program, observation) => {
    if (mayStart(program, MODEL_TIME)) return [{ requirement: 'G2', reached: false }];
    const failure = notDenied(observation, 'governance', 'an unauthorised workflow');
    return [{ requirement: 'G2', reached: true, ...(failure === undefined ? {} : { failure }) }];
  },
});
