import type { AuditRecord } from '../../schemas/types.js';
import type { Check, Report } from './check.js';

const MOST_REDOS = 3;
const FOLLOWED_BY: Readonly<Record<string, string>> = {
  commit: 'committed',
  close: 'failed',
  in_doubt: 'in_doubt',
  redo: 'failed',
};

/**
 * A decision and what it does are one step: its records follow each other (CRC1). A redo opens a new execution that names
 * the old one, with its key, attempt and inputs (CRC1), and there are at most three in a row (CRC2).
 */
export const recovery: Check = {
  requirements: ['CRC1', 'CRC2'],
  begin: report => {
    const pendings = new Map<string, AuditRecord>();
    const redos = new Map<string, number>();
    let decision: AuditRecord | undefined;
    let step = 0;
    return {
      record: record => {
        if (decision !== undefined) {
          step += 1;
          const done = follows(report, decision, step, record, pendings);
          if (done) decision = undefined;
        }
        if (record.record_type === 'action' && record.status === 'pending') pendings.set(record.execution_id, record);
        if (record.record_type !== 'recovery' || FOLLOWED_BY[record.status] === undefined) return;
        decision = record;
        step = 0;
        if (record.status === 'redo') countRedo(report, record, redos);
      },
      end: () => {
        if (decision !== undefined)
          complain(report, decision, FOLLOWED_BY[decision.status] ?? '', 'the end of the log');
      },
    };
  },
};

/** Judges the record that stands `step` places behind a decision; gives whether the decision's step ends there. */
function follows(
  report: Report,
  decision: AuditRecord,
  step: number,
  record: AuditRecord,
  pendings: ReadonlyMap<string, AuditRecord>,
): boolean {
  const opens = decision.status === 'redo' && step === 2;
  const id = opens ? decision.new_execution_id : decision.execution_id;
  const status = opens ? 'pending' : FOLLOWED_BY[decision.status];
  if (record.record_type !== 'action' || record.execution_id !== id || record.status !== status) {
    complain(report, decision, `${status} of ${id}`, `${record.status} of ${record.execution_id}`);
    return true;
  }
  if (opens) {
    const old = pendings.get(decision.execution_id);
    const same = record.idempotency_key === old?.idempotency_key && record.attempt === old?.attempt;
    if (!same || record.refers_to?.includes(decision.execution_id) !== true) {
      complain(report, decision, 'a new execution that refers to the old one, with its key and attempt', 'another one');
    }
  }
  return decision.status !== 'redo' || opens;
}

function countRedo(report: Report, decision: AuditRecord, redos: Map<string, number>): void {
  const { execution_id, sequence, new_execution_id } = decision;
  const times = (redos.get(execution_id) ?? 0) + 1;
  if (new_execution_id !== undefined) redos.set(new_execution_id, times);
  if (times <= MOST_REDOS) return;
  const expected = `at most ${MOST_REDOS} redos`;
  report({ requirement: 'CRC2', expected, observed: `redo ${times}`, execution_id, sequence });
}

function complain(report: Report, decision: AuditRecord, expected: string, observed: string): void {
  const { execution_id, sequence, status } = decision;
  report({ requirement: 'CRC1', expected: `behind ${status}: ${expected}`, observed, execution_id, sequence });
}
