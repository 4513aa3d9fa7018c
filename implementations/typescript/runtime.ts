import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Agent,
  ApproveParams,
  AuditRecord,
  CheckParams,
  DryRun,
  ExecutionRollbackParams,
  GateResult,
  IndexEntry,
  Permission,
  Policy,
  RecoveryReport,
  RecoveryResolveParams,
  Registry,
  RegistryPutParams,
  RegistryRemoveParams,
  SchedulerJob,
  Snapshot,
  Workflow,
  WorkflowStartParams,
  WorkflowWaitResult,
} from '../../schemas/types.js';
import { AgentView, evidenceOf } from './agent-view.js';
import { CommitProtocol } from './audit/commit-protocol.js';
import { Journal, type RecordListener } from './audit/journal.js';
import type { Log, RecordQuery } from './audit/log.js';
import { type Reconstruction, type ReconstructionOptions, reconstructState } from './audit/reconstruction.js';
import { checkOptions } from './builtin/builtin.js';
import { Definitions, readDefinitions, readNames } from './definitions.js';
import { resolveDoubt } from './doubt.js';
import { ArsError } from './error.js';
import { type EventQuery, eventsOf } from './events.js';
import { type ActionFunctions, hostFunctions, isCode } from './execution/functions.js';
import type { ActionHost, Clock, FaultHook } from './execution/host.js';
import { demand, demandKnown, findAgent, grant, OWNER, registerAgent, revoke } from './governance/agents.js';
import { Approvals } from './governance/approvals.js';
import { EvidencePartitions } from './governance/partition.js';
import { putPolicy } from './governance/policies.js';
import { refusal } from './governance/reasons.js';
import { causesOf, type RiskCause, riskOf } from './governance/safety.js';
import { IndexEntries } from './index-entries.js';
import { Instances } from './instances.js';
import { Jobs } from './jobs.js';
import { newId } from './new-id.js';
import { instantOf, openLog } from './opening.js';
import { checked, checkedWorkflow, checkKeys, checkMembers, checkNames } from './parameters.js';
import { continueRun, recoverWorkspace } from './recovery.js';
import { type JobStart, Schedule } from './schedule.js';
import {
  computeCheck,
  readStart,
  resumeEnded,
  type Simulation,
  type StartParts,
  simulate,
  startInstance,
} from './starts.js';
import { undoInstance } from './undo-instance.js';
import { UndoRequests } from './undo-request.js';
import { Verdicts } from './verdicts.js';
import { type ReplayReport, replayInstance } from './verification/replay/index.js';
import { sourceOfLog } from './verification/replay/source.js';
import { planWorkflow } from './workflow/plan.js';

export { OWNER };

/** How to open a workspace. */
export interface RuntimeOptions {
  /** The folder; it is made where there is none. */
  readonly workspace: string;
  /** Where the code of actions lives. Absent: `actions`. */
  readonly host?: ActionHost;
  /** The code of actions as functions, by action_id@version or action_id. */
  readonly actions?: ActionFunctions;
  /** Where the time of records and limits comes from. Absent: the clock of the machine. */
  readonly clock?: Clock;
  /** Called at each named point of the commit protocol, for tests of crashes. Absent: nothing is. */
  readonly fault?: FaultHook;
  /** The number of this opening. Absent: the next one. */
  readonly incarnation?: number;
  /** Another log than the embedded store; it replaces `workspace`. */
  readonly log?: Log;
  /** Whether the due times of scheduled jobs start anything in this opening. Absent: true. */
  readonly schedule?: boolean;
  /** Told of what became of each due time of a scheduled job. */
  readonly jobStarted?: (start: JobStart) => void;
  /** Told of an answer that came after its limit of time. */
  readonly late?: (execution_id: string) => void;
}

