import type { ProbeAnswer } from '../../../schemas/types.js';
import type { Observation, Program } from '../../program.js';
import type { Failure } from '../../runner/verdict.js';
import { interruptedProgram } from '../cases.js';
import { undoable } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { crashTwin } from './crash-twins.js';

/** A chain that is killed inside its second action, and what a probe of that says. */
function interrupted(probe: ProbeAnswer | 'ledger'): Program {
  return undoable(3, [{ at: 'invocation', ordinal: 2, when: 'receipt' }], probe);
}

/** What a probe says decides, and nothing is done twice. */
export const recoveryTable = programProperty({
  id: 'audit/recovery-table',
  title: 'each interrupted execution is decided by the table, and nothing else has an effect',
  kind: 'kill',
  requirements: ['CRC1', 'CRC2', 'CR1', 'CC3', 'AII1', 'AII3'],
  capabilities: ['audit', 'recovery', 'state'],
  cases: interruptedProgram,
  weight: 0.4,
  examples: [
    interrupted({ verdict: 'absent' }),
    interrupted({ verdict: 'unknown' }),
    interrupted({ verdict: 'partial' }),
  ],
  control: {
    title: 'the effect took place, so the execution is committed without being invoked again',
    case: interrupted('ledger'),
  },
  twins: [
    {
      requirement: 'CRC1',
      title: 'the probe promises that there is no effect, so the execution is closed as failed',
      case: interrupted({ verdict: 'absent' }),
      contrast: (control, twin) => contrastDecision(control, 'commit', twin, 'close'),
    },
    ...['CRC2', 'CR1', 'CC3', 'AII1', 'AII3'].map(crashTwin),
  ],
});

function contrastDecision(control: Observation, first: string, twin: Observation, second: string): Failure | undefined {
  const decided = ({ recoveries }: Observation) =>
    recoveries.flatMap(report => report?.decisions ?? []).find(({ node_id }) => node_id === 'n2')?.decision ??
    'nothing';
  const observed = { control: decided(control), twin: decided(twin) };
  if (observed.control === first && observed.twin === second) return undefined;
  const expected = { control: first, twin: second };
  return { message: 'the answer of the probe did not decide', expected, observed, node_id: 'n2' };
}
