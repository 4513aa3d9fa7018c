import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ExecutionRollbackParams,
  RecoveryReport,
  RecoveryResolveParams,
  WorkflowStartParams,
  WorkflowWaitResult,
} from '../../schemas/types.js';
import { resolveDoubt } from './doubt.js';
import { ArsError } from './error.js';
import { demand, demandKnown, OWNER } from './governance/agents.js';
import { refusal } from './governance/reasons.js';
import { newId } from './new-id.js';
import { openLog } from './opening.js';
import { checked, checkMembers, checkNames, checkWait } from './parameters.js';
import { continueRun, recoverWorkspace } from './recovery.js';
import { RuntimeGovernance } from './runtime-governance.js';
import { checkRuntimeOptions, type RuntimeOptions } from './runtime-options.js';
import { assemble, type RuntimeParts } from './runtime-parts.js';
import { readStart, resumeEnded, type Simulation, simulate, startInstance } from './starts.js';

export { OWNER, type RuntimeOptions };

/** How long closing waits for invocations in flight, in milliseconds. */
export const CLOSE_GRACE_MS = 2_000;

/**
 * The reference runtime over one workspace.
 *
 * Every method rejects with an `ArsError`; once a write to the log has failed, with `storage_failed` (details error_class
 * E2) until the workspace is opened anew.
 *
 * @example
 * ```ts
 * const runtime = await Runtime.open({
 *   workspace: 'demo',
 *   actions: { greet: ({ inputs }) => ({ outputs: { text: `Hello ${inputs.name}` } }) },
 * });
 * const execution_id = await runtime.start({ workflow, inputs: { name: 'Ada' }, agent_id: OWNER });
 * const { status, outputs } = await runtime.wait(execution_id, 10_000);
 * await runtime.close();
 * ```
 */
