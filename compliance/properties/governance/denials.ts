import type { Approach, Approached } from '../../approach.js';
import { approach, approaches } from '../../generators/approaches.js';
import { caseProperty } from '../../runner/case-property.js';
import { examineApproach, judgeApproach } from './approach-checks.js';

/** What is denied or only simulated leaves nothing behind but records. */
export const denials = caseProperty<Approach, Approached>({
  id: 'governance/denials',
  title: 'a denied start names gate and execution_id and has no effect, and neither has a dry run',
  kind: 'message',
  requirements: ['GL3', 'EG2'],
  capabilities: ['governance'],
  cases: approaches(['RISKY', 'IRREVERSIBLE']),
  weight: 0.5,
  examples: [approach('SAFE', [{ do: 'dry_run' }]), approach('SAFE', [{ do: 'dry_run' }, { do: 'dry_run' }])],
  control: { title: 'a risky workflow is simulated, and denied without a confirmation', case: unconfirmed() },
  twins: [
    {
      requirement: 'GL3',
      title: 'a denial that does not say which gate',
      tamper: seen => withAnswer(seen, { error: { kind: 'denied', execution_id: 'x' } }),
    },
    {
      requirement: 'EG2',
      title: 'a dry run that invokes the action',
      tamper: seen => ({ ...seen, ledger: [INVOCATION] }),
    },
  ],
  examine: examineApproach,
  judge: judgeApproach,
});

function unconfirmed(): Approach {
  return approach('RISKY', [{ do: 'dry_run' }, { do: 'start' }]);
}

function withAnswer(seen: Approached, answer: Approached['answers'][number][number]): Approached {
  return { ...seen, answers: [...seen.answers.slice(0, -1), [answer]] };
}

const INVOCATION: Approached['ledger'][number] = {
  kind: 'invoke',
  incarnation: 1,
  ordinal: 1,
  execution_id: 'x',
  idempotency_key: 'x',
  action_id: 'send',
  version: '1.0.0',
  inputs: {},
  effect: true,
  received_at: 1,
};
