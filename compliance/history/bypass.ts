import type { AuditRecord } from '../../schemas/types.js';
import type { Check } from './check.js';

const ORDER = 'verification allowed, governance allowed, safety allowed, execution allowed';

/** What is told of an instance so far. */
interface Told {
  /** The answers of the gates before its start, in order. */
  readonly gates: string[];
  status?: 'started' | 'ended';
}

/**
 * Nothing started or was executed past the gates, as far as a log alone tells it: the procedure of Ch9 for finding a bypass,
 * without the resolved documents (EG5).
 */
export const bypass: Check = {
  requirements: ['EG5'],
  begin: report => {
    const told = new Map<string, Told>();
    const denied = new Set<string>();
    const approvals = new Map<string, AuditRecord>();
    const used = new Set<string>();
    const found = ({ execution_id, sequence }: AuditRecord, expected: string, observed: string) =>
      report({ requirement: 'EG5', expected, observed, execution_id, sequence });
    const of = (id: string): Told => {
      const known = told.get(id) ?? { gates: [] };
      told.set(id, known);
      return known;
    };

    const judgeRoot = (record: AuditRecord): void => {
      const passed = of(record.execution_id).gates.join(', ');
      if (passed !== ORDER) found(record, `the gates ${ORDER}`, passed === '' ? 'none' : passed);
      const { confirmation_id, agent_id } = record;
      if (confirmation_id === undefined) return;
      const approval = approvals.get(confirmation_id);
      const fits =
        approval !== undefined &&
        approval.granted_to === agent_id &&
        approval.agent_id !== agent_id &&
        approval.resolved_digest === record.resolved_digest &&
        approval.inputs_digest === record.inputs_digest;
      if (!fits || used.has(confirmation_id))
        found(record, 'a confirmation granted before for this start, used by no other', confirmation_id);
      used.add(confirmation_id);
    };

    const judgeBelow = (record: AuditRecord, parent: string): void => {
      const { record_type, status } = record;
      const at = told.get(parent)?.status;
      if (status === 'workflow_started' && at !== 'started')
        found(record, `the instance ${parent} under way`, at ?? 'none');
      if (record_type === 'action' && status === 'pending' && at === undefined)
        found(record, `the instance ${parent} started before`, 'none');
    };

    return {
      record: record => {
        const { record_type, status, execution_id, parent_execution_id: parent, context_id } = record;
        if (record_type === 'gate') {
          const instance = of(execution_id);
          if (instance.status !== undefined) return;
          if (status === 'denied') denied.add(execution_id);
          instance.gates.push(`${record.gate} ${status}`);
          return;
        }
        const above = [execution_id, parent ?? execution_id, context_id].find(id => denied.has(id));
        if (above !== undefined) found(record, `nothing after a gate denied ${above}`, `${record_type} ${status}`);
        if (parent !== undefined) judgeBelow(record, parent);
        if (record_type === 'approval' && status === 'granted') approvals.set(execution_id, record);
        if (record_type !== 'workflow') return;
        if (status === 'workflow_started' && parent === undefined) judgeRoot(record);
        of(execution_id).status = status === 'workflow_started' ? 'started' : 'ended';
      },
    };
  },
};
