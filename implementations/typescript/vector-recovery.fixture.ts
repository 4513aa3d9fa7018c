import type { Action, AuditRecord, ErrorResult, ProbeAnswer, RetryPolicy, StateChange } from '../../schemas/types.js';
import { CommitProtocol } from './audit/commit-protocol.js';
import { type Execution, failedDraft, pendingDraft, recoveryDraft } from './audit/execution-record.js';
import type { Ending, ExecutionWatch } from './audit/execution-steps.js';
import { Journal } from './audit/journal.js';
import type { Log, RecordDraft } from './audit/log.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { recover } from './audit/recovery.js';
import { undoExecution } from './audit/undo-protocol.js';
import { Abandonment } from './execution/abandonment.js';
import { type ResolvedAction, undoOf } from './execution/action-table.js';
import { actionKey, compileContract } from './execution/contract.js';
import type { ActionHost } from './execution/host.js';
import { backoffMs, mayRetry } from './execution/retry.js';

/** What a vector says about one recovery decision. */
export interface RecoveryGiven {
  readonly situation: 'interrupted' | 'undo_interrupted' | 'failed' | 'refused';
  readonly action: Action;
  readonly undo?: Action;
  readonly undo_ends?: 'committed' | 'failed';
  readonly answer?: ProbeAnswer | { readonly error: true };
  readonly failure?: ErrorResult;
  readonly redos: number;
  readonly governance: 'allowed' | 'denied';
}

/** What the log says was done: the recorded probe, the decision, the records of each atomic step. */
export interface RecoverySeen {
  readonly probe: unknown;
  readonly decision: string;
  readonly steps: readonly (readonly (readonly string[])[])[];
  readonly error_class?: string;
}

const OWNER = { execution_id: 'i1', context_id: 'i1', agent_id: 'agent-1', context: {} };
const FAILED_UNDO: ErrorResult = { error_class: 'E2', detail: 'scripted', effect: 'unknown' };

/** Has the decision made by the runtime's own recovery or commit protocol, over a log in memory. */
export async function recoveryOf(given: RecoveryGiven): Promise<RecoverySeen> {
  const workspace = new MemoryWorkspace();
  const original = executionOf(given);
  const live = given.situation === 'failed' || given.situation === 'refused';
  const last = live ? { original, undo: undefined } : await leavePending(workspace, given, original);
  const steps: RecordDraft[][] = [];
  const protocol = protocolOver(recording(workspace.open(), steps), hostOf(given));
  if (live) {
    await protocol.execute(original, NOBODY);
    steps.shift();
  } else {
    await recover({
      log: workspace.open(),
      protocol: protocolOver(recording(workspace.open(), steps), hostOf(given)),
      executionOf: pending => begun(original, pending),
      undoOf: () => undefined,
      mayRedo: async () => given.governance === 'allowed',
    });
  }
  return seen(steps, id => nameOf(id, last.original.execution_id, last.undo, given.situation));
}

