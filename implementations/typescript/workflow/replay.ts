import type { AuditRecord, InstanceError, TerminalStatus } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import {
  executorOf,
  type Instance,
  type InstanceEnd,
  type InstanceHead,
  newInstance,
  PHASE,
  type Places,
  type StopReason,
} from './instance.js';
import type { Plan } from './plan.js';
import { transition } from './transition.js';

/** An instance as the log tells of it. */
export interface Replayed {
  readonly instance: Instance;
  /** The executions that have begun and not ended, as their pending records, by node. */
  readonly pending: ReadonlyMap<number, AuditRecord>;
}

const ENDS: Readonly<Partial<Record<AuditRecord['status'], TerminalStatus>>> = {
  workflow_completed: 'completed',
  workflow_failed: 'failed',
  workflow_compensated: 'compensated',
};

const STOP_REASONS: readonly StopReason[] = ['cancelled', 'denied'];

/** What tells of an execution while it is the node's last one; other records come later. */
const BY_EXECUTOR: ReadonlySet<AuditRecord['status']> = new Set(['pending', 'in_doubt', 'committed', 'failed']);

/**
 * Gives the instance that the records tell of, in sequence order; records of other instances are passed over.
 *
 * It is held: nothing follows from it until the event `continued`. Throws `log_corrupt` for a record that the plan
 * leaves no room for.
 */
export function replay(
  plan: Plan,
  head: InstanceHead,
  records: Iterable<AuditRecord>,
  places: Places | number,
): Replayed {
  const instance = newInstance(plan, head, places);
  const pending = new Map<number, AuditRecord>();
  const settled = new Map<string, AuditRecord['status']>();
  const children = new Map<string, number>();
  for (const record of records) {
    if (record.execution_id === head.execution_id) {
      if (record.record_type === 'workflow') foldWorkflow(instance, record);
    } else if (record.record_type === 'workflow') foldChild(instance, record, children);
    else if (record.parent_execution_id !== head.execution_id) continue;
    else if (record.record_type === 'recovery') settled.set(record.execution_id, record.status);
    else if (record.record_type === 'terminal') transition(instance, { type: 'recorded', node: nodeOf(plan, record) });
    else if (record.record_type === 'error' || record.record_type === 'skill') foldOutcome(instance, record);
    else if (record.record_type === 'action') {
      if ((record.purpose ?? 'execute') === 'execute') foldAction(instance, record, pending, settled);
      else if (record.status === 'committed') countUndo(instance, nodeOf(plan, record));
    }
  }
  for (const node of instance.dueRetries) transition(instance, { type: 'retry_due', node });
  instance.dueRetries.clear();
  return { instance, pending };
}

/** What an instance is from its start on, by the record of it, but for what it takes over. */
export function headOfStart(start: AuditRecord): InstanceHead {
  const { execution_id, context_id, agent_id, inputs = {}, context = {}, parent_execution_id, node_id = '' } = start;
  const resumes = resumedBy(start);
  return {
    ...{ execution_id, context_id, agent_id, inputs, context },
    ...(parent_execution_id === undefined ? {} : { parent: { execution_id: parent_execution_id, node_id } }),
    ...(resumes === undefined ? {} : { resumes }),
  };
}

/** The ended instance that a start resumes: what it refers to beside its confirmation. */
export function resumedBy({ refers_to, confirmation_id }: AuditRecord): string | undefined {
  return refers_to?.find(id => id !== confirmation_id);
}

function foldWorkflow(instance: Instance, record: AuditRecord): void {
  if (record.status === 'workflow_started') {
    transition(instance, { type: 'started' });
    return;
  }
  if (ENDS[record.status] === undefined) return;
  const reason = stopReasonOf(record);
  if (reason !== undefined) foldStop(instance, reason);
  transition(instance, { type: 'ended', end: endOf(record) });
}

