import type { Approach, Approached, Step } from '../../approach.js';
import { approach, approaches, approval, confirmedStart } from '../../generators/approaches.js';
import { caseProperty } from '../../runner/case-property.js';
import { examineApproach, judgeApproach } from './approach-checks.js';
import { contrastLast } from './consent-cases.js';

const REOPEN: Step = { do: 'reopen' };
const DRY: Step = { do: 'dry_run' };

/** The approach with a kill before its last step. */
function killedBeforeLast({ level, steps }: Approach): Approach {
  return approach(level, [...steps.slice(0, -1), REOPEN, ...steps.slice(-1)]);
}

/** Confirmations and dry runs outlive the process. */
export const confirmationsDurable = caseProperty<Approach, Approached>({
  id: 'governance/confirmations-durable',
  title: 'after a kill confirmations, their use and dry runs are what they were',
  kind: 'message',
  requirements: ['GFR1'],
  capabilities: ['governance'],
  cases: approaches(['RISKY', 'IRREVERSIBLE'])
    .filter(({ steps }) => steps.at(-1)?.do === 'start')
    .map(killedBeforeLast),
  weight: 0.5,
  control: {
    title: 'what was dry-run and confirmed before a kill starts after it',
    case: approach('IRREVERSIBLE', [DRY, approval(), REOPEN, confirmedStart()]),
  },
  twins: [
    {
      requirement: 'GFR1',
      title: 'with a confirmation that was used up before the kill it does not start',
      case: approach('IRREVERSIBLE', [DRY, approval(), confirmedStart(), REOPEN, confirmedStart()]),
      contrast: contrastLast,
    },
  ],
  examine: examineApproach,
  judge: judgeApproach,
});
