import type { ActionResult, ErrorResult, ProbeAnswer } from '../../../schemas/types.js';
import { mayRetry } from '../execution/retry.js';
import {
  committedDraft,
  doubtDraft,
  type Execution,
  failedDraft,
  pendingDraft,
  recoveryDraft,
} from './execution-record.js';
import {
  accept,
  CONFLICT,
  type Ending,
  ExecutionSteps,
  type ExecutionWatch,
  isConflict,
  isContested,
  type ProtocolParts,
  resultOf,
} from './execution-steps.js';
import type { RecordDraft } from './log.js';
import {
  decideFailed,
  decideUncommittable,
  hasSideEffects,
  type ProbeVerdict,
  type RecoveryDecisionWord,
} from './recovery-table.js';
import { UndoProtocol, undoExecution } from './undo-protocol.js';

/** What a crash leaves of an execution, seen from outside. */
export const INTERRUPTED: ErrorResult = { error_class: 'E3', detail: 'interrupted', effect: 'unknown' };

/** An execution that is about to begin, and its `pending`. */
export interface PreparedExecution {
  readonly execution: Execution;
  readonly record: RecordDraft;
}

/**
 * The commit protocol: durable `pending`, invocation, checks, and in one atomic step the end with its state changes.
 *
 * Every method rejects with `storage_failed` where the log cannot be written; the execution then stays pending.
 *
 * @requirement CLI1
 * @requirement CC1
 */
export class CommitProtocol {
  readonly undos: UndoProtocol;
  readonly #steps: ExecutionSteps;

  constructor(parts: ProtocolParts) {
    this.#steps = new ExecutionSteps(parts);
    this.undos = new UndoProtocol(this.#steps);
  }

  /**
   * The execution with its `pending`, for whoever appends that together with the record that it follows from; it is then
   * {@link CommitProtocol.executePrepared}. Undefined where its contract does not let it be invoked.
   */
  prepare(x: Execution): PreparedExecution | undefined {
    const before = this.#steps.check(x);
    if (!before.ok) return undefined;
    const execution = before.degraded ? { ...x, degraded: true } : x;
    return { execution, record: pendingDraft(execution) };
  }

  /** Executes a prepared attempt whose `pending` is durable, to its end. */
  async executePrepared({ execution }: PreparedExecution, watch: ExecutionWatch): Promise<void> {
    this.#steps.pass('pending_durable', execution);
    watch.begun();
    await this.invoke(execution, watch);
  }

  /** Executes one attempt from its checks to its end. */
  async execute(x: Execution, watch: ExecutionWatch): Promise<void> {
    const before = this.#steps.check(x);
    if (!before.ok) return this.refuse(x, before.error, watch);
    const begun = await this.#steps.begin(x, before.degraded);
    watch.begun();
    return this.invoke(begun, watch);
  }

  /** Ends an attempt before any invocation; the first and only record is `failed`. */
  async refuse(x: Execution, error: ErrorResult, watch: ExecutionWatch): Promise<void> {
    await this.#steps.finish({ records: [failedDraft(x, error)] }, { status: 'failed', error, closed: true }, watch);
  }

  /** Invokes an execution whose `pending` is durable, and ends it. */
  async invoke(x: Execution, watch: ExecutionWatch): Promise<void> {
    const reply = await this.#steps.call(x);
    if ('error' in reply) return this.#afterError(x, reply.error, watch);
    const after = accept(x, reply);
    if (!after.ok) await this.#refuseResult(x, after.error, 'unknown', watch);
    else await this.#commit(x, reply, after.degraded, [], 'unknown', watch);
  }

  /** What became of an execution as far as its action can tell. */
  ask(x: Execution): Promise<ProbeAnswer> {
    return this.#steps.ask(x);
  }

  /** Carries out a decision other than redo, and gives the decision that held in the end. */
  async carryOut(
    x: Execution,
    answer: ProbeAnswer,
    decision: Exclude<RecoveryDecisionWord, 'redo'>,
    error: ErrorResult,
    watch: ExecutionWatch,
  ): Promise<RecoveryDecisionWord> {
    const { verdict } = answer;
    switch (decision) {
      case 'commit':
        return this.#commitProbed(x, answer, watch);
      case 'close': {
        const records = [recoveryDraft(x, verdict, 'close'), failedDraft(x, error)];
        await this.#steps.finish({ records }, { status: 'failed', error, closed: true }, watch);
        return decision;
      }
      case 'in_doubt': {
        const records = [recoveryDraft(x, verdict, 'in_doubt'), doubtDraft(x, error)];
        await this.#steps.finish({ records }, { status: 'in_doubt' }, watch);
        return decision;
      }
      default: {
        const undo = undoExecution(x, this.#steps.newId());
        await this.#steps.append([recoveryDraft(x, verdict, decision, undo.execution_id)]);
        this.#steps.pass('recovery_recorded', x);
        await this.undos.execute({ original: x, undo, error }, watch);
        return decision;
      }
    }
  }

  /** Replaces an interrupted execution by a new one of the same attempt, which is pending and not yet invoked. */
  async redo(x: Execution, verdict: ProbeVerdict): Promise<Execution> {
    const execution_id = this.#steps.newId();
    const also = x.purpose === 'execute' ? [] : (x.refers_to ?? []).slice(-1);
    const next: Execution = { ...x, execution_id, refers_to: [x.execution_id, ...also], effect_possible: true };
    const error = { ...INTERRUPTED, detail: `interrupted, redone as ${execution_id}` };
    await this.#steps.append([
      recoveryDraft(x, verdict, 'redo', execution_id),
      failedDraft(x, error),
      pendingDraft(next),
    ]);
    this.#steps.pass('redo_pending', next);
    return next;
  }

