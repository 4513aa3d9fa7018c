import type { ActionInvokeParams, ActionResult, ErrorResult, ProbeAnswer } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { invoke, type LateResult, probe } from '../execution/attempt.js';
import { type ContractVerdict, checkAfter, checkBefore, violation } from '../execution/contract.js';
import type { ActionHost } from '../execution/host.js';
import { mayRetry } from '../execution/retry.js';
import {
  actionDraft,
  committedDraft,
  detailOf,
  type Execution,
  failedDraft,
  noRetry,
  pendingDraft,
  recoveryDraft,
  undoKey,
} from './execution-record.js';
import type { Journal } from './journal.js';
import type { RecordDraft, StoredDocument } from './log.js';
import {
  decideFailed,
  decideUncommittable,
  hasSideEffects,
  type ProbeVerdict,
  type RecoveryDecisionWord,
} from './recovery-table.js';

/** How an execution ended. */
export type Ending =
  | { readonly status: 'committed'; readonly outputs: Readonly<Record<string, unknown>> }
  | {
      readonly status: 'failed';
      readonly error: ErrorResult;
      /** Decided by a recovery record, so that no retry follows. */
      readonly closed: boolean;
    }
  | { readonly status: 'in_doubt' };

/** Whoever asked for an execution. */
export interface ExecutionWatch {
  /** The intention is durable; the action is about to be invoked. */
  begun(): void;
  /**
   * Gives the records that follow from the ending. Where nothing can refuse the step they become durable together with it,
   * so the ending may only be told to others once the execution's promise is fulfilled.
   */
  ended(ending: Ending): readonly RecordDraft[];
}

/** What the protocol stands on. */
export interface ProtocolParts {
  readonly journal: Journal;
  readonly host: ActionHost;
  /** A new execution_id each time. */
  readonly newId: () => string;
  readonly late: LateResult;
  /** Ends the wait for all answers; the executions stay pending once the log is closed. */
  readonly abandoned: AbortSignal;
}

interface FinalStep {
  readonly records: readonly RecordDraft[];
  readonly documents?: readonly StoredDocument[];
  /** Whether a version conflict can refuse it. */
  readonly contested?: boolean;
}

/** What a crash leaves of an execution, seen from outside. */
export const INTERRUPTED: ErrorResult = { error_class: 'E3', detail: 'interrupted', effect: 'unknown' };

const CONFLICT: ErrorResult = { error_class: 'E4', detail: 'conflict', effect: 'unknown' };

/**
 * The commit protocol: durable `pending`, invocation, checks, and in one atomic step the end with its state changes.
 *
 * Every method rejects with `storage_failed` where the log cannot be written; the execution then stays pending.
 *
 * @requirement CLI1
 * @requirement CC1
 */
export class CommitProtocol {
  readonly #parts: ProtocolParts;

  constructor(parts: ProtocolParts) {
    this.#parts = parts;
  }

  /** Executes one attempt from its checks to its end. */
  async execute(x: Execution, watch: ExecutionWatch): Promise<void> {
    const before = checkBefore(x.action, inputOf(x));
    if (!before.ok) return this.refuse(x, before.error, watch);
    const begun = await this.#begin(x, before.degraded);
    watch.begun();
    return this.invoke(begun, watch);
  }

  /** Ends an attempt before any invocation; the first and only record is `failed`. */
  async refuse(x: Execution, error: ErrorResult, watch: ExecutionWatch): Promise<void> {
    await this.#finish({ records: [failedDraft(x, error)] }, { status: 'failed', error, closed: true }, watch);
  }

  /** Invokes an execution whose `pending` is durable, and ends it. */
  async invoke(x: Execution, watch: ExecutionWatch): Promise<void> {
    const reply = await this.#call(x);
    if ('error' in reply) return this.#afterError(x, reply.error, watch);
    const after = accept(x, reply);
    if (!after.ok) await this.#refuseResult(x, after.error, 'unknown', watch);
    else await this.#commit(x, reply, after.degraded, [], 'unknown', watch);
  }

