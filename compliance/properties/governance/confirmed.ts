import type { Approach, Approached } from '../../approach.js';
import { approaches } from '../../generators/approaches.js';
import { caseProperty } from '../../runner/case-property.js';
import { examineApproach, judgeApproach } from './approach-checks.js';
import { CONFIRMED, EXAMPLES, TWINS } from './consent-cases.js';

/** Nothing risky starts that was not confirmed, and nothing irreversible that was not simulated before. */
export const confirmed = caseProperty<Approach, Approached>({
  id: 'governance/confirmed',
  title: 'a risky start needs a valid confirmation, which one start uses up, and an irreversible one a dry run as well',
  kind: 'message',
  requirements: ['MS1', 'MS2'],
  capabilities: ['governance'],
  cases: approaches(['RISKY', 'IRREVERSIBLE', 'RISKY', 'IRREVERSIBLE', 'SAFE', 'CONDITIONALLY_SAFE']),
  examples: EXAMPLES,
  control: { title: 'dry-run and confirmed by another agent, an irreversible workflow starts', case: CONFIRMED },
  twins: TWINS,
  examine: examineApproach,
  judge: judgeApproach,
});
