import type { AuditRecord, RecordStatus, RecordType } from '../../../../schemas/types.js';
import { ACTION_ORDER, type Follows, WORKFLOW_ORDER } from '../../audit/lifecycle.js';
import { canonicalize } from '../../state/canonical.js';
import { type RecordCheck, type RecordFault, tellsOfUndo, type Unseen } from './check.js';

/** What was seen of an execution, but for its gate and recovery records. */
interface Seen {
  readonly record_type: RecordType;
  readonly status: RecordStatus;
  readonly sequence: number;
  /** Of an action: what its records repeat. */
  readonly fields: string;
}

const ACTION_FIELDS = [
  'action_id',
  'action_version',
  'purpose',
  'side_effects',
  'determinism',
  'rollback',
  'attempt',
  'idempotency_key',
] as const;
const HELP =
  'The tables of statuses in chapter 6 say what may follow what; a runtime that keeps to them cannot write this.';

/**
 * Whether the records of each execution and instance follow one another as the tables of statuses say; that of gates aside.
 *
 * @requirement AC2
 */
export function statusOrder(unseen: Unseen): RecordCheck {
  const executions = new Map<string, Seen>();
  const recovered = new Set<string>();
  const gated = new Set<string>();
  const resolved = new Set<string>();
  const undos = new Set<string>();

  const judge = (record: AuditRecord): string | undefined => {
    const { record_type, execution_id } = record;
    const before = executions.get(execution_id);
    const ended = endedParent(record);
    if (ended !== undefined) return ended;
    if (record_type === 'gate') return gateFault(record, before);
    if (record_type === 'recovery') return recoveryFault(record, before);
    if (before !== undefined && before.record_type !== record_type)
      return `${execution_id} is of type ${before.record_type} and cannot have a record of type ${record_type}`;
    if (gated.has(execution_id) && record_type !== 'workflow' && record_type !== 'dry_run')
      return `${execution_id} has gate records, so it is a workflow or a dry run and no ${record_type}`;
    if (recovered.has(execution_id) && record_type !== 'action')
      return `${execution_id} has a recovery record, so it is an action and no ${record_type}`;
    if (record_type === 'action') return actionFault(record, before);
    if (record_type === 'workflow') return orderFault(record, before, WORKFLOW_ORDER);
    return before === undefined ? undefined : `${execution_id} has its one record of type ${record_type} already`;
  };

  const endedParent = (record: AuditRecord): string | undefined => {
    const { parent_execution_id: parent, record_type, status } = record;
    const instance = parent === undefined ? undefined : executions.get(parent);
    if (instance?.record_type !== 'workflow' || instance.status === 'workflow_started') return undefined;
    if (tellsOfUndo(record, undos)) return undefined;
    return `the instance ${parent} ended with ${instance.status}, and ${record_type} ${status} names it as parent`;
  };

  const gateFault = ({ execution_id }: AuditRecord, before: Seen | undefined): string | undefined => {
    const type = recovered.has(execution_id) ? 'action' : before?.record_type;
    if (type === undefined || type === 'workflow') return undefined;
    return `a gate is about a start or a continuation, and ${execution_id} is of type ${type}`;
  };

  const recoveryFault = ({ execution_id, status }: AuditRecord, before: Seen | undefined): string | undefined => {
    const hidden = unseen.since(before?.sequence ?? 0);
    if (before !== undefined && before.record_type !== 'action')
      return `recovery decides actions, and ${execution_id} is of type ${before.record_type}`;
    if (before?.status === 'pending' || (before === undefined && hidden)) return undefined;
    return `recovery ${status} of ${execution_id}, which ${before === undefined ? 'has no record' : `is ${before.status}`} and not pending`;
  };

  const actionFault = (record: AuditRecord, before: Seen | undefined): string | undefined => {
    const wrong = orderFault(record, before, ACTION_ORDER);
    if (wrong !== undefined || before === undefined) return wrong;
    const { execution_id, status } = record;
    if (before.status === 'in_doubt' && !resolved.has(execution_id) && !unseen.any())
      return `${execution_id} was in doubt and is ${status} without an approval (resolved) that refers to it`;
    if (fieldsOf(record) === before.fields) return undefined;
    const [first, now] = [JSON.parse(before.fields), JSON.parse(fieldsOf(record))] as Record<string, unknown>[];
    const name = ACTION_FIELDS.find(field => canonicalText(first?.[field]) !== canonicalText(now?.[field]));
    return `${execution_id} has another ${name} than in the record before: ${canonicalText(now?.[name ?? ''])}, not ${canonicalText(first?.[name ?? ''])}`;
  };

  const orderFault = (record: AuditRecord, before: Seen | undefined, order: Follows): string | undefined => {
    const { execution_id, status } = record;
    if (follows(order, before?.status, status, unseen.since(before?.sequence ?? 0))) return undefined;
    return `${execution_id}: ${status} ${before === undefined ? 'is its first record' : `follows ${before.status}`}`;
  };

  return record => {
    const message = judge(record);
    const { record_type, execution_id, status, sequence, refers_to, purpose } = record;
    if (purpose !== undefined) undos.add(execution_id);
    if (record_type === 'approval' && status === 'resolved') for (const id of refers_to ?? []) resolved.add(id);
    if (record_type === 'gate') gated.add(execution_id);
    else if (record_type === 'recovery') recovered.add(execution_id);
    else {
      const fields = record_type === 'action' ? fieldsOf(record) : '';
      executions.set(execution_id, { record_type, status, sequence, fields });
    }
    return message === undefined ? undefined : faultOf(message);
  };
}

function faultOf(message: string): RecordFault {
  return { message, help: HELP };
}

/** Whether the status may come next, or after statuses in between that are not to be seen. */
function follows(order: Follows, before: RecordStatus | undefined, status: RecordStatus, hidden: boolean): boolean {
  const reached = new Set(order.get(before) ?? []);
  if (hidden) for (const next of reached) for (const further of order.get(next) ?? []) reached.add(further);
  return reached.has(status);
}

function fieldsOf(record: AuditRecord): string {
  const fields = ACTION_FIELDS.flatMap(name => (record[name] === undefined ? [] : [[name, record[name]]]));
  return canonicalize(Object.fromEntries(fields));
}

function canonicalText(value: unknown): string {
  return value === undefined ? 'none' : canonicalize(value);
}