/** How often an action is invoked that answers like this, and how long the waits between are. */
export async function attemptsOf(given: {
  readonly action: Action;
  readonly answers: readonly ({ outputs: Record<string, unknown> } | { error: ErrorResult } | { none: true })[];
  readonly retry_policy?: RetryPolicy;
  readonly probe?: ProbeAnswer['verdict'];
}): Promise<{ invocations: number; waits_ms: number[] }> {
  const { answers, retry_policy, action } = given;
  const undo: Action = { action_id: 'undo', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable' };
  const base = executionOf({ action, undo });
  const retry = { determinism: action.determinism, ...(retry_policy === undefined ? {} : { policy: retry_policy }) };
  const waits_ms: number[] = [];
  let invocations = 0;
  const host: ActionHost = {
    invoke: async ({ action_id }) => {
      if (action_id !== 'act') return { outputs: {} };
      invocations += 1;
      const answer = answers[invocations - 1] ?? { error: { error_class: 'E5', detail: 'not in the vector' } };
      return 'none' in answer ? new Promise(() => undefined) : answer;
    },
    probe: async () => ({ verdict: given.probe ?? 'unknown' }),
  };
  const protocol = protocolOver(new MemoryWorkspace().open(), host);
  for (let attempt = 1; ; attempt++) {
    const endings: Ending[] = [];
    const watch: ExecutionWatch = {
      begun: () => undefined,
      ended: end => {
        endings.push(end);
        return [];
      },
    };
    const limit = action.timeout_ms === undefined ? {} : { timeout_ms: action.timeout_ms };
    const x = { ...base, ...limit, execution_id: `e${attempt}`, attempt, retry, effect_possible: attempt > 1 };
    await protocol.execute(x, watch);
    const [ending] = endings;
    if (ending?.status !== 'failed' || ending.closed) return { invocations, waits_ms };
    if (!mayRetry(attempt, ending.error.error_class, retry)) return { invocations, waits_ms };
    waits_ms.push(backoffMs(attempt, retry_policy));
  }
}

const NOBODY: ExecutionWatch = { begun: () => undefined, ended: () => [] };

function executionOf({ action, undo }: Pick<RecoveryGiven, 'action' | 'undo'>): Execution {
  const table = new Map<string, ResolvedAction>();
  if (undo !== undefined) table.set(actionKey(undo), compileContract(undo));
  const contract = compileContract(action);
  const declared = (action.revert ?? action.compensation) !== undefined && undo !== undefined;
  const resolved: ResolvedAction = declared ? { ...contract, undo: actionKey(undo) } : contract;
  const undone = undoOf(table, resolved);
  return {
    execution_id: 'e1',
    owner: OWNER,
    node_id: 'n',
    action: resolved,
    purpose: 'execute',
    attempt: 1,
    idempotency_key: 'i1/n/0',
    inputs: {},
    retry: { determinism: action.determinism },
    effect_possible: false,
    ...(undone === undefined ? {} : { undo: undone }),
  };
}

function begun(original: Execution, pending: AuditRecord): Execution {
  const { execution_id, refers_to } = pending;
  return { ...original, execution_id, effect_possible: true, ...(refers_to === undefined ? {} : { refers_to }) };
}

/** Writes what a killed incarnation leaves: the execution, redone so many times, or its undo, redone so many times. */
async function leavePending(
  workspace: MemoryWorkspace,
  { situation, redos }: RecoveryGiven,
  original: Execution,
): Promise<{ original: Execution; undo: string | undefined }> {
  const log = workspace.open();
  await log.append({ records: [pendingDraft(original)] });
  if (situation === 'interrupted') return { original: await redone(log, original, redos), undo: undefined };
  const undo = undoExecution(original, 'u1');
  await log.append({ records: [recoveryDraft(original, 'unknown', 'roll_back', 'u1')] });
  await log.append({ records: [pendingDraft(undo)] });
  return { original, undo: (await redone(log, undo, redos)).execution_id };
}

async function redone(log: Log, first: Execution, times: number): Promise<Execution> {
  let x = first;
  for (let n = 1; n <= times; n++) {
    const also = x.purpose === 'execute' ? [] : (x.refers_to ?? []).slice(-1);
    const execution_id = `${first.execution_id}-${n}`;
    const next: Execution = { ...x, execution_id, refers_to: [x.execution_id, ...also] };
    const failed = failedDraft(x, { error_class: 'E3', detail: 'interrupted' });
    await log.append({ records: [recoveryDraft(x, 'unknown', 'redo', execution_id), failed, pendingDraft(next)] });
    x = next;
  }
  return x;
}

function hostOf({ situation, answer, failure, undo_ends }: RecoveryGiven): ActionHost {
  return {
    probe: async () => {
      if (answer === undefined || 'error' in answer) throw new Error('scripted');
      return answer;
    },
    invoke: async ({ action_id }) => {
      if (action_id === 'undo') return undo_ends === 'failed' ? { error: FAILED_UNDO } : { outputs: {} };
      return situation === 'failed' && failure !== undefined ? { error: failure } : { outputs: {} };
    },
  };
}

function protocolOver(log: Log, host: ActionHost): CommitProtocol {
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `new-${ids}`;
  };
  const journal = new Journal(log);
  return new CommitProtocol({ journal, host, newId, late: () => undefined, abandonment: new Abandonment() });
}

function recording(log: Log, steps: RecordDraft[][]): Log {
  return {
    ...log,
    append: async step => {
      const records = await log.append(step);
      steps.push([...step.records]);
      return records;
    },
  };
}

function nameOf(id: string, original: string, undo: string | undefined, situation: RecoveryGiven['situation']): string {
  if (id === original) return 'original';
  if (id === undo) return 'undo';
  return situation === 'undo_interrupted' ? 'redo' : 'new';
}

function seen(steps: readonly (readonly RecordDraft[])[], name: (id: string) => string): RecoverySeen {
  const all = steps.flat();
  const decision = all.find(({ record_type }) => record_type === 'recovery');
  const word = decision?.status === 'redo' ? 'redo' : 'undo';
  const named = (id: string) => (name(id) === 'new' ? word : name(id));
  const failed = all.find(record => record.status === 'failed' && named(record.execution_id) === 'original');
  return {
    probe: decision?.probe,
    decision: decision?.status ?? 'none',
    steps: steps.map(step => step.map(r => [r.record_type, r.status, named(r.execution_id)])),
    ...(failed?.error_class === undefined ? {} : { error_class: failed.error_class }),
  };
}

/** A list of changes by one execution. */
export interface VectorCommit {
  readonly execution_id: string;
  readonly state_changes: readonly StateChange[];
}
