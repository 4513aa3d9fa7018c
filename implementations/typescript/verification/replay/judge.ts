import type { AuditRecord } from '../../../../schemas/types.js';
import { detailOf } from '../../audit/execution-record.js';
import { canonicalize, digest } from '../../state/canonical.js';
import { childHead, endedChild } from '../../workflow/child.js';
import { inputsOf } from '../../workflow/evaluate.js';
import {
  executedAction,
  executedSkill,
  executorOf,
  failureAt,
  type InstanceEnd,
  type InstanceHead,
  runsSkill,
  type StopReason,
} from '../../workflow/instance.js';
import type { Plan } from '../../workflow/plan.js';
import { endOf } from '../../workflow/replay.js';
import { attempted, type DueRecord, Outstanding } from './outstanding.js';

/** Where a record has another content than replay gives, in words. */
export interface Disagreement {
  /** What replay gives in this place. */
  readonly expected: string;
  /** What the record says. */
  readonly found: string;
}

/** Whether everything that the error node of this record had to undo was undone by then. */
export type IsUndone = (record: AuditRecord) => boolean;

const STATUS_OF_END = {
  completed: 'workflow_completed',
  failed: 'workflow_failed',
  compensated: 'workflow_compensated',
} as const;

/**
 * Replays one instance record by record. Its records are its own of type workflow, those that name it as their parent, and
 * no others, in sequence order.
 *
 * @requirement RV2
 */
export class Judge {
  readonly #due: Outstanding;
  readonly #isUndone: IsUndone;
  readonly #stops: StopReason | undefined;
  #stopped = false;
  #ended = false;
  /** The nodes of the executions, and of the child instances, that have begun. */
  readonly #executing = new Map<string, number>();
  /** The decisions about executions that were interrupted or judged. */
  readonly #decided = new Map<string, AuditRecord['status']>();
  readonly #committed = new Set<string>();
  /** Details of failures that the log tells. */
  readonly #details = new Set<string>();

  /** `stops`: why the instance was ended before its time, where it was. */
  constructor(plan: Plan, head: InstanceHead, stops: StopReason | undefined, isUndone: IsUndone) {
    this.#due = new Outstanding(plan, head);
    this.#stops = stops;
    this.#isUndone = isUndone;
  }

