import type { AuditRecord, RecordStatus, RecordType, RedactedRecord } from '../../../schemas/types.js';

/** What the log says of an execution: the record_type and status of its newest record that states a status. */
export interface ExecutionStatus {
  readonly record_type: RecordType;
  readonly status: RecordStatus;
}

/** A record as far as life cycles depend on it. */
export type LifecycleRecord = Pick<AuditRecord, 'record_type' | 'status' | 'execution_id' | 'refers_to'>;

/** What came before a record. */
export interface LifecycleView {
  /** The present status of an execution; undefined where no record states one. */
  status(execution_id: string): ExecutionStatus | undefined;
  /** Whether an approval record says what an operator found out about this execution. */
  isResolved(execution_id: string): boolean;
}

/** Why a record may not follow the ones before it. */
export interface LifecycleFault {
  readonly requirement: 'AII1' | 'AII2' | 'AII3' | 'AII7' | 'EX1' | 'PC5' | 'AM1';
  readonly message: string;
}

/** The verdict on the life cycles of a log. */
export type LifecycleVerdict =
  | { readonly ok: true }
  | ({ readonly ok: false; readonly first_bad_sequence: number } & LifecycleFault);

/** The record types whose newest record is the status of their execution; the others only accompany one. */
export const STATUS_TYPES: ReadonlySet<RecordType> = new Set(['action', 'workflow', 'terminal', 'error', 'skill']);

/** Which statuses may follow a status; undefined stands before the first record. */
export type Follows = ReadonlyMap<RecordStatus | undefined, readonly RecordStatus[]>;

/** The statuses of an execution of an action. */
export const ACTION_ORDER: Follows = new Map<RecordStatus | undefined, readonly RecordStatus[]>([
  [undefined, ['pending', 'failed']],
  ['pending', ['committed', 'failed', 'in_doubt']],
  ['in_doubt', ['committed', 'failed']],
  ['committed', ['rolled_back', 'compensated']],
]);

/** The statuses of an instance. */
export const WORKFLOW_ORDER: Follows = new Map<RecordStatus | undefined, readonly RecordStatus[]>([
  [undefined, ['workflow_started']],
  ['workflow_started', ['workflow_completed', 'workflow_failed', 'workflow_compensated']],
]);

/**
 * The fault of a record that does not continue the life of its execution; undefined where it may follow.
 *
 * @requirement AII1
 * @requirement AII2
 * @requirement AII3
 * @requirement AII7
 */
export function lifecycleFault(record: LifecycleRecord, view: LifecycleView): LifecycleFault | undefined {
  const { record_type, status, execution_id } = record;
  if (!STATUS_TYPES.has(record_type)) {
    return undefined;
  }
  const before = view.status(execution_id);
  if (before !== undefined && before.record_type !== record_type) {
    return {
      requirement: 'PC5',
      message: `${execution_id} is an execution of type ${before.record_type}, not ${record_type}`,
    };
  }
  if (record_type === 'action') {
    return actionFault(record, before?.status, view);
  }
  const allowed = record_type === 'workflow' ? (WORKFLOW_ORDER.get(before?.status) ?? []) : before ? [] : [status];
  return allowed.includes(status)
    ? undefined
    : { requirement: 'AM1', message: order(execution_id, before?.status, status) };
}

function actionFault(
  { status, execution_id, refers_to }: LifecycleRecord,
  before: RecordStatus | undefined,
  view: LifecycleView,
): LifecycleFault | undefined {
  if (!(ACTION_ORDER.get(before) ?? []).includes(status)) {
    return { requirement: requirementOf(before, status), message: order(execution_id, before, status) };
  }
  if (before === 'in_doubt' && !refers_to?.some(id => view.isResolved(id))) {
    return {
      requirement: 'AII7',
      message: `${execution_id} is in doubt; only a record that refers to an operator's approval may decide it`,
    };
  }
  return undefined;
}

function requirementOf(before: RecordStatus | undefined, status: RecordStatus): LifecycleFault['requirement'] {
  if (status === 'rolled_back' || status === 'compensated') {
    return 'AII2';
  }
  if (status === 'pending') {
    return 'EX1';
  }
  if (before === 'committed' || before === 'rolled_back' || before === 'compensated') {
    return status === 'committed' ? 'AII1' : 'AII7';
  }
  return 'AII3';
}

function order(execution_id: string, before: RecordStatus | undefined, status: RecordStatus): string {
  return `${execution_id}: ${status} may not ${before === undefined ? 'be the first record' : `follow ${before}`}`;
}

/** What a log says so far, to be asked and continued; it grows with the number of executions. */
export interface LifecycleMemory extends LifecycleView {
  add(record: LifecycleRecord): void;
}

/** A memory that starts empty, or from what `base` knows. */
export function startLifecycleMemory(base?: LifecycleView): LifecycleMemory {
  const statuses = new Map<string, ExecutionStatus>();
  const resolved = new Set<string>();
  return {
    status: id => statuses.get(id) ?? base?.status(id),
    isResolved: id => resolved.has(id) || (base?.isResolved(id) ?? false),
    add({ record_type, status, execution_id }) {
      if (STATUS_TYPES.has(record_type)) {
        statuses.set(execution_id, { record_type, status });
      } else if (record_type === 'approval' && status === 'resolved') {
        resolved.add(execution_id);
      }
    },
  };
}

/** The verdict on the life cycles of a whole log, in sequence order. Redacted records say nothing and are passed over. */
export function checkLifecycle(records: Iterable<AuditRecord | RedactedRecord>): LifecycleVerdict {
  const memory = startLifecycleMemory();
  for (const record of records) {
    if ('redacted' in record) {
      continue;
    }
    const fault = lifecycleFault(record, memory);
    if (fault !== undefined) {
      return { ok: false, first_bad_sequence: record.sequence, ...fault };
    }
    memory.add(record);
  }
  return { ok: true };
}
