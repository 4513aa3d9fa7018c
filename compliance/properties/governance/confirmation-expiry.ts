import type { Approach, Approached } from '../../approach.js';
import { approach, approval, confirmedStart } from '../../generators/approaches.js';
import { caseProperty } from '../../runner/case-property.js';
import { examineApproach, judgeApproach } from './approach-checks.js';
import { contrastLast } from './consent-cases.js';

const EARLIER = '2040-01-01T00:00:00.000Z';
const LAST = '2040-06-01T11:59:59.999Z';
const EXPIRY = '2040-06-01T12:00:00.000Z';

/** What lapses at a time: approved before it, started at the time. */
function startedAt(time: string): Approach {
  const until = approval({ expires_at: EXPIRY });
  return approach('RISKY', [{ do: 'clock', time: EARLIER }, until, { do: 'clock', time }, confirmedStart()]);
}

/** The end of validity of a confirmation is exclusive. */
export const confirmationExpiry = caseProperty<Approach, Approached>({
  id: 'governance/confirmation-expiry',
  title: 'a confirmation counts to the last millisecond before its end, and no longer',
  kind: 'message',
  requirements: ['MS1'],
  capabilities: ['governance', 'clock'],
  control: { title: 'a start a millisecond before the end', case: startedAt(LAST) },
  twins: [
    {
      requirement: 'MS1',
      title: 'a start at the end is denied',
      case: startedAt(EXPIRY),
      contrast: contrastLast,
    },
  ],
  examine: examineApproach,
  judge: judgeApproach,
});