  /** What the record disagrees in; undefined where it agrees. */
  accept(record: AuditRecord): Disagreement | undefined {
    const seen = attempted(() => this.#judge(record));
    const fault =
      'refused' in seen ? { expected: 'a record that the workflow leaves room for', found: seen.refused } : seen.value;
    if (fault === undefined || this.#stops === undefined || this.#stopped) return fault;
    this.#stopped = true;
    this.#due.stop(this.#stops);
    return this.accept(record);
  }

  #judge(record: AuditRecord): Disagreement | undefined {
    if (record.execution_id === this.#due.instance.head.execution_id) return this.#judgeOwn(record);
    switch (record.record_type) {
      case 'workflow':
        return this.#judgeChild(record);
      case 'recovery':
        this.#decided.set(record.execution_id, record.status);
        return undefined;
      case 'terminal':
      case 'error':
      case 'skill':
        return this.#judgeOutcome(record);
      case 'action':
        if (record.purpose !== undefined && record.purpose !== 'execute') return this.#judgeUndo(record);
        return this.#judgeAction(record);
      default:
        return undefined;
    }
  }

  #judgeOwn(record: AuditRecord): Disagreement | undefined {
    if (record.record_type !== 'workflow') return undefined;
    if (record.status !== 'workflow_started') return this.#judgeEnd(record);
    const { inputs = {}, inputs_digest = '' } = record;
    const actual = digest(inputs);
    if (actual !== inputs_digest) return { expected: `inputs_digest ${actual}`, found: inputs_digest };
    this.#due.begin();
    return undefined;
  }

  #judgeEnd(record: AuditRecord): Disagreement | undefined {
    this.#ended = true;
    if (this.#stops !== undefined) return undefined;
    const { end } = this.#due;
    const [open] = this.#open();
    if (end === undefined || open !== undefined)
      return { expected: open ?? 'something to be going on', found: `the end, ${record.status}` };
    return differs('status', STATUS_OF_END[end.status], record.status) ?? this.#judgeResult(end, record);
  }

  #judgeResult(end: InstanceEnd, record: AuditRecord): Disagreement | undefined {
    if (end.status === 'completed') return differs('outputs', end.outputs ?? {}, record.outputs ?? {});
    const { error } = end;
    if (error?.node_id === undefined && record.node_id === undefined) return undefined;
    const detail = detailOf(error?.detail ?? '');
    return (
      differs('node_id', error?.node_id, record.node_id) ??
      differs('error_class', error?.error_class, record.error_class) ??
      (this.#details.has(detail) ? differs('error_detail', detail, record.error_detail) : undefined)
    );
  }

  /** What has no record yet although its turn has come, in words. */
  *#open(): Generator<string> {
    const { instance, attempts, children, undoing, records } = this.#due;
    const name = (node: number) => `'${instance.plan.steps[node]?.node_id}'`;
    for (const [node, attempt] of attempts) yield `attempt ${attempt} of ${name(node)}`;
    for (const node of children) yield `the child instance of ${name(node)}`;
    for (const node of undoing) yield `the undoing of the instance at ${name(node)}`;
    for (const [node, due] of records) yield `the record ${statusOf(due)} of ${name(node)}`;
    for (const node of this.#executing.values()) yield `the end of what ${name(node)} executes`;
  }

  #judgeChild(record: AuditRecord): Disagreement | undefined {
    const { execution_id, status } = record;
    if (status !== 'workflow_started') {
      const node = this.#executing.get(execution_id);
      if (node === undefined) return { expected: 'the start of a child instance before its end', found: status };
      this.#executing.delete(execution_id);
      const end = endOf(record);
      if (end.error !== undefined) this.#details.add(end.error.detail);
      this.#due.apply({ type: 'child_ended', node, end });
      return undefined;
    }
    const node = this.#executorOf(record);
    if (node === undefined || !this.#due.children.has(node)) return this.#untimely(record);
    const { instance } = this.#due;
    const { plan } = executedSkill(instance, node);
    const child = childHead(instance, node, execution_id);
    const inputs = child.ok ? child.value.inputs : {};
    const fault =
      differs('workflow_id', plan.workflow_id, record.workflow_id) ??
      differs('resolved_digest', plan.resolved_digest, record.resolved_digest) ??
      differs('inputs', inputs, record.inputs ?? {});
    if (fault !== undefined) return fault;
    this.#due.children.delete(node);
    this.#executing.set(execution_id, node);
    this.#due.apply({ type: 'child_started', node, execution_id });
    return undefined;
  }

  #judgeOutcome(record: AuditRecord): Disagreement | undefined {
    const node = this.#nodeOf(record);
    if (node === undefined) return this.#untimely(record);
    const { error_class, error_detail = '' } = record;
    const failure = error_class === undefined ? undefined : { error_class, detail: error_detail };
    if (this.#due.undoing.has(node)) {
      const undone = this.#isUndone(record);
      if (undone !== (failure === undefined) && !this.#stopped)
        return {
          expected: undone ? 'success, since all is undone' : 'failure, since not all is undone',
          found: record.status,
        };
      this.#due.undoing.delete(node);
      if (failure !== undefined) this.#details.add(failure.detail);
      this.#due.apply({ type: 'instance_undone', node, failure });
    } else if (this.#isRefusedResumption(node, record)) {
      this.#due.children.delete(node);
      const { failure: before } = failureAt(this.#due.instance, node);
      this.#due.apply({ type: 'failed', node, failure: before, closed: true, final: true });
    }
    const due = this.#due.records.get(node);
    if (due === undefined || due.record_type !== record.record_type) return this.#untimely(record);
    const fault =
      differs('status', statusOf(due), record.status) ??
      (due.record_type === 'terminal' ? undefined : differs('error_class', due.failure?.error_class, error_class));
    if (fault !== undefined) return fault;
    this.#due.records.delete(node);
    return undefined;
  }

  /** A skill is executed again by resuming its ended child; where that is refused, no further attempt is made. */
  #isRefusedResumption(node: number, record: AuditRecord): boolean {
    const { children, instance } = this.#due;
    return record.status === 'failure' && children.has(node) && endedChild(instance, node) !== undefined;
  }

  /** An undo of what committed is asked for by an error node, or after the end; any other was decided by the table. */
  #judgeUndo({ status, refers_to }: AuditRecord): Disagreement | undefined {
    const original = refers_to?.at(-1) ?? '';
    if (status !== 'pending' || this.#ended || this.#due.undoing.size > 0 || !this.#committed.has(original))
      return undefined;
    return { expected: 'no undo before an error node asks for it', found: `an undo of '${original}'` };
  }

  #judgeAction(record: AuditRecord): Disagreement | undefined {
    const { execution_id, status } = record;
    if (status === 'rolled_back' || status === 'compensated') return undefined;
    if (status === 'failed' && this.#decided.get(execution_id) === 'redo') return undefined;
    const begun = this.#executing.get(execution_id);
    if (begun !== undefined) return this.#judgeEnding(begun, record);
    const redone = record.refers_to?.[0] ?? '';
    const node = this.#decided.get(redone) === 'redo' ? this.#executing.get(redone) : undefined;
    if (node !== undefined) return this.#judgeRedo(node, redone, record);
    const executor = this.#executorOf(record);
    if (executor === undefined || runsSkill(this.#due.instance, executor)) return this.#untimely(record);
    if (status !== 'pending' && status !== 'failed') return this.#untimely(record);
    const attempt = this.#due.attempts.get(executor);
    if (attempt === undefined && !this.#stopped) return this.#untimely(record);
    return this.#judgeBeginning(executor, attempt ?? record.attempt ?? 1, record);
  }

  #judgeBeginning(node: number, attempt: number, record: AuditRecord): Disagreement | undefined {
    const { instance } = this.#due;
    const step = executedAction(instance, node);
    const { action } = step.action;
    const inputs = inputsOf(instance, step);
    const fault =
      differs('action', `${action.action_id}@${action.version}`, `${record.action_id}@${record.action_version}`) ??
      differs('attempt', attempt, record.attempt);
    if (fault !== undefined) return fault;
    if (record.status === 'pending') {
      if (!inputs.ok) return { expected: `failed, ${inputs.failure.detail}`, found: 'pending' };
      const other = differs('inputs', inputs.value, record.inputs ?? {});
      if (other !== undefined) return other;
    } else if (!inputs.ok) {
      const other = differs('error_class', inputs.failure.error_class, record.error_class);
      if (other !== undefined) return other;
    }
    this.#due.attempts.delete(node);
    if (record.status === 'failed') this.#fail(node, record, true);
    else {
      this.#executing.set(record.execution_id, node);
      this.#due.apply({ type: 'invoked', node, attempt });
    }
    return undefined;
  }

  #judgeRedo(node: number, redone: string, record: AuditRecord): Disagreement | undefined {
    const { instance } = this.#due;
    const inputs = inputsOf(instance, executedAction(instance, node));
    const fault =
      differs('status', 'pending', record.status) ??
      (inputs.ok ? differs('inputs', inputs.value, record.inputs ?? {}) : undefined);
    if (fault !== undefined) return fault;
    this.#executing.delete(redone);
    this.#executing.set(record.execution_id, node);
    return undefined;
  }

  #judgeEnding(node: number, record: AuditRecord): Disagreement | undefined {
    const { execution_id, status } = record;
    if (status === 'pending') return this.#untimely(record);
    if (status === 'in_doubt') {
      this.#decided.set(execution_id, status);
      this.#due.apply({ type: 'doubted', node });
      return undefined;
    }
    this.#executing.delete(execution_id);
    if (status === 'committed') {
      this.#committed.add(execution_id);
      this.#due.apply({ type: 'committed', node, result: record.outputs ?? {} });
    } else this.#fail(node, record, this.#decided.has(execution_id));
    return undefined;
  }

  #fail(node: number, { error_class = 'E3', error_detail = '' }: AuditRecord, closed: boolean): void {
    this.#details.add(error_detail);
    this.#due.apply({ type: 'failed', node, failure: { error_class, detail: error_detail }, closed });
  }

