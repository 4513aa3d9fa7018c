import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { uuidv7 } from 'uuidv7';
import type {
  Agent,
  AuditRecord,
  Permission,
  RecoveryReport,
  RecoveryResolveParams,
  RegistryPutParams,
  RegistryRemoveParams,
  State,
  Workflow,
  WorkflowStartParams,
  WorkflowWaitResult,
} from '../../schemas/types.js';
import { CommitProtocol } from './audit/commit-protocol.js';
import type { Execution } from './audit/execution-record.js';
import { Journal, type RecordListener } from './audit/journal.js';
import type { Log, RecordQuery } from './audit/log.js';
import { recover } from './audit/recovery.js';
import { Definitions } from './definitions.js';
import { resolveDoubt } from './doubt.js';
import { ArsError } from './error.js';
import { type ActionFunctions, hostFunctions } from './execution/functions.js';
import type { ActionHost, Clock, FaultHook } from './execution/host.js';
import type { ExecutionPermit } from './execution/permit.js';
import { demand, grant, registerAgent, revoke } from './governance/agents.js';
import { askGovernance, passContinuation, passGates } from './governance/gates.js';
import { Instances } from './instances.js';
import { canonicalize } from './state/canonical.js';
import { openStore } from './store/store.js';
import { recordedExecution } from './workflow/node-execution.js';
import { planWorkflow } from './workflow/plan.js';
import type { Replayed } from './workflow/replay.js';
import type { InstanceRun } from './workflow/run.js';
import { ensureManifest } from './workspace/manifest.js';

export { OWNER } from './governance/agents.js';

