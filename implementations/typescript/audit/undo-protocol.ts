import type { ActionResult, ErrorResult, RecordedChange } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { ResolvedAction } from '../execution/action-table.js';
import type { ContractVerdict } from '../execution/contract.js';
import {
  committedDraft,
  doubtDraft,
  type Execution,
  failedDraft,
  noRetry,
  recoveryDraft,
  undoKey,
  undoneDraft,
} from './execution-record.js';
import {
  accept,
  CONFLICT,
  type Ending,
  type ExecutionSteps,
  type ExecutionWatch,
  isConflict,
  isContested,
} from './execution-steps.js';
import type { RecordDraft } from './log.js';

/** An execution that is to be undone, the one that undoes it, and what its failure is. */
export interface UndoCase {
  readonly original: Execution;
  readonly undo: Execution;
  /** What the original fails with; undefined where it has committed, and stays so unless the undo commits. */
  readonly error?: ErrorResult;
}

/**
 * The undo of executions. Its commit and the end of the original, `failed` or, where that has committed, `rolled_back` or
 * `compensated`, are one atomic step. So are its failure and the doubt about an original that has not committed; one that
 * has is left as it is.
 *
 * @requirement RB3
 * @requirement RB5
 */
export class UndoProtocol {
  readonly #steps: ExecutionSteps;

  constructor(steps: ExecutionSteps) {
    this.#steps = steps;
  }

  /** Executes the undo from its checks to its end. */
  async execute(subject: UndoCase, watch: ExecutionWatch): Promise<void> {
    const { undo } = subject;
    const before = isSynthesised(subject) ? HOLDS : this.#steps.check(undo);
    if (!before.ok) return this.fail(subject, before.error, [], watch);
    const begun = await this.#steps.begin(undo, before.degraded);
    return this.invoke({ ...subject, undo: begun }, watch);
  }

  /** Invokes an undo whose `pending` is durable, and ends it; a synthesised one invokes nothing. */
  async invoke(subject: UndoCase, watch: ExecutionWatch): Promise<void> {
    const { undo } = subject;
    this.#steps.pass('compensating', undo);
    if (isSynthesised(subject)) return this.#putBack(subject, watch);
    const reply = await this.#steps.call(undo);
    if ('error' in reply) return this.fail(subject, reply.error, [], watch);
    const after = accept(undo, reply);
    if (!after.ok) return this.fail(subject, after.error, [], watch);
    const degraded = after.degraded || undo.degraded === true;
    return this.commit(subject, { result: reply, degraded }, [], watch);
  }

  /**
   * Commits a synthesised undo, which gives State back what its original wrote over; fails it where another execution
   * has written there since.
   */
  async #putBack(subject: UndoCase, watch: ExecutionWatch): Promise<void> {
    let state_changes: RecordedChange[];
    try {
      state_changes = this.#steps.putBack(subject.original);
    } catch (error) {
      if (!isConflict(error)) throw error;
      return this.fail(subject, CONFLICT, [], watch);
    }
    return this.commit(subject, { result: { outputs: {}, state_changes }, degraded: false }, [], watch);
  }

  /** Commits the undo and ends its original; `first` are records that precede them in the same step. */
  async commit(
    subject: UndoCase,
    { result, degraded }: { readonly result: ActionResult; readonly degraded: boolean },
    first: readonly RecordDraft[],
    watch: ExecutionWatch,
  ): Promise<void> {
    const { original, undo, error } = subject;
    const { record, documents } = committedDraft(undo, result, degraded);
    const undone = error === undefined;
    const end = undone ? undoneDraft(original, undo) : failedDraft(original, error, { refers_to: [undo.execution_id] });
    const step = { records: [...first, record, end], documents, contested: isContested(result) };
    const ending: Ending = undone
      ? { status: 'committed', outputs: result.outputs }
      : { status: 'failed', error, closed: true, undone: true };
    try {
      await this.#steps.finish(step, ending, watch);
    } catch (cause) {
      if (!isConflict(cause)) throw cause;
      return this.fail(subject, CONFLICT, first.length === 0 ? [] : [recoveryDraft(undo, 'partial', 'close')], watch);
    }
    this.#steps.pass('committed', undo);
  }

  /**
   * Fails the undo and puts its original in doubt, but leaves one that has committed.
   *
   * @requirement RBI1
   */
  async fail(
    { original, undo, error }: UndoCase,
    failure: ErrorResult,
    first: readonly RecordDraft[],
    watch: ExecutionWatch,
  ): Promise<void> {
    const failed = [...first, failedDraft(undo, failure)];
    if (error === undefined)
      return this.#steps.finish({ records: failed }, { status: 'failed', error: failure, closed: true }, watch);
    await this.#steps.finish({ records: [...failed, doubtDraft(original, failure)] }, { status: 'in_doubt' }, watch);
  }
}

const HOLDS: ContractVerdict = { ok: true, degraded: false };

/** Whether nothing has to be invoked: an execution without side effects, and without a revert, is undone in State alone. */
export function isSynthesised({ original, undo }: Pick<UndoCase, 'original' | 'undo'>): boolean {
  return original.undo === undefined && undo.action.key === original.action.key;
}

/** The synthesised undo of a committed execution that has no side effects and no revert: it puts State back. */
export function synthesisedUndo(x: Execution, execution_id: string, outputs: Outputs): Execution {
  return undoBy(x, x.action, execution_id, outputs);
}

/** The revert or compensation of an execution, of one that has committed with its outputs. Throws `internal` where it has none. */
export function undoExecution(x: Execution, execution_id: string, outputs?: Outputs): Execution {
  if (x.undo === undefined) throw new ArsError('internal', `Nothing undoes the execution ${x.execution_id}.`);
  return undoBy(x, x.undo, execution_id, outputs);
}

type Outputs = Readonly<Record<string, unknown>>;

/** @requirement RB4 */
function undoBy(x: Execution, action: ResolvedAction, execution_id: string, outputs?: Outputs): Execution {
  const { timeout_ms } = action.action;
  const given = { execution_id: x.execution_id, idempotency_key: x.idempotency_key, inputs: x.inputs };
  return {
    execution_id,
    owner: x.owner,
    node_id: x.node_id,
    action,
    purpose: x.action.action.rollback === 'rollbackable' ? 'revert' : 'compensate',
    attempt: 1,
    idempotency_key: undoKey(x.execution_id),
    inputs: outputs === undefined ? given : { ...given, outputs },
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
    retry: noRetry(action),
    refers_to: [x.execution_id],
    effect_possible: true,
  };
}
