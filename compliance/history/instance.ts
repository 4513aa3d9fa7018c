import type { AuditRecord } from '../../schemas/types.js';
import type { Check } from './check.js';

/** An instance starts once and ends at most once, and starts nothing after its end (AM1). */
export const instance: Check = {
  requirements: ['AM1'],
  begin: report => {
    const started = new Set<string>();
    const ended = new Map<string, string>();
    const complain = (record: AuditRecord, expected: string) =>
      report({
        requirement: 'AM1',
        expected,
        observed: `${record.record_type} ${record.status}`,
        execution_id: record.execution_id,
        sequence: record.sequence,
      });
    return {
      record: record => {
        const id = record.execution_id;
        if (record.record_type === 'workflow') {
          if (record.status === 'workflow_started') {
            if (started.has(id)) complain(record, 'one workflow_started');
            started.add(id);
            return;
          }
          if (!started.has(id)) complain(record, 'workflow_started before the end');
          const end = ended.get(id);
          if (end !== undefined) complain(record, `nothing after ${end}`);
          ended.set(id, record.status);
        } else if (startsWork(record)) {
          const end = ended.get(record.parent_execution_id ?? '');
          if (end !== undefined) complain(record, `no execution of a node after ${end}`);
        }
      },
    };
  },
};

function startsWork(record: AuditRecord): boolean {
  const executes = record.purpose === undefined || record.purpose === 'execute';
  return record.record_type === 'action' && record.status === 'pending' && executes;
}
