import type { ActionResult, ErrorResult } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { committedDraft, doubtDraft, type Execution, failedDraft, noRetry, undoKey } from './execution-record.js';
import {
  accept,
  CONFLICT,
  type ExecutionSteps,
  type ExecutionWatch,
  isConflict,
  isContested,
} from './execution-steps.js';
import type { RecordDraft } from './log.js';

/** An execution that failed, the one that undoes it, and what its failure is. */
export interface UndoCase {
  readonly original: Execution;
  readonly undo: Execution;
  readonly error: ErrorResult;
}

/**
 * The undo of executions that have not committed: its commit and the failure of the original are one atomic step, and so
 * are its failure and the doubt about the original.
 *
 * @requirement RB3
 */
export class UndoProtocol {
  readonly #steps: ExecutionSteps;

  constructor(steps: ExecutionSteps) {
    this.#steps = steps;
  }

  /** Executes the undo from its checks to its end. */
  async execute({ original, undo, error }: UndoCase, watch: ExecutionWatch): Promise<void> {
    const before = this.#steps.check(undo);
    if (!before.ok) return this.fail({ original, undo, error: before.error }, [], watch);
    const begun = await this.#steps.begin(undo, before.degraded);
    return this.invoke({ original, undo: begun, error }, watch);
  }

  /** Invokes an undo whose `pending` is durable, and ends it. */
  async invoke({ original, undo, error }: UndoCase, watch: ExecutionWatch): Promise<void> {
    this.#steps.pass('compensating', undo);
    const reply = await this.#steps.call(undo);
    if ('error' in reply) return this.fail({ original, undo, error: reply.error }, [], watch);
    const after = accept(undo, reply);
    if (!after.ok) return this.fail({ original, undo, error: after.error }, [], watch);
    const degraded = after.degraded || undo.degraded === true;
    return this.commit({ original, undo, error }, { result: reply, degraded }, [], watch);
  }

  /** Commits the undo and fails its original; `first` are records that precede them in the same step. */
  async commit(
    { original, undo, error }: UndoCase,
    { result, degraded }: { readonly result: ActionResult; readonly degraded: boolean },
    first: readonly RecordDraft[],
    watch: ExecutionWatch,
  ): Promise<void> {
    const { record, documents } = committedDraft(undo, result, degraded);
    const records = [...first, record, failedDraft(original, error, { refers_to: [undo.execution_id] })];
    const step = { records, documents, contested: isContested(result) };
    try {
      await this.#steps.finish(step, { status: 'failed', error, closed: true }, watch);
    } catch (cause) {
      if (!isConflict(cause)) throw cause;
      return this.fail({ original, undo, error: CONFLICT }, [], watch);
    }
    this.#steps.pass('committed', undo);
  }

  /**
   * Fails the undo, here with the error of its own, and puts its original in doubt.
   *
   * @requirement RBI1
   */
  async fail({ original, undo, error }: UndoCase, first: readonly RecordDraft[], watch: ExecutionWatch): Promise<void> {
    const records = [...first, failedDraft(undo, error), doubtDraft(original, error)];
    await this.#steps.finish({ records }, { status: 'in_doubt' }, watch);
  }
}

/** The revert or compensation of an execution. Throws `internal` where it has none. */
export function undoExecution(x: Execution, execution_id: string): Execution {
  const action = x.undo;
  if (action === undefined) throw new ArsError('internal', `Nothing undoes the execution ${x.execution_id}.`);
  const { timeout_ms } = action.action;
  return {
    execution_id,
    owner: x.owner,
    node_id: x.node_id,
    action,
    purpose: x.action.action.rollback === 'rollbackable' ? 'revert' : 'compensate',
    attempt: 1,
    idempotency_key: undoKey(x.execution_id),
    inputs: { execution_id: x.execution_id, idempotency_key: x.idempotency_key, inputs: x.inputs },
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
    retry: noRetry(action),
    refers_to: [x.execution_id],
    effect_possible: true,
  };
}