  #nodeOf({ node_id }: AuditRecord): number | undefined {
    const node = node_id === undefined ? -1 : this.#due.instance.plan.graph.indexOf(node_id);
    return node < 0 ? undefined : node;
  }

  #executorOf(record: AuditRecord): number | undefined {
    const node = this.#nodeOf(record);
    if (node === undefined) return undefined;
    const executor = attempted(() => executorOf(this.#due.instance, node));
    return 'value' in executor ? executor.value : undefined;
  }

  /** A record whose turn has not come. */
  #untimely(record: AuditRecord): Disagreement {
    const { instance } = this.#due;
    const node = this.#nodeOf(record);
    const found = `${record.record_type} ${record.status} of '${record.node_id}'`;
    if (node === undefined) return { expected: 'a node of the workflow', found };
    const outcome = instance.outcome[node];
    if (outcome !== undefined)
      return { expected: `nothing more of '${record.node_id}', which was resolved: ${outcome}`, found };
    const [open] = this.#open();
    return { expected: open ?? 'the end of the instance', found };
  }
}

function statusOf(due: DueRecord): string {
  if (due.record_type === 'terminal') return due.status;
  return due.failure === undefined ? 'success' : 'failure';
}

function differs(field: string, expected: unknown, found: unknown): Disagreement | undefined {
  const [left, right] = [expected, found].map(value => (value === undefined ? 'none' : canonicalize(value)));
  return left === right ? undefined : { expected: `${field} ${left}`, found: `${field} ${right}` };
}
