import type {
  ActionInvokeParams,
  ActionInvokeResult,
  ActionResult,
  ErrorResult,
  FaultPoint,
  ProbeAnswer,
  RecordedChange,
} from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { Abandonment } from '../execution/abandonment.js';
import { invoke, type LateResult, probe } from '../execution/attempt.js';
import { type ContractVerdict, checkAfter, checkBefore, violation } from '../execution/contract.js';
import type { ActionHost } from '../execution/host.js';
import { putBack } from '../state/put-back.js';
import { detailOf, type Execution, pendingDraft } from './execution-record.js';
import type { Journal } from './journal.js';
import type { RecordDraft, StoredDocument } from './log.js';
import { hasSideEffects } from './recovery-table.js';

/** How an execution ended. */
export type Ending =
  | { readonly status: 'committed'; readonly outputs: Readonly<Record<string, unknown>> }
  | {
      readonly status: 'failed';
      readonly error: ErrorResult;
      /** Decided by a recovery record, so that no retry follows. */
      readonly closed: boolean;
      /** What it did was undone. */
      readonly undone?: boolean;
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
  readonly abandonment: Abandonment;
}

/** The atomic step that ends an execution. */
export interface FinalStep {
  readonly records: readonly RecordDraft[];
  readonly documents?: readonly StoredDocument[];
  /** Whether a version conflict can refuse it. */
  readonly contested?: boolean;
}

/** The failure of a result that meets a version conflict at its commit. */
export const CONFLICT: ErrorResult = { error_class: 'E4', detail: 'conflict', effect: 'unknown' };

/** The single steps that executions and undos are made of. */
export class ExecutionSteps {
  readonly #parts: ProtocolParts;

  constructor(parts: ProtocolParts) {
    this.#parts = parts;
  }

  newId(): string {
    return this.#parts.newId();
  }

  /** Whether the contract lets the action be invoked. */
  check(x: Execution): ContractVerdict {
    return checkBefore(x.action, inputOf(x));
  }

  /** Makes `pending` durable, and gives the execution as it was recorded. */
  async begin(x: Execution, degraded: boolean): Promise<Execution> {
    const begun = degraded ? { ...x, degraded } : x;
    await this.append([pendingDraft(begun)]);
    this.pass('pending_durable', x);
    return begun;
  }

  async call(x: Execution): Promise<ActionInvokeResult> {
    const { host, late, abandonment } = this.#parts;
    const reply = await invoke(host, callOf(x), x.timeout_ms, late, abandonment);
    this.pass('invoked', x);
    return reply;
  }

  /** What became of an execution as far as its action can tell; `applied` comes with outputs that can be committed. */
  async ask(x: Execution): Promise<ProbeAnswer> {
    if (!hasSideEffects(x.action.action)) return { verdict: 'absent' };
    if (x.action.action.probe !== true) return { verdict: 'unknown' };
    const { execution_id, idempotency_key, node_id, attempt, inputs } = x;
    const { action_id, version } = x.action.action;
    const call = { execution_id, idempotency_key, action_id, version, node_id, attempt, inputs };
    const answer = await probe(this.#parts.host, call, x.action.action.timeout_ms);
    if (answer.verdict !== 'applied') return answer;
    const usable = answer.outputs !== undefined && accept(x, resultOf(answer)).ok;
    return usable ? answer : { verdict: 'unknown' };
  }

  /** Writes the end and what follows from it, in one step where nothing can refuse it. Rejects with `version_conflict`. */
  async finish(step: FinalStep, ending: Ending, watch: ExecutionWatch): Promise<void> {
    const { journal } = this.#parts;
    const documents = step.documents ?? [];
    if (step.contested === true) {
      await journal.append({ records: step.records, documents });
      const more = watch.ended(ending);
      if (more.length > 0) await this.append(more);
      return;
    }
    const more = watch.ended(ending);
    await journal.append({ records: [...step.records, ...more], documents });
  }

  async append(records: readonly RecordDraft[]): Promise<void> {
    await this.#parts.journal.append({ records });
  }

  /** What a synthesised undo of a committed execution writes to State. Throws `version_conflict`. */
  putBack({ execution_id }: Execution): RecordedChange[] {
    const { log } = this.#parts.journal;
    const original = log.latest(execution_id);
    if (original?.status !== 'committed' || original.state_changes === undefined) return [];
    const { state_changes, sequence } = original;
    const state = log.state(state_changes.map(({ key }) => key));
    return putBack(
      { execution_id, state_changes },
      key => (Object.hasOwn(state, key) ? state[key] : undefined),
      key => {
        for (const { execution_id: id, state_changes: changes = [] } of log.writesBefore(key, sequence))
          return { execution_id: id, state_changes: changes };
        return undefined;
      },
    );
  }

  pass(point: FaultPoint, x: Execution): void {
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

/** Whether a version conflict can refuse the commit of a result. */
export function isContested(result: ActionResult): boolean {
  return (result.state_changes ?? []).some(change => change.expected_version !== undefined);
}

/** Whether a version conflict refused it. */
export function isConflict(error: unknown): boolean {
  return error instanceof ArsError && error.code === 'version_conflict';
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
