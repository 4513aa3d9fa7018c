import type { AuditRecord } from '../../schemas/types.js';
import type { Check } from './check.js';

const OF_NODES: ReadonlySet<string> = new Set(['action', 'terminal', 'error', 'skill']);

/** Each record of a node names a started instance, each child instance its parent, and all share the root's context (WII7). */
export const links: Check = {
  requirements: ['WII7'],
  begin: report => {
    const contexts = new Map<string, string>();
    const complain = (record: AuditRecord, expected: string, observed: string) =>
      report({ requirement: 'WII7', expected, observed, execution_id: record.execution_id, sequence: record.sequence });
    return {
      record: record => {
        const starts = record.record_type === 'workflow' && record.status === 'workflow_started';
        const parent = record.parent_execution_id;
        if (starts && parent === undefined) {
          contexts.set(record.execution_id, record.execution_id);
          if (record.context_id !== record.execution_id) complain(record, 'its own id as context', record.context_id);
          return;
        }
        if (!starts && !(OF_NODES.has(record.record_type) && record.node_id !== undefined)) return;
        const context = parent === undefined ? undefined : contexts.get(parent);
        if (context === undefined) complain(record, 'an instance that was started before', String(parent));
        else if (context !== record.context_id) complain(record, `context ${context}`, record.context_id);
        if (starts) contexts.set(record.execution_id, context ?? record.context_id);
      },
    };
  },
};