/** How to open a workspace. */
export interface RuntimeOptions {
  /** The folder; it is made where there is none. */
  readonly workspace: string;
  /** Where the code of actions lives. Absent: `actions`. */
  readonly host?: ActionHost;
  /** The code of actions as functions, by action_id@version or action_id. */
  readonly actions?: ActionFunctions;
  readonly clock?: Clock;
  readonly fault?: FaultHook;
  /** The number of this opening. Absent: the next one. */
  readonly incarnation?: number;
  /** Another log than the embedded store; it replaces `workspace`. */
  readonly log?: Log;
  /** Told of an answer that came after its limit of time. */
  readonly late?: (execution_id: string) => void;
}

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
 * const runtime = await Runtime.open({ workspace: 'demo', actions: { greet: ({ inputs }) => ({ outputs: { text: `Hello ${inputs.name}` } }) } });
 * const execution_id = await runtime.start({ workflow, inputs: { name: 'Ada' }, agent_id: OWNER });
 * const { status, outputs } = await runtime.wait(execution_id, 10_000);
 * await runtime.close();
 * ```
 */
export class Runtime {
  /** What recovery did at the opening; null where there was nothing to recover. */
  recovery: RecoveryReport | null = null;
  readonly #journal: Journal;
  readonly #protocol: CommitProtocol;
  readonly #instances: Instances;
  readonly #definitions: Definitions;
  readonly #clock: Clock;
  readonly #abandon = new AbortController();
  #recovering: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  private constructor(log: Log, options: RuntimeOptions) {
    this.#clock = options.clock ?? Date.now;
    setMaxListeners(0, this.#abandon.signal);
    this.#journal = new Journal(log, options.fault);
    this.#protocol = new CommitProtocol({
      journal: this.#journal,
      host: options.host ?? hostFunctions(options.actions ?? {}),
      newId: uuidv7,
      late: options.late ?? (() => undefined),
      abandoned: this.#abandon.signal,
    });
    this.#instances = new Instances({ journal: this.#journal, protocol: this.#protocol, newId: uuidv7 });
    this.#definitions = new Definitions(this.#journal);
  }

  /**
   * Opens a workspace; resolves when everything that an earlier incarnation left open is decided and goes on.
   *
   * Throws `workspace_locked` where another runtime lives, and what opening a store throws.
   *
   * @requirement CR1
   */
  static async open(options: RuntimeOptions): Promise<Runtime> {
    const log = options.log ?? openLog(options);
    try {
      const runtime = new Runtime(log, options);
      runtime.recovery = await runtime.recover();
      return runtime;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  /** Why nothing is written any more; undefined while the log can be written. */
  get failure(): ArsError | undefined {
    return this.#journal.failure;
  }

  get incarnation(): number {
    return this.#journal.log.incarnation;
  }

  /** Adds definitions to the registry. Throws `conflict` for one that exists with other content. */
  async putRegistry(definitions: RegistryPutParams): Promise<void> {
    this.#admit();
    await this.#definitions.put(definitions);
  }

  /** Takes definitions out of the registry. Throws `not_found`. */
  async removeRegistry(definitions: RegistryRemoveParams): Promise<void> {
    this.#admit();
    await this.#definitions.remove(definitions);
  }

  /**
   * Starts a workflow and gives the execution_id of its instance.
   *
   * Throws `denied` (details {gate, execution_id, reasons, report?}) where a gate refuses, `unsupported` for what this
   * runtime does not execute, `not_canonical` for inputs that are no JSON, `not_found` for an unknown workflow_id.
   */
  async start(params: WorkflowStartParams): Promise<string> {
    this.#admit();
    if (params.dry_run === true) throw new ArsError('unsupported', 'This runtime does not simulate workflows.');
    if (params.confirmation_id !== undefined)
      throw new ArsError('unsupported', 'This runtime does not take confirmations.');
    const { agent_id, request_key, max_parallel } = params;
    const inputs = copy(params.inputs);
    const context = copy(params.context ?? {});
    const workflow = copy(this.#workflowOf(params));
    const execution_id = uuidv7();
    return this.#instances.once(agent_id, request_key, () =>
      this.#begin({ execution_id, agent_id, workflow, inputs, context }, { request_key, max_parallel }),
    );
  }

  /** Waits until an instance has ended or stands still in doubt, at most so many milliseconds. Throws `not_found`. */
  async wait(execution_id: string, budget_ms: number): Promise<WorkflowWaitResult> {
    return this.#instances.wait(execution_id, budget_ms);
  }

  /**
   * Continues an instance that was in doubt, or resumes an ended one; gives the new execution_id in the second case.
   *
   * A running instance is left alone. Throws `illegal_state` where it completed, is in doubt, or something in it was undone.
   *
   * @requirement IR2
   * @requirement IR3
   */
  async resume(execution_id: string, agent_id: string): Promise<string | undefined> {
    this.#admit();
    const run = this.#instances.run(execution_id);
    if (run === undefined) return this.#resumeEnded(execution_id, agent_id);
    this.#demandOwn(run.instance.head.agent_id, agent_id, 'execute', run.instance.plan.workflow.workflow.name);
    if (run.instance.doubts.size > 0)
      throw new ArsError('illegal_state', `The instance '${execution_id}' is in doubt; resolve that first.`, {
        details: { execution_id },
      });
    if (run.held) await this.#goOn(run);
    return undefined;
  }

  /** Starts nothing further in an instance, which ends when nothing is in flight. Throws `not_found`, `denied`. */
  async cancel(execution_id: string, agent_id: string): Promise<void> {
    this.#admit();
    const run = this.#instances.run(execution_id);
    if (run === undefined) {
      this.#instances.startOf(execution_id);
      return;
    }
    this.#demandOwn(run.instance.head.agent_id, agent_id, 'cancel', run.instance.plan.workflow.workflow.name);
    run.cancel();
  }

  /** Makes an agent known or replaces it. Throws `denied` unless `by` holds governance:grant. */
  async registerAgent(agent: Agent, by: string): Promise<void> {
    this.#admit();
    await registerAgent(this.#journal, { agent, by }, { now: this.#now(), newId: uuidv7 });
  }

  /** Grants a permission and gives its permission_id. Throws `denied`, `conflict`. */
  async grant(permission: Permission): Promise<string> {
    this.#admit();
    return grant(this.#journal, permission, { now: this.#now(), newId: uuidv7 });
  }

  /** Takes a permission back. Throws `not_found`, `denied`. */
  async revoke(permission_id: string, by: string): Promise<void> {
    this.#admit();
    await revoke(this.#journal, permission_id, by, this.#now());
  }

  /** Records of the log in sequence order, read lazily. */
  records(query?: RecordQuery): IterableIterator<AuditRecord> {
    return this.#journal.log.records(query);
  }

  /** Entries of State, deleted ones included, and the sequence that they are of. */
  state(keys?: readonly string[]): { state: State; sequence: number } {
    return { state: this.#journal.log.state(keys), sequence: this.#journal.log.head().sequence };
  }

  /** The evidence that a record names by its digest. Throws `not_found`. */
  evidence(reference: string): unknown {
    const content = this.#journal.log.document('evidence', reference);
    if (content !== undefined) return content;
    throw new ArsError('not_found', `There is no evidence '${reference}'.`, { details: { reference } });
  }

  /** Calls back for every record once it is durable; gives what ends that. */
  subscribe(listener: RecordListener): () => void {
    return this.#journal.subscribe(listener);
  }

  /**
   * Recovers what earlier incarnations left open; null where there is nothing. With `dry_run` it is only said.
   *
   * @requirement CR1
   */
  async recover(options: { dry_run?: boolean } = {}): Promise<RecoveryReport | null> {
    this.#admit();
    const after = this.#recovering.catch(() => undefined).then(() => this.#recover(options.dry_run === true));
    this.#recovering = after;
    return after;
  }

  /**
   * Takes an operator's word for what became of an execution in doubt; the instance goes on when it is resumed.
   *
   * Throws `denied` unless the approver holds recovery:resolve, `illegal_state` for an execution that is not in doubt,
   * `version_conflict` where the state changes cannot be applied.
   */
  async resolve(params: RecoveryResolveParams): Promise<void> {
    this.#admit();
    demand(this.#journal.log, params.approver, { domain: 'recovery', action: 'resolve' }, this.#now());
    await resolveDoubt({ journal: this.#journal, instances: this.#instances, newId: uuidv7 }, params);
  }

  /** Takes no more work, lets invocations in flight record their results for a while, and closes the log. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const grace = new AbortController();
    const halted = Promise.all(this.#instances.runs().map(run => run.halt()));
    await Promise.race([halted, sleep(CLOSE_GRACE_MS, undefined, { signal: grace.signal }).catch(() => undefined)]);
    grace.abort();
    const closed = this.#journal.end();
    for (const run of this.#instances.runs()) run.fail(closed);
    this.#abandon.abort();
    await this.#journal.log.close();
  }

  async #begin(
    wanted: {
      execution_id: string;
      agent_id: string;
      workflow: Workflow;
      inputs: Record<string, unknown>;
      context: Record<string, unknown>;
      resumes?: string;
    },
    how: {
      request_key?: string | undefined;
      max_parallel?: number | undefined;
      plan?: () => ReturnType<typeof planWorkflow>;
    },
  ): Promise<string> {
    const { execution_id, agent_id, workflow, context, resumes } = wanted;
    const { permit, plan, inputs } = await passGates(this.#journal, {
      execution_id,
      agent_id,
      workflow,
      registry: this.#definitions.registry(),
      inputs: wanted.inputs,
      plan: how.plan ?? (() => planWorkflow(workflow, this.#definitions.actionsOf)),
      now: this.#now(),
    });
    this.#admit();
    this.#instances.keep(plan);
    const head = { execution_id, context_id: execution_id, agent_id, inputs, context };
    const run = this.#instances.create(plan, resumes === undefined ? head : { ...head, resumes }, how.max_parallel);
    try {
      await run.start(permit, how.request_key);
    } catch (error) {
      this.#instances.drop(run);
      throw error;
    }
    return execution_id;
  }

  async #resumeEnded(ended: string, agent_id: string): Promise<string> {
    const start = this.#instances.startOf(ended);
    const { status } = await this.#instances.wait(ended, 0);
    const refuse = (why: string) =>
      new ArsError('illegal_state', `The instance '${ended}' ${why}; start the workflow anew.`, {
        details: { execution_id: ended, status },
      });
    if (status === 'completed') throw refuse('completed');
    for (const { purpose, status: s } of this.#journal.log.records({
      context_id: start.context_id,
      record_type: 'action',
    }))
      if (purpose !== undefined && s === 'committed') throw refuse('had something undone');
    const plan = this.#instances.planOf(start.resolved_digest ?? '');
    const { inputs = {}, context = {} } = start;
    const execution_id = uuidv7();
    return this.#begin(
      { execution_id, agent_id, workflow: plan.workflow, inputs, context, resumes: ended },
      { plan: () => plan },
    );
  }

  async #recover(dry_run: boolean): Promise<RecoveryReport | null> {
    const permits = new Map<string, Promise<ExecutionPermit | undefined>>();
    const replays = new Map<string, Replayed>();
    const asked = (x: Execution) => this.#ask(permits, x.owner.execution_id);
    const report = await recover(
      {
        log: this.#journal.log,
        protocol: this.#protocol,
        executionOf: pending => this.#executionOf(pending, replays),
        mayRedo: async x => (dry_run ? this.#wouldAllow(x) : (await asked(x)) !== undefined),
      },
      { dry_run },
    );
    if (dry_run) return report;
    const reopened = await Promise.all(this.#instances.opened().map(id => this.#reopen(id, permits)));
    return reopened.every(done => done) ? report : degraded(report, this.incarnation);
  }

  /** Lets an instance that an earlier incarnation left go on, unless it is in doubt; false where it cannot be loaded. */
  async #reopen(execution_id: string, permits: Map<string, Promise<ExecutionPermit | undefined>>): Promise<boolean> {
    let run: InstanceRun;
    try {
      run = this.#instances.reopen(execution_id);
    } catch (error) {
      if (error instanceof ArsError && error.code !== 'storage_failed') return false;
      throw error;
    }
    if (run.instance.doubts.size > 0) return true;
    const permit = await this.#ask(permits, execution_id);
    if (permit === undefined) await run.denyContinuation();
    else run.continue(permit);
    return true;
  }

  #ask(
    permits: Map<string, Promise<ExecutionPermit | undefined>>,
    execution_id: string,
  ): Promise<ExecutionPermit | undefined> {
    let permit = permits.get(execution_id);
    if (permit === undefined) {
      const { agent_id, resolved_digest = '' } = this.#instances.startOf(execution_id);
      const plan = this.#instances.planOf(resolved_digest);
      permit = passContinuation(this.#journal, { execution_id, agent_id, plan }, this.#now());
      permits.set(execution_id, permit);
    }
    return permit;
  }

  #wouldAllow(x: Execution): boolean {
    const { agent_id, resolved_digest = '' } = this.#instances.startOf(x.owner.execution_id);
    const decision = askGovernance(this.#journal, agent_id, this.#instances.planOf(resolved_digest), this.#now());
    return decision.decision === 'allowed';
  }

  /** What a node needs of its ancestors was committed before it began, so one replay serves all executions of an instance. */
  #executionOf(pending: AuditRecord, replays: Map<string, Replayed>): Execution | undefined {
    const instance_id = pending.parent_execution_id ?? '';
    try {
      const replayed = replays.get(instance_id) ?? this.#instances.replayed(instance_id);
      replays.set(instance_id, replayed);
      return recordedExecution(replayed.instance, pending);
    } catch (error) {
      if (error instanceof ArsError && error.code !== 'storage_failed') return undefined;
      throw error;
    }
  }

  async #goOn(run: InstanceRun): Promise<void> {
    const { head, plan } = run.instance;
    const { execution_id, agent_id } = head;
    const permit = await passContinuation(this.#journal, { execution_id, agent_id, plan }, this.#now());
    if (permit === undefined) await run.denyContinuation();
    else if (run.held) run.continue(permit);
  }

  #workflowOf({ workflow, workflow_id }: WorkflowStartParams): Workflow {
    if (workflow !== undefined) return workflow;
    if (workflow_id !== undefined) return this.#definitions.workflow(workflow_id);
    throw new ArsError('invalid_document', 'A start needs a workflow or a workflow_id.');
  }

  /** @requirement CA1 */
  #demandOwn(owner: string, agent_id: string, action: 'execute' | 'cancel', name: string): void {
    if (owner !== agent_id) demand(this.#journal.log, agent_id, { domain: 'execution', action, name }, this.#now());
  }

  #admit(): void {
    if (this.#journal.failure !== undefined) throw this.#journal.failure;
    if (this.#closed !== undefined) throw new ArsError('illegal_state', 'The workspace is closed.');
  }

  #now(): string {
    return new Date(this.#clock()).toISOString();
  }
}

function openLog(options: RuntimeOptions): Log {
  const { workspace, incarnation, clock = Date.now, fault } = options;
  ensureManifest(workspace, { workspace_id: uuidv7(), created_at: new Date(clock()).toISOString() });
  return openStore({
    workspace_dir: workspace,
    clock,
    ...(incarnation === undefined ? {} : { incarnation }),
    ...(fault === undefined ? {} : { fault }),
  });
}

/** The report where an instance cannot go on because its documents cannot be loaded. */
function degraded(report: RecoveryReport | null, incarnation: number): RecoveryReport {
  if (report?.level === 'FAILED') return report;
  return { schema_version: '1.0', incarnation, decisions: [], in_doubt: [], ...report, level: 'DEGRADED' };
}

/** The value as its canonical form says it, so that nothing its owner changes later reaches an instance. */
function copy<T>(value: T): T {
  return JSON.parse(canonicalize(value)) as T;
}
