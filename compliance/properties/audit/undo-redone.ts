import type { AuditRecord } from '../../../schemas/types.js';
import type { Kill, Program } from '../../program.js';
import { chain, EFFECTFUL, UNDO } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { changed, withLog } from '../tamper.js';
import { COMPENSATE, wishing, withoutRollback } from './undo-programs.js';

/** How often an undo is redone before it has failed. */
const MOST_REDOS = 3;

/** The kills of what is the n-th invocation of the first incarnation, and whose redo is the first of each later one. */
function kills(n: number): readonly Kill[] {
  return Array.from({ length: MOST_REDOS + 1 }, (_, index) => ({
    at: 'invocation',
    ordinal: index === 0 ? n : 1,
    when: 'receipt',
  }));
}

const INTERRUPTED: Program = wishing([COMPENSATE], { kills: kills(4) });

/** An action that is safe to repeat, of which no probe tells anything: after three redos the column of its category decides. */
const REPEATABLE = { ...EFFECTFUL, idempotent: true, probe: false };

const REPEATED = chain(1, kills(1), REPEATABLE, [UNDO]);
const COMPENSATED: Program = {
  ...REPEATED,
  script: { ...REPEATED.script, actions: { undo: [{ reply: { outputs: {} } }] } },
};

/** What is interrupted each time it is begun is given up. */
export const undoRedone = programProperty({
  id: 'audit/undo-redone',
  title: 'an undo, or an action, that is killed each time is redone three times and then given up',
  kind: 'kill',
  requirements: ['CRC1', 'CRC2'],
  capabilities: ['audit', 'recovery'],
  lacking: withoutRollback,
  examples: [COMPENSATED],
  control: { title: 'a compensation that is killed at each of its four invocations', case: INTERRUPTED },
  twins: [
    {
      requirement: 'CRC2',
      title: 'the log in which the last redo is redone once more, in place of being closed',
      tamper: seen => withLog(seen, redoneAgain),
    },
    {
      requirement: 'CRC1',
      title: 'the log in which the first redo is closed at once',
      tamper: seen =>
        withLog(seen, records => {
          const redo = ({ record_type, status }: AuditRecord) => record_type === 'recovery' && status === 'redo';
          return changed(records, redo, { status: 'close' });
        }),
    },
  ],
});

function redoneAgain(records: readonly AuditRecord[]): readonly AuditRecord[] {
  const at = records.findLastIndex(({ record_type, status }) => record_type === 'recovery' && status === 'close');
  const [decision, failed] = records.slice(at, at + 2) as [AuditRecord, AuditRecord];
  const { execution_id } = decision;
  const pending = records.find(one => one.status === 'pending' && one.execution_id === execution_id) as AuditRecord;
  const { incarnation } = decision;
  const again = {
    ...pending,
    incarnation,
    execution_id: 'again',
    refers_to: [execution_id, ...(pending.refers_to ?? [])],
  };
  const redo: AuditRecord = { ...decision, status: 'redo', new_execution_id: 'again' };
  return records.toSpliced(at, 2, redo, failed, again, { ...failed, execution_id: 'again' });
}
