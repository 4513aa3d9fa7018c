import type { AuditRecord } from '../../schemas/types.js';
import type { Check } from './check.js';

const FIELDS = ['action_id', 'action_version', 'node_id', 'parent_execution_id', 'attempt', 'idempotency_key'] as const;

/** All records of an action execution tell of the same action, node, instance, attempt and key (CLI2). */
export const identity: Check = {
  requirements: ['CLI2'],
  begin: report => {
    const first = new Map<string, AuditRecord>();
    return {
      record: record => {
        if (record.record_type !== 'action') return;
        const earlier = first.get(record.execution_id);
        if (earlier === undefined) {
          first.set(record.execution_id, record);
          return;
        }
        for (const field of FIELDS) {
          if (earlier[field] === record[field]) continue;
          report({
            requirement: 'CLI2',
            expected: `${field} ${String(earlier[field])}`,
            observed: String(record[field]),
            execution_id: record.execution_id,
            sequence: record.sequence,
          });
        }
      },
    };
  },
};