export class Runtime extends RuntimeGovernance {
  /** What recovery did at the opening; null where there was nothing to recover. */
  recovery: RecoveryReport | null = null;
  readonly #parts: RuntimeParts;
  #recovering: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  private constructor(parts: RuntimeParts) {
    super(parts);
    this.#parts = parts;
  }

  /**
   * Opens a workspace; resolves when everything that an earlier incarnation left open is decided and goes on.
   *
   * Throws `workspace_locked` where another runtime lives, `usage` for an option that is none, and what opening a store
   * throws.
   *
   * @requirement CR1
   * @example
   * ```ts
   * const runtime = await Runtime.open({ workspace: 'books', actions });
   * if (runtime.recovery !== null) console.log(`recovered: ${runtime.recovery.level}`);
   * ```
   */
  static async open(options: RuntimeOptions): Promise<Runtime> {
    checkRuntimeOptions('Runtime.open', options);
    const log = options.log ?? openLog(options);
    try {
      const runtime = new Runtime(assemble(log, options));
      runtime.recovery = await runtime.recover();
      await runtime.#parts.schedule?.begin();
      return runtime;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  /**
   * What recovery would decide in a workspace: probes are asked, nothing is recorded, and nothing goes on; null where there
   * is nothing to decide. Throws what opening throws.
   *
   * @example
   * ```ts
   * const report = await Runtime.previewRecovery({ workspace: 'demo' });
   * for (const { execution_id, decision } of report?.decisions ?? []) console.log(execution_id, decision);
   * ```
   */
  static async previewRecovery(options: RuntimeOptions): Promise<RecoveryReport | null> {
    checkRuntimeOptions('Runtime.previewRecovery', options);
    const log = options.log ?? openLog(options);
    try {
      return await new Runtime(assemble(log, options)).recover({ dry_run: true });
    } finally {
      await log.close();
    }
  }

  /**
   * The interrupted instances that are left as they are, each with the actions (action_id@version) that it needs and that
   * have no code here; they go on when the workspace is opened with it.
   */
  get withoutCode(): ReadonlyMap<string, readonly string[]> {
    return this.#parts.instances.aside();
  }

  /**
   * Starts a workflow and gives the execution_id of its instance. With `dry_run` nothing is invoked; what would have to be
   * confirmed is recorded and given instead, and no request_key is used up. Actions and skills that the workflow does not
   * define itself are in the registry before, see {@link Runtime.putRegistry}.
   *
   * Throws `denied` (details {gate, execution_id, reasons, report?, dry_run?}) where a gate refuses, `unsupported` for what
   * this runtime does not execute, `not_canonical` for inputs that are no JSON, `not_found` for an unknown workflow_id.
   * A RISKY or IRREVERSIBLE workflow needs a `confirmation_id`, see {@link Runtime.approve}; where the safety gate denies,
   * the `dry_run` of the details says for what.
   *
   * @example
   * ```ts
   * const execution_id = await runtime.start({
   *   workflow,
   *   inputs: { name: 'Ada' },
   *   agent_id: OWNER,
   *   request_key: 'greeting of today',
   * });
   * ```
   */
  async start(params: WorkflowStartParams & { dry_run: true }): Promise<Simulation>;
  async start(params: WorkflowStartParams & { dry_run?: false }): Promise<string>;
  async start(params: WorkflowStartParams): Promise<string | Simulation>;
  async start(params: WorkflowStartParams): Promise<string | Simulation> {
    this.#parts.admission.demand();
    const wanted = readStart('adapter/workflow#start_params', params, this.#parts);
    if (params.dry_run === true) return simulate(this.#parts, wanted);
    const { instances, journal } = this.#parts;
    const { agent_id, request_key } = wanted;
    if (request_key !== undefined && instances.isRequested(agent_id, request_key)) demandKnown(journal.log, agent_id);
    return instances.once(agent_id, request_key, () => startInstance(this.#parts, wanted));
  }

  /**
   * Waits until an instance has ended or stands still in doubt, at most so many milliseconds; a negative number counts as 0.
   *
   * Throws `not_found`, `invalid_document` for a budget that is no number.
   *
   * @example
   * ```ts
   * const { status, outputs, trace } = await runtime.wait(execution_id, 10_000);
   * if (status === 'running') console.log('still under way');
   * ```
   */
  async wait(execution_id: string, budget_ms: number): Promise<WorkflowWaitResult> {
    checkWait(execution_id, budget_ms);
    return this.#parts.instances.wait(execution_id, budget_ms);
  }

  /**
   * Continues an instance that was in doubt, or resumes an ended one; gives the new execution_id in the second case.
   *
   * A running instance is left alone. An ended one is started anew, through all gates: where its safety level needs one,
   * with a confirmation of its own for what {@link Runtime.risk} says. Throws `illegal_state` where it completed, is in
   * doubt, or something in it was undone, and `denied` to any agent but the one that started it.
   *
   * @requirement IR2
   * @requirement IR3
   * @example
   * ```ts
   * await runtime.resume(sent, OWNER);
   * ```
   */
  async resume(execution_id: string, agent_id: string, confirmation_id?: string): Promise<string | undefined> {
    this.#parts.admission.demand();
    checkNames({ execution_id, agent_id, ...(confirmation_id === undefined ? {} : { confirmation_id }) });
    const { instances, journal } = this.#parts;
    const run = instances.run(execution_id)?.root;
    const { agent_id: owner } = run?.instance.head ?? instances.startOf(execution_id);
    demandKnown(journal.log, agent_id);
    if (agent_id !== owner) throw otherAgent(execution_id, owner);
    if (run === undefined) return resumeEnded(this.#parts, execution_id, { agent_id, confirmation_id });
    if (run.instance.doubts.size > 0)
      throw new ArsError('illegal_state', `The instance '${execution_id}' is in doubt; resolve that first.`, {
        details: { execution_id },
      });
    if (run.held) await continueRun(this.#parts, run);
    else this.#demandExecution(agent_id, 'execute', instances.workflowOf(execution_id));
    return undefined;
  }

  /**
   * Starts nothing further in an instance, which ends when nothing is in flight; what was about to start has been invoked
   * when this resolves. The log tells of it with the end: an instance that a crash interrupts before goes on at the next
   * opening, and is to be cancelled again. Throws `not_found`, and `denied` unless it is the agent's own or the agent holds
   * execution:cancel for its workflow.
   *
   * @requirement FB8
   * @requirement CA1
   * @example
   * ```ts
   * await runtime.cancel(execution_id, OWNER);
   * ```
   */
  async cancel(execution_id: string, agent_id: string): Promise<void> {
    this.#parts.admission.demand();
    checkNames({ execution_id, agent_id });
    const { instances, journal } = this.#parts;
    const run = instances.run(execution_id);
    const head = run?.instance.head ?? instances.startOf(execution_id);
    if (head.agent_id === agent_id) demandKnown(journal.log, agent_id);
    else this.#demandExecution(agent_id, 'cancel', instances.workflowOf(execution_id));
    if (run === undefined) {
      await instances.wait(execution_id, 0);
      return;
    }
    run.cancel();
    await journal.settle();
  }

  /**
   * Recovers what earlier incarnations left open; null where there is nothing. With `dry_run` it is only said.
   *
   * Throws `denied` unless `by`, by default the operator, holds recovery:execute.
   *
   * @requirement CR1
   * @example
   * ```ts
   * const plan = await runtime.recover({ dry_run: true });
   * if (plan === null) console.log('nothing is open');
   * ```
   */
  async recover(options: { dry_run?: boolean; by?: string } = {}): Promise<RecoveryReport | null> {
    this.#parts.admission.demand();
    checkMembers('recovery', options);
    const { by = OWNER } = options;
    demand(this.#parts.journal.log, by, { domain: 'recovery', action: 'execute' }, this.#parts.now());
    const after = this.#recovering
      .catch(() => undefined)
      .then(() => recoverWorkspace(this.#parts, options.dry_run === true));
    this.#recovering = after;
    return after;
  }

  /**
   * Takes an operator's word for what became of an execution in doubt; the instance goes on when it is resumed.
   *
   * Throws `denied` unless the approver holds recovery:resolve, `illegal_state` for an execution that is not in doubt,
   * `version_conflict` where the state changes cannot be applied.
   *
   * @example
   * ```ts
   * await runtime.resolve({ execution_id: doubtful, verdict: 'applied', outputs: {}, approver: OWNER });
   * ```
   */
  async resolve(params: RecoveryResolveParams): Promise<void> {
    this.#parts.admission.demand();
    const verdict = checked('adapter/recovery#resolve_params', params);
    demand(this.#parts.journal.log, verdict.approver, { domain: 'recovery', action: 'resolve' }, this.#parts.now());
    await resolveDoubt({ ...this.#parts, newId }, verdict);
  }

  /**
   * Undoes a committed execution of an ended instance by its revert or compensation, and gives the execution_id of the
   * undo; where it was undone before, of the one that did it.
   *
   * Throws `denied` for an execution of another agent, `not_found`, `invalid_document` without evidence, and `illegal_state`
   * for one that is irreversible, not committed, an undo itself or of an instance that has not ended, and where the undo
   * fails; the original then stays committed.
   *
   * @requirement RB1
   * @example
   * ```ts
   * const undo_id = await runtime.rollback({
   *   execution_id: committed,
   *   evidence: { ticket: 'the name was wrong' },
   *   agent_id: OWNER,
   * });
   * ```
   */
  async rollback(params: ExecutionRollbackParams): Promise<string> {
    this.#parts.admission.demand();
    return this.#parts.undos.undo(checked('adapter/execution#rollback_params', params));
  }

  /**
   * Takes no more work, lets invocations in flight record their results for a while, and closes the log.
   *
   * @example
   * ```ts
   * await runtime.close();
   * ```
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#parts.admission.end();
    await this.#parts.schedule?.end();
    const grace = new AbortController();
    const halted = Promise.all([...this.#parts.instances.runs().map(run => run.halt()), this.#parts.undos.settled()]);
    await Promise.race([halted, sleep(CLOSE_GRACE_MS, undefined, { signal: grace.signal }).catch(() => undefined)]);
    grace.abort();
    const closed = this.#parts.journal.end();
    for (const run of this.#parts.instances.runs()) run.fail(closed);
    this.#parts.abandonment.happen();
    await this.#parts.journal.log.close();
  }

  /** @requirement CA1 */
  #demandExecution(agent_id: string, action: 'execute' | 'cancel', name: string): void {
    const { journal, now } = this.#parts;
    demand(journal.log, agent_id, { domain: 'execution', action, name }, now());
  }
}

function otherAgent(execution_id: string, owner: string): ArsError {
  return refusal('OTHER_AGENT', `The instance '${execution_id}' is of '${owner}'; only that agent may resume it.`);
}
