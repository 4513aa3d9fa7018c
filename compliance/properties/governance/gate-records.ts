import type { AuditRecord } from '../../../schemas/types.js';
import type { Approach, Approached } from '../../approach.js';
import { approach, approaches, approval, confirmedStart } from '../../generators/approaches.js';
import { caseProperty } from '../../runner/case-property.js';
import { examineApproach, judgeGateRecords } from './approach-checks.js';

/** Every gate that is asked is in the log, in order, with its answer. */
export const gateRecords = caseProperty<Approach, Approached>({
  id: 'governance/gate-records',
  title: 'the gates of a start are recorded in order, up to the first that denies and with its reasons',
  kind: 'message',
  requirements: ['GL1', 'GL2', 'EG3'],
  capabilities: ['governance', 'audit'],
  cases: approaches(['SAFE', 'RISKY', 'IRREVERSIBLE']),
  weight: 0.5,
  control: {
    title: 'a dry run, a denied start and a confirmed one',
    case: approach('RISKY', [{ do: 'dry_run' }, { do: 'start' }, approval(), confirmedStart()]),
  },
  twins: [
    { requirement: 'GL1', title: 'the log with the gates in another order', tamper: seen => withGates(seen, reversed) },
    {
      requirement: 'GL2',
      title: 'the log without the records of the safety gate',
      tamper: seen => withGates(seen, gates => gates.filter(({ gate }) => gate !== 'safety')),
    },
    {
      requirement: 'EG3',
      title: 'the log in which denials have no reasons',
      tamper: seen => withGates(seen, gates => gates.map(gate => ({ ...gate, reasons: [] }))),
    },
  ],
  examine: examineApproach,
  judge: judgeGateRecords,
});

type Change = (gates: readonly AuditRecord[]) => readonly AuditRecord[];

const reversed: Change = gates => gates.toReversed();

function withGates(seen: Approached, change: Change): Approached {
  const log = seen.log ?? [];
  const gates = log.filter(({ record_type }) => record_type === 'gate');
  return { ...seen, log: [...change(gates), ...log.filter(({ record_type }) => record_type !== 'gate')] };
}
