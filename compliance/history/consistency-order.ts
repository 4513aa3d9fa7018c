import type { AuditRecord } from '../../schemas/types.js';
import type { RecordCheck } from './consistency.js';

const AFTER: Readonly<Record<string, readonly string[]>> = {
  none: ['pending', 'failed'],
  pending: ['committed', 'failed', 'in_doubt'],
  in_doubt: ['committed', 'failed'],
  committed: ['rolled_back', 'compensated'],
};

/** The fields of an action execution that stay the same in all its records. */
const SAME = [
  ...['action_id', 'action_version', 'side_effects', 'determinism', 'rollback', 'attempt', 'idempotency_key'],
] as readonly (keyof AuditRecord)[];

const ONCE: ReadonlySet<string> = new Set(['terminal', 'error', 'skill']);
/** What has the identifier of something else that it is about. */
const ABOUT: ReadonlySet<string> = new Set(['gate', 'recovery']);

/** AC2: the records of each execution and instance follow one another as the tables of statuses say. */
export function ordered(): RecordCheck {
  const types = new Map<string, string>();
  const actions = new Map<string, AuditRecord>();
  const started = new Set<string>();
  const ended = new Set<string>();
  const once = new Set<string>();
  const resolved = new Set<string>();
  const denied = new Set<string>();
  const undos = new Set<string>();

  const actionFault = (record: AuditRecord): string | undefined => {
    const { execution_id, status, purpose } = record;
    if (purpose !== undefined) undos.add(execution_id);
    const before = actions.get(execution_id);
    actions.set(execution_id, record);
    const last = before?.status ?? 'none';
    if (AFTER[last]?.includes(status) !== true) return `after ${last}: ${(AFTER[last] ?? []).join(', ') || 'nothing'}`;
    if (last === 'in_doubt' && !resolved.has(execution_id)) return 'an operator to have resolved the doubt';
    const other = before && SAME.find(field => JSON.stringify(before[field]) !== JSON.stringify(record[field]));
    return other === undefined ? undefined : `the same ${other} as before`;
  };

  const workflowFault = ({ execution_id, status }: AuditRecord): string | undefined => {
    if (status === 'workflow_started') {
      if (started.has(execution_id)) return 'one start';
      if (denied.has(execution_id)) return 'no start after a denial';
      started.add(execution_id);
      return undefined;
    }
    if (!started.has(execution_id)) return 'the start before the end';
    if (ended.has(execution_id)) return 'one end';
    ended.add(execution_id);
    return undefined;
  };

  return record => {
    const { record_type, execution_id, parent_execution_id, status, purpose, refers_to = [] } = record;
    if (record_type === 'approval' && status === 'resolved') for (const id of refers_to) resolved.add(id);
    if (record_type === 'gate' && status === 'denied' && !started.has(execution_id)) denied.add(execution_id);
    if (!ABOUT.has(record_type)) {
      const type = types.get(execution_id) ?? record_type;
      types.set(execution_id, type);
      if (type !== record_type) return `records of type ${type} only`;
    }
    const tellsOfUndo =
      purpose !== undefined || status === 'rolled_back' || status === 'compensated' || undos.has(execution_id);
    if (parent_execution_id !== undefined && ended.has(parent_execution_id) && !tellsOfUndo)
      return 'nothing below an instance that has ended';
    if (record_type === 'action') return actionFault(record);
    if (record_type === 'workflow') return workflowFault(record);
    if (record_type === 'recovery') {
      return actions.get(execution_id)?.status === 'pending' ? undefined : 'an execution that is pending';
    }
    if (!ONCE.has(record_type)) return undefined;
    if (once.has(execution_id)) return 'one record';
    once.add(execution_id);
    return undefined;
  };
}
