import type { AuditRecord } from '../../schemas/types.js';
import type { Check } from './check.js';

/**
 * An instance starts once and ends at most once, behind everything that names it as parent (AM1), and not while one of its
 * executions is in doubt (FB5).
 */
export const instance: Check = {
  requirements: ['AM1', 'FB5'],
  begin: report => {
    const started = new Set<string>();
    const ended = new Map<string, string>();
    const doubts = new Map<string, Set<string>>();
    const complain = (record: AuditRecord, requirement: string, expected: string) =>
      report({
        requirement,
        expected,
        observed: `${record.record_type} ${record.status}`,
        execution_id: record.execution_id,
        sequence: record.sequence,
      });
    const judgeEnd = (record: AuditRecord): void => {
      const id = record.execution_id;
      if (!started.has(id)) complain(record, 'AM1', 'workflow_started before the end');
      const end = ended.get(id);
      if (end !== undefined) complain(record, 'AM1', `nothing after ${end}`);
      if ((doubts.get(id)?.size ?? 0) > 0) complain(record, 'FB5', 'no end while an execution is in doubt');
      ended.set(id, record.status);
    };
    const judgePart = (record: AuditRecord, parent: string): void => {
      const end = ended.get(parent);
      if (end !== undefined && !isUndo(record)) complain(record, 'AM1', `no record below the instance after ${end}`);
      const doubt = doubts.get(parent) ?? new Set();
      if (record.status === 'in_doubt') doubts.set(parent, doubt.add(record.execution_id));
      else doubt.delete(record.execution_id);
    };
    return {
      record: record => {
        if (record.record_type === 'workflow' && record.status !== 'workflow_started') judgeEnd(record);
        else if (record.record_type === 'workflow') {
          if (started.has(record.execution_id)) complain(record, 'AM1', 'one workflow_started');
          started.add(record.execution_id);
        }
        const parent = record.parent_execution_id;
        if (parent !== undefined && record.record_type === 'action') judgePart(record, parent);
      },
    };
  },
};

/** Undoing goes on after the end of an instance, where an agent asks for it. */
function isUndo(record: AuditRecord): boolean {
  const undone = record.status === 'rolled_back' || record.status === 'compensated';
  return undone || (record.purpose !== undefined && record.purpose !== 'execute');
}