  /** What became of an execution as far as its action can tell; `applied` comes with outputs that can be committed. */
  async ask(x: Execution): Promise<ProbeAnswer> {
    if (!hasSideEffects(x.action.action)) return { verdict: 'absent' };
    if (x.action.action.probe !== true) return { verdict: 'unknown' };
    const { execution_id, idempotency_key, node_id, attempt, inputs } = x;
    const { action_id, version } = x.action.action;
    const call = { execution_id, idempotency_key, action_id, version, node_id, attempt, inputs };
    const answer = await probe(this.#parts.host, call, x.timeout_ms);
    if (answer.verdict !== 'applied') return answer;
    const usable = answer.outputs !== undefined && accept(x, resultOf(answer)).ok;
    return usable ? answer : { verdict: 'unknown' };
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
        await this.#finish({ records }, { status: 'failed', error, closed: true }, watch);
        return decision;
      }
      case 'in_doubt': {
        const records = [recoveryDraft(x, verdict, 'in_doubt'), actionDraft(x, 'in_doubt')];
        await this.#finish({ records }, { status: 'in_doubt' }, watch);
        return decision;
      }
      default: {
        const undo = this.undoOf(x, this.#parts.newId());
        await this.#append([recoveryDraft(x, verdict, decision, undo.execution_id)]);
        this.#pass('recovery_recorded', x);
        await this.undo(x, undo, error, watch);
        return decision;
      }
    }
  }

  /** Replaces an interrupted execution by a new one of the same attempt, which is pending and not yet invoked. */
  async redo(x: Execution, verdict: ProbeVerdict): Promise<Execution> {
    const execution_id = this.#parts.newId();
    const also = x.purpose === 'execute' ? [] : (x.refers_to ?? []).slice(-1);
    const next: Execution = { ...x, execution_id, refers_to: [x.execution_id, ...also], effect_possible: true };
    const error = { ...INTERRUPTED, detail: `interrupted, redone as ${execution_id}` };
    await this.#append([recoveryDraft(x, verdict, 'redo', execution_id), failedDraft(x, error), pendingDraft(next)]);
    this.#pass('redo_pending', next);
    return next;
  }

  /** The revert or compensation of an execution. Throws `internal` where it has none. */
  undoOf(x: Execution, execution_id: string): Execution {
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

  /** Executes the undo of an execution that failed; with its commit the original fails, else the original is in doubt. */
  async undo(x: Execution, undo: Execution, error: ErrorResult, watch: ExecutionWatch): Promise<void> {
    const before = checkBefore(undo.action, inputOf(undo));
    if (!before.ok) return this.undoFailed(x, undo, before.error, [], watch);
    const begun = await this.#begin(undo, before.degraded);
    return this.invokeUndo(x, begun, error, watch);
  }

  /** Invokes an undo whose `pending` is durable. */
  async invokeUndo(x: Execution, undo: Execution, error: ErrorResult, watch: ExecutionWatch): Promise<void> {
    this.#pass('compensating', undo);
    const reply = await this.#call(undo);
    if ('error' in reply) return this.undoFailed(x, undo, reply.error, [], watch);
    const after = accept(undo, reply);
    if (!after.ok) return this.undoFailed(x, undo, after.error, [], watch);
    return this.commitUndo(x, undo, reply, after.degraded, [], error, watch);
  }

  /** Commits an undo and fails its original in one atomic step. */
  async commitUndo(
    x: Execution,
    undo: Execution,
    result: ActionResult,
    degraded: boolean,
    first: readonly RecordDraft[],
    error: ErrorResult,
    watch: ExecutionWatch,
  ): Promise<void> {
    const committed = committedDraft(undo, result, degraded || undo.degraded === true);
    const failed = failedDraft(x, error, { refers_to: [undo.execution_id] });
    const step = {
      records: [...first, committed.record, failed],
      documents: committed.documents,
      contested: isContested(result),
    };
    try {
      await this.#finish(step, { status: 'failed', error, closed: true }, watch);
    } catch (cause) {
      if (!isConflict(cause)) throw cause;
      return this.undoFailed(x, undo, CONFLICT, [], watch);
    }
    this.#pass('committed', undo);
  }

  /**
   * Fails an undo and puts its original in doubt in one atomic step.
   *
   * @requirement RBI1
   */
  async undoFailed(
    x: Execution,
    undo: Execution,
    error: ErrorResult,
    first: readonly RecordDraft[],
    watch: ExecutionWatch,
  ): Promise<void> {
    const records = [...first, failedDraft(undo, error), actionDraft(x, 'in_doubt')];
    await this.#finish({ records }, { status: 'in_doubt' }, watch);
  }

  async #begin(x: Execution, degraded: boolean): Promise<Execution> {
    const begun = degraded ? { ...x, degraded } : x;
    await this.#append([pendingDraft(begun)]);
    this.#pass('pending_durable', x);
    return begun;
  }

