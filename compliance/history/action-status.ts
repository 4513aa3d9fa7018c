import type { AuditRecord } from '../../schemas/types.js';
import type { Check, Report } from './check.js';

const AFTER: Readonly<Record<string, readonly string[]>> = {
  none: ['pending', 'failed'],
  pending: ['committed', 'failed', 'in_doubt'],
  in_doubt: ['committed', 'failed'],
  committed: ['rolled_back', 'compensated'],
};

/**
 * The records of an action execution follow the status machine of Ch6: at most one commit (AII1), after pending (AII3),
 * final (AII7); each id serves one execution (EX1); an execution in doubt is decided by an operator only (CRC2).
 */
export const actionStatus: Check = {
  requirements: ['AII1', 'AII3', 'AII7', 'EX1', 'CRC2', 'CC3'],
  begin: report => {
    const last = new Map<string, string>();
    const everCommitted = new Set<string>();
    const approved = new Set<string>();
    return {
      record: record => {
        if (record.record_type === 'approval' && record.status === 'resolved') {
          for (const id of [record.execution_id, ...(record.refers_to ?? [])]) approved.add(id);
        }
        if (record.record_type !== 'action') return;
        const id = record.execution_id;
        const before = last.get(id) ?? 'none';
        if (!(AFTER[before] ?? []).includes(record.status)) {
          reportStep(report, record, before, everCommitted.has(id));
        } else if (before === 'in_doubt' && !approved.has(id)) {
          report({
            ...at(record),
            requirement: 'CRC2',
            expected: 'an approval first',
            observed: `in_doubt, ${record.status}`,
          });
        }
        last.set(id, record.status);
        if (record.status === 'committed') everCommitted.add(id);
      },
    };
  },
};

function reportStep(report: Report, record: AuditRecord, before: string, committed: boolean): void {
  const requirement = brokenBy(record.status, before, committed);
  const expected = `after ${before}: ${(AFTER[before] ?? []).join(', ') || 'nothing'}`;
  report({ ...at(record), requirement, expected, observed: record.status });
}

function brokenBy(status: string, before: string, committed: boolean): string {
  if (status === 'committed') return committed ? 'AII1' : before === 'none' ? 'AII3' : 'CC3';
  if (status === 'pending') return 'EX1';
  return before === 'committed' ? 'AII7' : 'CC3';
}

function at(record: AuditRecord): { execution_id: string; sequence: number; node_id?: string } {
  const place = { execution_id: record.execution_id, sequence: record.sequence };
  return record.node_id === undefined ? place : { ...place, node_id: record.node_id };
}
