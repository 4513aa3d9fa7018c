import type {
  ActionResult,
  AuditRecord,
  ErrorResult,
  RecordStatus,
  RetryPolicy,
  StateChange,
} from '../../../schemas/types.js';
import type { ResolvedAction } from '../execution/action-table.js';
import type { RetryTerms } from '../execution/retry.js';
import { canonicalize, digest } from '../state/canonical.js';
import type { RecordDraft, StoredDocument } from './log.js';
import type { ProbeVerdict, RecoveryDecisionWord } from './recovery-table.js';

/** The instance on whose behalf something is executed. */
export interface ExecutionOwner {
  readonly execution_id: string;
  readonly context_id: string;
  readonly agent_id: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** Evidence as a record holds it: in itself, or by the digest that it is stored under. */
export type EvidenceFields = Partial<Pick<AuditRecord, 'evidence' | 'evidence_ref' | 'checksum'>>;

/** One execution of an action: a node's, or the revert or compensation of one. */
export interface Execution {
  readonly execution_id: string;
  readonly owner: ExecutionOwner;
  readonly node_id: string;
  readonly action: ResolvedAction;
  readonly purpose: 'execute' | 'revert' | 'compensate';
  readonly attempt: number;
  readonly idempotency_key: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly timeout_ms?: number | undefined;
  readonly retry: RetryTerms;
  /** What it redoes or undoes. */
  readonly refers_to?: readonly string[];
  /** Whether an earlier execution under the same idempotency key may have had its effect. */
  readonly effect_possible: boolean;
  /** Whether a soft precondition did not hold. */
  readonly degraded?: boolean;
  /** Why it was asked for, as its records hold it; only of an undo that an agent asked for. */
  readonly reason?: EvidenceFields;
  /** The action that undoes it by its category; absent where none can. */
  readonly undo?: ResolvedAction | undefined;
  /** False where no further attempt will follow, whatever the retry terms say. */
  readonly mayRepeat?: () => boolean;
  /** Why a result cannot become the outputs of the node; undefined where it can. */
  readonly checkResult?: (outputs: Readonly<Record<string, unknown>>) => string | undefined;
}

/** Evidence up to this many bytes in canonical form stands in the record itself. */
export const INLINE_EVIDENCE_BYTES = 10_240;

const LONGEST_DETAIL = 4_096;

/** The key that all invocations of a node in an instance share, up to an undo. */
export function idempotencyKey(instance_id: string, node_id: string, undos: number): string {
  return `${instance_id}/${node_id}/${undos}`;
}

/** The key of the revert or compensation of an execution. */
export function undoKey(execution_id: string): string {
  return `undo/${execution_id}`;
}

/** Terms without any retry. */
export function noRetry(action: ResolvedAction): RetryTerms {
  const policy: RetryPolicy = { max_retries: 0 };
  return { determinism: action.action.determinism, policy };
}

/** A record of record_type action. */
export function actionDraft(execution: Execution, status: RecordStatus, more: Partial<RecordDraft> = {}): RecordDraft {
  const { owner, action, purpose } = execution;
  return {
    record_type: 'action',
    status,
    execution_id: execution.execution_id,
    context_id: owner.context_id,
    parent_execution_id: owner.execution_id,
    agent_id: owner.agent_id,
    node_id: execution.node_id,
    action_id: action.action.action_id,
    action_version: action.action.version,
    ...(purpose === 'execute' ? {} : { purpose }),
    side_effects: action.action.side_effects ?? [],
    determinism: action.action.determinism,
    rollback: action.action.rollback,
    attempt: execution.attempt,
    idempotency_key: execution.idempotency_key,
    ...more,
  };
}

/** The record that precedes the invocation. */
export function pendingDraft(execution: Execution): RecordDraft {
  const { refers_to, degraded, reason } = execution;
  return actionDraft(execution, 'pending', {
    inputs: execution.inputs,
    ...(refers_to === undefined ? {} : { refers_to: [...refers_to] }),
    ...(degraded === true ? { degraded: true } : {}),
    ...reason,
  });
}

/** The record that tells of a committed execution that this undo has undone it. */
export function undoneDraft(original: Execution, undo: Execution): RecordDraft {
  const status: RecordStatus = undo.purpose === 'revert' ? 'rolled_back' : 'compensated';
  return actionDraft(original, status, { refers_to: [undo.execution_id] });
}

/** The record of a failure. */
export function failedDraft(execution: Execution, error: ErrorResult, more: Partial<RecordDraft> = {}): RecordDraft {
  const { error_class, detail } = error;
  return actionDraft(execution, 'failed', { error_class, error_detail: detailOf(detail), ...more });
}

/** The record that leaves an execution in doubt, with what made it so. */
export function doubtDraft(execution: Execution, error: ErrorResult): RecordDraft {
  const { error_class, detail } = error;
  return actionDraft(execution, 'in_doubt', { error_class, error_detail: detailOf(detail) });
}

/** The detail as a record can hold it: of bounded length and well-formed. */
export function detailOf(detail: string): string {
  return detail.slice(0, LONGEST_DETAIL).replace(/\p{Surrogate}/gu, '\ufffd');
}

/**
 * The record of a success, with the evidence where it belongs by its size.
 *
 * @requirement EC4
 */
export function committedDraft(
  execution: Execution,
  result: ActionResult,
  degraded: boolean,
): { readonly record: RecordDraft; readonly documents: readonly StoredDocument[] } {
  const changes: StateChange[] = result.state_changes ?? [];
  const { fields, documents } = placeEvidence(result.evidence);
  const record = actionDraft(execution, 'committed', {
    outputs: result.outputs,
    ...(changes.length === 0 ? {} : { state_changes: changes }),
    ...fields,
    ...(degraded ? { degraded: true } : {}),
  });
  return { record, documents };
}

/** The record of a decision about an execution whose end is not known or that failed with possible effects. */
export function recoveryDraft(
  execution: Execution,
  probe: ProbeVerdict,
  decision: RecoveryDecisionWord,
  new_execution_id?: string,
): RecordDraft {
  const { owner } = execution;
  return {
    record_type: 'recovery',
    status: decision,
    execution_id: execution.execution_id,
    context_id: owner.context_id,
    parent_execution_id: owner.execution_id,
    agent_id: owner.agent_id,
    node_id: execution.node_id,
    probe,
    ...(new_execution_id === undefined ? {} : { new_execution_id }),
  };
}

/** Evidence in the record, or beside it where it is large; nothing where there is none. */
export function placeEvidence(evidence: ActionResult['evidence']): {
  readonly fields: EvidenceFields;
  readonly documents: readonly StoredDocument[];
} {
  if (evidence === undefined) return { fields: {}, documents: [] };
  const checksum = digest(evidence);
  if (Buffer.byteLength(canonicalize(evidence)) <= INLINE_EVIDENCE_BYTES)
    return { fields: { evidence, checksum }, documents: [] };
  return {
    fields: { evidence_ref: checksum, checksum },
    documents: [{ kind: 'evidence', id: checksum, value: evidence }],
  };
}
