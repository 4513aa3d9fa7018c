import type { AuditRecord } from '../../schemas/types.js';
import type { Check } from './check.js';

/** rolled_back and compensated stand for a committed execution and name the committed one that undid it (AII2). */
export const undo: Check = {
  requirements: ['AII2', 'RBI2'],
  begin: report => {
    const committed = new Map<string, AuditRecord>();
    const undone: AuditRecord[] = [];
    return {
      record: record => {
        if (record.record_type !== 'action') return;
        if (record.status === 'committed') committed.set(record.execution_id, record);
        if (record.status !== 'rolled_back' && record.status !== 'compensated') return;
        undone.push(record);
        const original = committed.get(record.execution_id);
        const place = { execution_id: record.execution_id, sequence: record.sequence };
        if (original === undefined) {
          report({ ...place, requirement: 'AII2', expected: 'committed before', observed: `${record.status} alone` });
        } else if (original.purpose === 'revert' || original.purpose === 'compensate') {
          report({ ...place, requirement: 'RBI2', expected: 'an undo to stay', observed: record.status });
        }
      },
      end: () => {
        for (const { execution_id, sequence, refers_to, status } of undone) {
          if (refers_to?.some(id => committed.has(id) && id !== execution_id) === true) continue;
          const observed = `${status} that refers to ${refers_to?.join(', ') ?? 'nothing'}`;
          report({ execution_id, sequence, requirement: 'AII2', expected: 'a committed undo in refers_to', observed });
        }
      },
    };
  },
};