  async #commitProbed(x: Execution, answer: ProbeAnswer, watch: ExecutionWatch): Promise<RecoveryDecisionWord> {
    const result = resultOf(answer);
    const after = accept(x, result);
    const decided = recoveryDraft(x, answer.verdict, 'commit');
    return this.#commit(x, result, after.ok && after.degraded, [decided], 'partial', watch);
  }

  async #call(x: Execution) {
    const reply = await invoke(this.#parts.host, callOf(x), x.timeout_ms, this.#parts.late, this.#parts.abandoned);
    this.#pass('invoked', x);
    return reply;
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
      await this.#finish(step, { status: 'committed', outputs: result.outputs }, watch);
    } catch (error) {
      if (!isConflict(error)) throw error;
      return this.#refuseResult(x, CONFLICT, refused_as, watch);
    }
    this.#pass('committed', x);
    return 'commit';
  }

  /** An error result: a retry follows, or the failure is judged where effects are possible. */
  async #afterError(x: Execution, error: ErrorResult, watch: ExecutionWatch): Promise<void> {
    const { action } = x.action;
    const effects = hasSideEffects(action);
    const unknown = error.effect !== 'none';
    const left = (x.mayRepeat?.() ?? true) && mayRetry(x.attempt, error.error_class, x.retry);
    const failed: Ending = { status: 'failed', error, closed: false };
    const plain = () => this.#finish({ records: [failedDraft(x, error)] }, failed, watch);
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
      await this.#finish({ records: [failedDraft(x, error)] }, { status: 'failed', error, closed: false }, watch);
      return 'close';
    }
    const decision = decideUncommittable(x.action.action, x.undo !== undefined);
    return this.carryOut(x, { verdict }, decision as Exclude<RecoveryDecisionWord, 'redo'>, error, watch);
  }

  async #finish(step: FinalStep, ending: Ending, watch: ExecutionWatch): Promise<void> {
    const documents = step.documents ?? [];
    if (step.contested === true) {
      await this.#parts.journal.append({ records: step.records, documents });
      const more = watch.ended(ending);
      if (more.length > 0) await this.#append(more);
      return;
    }
    const more = watch.ended(ending);
    await this.#parts.journal.append({ records: [...step.records, ...more], documents });
  }

  async #append(records: readonly RecordDraft[]): Promise<void> {
    await this.#parts.journal.append({ records });
  }

  #pass(point: Parameters<Journal['pass']>[0], x: Execution): void {
    this.#parts.journal.pass(point, x.execution_id);
  }
}

/** Whether a result can be committed: by the contract, and by whoever needs its outputs. */
export function accept(x: Execution, result: ActionResult): ContractVerdict {
  const after = checkAfter(x.action, inputOf(x), result);
  if (!after.ok) return after;
  const unusable = x.checkResult?.(result.outputs);
  return unusable === undefined ? after : violation('E4', detailOf(unusable));
}

/** The result that an answer of a probe stands for. */
export function resultOf(answer: ProbeAnswer): ActionResult {
  const { outputs, state_changes, evidence } = answer;
  return {
    outputs: outputs ?? {},
    ...(state_changes === undefined ? {} : { state_changes }),
    ...(evidence === undefined ? {} : { evidence }),
  };
}

function inputOf(x: Execution) {
  return { inputs: x.inputs, context: x.owner.context };
}

function callOf(x: Execution): ActionInvokeParams {
  const { action_id, version } = x.action.action;
  const { execution_id, idempotency_key, node_id, attempt, inputs } = x;
  const { context, execution_id: instance_id } = x.owner;
  return { execution_id, idempotency_key, action_id, version, node_id, instance_id, attempt, inputs, context };
}

function isContested(result: ActionResult): boolean {
  return (result.state_changes ?? []).some(change => change.expected_version !== undefined);
}

function isConflict(error: unknown): boolean {
  return error instanceof ArsError && error.code === 'version_conflict';
}