  async #commitProbed(x: Execution, answer: ProbeAnswer, watch: ExecutionWatch): Promise<RecoveryDecisionWord> {
    const result = resultOf(answer);
    const after = accept(x, result);
    const decided = recoveryDraft(x, answer.verdict, 'commit');
    return this.#commit(x, result, after.ok && after.degraded, [decided], 'partial', watch);
  }

  async #commit(
    x: Execution,
    result: ActionResult,
    degraded: boolean,
    first: readonly RecordDraft[],
    refused_as: ProbeVerdict,
    watch: ExecutionWatch,
  ): Promise<RecoveryDecisionWord> {
    const { record, documents } = committedDraft(x, result, degraded || x.degraded === true);
    const step = { records: [...first, record], documents, contested: isContested(result) };
    try {
      await this.#steps.finish(step, { status: 'committed', outputs: result.outputs }, watch);
    } catch (error) {
      if (!isConflict(error)) throw error;
      return this.#refuseResult(x, CONFLICT, refused_as, watch);
    }
    this.#steps.pass('committed', x);
    return 'commit';
  }

  /** An error result: a retry follows, or the failure is judged where effects are possible. */
  async #afterError(x: Execution, error: ErrorResult, watch: ExecutionWatch): Promise<void> {
    const { action } = x.action;
    const effects = hasSideEffects(action);
    const unknown = error.effect !== 'none';
    const left = (x.mayRepeat?.() ?? true) && mayRetry(x.attempt, error.error_class, x.retry);
    const failed: Ending = { status: 'failed', error, closed: false };
    const plain = () => this.#steps.finish({ records: [failedDraft(x, error)] }, failed, watch);
    if (left && !(effects && unknown && action.rollback === 'irreversible')) return plain();
    if (!effects || !(unknown || x.effect_possible)) return plain();
    const answer = await this.ask(x);
    if (left && answer.verdict === 'absent') return plain();
    const decision = decideFailed(answer.verdict, action, x.undo !== undefined);
    await this.carryOut(x, answer, decision as Exclude<RecoveryDecisionWord, 'redo'>, error, watch);
  }

  /** A result that cannot be committed: its effects, if any, are undone or in doubt; asking a probe would tell nothing new. */
  async #refuseResult(
    x: Execution,
    error: ErrorResult,
    verdict: ProbeVerdict,
    watch: ExecutionWatch,
  ): Promise<RecoveryDecisionWord> {
    if (!hasSideEffects(x.action.action)) {
      await this.#steps.finish({ records: [failedDraft(x, error)] }, { status: 'failed', error, closed: false }, watch);
      return 'close';
    }
    const decision = decideUncommittable(x.action.action, x.undo !== undefined);
    return this.carryOut(x, { verdict }, decision as Exclude<RecoveryDecisionWord, 'redo'>, error, watch);
  }
}
