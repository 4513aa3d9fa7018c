import type { AuditRecord } from '../../schemas/types.js';

/** The conditions of a query (Ch6). */
export interface Conditions {
  readonly execution_id?: string;
  readonly context_id?: string;
  readonly from?: string;
  readonly until?: string;
  readonly status?: string;
  readonly record_type?: string;
  readonly latest?: boolean;
  readonly incomplete?: boolean;
}

/** The types whose records state how an execution stands, not what accompanied it. */
const STATING: ReadonlySet<string> = new Set(['action', 'workflow', 'terminal', 'error', 'skill']);

/** The records of a log that a query selects, in the order of the log. */
export function selected(log: readonly AuditRecord[], conditions: Conditions): readonly AuditRecord[] {
  const { execution_id, context_id, from, until, status, record_type, latest, incomplete } = conditions;
  const { newest, open } = standing(log);
  return log.filter(
    record =>
      (execution_id === undefined || record.execution_id === execution_id) &&
      (context_id === undefined || record.context_id === context_id) &&
      (from === undefined || record.timestamp >= from) &&
      (until === undefined || record.timestamp < until) &&
      (status === undefined || record.status === status) &&
      (record_type === undefined || record.record_type === record_type) &&
      (latest !== true || newest.has(record.sequence)) &&
      (incomplete !== true || (newest.has(record.sequence) && open.has(record.execution_id))),
  );
}

/** The places of the newest record of each execution, and the executions that are incomplete. */
function standing(log: readonly AuditRecord[]): { newest: ReadonlySet<number>; open: ReadonlySet<string> } {
  const last = new Map<string, AuditRecord>();
  const open = new Set<string>();
  for (const record of log) {
    const before = last.get(record.execution_id);
    if (before === undefined || STATING.has(record.record_type) || !STATING.has(before.record_type))
      last.set(record.execution_id, record);
    if (record.record_type !== 'action') continue;
    if (record.status === 'pending' || record.status === 'in_doubt') open.add(record.execution_id);
    else open.delete(record.execution_id);
  }
  return { newest: new Set([...last.values()].map(({ sequence }) => sequence)), open };
}