type Fits = (value: unknown) => boolean;
const isFunction: Fits = value => typeof value === 'function';
const isObject: Fits = value => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What an option has to be, in words, and whether a value is that. */
const OPTIONS: Readonly<Record<keyof RuntimeOptions, readonly [words: string, fits: Fits]>> = {
  workspace: ['the path of a folder, a string', value => typeof value === 'string'],
  host: ['an object with invoke and probe', value => isObject(value) && isHost(value)],
  actions: ['an object with functions by action_id', isObject],
  clock: ['a function', isFunction],
  fault: ['a function', isFunction],
  incarnation: ['a number', value => typeof value === 'number'],
  log: ['a log', isObject],
  schedule: ['true or false', value => typeof value === 'boolean'],
  jobStarted: ['a function', isFunction],
  late: ['a function', isFunction],
};

function isHost(value: unknown): boolean {
  const { invoke, probe } = value as Partial<ActionHost>;
  return isFunction(invoke) && isFunction(probe);
}

function checkRuntimeOptions(method: string, options: RuntimeOptions): void {
  checkOptions(method, options, Object.keys(OPTIONS));
  if (options.log === undefined && options.workspace === undefined)
    throw new ArsError('usage', `${method} needs "workspace", the path of a folder.`);
  for (const [name, [words, fits]] of Object.entries(OPTIONS)) {
    const value = options[name as keyof RuntimeOptions];
    if (value !== undefined && !fits(value)) throw new ArsError('usage', `"${name}" of ${method} must be ${words}.`);
  }
  for (const [name, code] of Object.entries(options.actions ?? {}))
    if (!isCode(code))
      throw new ArsError(
        'usage',
        `"${name}" of the actions of ${method} is neither a function nor an object with invoke and probe.`,
      );
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
 * const runtime = await Runtime.open({
 *   workspace: 'demo',
 *   actions: { greet: ({ inputs }) => ({ outputs: { text: `Hello ${inputs.name}` } }) },
 * });
 * const execution_id = await runtime.start({ workflow, inputs: { name: 'Ada' }, agent_id: OWNER });
 * const { status, outputs } = await runtime.wait(execution_id, 10_000);
 * await runtime.close();
 * ```
 */
export class Runtime {
  /** What recovery did at the opening; null where there was nothing to recover. */
  recovery: RecoveryReport | null = null;
  readonly #parts: StartParts;
  readonly #undos: UndoRequests;
  readonly #evidencePartitions: EvidencePartitions;
  readonly #index: IndexEntries;
  readonly #jobs: Jobs;
  readonly #schedule: Schedule | undefined;
  readonly #abandon = new AbortController();
  #recovering: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  private constructor(log: Log, options: RuntimeOptions) {
    setMaxListeners(0, this.#abandon.signal);
    const { clock = Date.now, actions = {}, host = hostFunctions(actions), late = () => undefined } = options;
    const journal = new Journal(log, options.fault);
    const protocol = new CommitProtocol({ journal, host, newId, late, abandoned: this.#abandon.signal });
    const definitions = new Definitions(journal);
    this.#parts = {
      journal,
      host,
      protocol,
      instances: new Instances({
        journal,
        protocol,
        newId,
        undoInstance: (execution_id, mayGoOn) => undoInstance(this.#parts, execution_id, mayGoOn),
      }),
      definitions,
      verdicts: new Verdicts(definitions),
      approvals: new Approvals(journal),
      now: () => instantOf(clock),
    };
    this.#undos = new UndoRequests(this.#parts);
    this.#evidencePartitions = new EvidencePartitions(journal);
    const folder = options.log === undefined ? options.workspace : undefined;
    this.#index = new IndexEntries({ journal, evidencePartitions: this.#evidencePartitions, folder });
    this.#jobs = new Jobs(journal);
    if (options.schedule !== false) this.#schedule = this.#newSchedule(options.jobStarted ?? (() => undefined));
  }

  #newSchedule(told: (start: JobStart) => void): Schedule {
    const { instances, now } = this.#parts;
    return new Schedule({
      jobs: this.#jobs,
      now,
      isStarted: (agent_id, request_key) => instances.isRequested(agent_id, request_key),
      start: (params, denial) => {
        const wanted = readStart('adapter/workflow#start_params', params, this.#parts);
        const { agent_id, request_key } = wanted;
        return instances.once(agent_id, request_key, () =>
          startInstance(this.#parts, { ...wanted, with_denial: [denial] }),
        );
      },
      told,
    });
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
      const runtime = new Runtime(log, options);
      runtime.recovery = await runtime.recover();
      await runtime.#schedule?.begin();
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
      return await new Runtime(log, options).recover({ dry_run: true });
    } finally {
      await log.close();
    }
  }

  /** Why nothing is written any more; undefined while the log can be written. */
  get failure(): ArsError | undefined {
    return this.#parts.journal.failure;
  }

  /** The number of this opening, from 1. */
  get incarnation(): number {
    return this.#parts.journal.log.incarnation;
  }

  /**
   * The interrupted instances that are left as they are, each with the actions (action_id@version) that it needs and that
   * have no code here; they go on when the workspace is opened with it.
   */
  get withoutCode(): ReadonlyMap<string, readonly string[]> {
    return this.#parts.instances.aside();
  }

  /**
   * Adds definitions to the registry, all of them or none.
   *
   * Throws `conflict` for one that exists with other content, `invalid_document`, and `denied` unless `by` holds
   * registry:write for each.
   *
   * @example
   * ```ts
   * await runtime.putRegistry({ workflows: [workflow] });
   * const execution_id = await runtime.start({ workflow_id: 'hello@1.0.0', inputs: { name: 'Ada' }, agent_id: OWNER });
   * ```
   */
  async putRegistry(definitions: RegistryPutParams, by: string = OWNER): Promise<void> {
    this.#admit();
    const read = readDefinitions(definitions);
    if (by !== OWNER) this.#demandRegistry(by, namesOf(read));
    await this.#parts.definitions.put(read);
  }

  /**
   * Everything that is in the registry now.
   *
   * @example
   * ```ts
   * const { workflows = [] } = runtime.registry();
   * const names = workflows.map(({ workflow: { name, version } }) => `${name}@${version}`);
   * ```
   */
  registry(): Registry {
    this.#admit();
    return this.#parts.definitions.registry();
  }

  /**
   * Takes definitions out of the registry, by name@version, all of them or none. Instances that use them go on, and scheduled
   * jobs of such a workflow become inactive. Throws `not_found`, `invalid_document`, and `denied` unless `by` holds registry:write
   * for each.
   *
   * @requirement I6
   * @example
   * ```ts
   * await runtime.removeRegistry({ workflows: ['hello@1.0.0'] });
   * ```
   */
  async removeRegistry(definitions: RegistryRemoveParams, by: string = OWNER): Promise<void> {
    this.#admit();
    const wanted = readNames(definitions);
    const { actions = [], workflows = [] } = wanted;
    if (by !== OWNER) this.#demandRegistry(by, [...actions, ...workflows].map(nameOf));
    await this.#parts.definitions.remove(wanted, id => this.#jobs.withoutWorkflow(id));
  }

  /**
   * Keeps an entry of the index; one of the same name is replaced.
   *
   * Throws `not_found` for a target that is not there, unless the entry says that it is stale, `invalid_document`, and
   * `denied` unless `by` holds registry:write for the entry.
   *
   * @requirement I5
   * @example
   * ```ts
   * await runtime.putIndexEntry({ entry_id: 'greeting', kind: 'workflow', target: 'hello@1.0.0' }, OWNER);
   * ```
   */
  async putIndexEntry(entry: IndexEntry, by: string): Promise<void> {
    this.#admit();
    const params = checked('adapter/index#put_params', { entry, by });
    this.#demandRegistry(by, [params.entry.entry_id]);
    await this.#index.put(params.entry);
  }

  /**
   * The index entry of this name as it stands: stale where what it refers to is not there. Throws `not_found`.
   *
   * @example
   * ```ts
   * const { target, stale = false } = runtime.indexEntry('greeting');
   * ```
   */
  indexEntry(entry_id: string): IndexEntry {
    checkNames({ entry_id });
    return this.#index.get(entry_id);
  }

  /**
   * The index as it stands, by names.
   *
   * @example
   * ```ts
   * const stale_ones = [...runtime.indexEntries()].filter(entry => entry.stale);
   * ```
   */
  indexEntries(): IterableIterator<IndexEntry> {
    return this.#index.all();
  }

  /**
   * Keeps a scheduled job, which starts its workflow at its due times from now on, as long as the workspace is open; one of
   * the same name is replaced. Of due times that pass while it is closed, the next opening makes up for the latest.
   *
   * Throws `not_found` where the workflow is not in the registry, `invalid_document`, and `denied` unless `by` holds
   * registry:write for the job. What a due time gave is told to `jobStarted` of the {@link RuntimeOptions}.
   *
   * @requirement I7
   * @example
   * ```ts
   * await runtime.putJob(
   *   {
   *     job_id: 'every-morning',
   *     workflow_id: 'hello@1.0.0',
   *     agent_id: OWNER,
   *     from: '2099-01-01T06:00:00.000Z',
   *     every_ms: 24 * 60 * 60 * 1000,
   *   },
   *   OWNER,
   * );
   * ```
   */
  async putJob(job: SchedulerJob, by: string): Promise<void> {
    this.#admit();
    const params = checked('adapter/schedule#put_params', { job, by });
    this.#demandRegistry(by, [params.job.job_id]);
    const now = this.#parts.now();
    await this.#jobs.put(params.job, now);
    await this.#schedule?.follow(params.job, now);
  }

  /**
   * The scheduled job of this name as it stands. Throws `not_found`.
   *
   * @example
   * ```ts
   * const { active = true } = runtime.job('every-morning');
   * ```
   */
  job(job_id: string): SchedulerJob {
    checkNames({ job_id });
    return this.#jobs.get(job_id);
  }

  /**
   * The scheduled jobs, by names.
   *
   * @example
   * ```ts
   * const job_ids = [...runtime.jobs()].map(({ job_id }) => job_id);
   * ```
   */
  *jobs(): IterableIterator<SchedulerJob> {
    for (const { job } of this.#jobs.kept()) yield job;
  }

  /**
   * Starts what is due by the clock now, for a clock that was set; resolves when all starts are answered.
   *
   * @example
   * ```ts
   * await runtime.startDue();
   * ```
   */
  async startDue(): Promise<void> {
    this.#admit();
    await this.#schedule?.startDue();
  }

  /**
   * Starts a workflow and gives the execution_id of its instance. With `dry_run` nothing is invoked; what would have to be
   * confirmed is recorded and given instead, and no request_key is used up.
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
  async start(params: WorkflowStartParams): Promise<string | Simulation> {
    this.#admit();
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
    if (typeof budget_ms !== 'number' || Number.isNaN(budget_ms))
      throw new ArsError('invalid_document', `A wait takes a number of milliseconds, not ${String(budget_ms)}.`);
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
    this.#admit();
    checkNames({ execution_id, agent_id });
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
   * when this resolves. Throws `not_found`, and `denied` unless it is the agent's own or the agent holds execution:cancel for
   * its workflow.
   *
   * @requirement FB8
   * @requirement CA1
   * @example
   * ```ts
   * await runtime.cancel(execution_id, OWNER);
   * ```
   */
  async cancel(execution_id: string, agent_id: string): Promise<void> {
    this.#admit();
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
   * Records a confirmation, which one start can use up, and gives its confirmation_id.
   *
   * Throws `denied` unless the approver is registered, another agent than the one that may start, and holds
   * approval:grant; `conflict` where the name is taken.
   *
   * @requirement MS1
   * @example
   * ```ts
   * await runtime.start({ workflow: letter, inputs: {}, agent_id: OWNER, dry_run: true });
   * const confirmation_id = await runtime.approve({
   *   resolved_digest,
   *   inputs_digest,
   *   agent_id: OWNER,
   *   approver: 'eve',
   *   expires_at: '2099-01-01T00:00:00.000Z',
   * });
   * const sent = await runtime.start({ workflow: letter, inputs: {}, agent_id: OWNER, confirmation_id });
   * ```
   */
  async approve(params: ApproveParams): Promise<string> {
    this.#admit();
    const wanted = checked('adapter/governance#approve_params', params);
    return this.#parts.approvals.approve(wanted, { now: this.#parts.now(), newId });
  }

  /**
   * What a confirmation to resume an instance, or to start a workflow with these inputs, has to be for. Throws what resolving
   * it throws, and `not_found` for an execution_id that is no instance.
   *
   * @example
   * ```ts
   * const { safety_level, resolved_digest, inputs_digest } = runtime.risk({ workflow: letter, inputs: {} });
   * ```
   */
  risk(target: string | { readonly workflow: Workflow; readonly inputs: Readonly<Record<string, unknown>> }): DryRun {
    const { instances, definitions } = this.#parts;
    if (typeof target !== 'string') {
      const { workflow, inputs } = target ?? {};
      const plan = planWorkflow(checkedWorkflow(workflow), definitions.actionsOf, definitions.workflowsOf);
      if (typeof inputs === 'object' && inputs !== null) return riskOf(plan, inputs);
      throw new ArsError('invalid_document', 'The risk of a workflow needs its "inputs", as an object.');
    }
    const { resolved_digest = '', inputs = {} } = instances.startOf(target);
    return riskOf(instances.planOf(resolved_digest), inputs);
  }

  /**
   * The workflow that an instance runs, as it was when it started. Throws `not_found`.
   *
   * @example
   * ```ts
   * const { name, version } = runtime.workflowOf(execution_id).workflow;
   * ```
   */
  workflowOf(execution_id: string): Workflow {
    const { instances } = this.#parts;
    return instances.planOf(instances.startOf(execution_id).resolved_digest ?? '').workflow;
  }

  /**
   * The nodes that give a workflow, or the one of an instance, its safety level; none where it is SAFE. Throws what
   * resolving it throws, and `not_found` for an execution_id that is no instance.
   *
   * @example
   * ```ts
   * for (const { node_id, action_id, level } of runtime.causes(letter)) console.log(node_id, action_id, level);
   * ```
   */
  causes(target: Workflow | string): readonly RiskCause[] {
    const { instances, definitions } = this.#parts;
    if (typeof target !== 'string')
      return causesOf(planWorkflow(checkedWorkflow(target), definitions.actionsOf, definitions.workflowsOf));
    return causesOf(instances.planOf(instances.startOf(target).resolved_digest ?? ''));
  }

  /**
   * The agent as it is registered; undefined where it is not.
   *
   * @example
   * ```ts
   * const trust = runtime.agent('ada')?.trust ?? 'UNKNOWN';
   * ```
   */
  agent(agent_id: string): Agent | undefined {
    checkNames({ agent_id });
    return findAgent(this.#parts.journal.log, agent_id);
  }

  /**
   * Makes an agent known or replaces it. Throws `denied` unless `by` holds governance:grant, and `invalid_document`.
   *
   * @example
   * ```ts
   * await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
   * ```
   */
  async registerAgent(agent: Agent, by: string): Promise<void> {
    this.#admit();
    const params = checked('adapter/governance#register_agent_params', { agent, by });
    await registerAgent(this.#parts.journal, params, { now: this.#parts.now(), newId });
  }

  /**
   * Grants a permission and gives its permission_id. Throws `denied`, `conflict`, `invalid_document`.
   *
   * @example
   * ```ts
   * const permission_id = await runtime.grant({
   *   domain: 'execution',
   *   actions: ['execute'],
   *   granted_to: 'ada',
   *   granted_by: OWNER,
   * });
   * ```
   */
  async grant(permission: Permission): Promise<string> {
    this.#admit();
    return grant(this.#parts.journal, checked('permission', permission), { now: this.#parts.now(), newId });
  }

  /**
   * Takes a permission back. Throws `not_found`, `denied`.
   *
   * @example
   * ```ts
   * await runtime.revoke(permission_id, OWNER);
   * ```
   */
  async revoke(permission_id: string, by: string): Promise<void> {
    this.#admit();
    checkNames({ permission_id, by });
    await revoke(this.#parts.journal, permission_id, by, this.#parts.now());
  }

  /**
   * Keeps a version of a policy, for every decision from here on; of one that is there only `active` can change.
   *
   * Throws `denied` unless `by` holds governance:write, `invalid_document`, and `conflict` for a version that is there with
   * other content.
   *
   * @requirement I4
   * @example
   * ```ts
   * await runtime.putPolicy(
   *   {
   *     policy_id: 'no-strangers',
   *     version: '1.0.0',
   *     level: 1,
   *     effect: 'deny',
   *     scope: 'hello',
   *     condition: 'inputs.name == "Mallory"',
   *   },
   *   OWNER,
   * );
   * ```
   */
  async putPolicy(policy: Policy, by: string): Promise<void> {
    this.#admit();
    const params = checked('adapter/governance#put_policy_params', { policy, by });
    await putPolicy(this.#parts.journal, params, this.#parts.now());
  }

  /**
   * What governance would say of a start, or verification where that denies first. Nothing is recorded and no trust
   * changes. Throws `not_found` for an unknown workflow_id.
   *
   * @example
   * ```ts
   * const { decision, reasons } = runtime.check({ workflow, inputs: { name: 'Mallory' }, agent_id: 'ada' });
   * for (const { code, message } of reasons) console.log(code, message);
   * ```
   */
  check(params: CheckParams): GateResult {
    this.#admit();
    return computeCheck(this.#parts, readStart('adapter/governance#check_params', params, this.#parts));
  }

  /**
   * The workspace as this agent may read it, with stubs in place of what it may not see. The methods of the runtime
   * itself, such as {@link Runtime.records}, read as whoever opened the workspace, who sees everything.
   *
   * @example
   * ```ts
   * const view = runtime.readAs('ada');
   * const visible = [...view.records()].filter(record => !('redacted' in record));
   * ```
   */
  readAs(agent_id: string): AgentView {
    checkNames({ agent_id });
    const evidencePartitions = this.#evidencePartitions;
    const parts = { ...this.#parts, evidencePartitions, index: this.#index, jobs: this.#jobs };
    return new AgentView(parts, agent_id);
  }

  /**
   * Records of the log in sequence order, read lazily.
   *
   * @example
   * ```ts
   * for (const { node_id, status } of runtime.records({ context_id: execution_id, record_type: 'action' }))
   *   console.log(node_id, status);
   * ```
   */
  records(query?: RecordQuery): IterableIterator<AuditRecord> {
    checkMembers('query of records', query);
    return this.#parts.journal.log.records(query);
  }

  /**
   * Entries of State, deleted ones included, and the sequence that they are of.
   *
   * @example
   * ```ts
   * const { state, sequence } = runtime.state(['greeted/last']);
   * console.log(`as of ${sequence}: ${state['greeted/last']?.value}`);
   * ```
   */
  state(keys?: readonly string[]): Reconstruction {
    checkKeys(keys);
    return { state: this.#parts.journal.log.state(keys), sequence: this.#parts.journal.log.head().sequence };
  }

  /**
   * Keeps State as of the head as a snapshot, which never changes, and gives it.
   *
   * @example
   * ```ts
   * const snapshot = await runtime.takeSnapshot();
   * ```
   */
  async takeSnapshot(): Promise<Snapshot> {
    this.#admit();
    return this.#parts.journal.takeSnapshot();
  }

  /**
   * Entries of State as of a record, folded from a snapshot and the log after it; nothing is invoked and nothing written.
   *
   * Throws `not_found` for a sequence beyond the log, `invalid_document` for a given snapshot that does not verify or is
   * not one of this log up to there.
   *
   * @example
   * ```ts
   * const before = runtime.reconstruct({ sequence: snapshot.sequence - 1 });
   * ```
   */
  reconstruct(options?: ReconstructionOptions): Reconstruction {
    checkMembers('reconstruction', options);
    return reconstructState(this.#parts.journal.log, options);
  }

  /**
   * Runs an instance again, and all below it, with the recorded results in place of invocations, and says where the log
   * departs from that. Nothing is invoked and nothing written. Throws `not_found`.
   *
   * @example
   * ```ts
   * const { verdict, first_difference } = runtime.replay(execution_id);
   * if (first_difference !== undefined) console.log(`record ${first_difference.sequence} is not what was to follow`);
   * ```
   */
  replay(execution_id: string): ReplayReport {
    checkNames({ execution_id });
    return replayInstance(sourceOfLog(this.#parts.journal.log), execution_id);
  }

  /**
   * The evidence that a record names by its digest. Throws `not_found`.
   *
   * @example
   * ```ts
   * const content = runtime.evidence(reference);
   * ```
   */
  evidence(reference: string): unknown {
    checkNames({ reference });
    return evidenceOf(this.#parts.journal, reference);
  }

  /**
   * Records as they become durable, in sequence order, beginning after the sequence `after`; absent: after the head of the
   * log as it is now. Any number of readers follow at their own pace, and a slow one costs no memory.
   *
   * The iteration ends when the workspace is closed or `signal` fires; a reader that is behind then goes on from its last
   * sequence at the next opening. It throws `storage_failed` once a write has failed and all that is durable was given. Waiting for records does
   * not keep the process alive.
   *
   * @example
   * ```ts
   * for await (const { sequence, record_type, status } of runtime.events({ context_id: execution_id, after: 0 })) {
   *   console.log(sequence, record_type, status);
   *   if (status.startsWith('workflow_') && status !== 'workflow_started') break;
   * }
   * ```
   */
  events(query?: EventQuery): AsyncIterableIterator<AuditRecord> {
    checkMembers('query of events', query);
    return eventsOf(this.#parts.journal, query);
  }

  /**
   * Calls back for every record once it is durable; gives what ends that.
   *
   * @example
   * ```ts
   * const unsubscribe = runtime.subscribe(record => seen.push(record));
   * ```
   */
  subscribe(listener: RecordListener): () => void {
    return this.#parts.journal.subscribe(listener);
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
    this.#admit();
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
    this.#admit();
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
    this.#admit();
    return this.#undos.undo(checked('adapter/execution#rollback_params', params));
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
    await this.#schedule?.end();
    const grace = new AbortController();
    const halted = Promise.all([...this.#parts.instances.runs().map(run => run.halt()), this.#undos.settled()]);
    await Promise.race([halted, sleep(CLOSE_GRACE_MS, undefined, { signal: grace.signal }).catch(() => undefined)]);
    grace.abort();
    const closed = this.#parts.journal.end();
    for (const run of this.#parts.instances.runs()) run.fail(closed);
    this.#abandon.abort();
    await this.#parts.journal.log.close();
  }

  /** @requirement CA1 */
  #demandExecution(agent_id: string, action: 'execute' | 'cancel', name: string): void {
    const { journal, now } = this.#parts;
    demand(journal.log, agent_id, { domain: 'execution', action, name }, now());
  }

  /** @requirement DI1 */
  #demandRegistry(by: string, names: readonly string[]): void {
    const { journal, now } = this.#parts;
    for (const name of names) demand(journal.log, by, { domain: 'registry', action: 'write', name }, now());
  }

  #admit(): void {
    if (this.#parts.journal.failure !== undefined) throw this.#parts.journal.failure;
    if (this.#closed !== undefined) throw new ArsError('illegal_state', 'The workspace is closed.');
  }
}

function namesOf({ actions = [], workflows = [] }: RegistryPutParams): string[] {
  return [...actions.map(({ action_id }) => action_id), ...workflows.map(({ workflow }) => workflow.name)];
}

function nameOf(id: string): string {
  return id.slice(0, Math.max(id.lastIndexOf('@'), 0));
}

function otherAgent(execution_id: string, owner: string): ArsError {
  return refusal('OTHER_AGENT', `The instance '${execution_id}' is of '${owner}'; only that agent may resume it.`);
}