/** Why an instance was ended before its time, by the record of its end; undefined where it was not. */
export function stopReasonOf({ status, node_id, error_class, error_detail }: AuditRecord): StopReason | undefined {
  const own = status === 'workflow_failed' && node_id === undefined && error_class === 'E0';
  return STOP_REASONS.find(word => own && error_detail === word);
}

/** Nodes that need a record and have none came up only after the instance was stopped, so that they were not resolved. */
function foldStop(instance: Instance, reason: StopReason): void {
  transition(instance, { type: 'stopped', reason });
  let kept = 0;
  for (const node of instance.resolved) if (!instance.dueRecords.has(node)) instance.resolved[kept++] = node;
  instance.resolved.length = kept;
}

/** How an instance ended, by the record of it. */
export function endOf(record: AuditRecord): InstanceEnd {
  const status = ENDS[record.status] ?? 'failed';
  if (status === 'completed') return { status, outputs: record.outputs ?? {} };
  const { error_class, error_detail, node_id } = record;
  if (status === 'compensated' || error_class === undefined) return { status };
  const error: InstanceError = { error_class, detail: error_detail ?? '' };
  return { status, error: node_id === undefined ? error : { ...error, node_id } };
}

/** A child instance of this one by its records; those of other instances are passed over. */
function foldChild(instance: Instance, record: AuditRecord, children: Map<string, number>): void {
  const { execution_id, status } = record;
  if (status === 'workflow_started') {
    if (record.parent_execution_id !== instance.head.execution_id) return;
    const node = executorOf(instance, nodeOf(instance.plan, record));
    children.set(execution_id, node);
    transition(instance, { type: 'child_started', node, execution_id });
    return;
  }
  const node = children.get(execution_id);
  if (node !== undefined && ENDS[status] !== undefined)
    transition(instance, { type: 'child_ended', node, end: endOf(record) });
}

/** The record of an error or skill node; where nothing before it resolved the node, it does so itself. */
function foldOutcome(instance: Instance, record: AuditRecord): void {
  const node = nodeOf(instance.plan, record);
  const { error_class, error_detail = '' } = record;
  const failure = error_class === undefined ? undefined : { error_class, detail: error_detail };
  if (instance.plan.steps[node]?.kind === 'undo') transition(instance, { type: 'instance_undone', node, failure });
  else if (failure !== undefined && instance.phase[node] !== PHASE.resolved)
    transition(instance, { type: 'failed', node, failure, closed: true, final: true });
  transition(instance, { type: 'recorded', node });
}

function countUndo({ undos }: Instance, node: number): void {
  undos[node] = (undos[node] as number) + 1;
}

function foldAction(
  instance: Instance,
  record: AuditRecord,
  pending: Map<number, AuditRecord>,
  settled: Map<string, AuditRecord['status']>,
): void {
  if (!BY_EXECUTOR.has(record.status)) return;
  const node = executorOf(instance, nodeOf(instance.plan, record));
  switch (record.status) {
    case 'pending':
      pending.set(node, record);
      transition(instance, { type: 'invoked', node, attempt: record.attempt ?? 1 });
      return;
    case 'in_doubt':
      pending.delete(node);
      settled.set(record.execution_id, 'in_doubt');
      transition(instance, { type: 'doubted', node });
      return;
    case 'committed':
      pending.delete(node);
      transition(instance, { type: 'committed', node, result: record.outputs ?? {} });
      return;
    case 'failed': {
      if (settled.get(record.execution_id) === 'redo') return;
      pending.delete(node);
      const failure = { error_class: record.error_class ?? 'E3', detail: record.error_detail ?? '' };
      transition(instance, { type: 'failed', node, failure, closed: settled.has(record.execution_id) });
    }
  }
}

function nodeOf(plan: Plan, record: AuditRecord): number {
  const node = record.node_id === undefined ? -1 : plan.graph.indexOf(record.node_id);
  if (node < 0)
    throw new ArsError('log_corrupt', `Record ${record.sequence} is about a node that the workflow does not have.`, {
      details: { sequence: record.sequence, node_id: record.node_id },
    });
  return node;
}
