import type { AuditRecord, WorkflowWaitResult } from '../../schemas/types.js';
import type { Journal } from './audit/journal.js';
import { ArsError } from './error.js';
import { noCode } from './execution/action-table.js';
import { digest } from './state/canonical.js';
import { type TakenOver, takenOverFrom } from './workflow/carried.js';
import { executorOf, type InstanceHead, newInstance, type Places, traceOf } from './workflow/instance.js';
import { type Plan, planResolved } from './workflow/plan.js';
import { headOfStart, type Replayed, replay, resumedBy } from './workflow/replay.js';
import type { ResolvedDocuments } from './workflow/resolve.js';
import { InstanceRun, type RunParts } from './workflow/run.js';
import { DEFAULT_MAX_PARALLEL, limitIn, RunTree } from './workflow/run-tree.js';

const FAMILIES_KEPT = 64;
const ENDED_KEPT = 256;

/** All instances of a workspace: those that run, as runs, and the others as the log tells of them. */
export class Instances {
  readonly #parts: RunParts;
  readonly #journal: Journal;
  readonly #runs = new Map<string, InstanceRun>();
  readonly #ended = new Map<string, WorkflowWaitResult>();
  /** Plans, each with those of its skills, by the digest of the whole, and all of them by their own. */
  readonly #families = new Map<string, readonly Plan[]>();
  readonly #plans = new Map<string, Plan>();
  /** The starts under a request_key that are not answered yet. */
  readonly #starting = new Map<string, Promise<string>>();
  /** Started and not ended, by the log as it was at the opening. */
  readonly #open = new Map<string, AuditRecord>();

  /** How many executions of an instance are being undone. */
  readonly #undoing = new Map<string, number>();

  /** Left as they are, with the actions that they need and that have no code here. */
  readonly #aside = new Map<string, readonly string[]>();

  constructor(parts: Omit<RunParts, 'childRun' | 'durable'>) {
    this.#parts = {
      ...parts,
      durable: new WeakSet(),
      childRun: (plan, head, tree, hasTo) => this.#childRun(plan, head, tree, hasTo),
    };
    this.#journal = parts.journal;
    for (const record of parts.journal.log.records({ record_type: 'workflow' })) {
      if (record.status !== 'workflow_started') this.#open.delete(record.execution_id);
      else this.#open.set(record.execution_id, record);
    }
    parts.journal.onFailure(failure => {
      for (const run of this.#runs.values()) run.fail(failure);
    });
  }

  /** The root instances that the log leaves open and that have no run yet, by execution_id. */
  opened(): string[] {
    const roots = [...this.#open.values()].filter(({ parent_execution_id }) => parent_execution_id === undefined);
    return roots.map(({ execution_id }) => execution_id).filter(id => !this.#runs.has(id) && !this.#aside.has(id));
  }

  /** Leaves an open instance as it is, because there is no code for these actions. */
  setAside(execution_id: string, actions: readonly string[]): void {
    this.#aside.set(execution_id, actions);
  }

  /** The open instances that are left as they are, with the actions that have no code. */
  aside(): ReadonlyMap<string, readonly string[]> {
    return this.#aside;
  }

  /** The runs that have not ended. */
  runs(): InstanceRun[] {
    return [...this.#runs.values()];
  }

  /** The run of an instance that has not ended. */
  run(execution_id: string): InstanceRun | undefined {
    return this.#runs.get(execution_id);
  }

  /**
   * Gives the instance that an agent started under a key, or the one that `start` starts; a start that fails does not use the key up.
   *
   * @requirement IR4
   * @requirement NS5
   */
  async once(agent_id: string, request_key: string | undefined, start: () => Promise<string>): Promise<string> {
    if (request_key === undefined) return start();
    const name = requestName(agent_id, request_key);
    const known = this.#starting.get(name) ?? this.#journal.log.requested(agent_id, request_key);
    if (known !== undefined) return known;
    const starting = start();
    this.#starting.set(name, starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(name);
    }
  }

  /** Whether an agent has an instance under a key, or is starting one. */
  isRequested(agent_id: string, request_key: string): boolean {
    const { log } = this.#journal;
    return this.#starting.has(requestName(agent_id, request_key)) || log.requested(agent_id, request_key) !== undefined;
  }

  /** Notes that something in an instance is being undone, and gives what ends that. */
  beginUndo(instance_id: string): () => void {
    this.#undoing.set(instance_id, (this.#undoing.get(instance_id) ?? 0) + 1);
    return () => {
      const left = (this.#undoing.get(instance_id) ?? 1) - 1;
      if (left > 0) this.#undoing.set(instance_id, left);
      else this.#undoing.delete(instance_id);
    };
  }

  /** Whether a root instance that has not ended has the results of this one: itself, or one that resumes it. */
  isInUse(instance_id: string): boolean {
    for (const [id, { parent_execution_id }] of this.#open)
      if (parent_execution_id === undefined && this.lineage(id).includes(instance_id)) return true;
    for (const [id, { instance }] of this.#runs)
      if (instance.head.parent === undefined && this.lineage(id).includes(instance_id)) return true;
    return false;
  }

  /** Whether something in an instance or below it, or in one whose results it has, was undone or is being undone. */
  hasUndone(execution_id: string): boolean {
    return this.lineage(execution_id).some(
      id =>
        this.#undoing.has(this.startOf(id).context_id) ||
        this.withDescendants(id).some(parent_execution_id => {
          const committed = { parent_execution_id, record_type: 'action', status: 'committed' } as const;
          for (const { purpose } of this.#journal.log.records(committed)) if (purpose !== undefined) return true;
          return false;
        }),
    );
  }

  /** The instance and its descendants, ancestors first. */
  withDescendants(execution_id: string): readonly string[] {
    const found = [execution_id];
    for (let at = 0; at < found.length; at++) {
      const started = { record_type: 'workflow', status: 'workflow_started' } as const;
      for (const record of this.#journal.log.records({ parent_execution_id: found[at] as string, ...started }))
        found.push(record.execution_id);
    }
    return found;
  }

  /** The instance, the one that it resumes, the one that that resumes, and so on. Throws `not_found`. */
  lineage(execution_id: string): readonly string[] {
    const found = [execution_id];
    const head = this.#runs.get(execution_id)?.instance.head;
    const resumes = (id: string) => (id === head?.execution_id ? head.resumes : resumedBy(this.startOf(id)));
    for (let id = resumes(execution_id); id !== undefined; id = resumes(id)) found.push(id);
    return found;
  }

  /** How many invocations a root instance has at one time, with its descendants. */
  limitOf(execution_id: string): number {
    return limitIn(this.#journal.log.document('limit', execution_id));
  }

  /** A run of a new root instance, to be started. */
  create(plan: Plan, head: InstanceHead, max_parallel = DEFAULT_MAX_PARALLEL): InstanceRun {
    return this.#newRun(plan, head, new RunTree(max_parallel));
  }

  #newRun(plan: Plan, head: InstanceHead, tree: RunTree): InstanceRun {
    const whole = head.resumes === undefined ? head : { ...head, ...this.#takenOver(head.resumes) };
    return this.#adopt(new InstanceRun(this.#parts, newInstance(plan, whole, tree.places), tree));
  }

  #childRun(plan: Plan, head: InstanceHead, tree: RunTree, hasTo: boolean): InstanceRun | undefined {
    const { resumes, ...fresh } = head;
    if (resumes === undefined) return this.#newRun(plan, head, tree);
    const same = this.startOf(resumes).inputs_digest === digest(head.inputs);
    if (same && !this.#hasCompleted(resumes) && !this.hasUndone(resumes)) return this.#newRun(plan, head, tree);
    return hasTo ? undefined : this.#newRun(plan, fresh, tree);
  }

  #hasCompleted(execution_id: string): boolean {
    return this.#journal.log.latest(execution_id)?.status === 'workflow_completed';
  }

  /** A run of a root instance that an earlier incarnation left, with those of its descendants, to be continued. */
  reopen(execution_id: string): InstanceRun {
    const children = this.#openChildren();
    const tree = new RunTree(this.limitOf(execution_id));
    const root = this.#replayedRun(execution_id, tree);
    const runs = [root];
    for (let at = 0; at < runs.length; at++) {
      const run = runs[at] as InstanceRun;
      for (const start of children.get(run.execution_id) ?? []) {
        const child = this.#replayedRun(start.execution_id, tree);
        run.adopt(executorOf(run.instance, run.instance.plan.graph.indexOf(start.node_id ?? '')), child);
        runs.push(child);
      }
    }
    for (const run of runs) this.#adopt(run);
    return root;
  }

  #replayedRun(execution_id: string, tree: RunTree): InstanceRun {
    const { instance, pending } = this.replayed(execution_id, tree.places);
    return new InstanceRun(this.#parts, instance, tree, pending);
  }

  /** The starts of open child instances by their parents. */
  #openChildren(): ReadonlyMap<string, readonly AuditRecord[]> {
    const children = new Map<string, AuditRecord[]>();
    for (const record of this.#open.values()) {
      const { parent_execution_id } = record;
      if (parent_execution_id === undefined) continue;
      const siblings = children.get(parent_execution_id);
      if (siblings === undefined) children.set(parent_execution_id, [record]);
      else siblings.push(record);
    }
    return children;
  }

  /** Drops a run that never started. */
  drop(run: InstanceRun): void {
    this.#runs.delete(run.execution_id);
  }

  /** Waits for an instance, or tells how it ended. Throws `not_found` where there is none. */
  async wait(execution_id: string, budget_ms: number): Promise<WorkflowWaitResult> {
    const run = this.#runs.get(execution_id);
    if (run === undefined) return this.#endedResult(execution_id);
    return run.wait(budget_ms);
  }

  /** The record of an instance's start. Throws `not_found`. */
  startOf(execution_id: string): AuditRecord {
    const unknown = new ArsError('not_found', `There is no instance '${execution_id}'.`, { details: { execution_id } });
    if (typeof execution_id !== 'string') throw unknown;
    const query = { execution_id, record_type: 'workflow', status: 'workflow_started' } as const;
    for (const record of this.#journal.log.records(query)) return record;
    throw unknown;
  }

  /** The name of the workflow of an instance, also of one that is only starting. Throws `not_found`. */
  workflowOf(execution_id: string): string {
    const run = this.#runs.get(execution_id);
    if (run !== undefined) return run.instance.plan.workflow.workflow.name;
    const { workflow_id = '' } = this.startOf(execution_id);
    return workflow_id.slice(0, workflow_id.lastIndexOf('@'));
  }

  /** The instance as the log tells of it. Throws `log_corrupt` where its resolved documents cannot be loaded exactly. */
  replayed(execution_id: string, places: Places | number = DEFAULT_MAX_PARALLEL): Replayed {
    const start = this.startOf(execution_id);
    const resumes = resumedBy(start);
    return this.#replay(start, resumes === undefined ? {} : this.#takenOver(resumes), places);
  }

  /** The plan of resolved documents. Throws `log_corrupt`. */
  planOf(resolved_digest: string): Plan {
    const known = this.#plans.get(resolved_digest);
    if (known !== undefined) return known;
    const stored = this.#journal.log.document('resolved', resolved_digest);
    if (stored === undefined)
      throw new ArsError('log_corrupt', `The resolved documents ${resolved_digest} are missing.`, {
        details: { resolved_digest },
      });
    const plan = planResolved(stored as ResolvedDocuments, resolved_digest);
    this.keep(plan);
    return plan;
  }

  /** Remembers a plan for instances to come. */
  keep(plan: Plan): void {
    if (this.#plans.has(plan.resolved_digest)) return;
    if (this.#families.size >= FAMILIES_KEPT) this.#forgetOldest();
    const family = [plan, ...plan.skills];
    this.#families.set(plan.resolved_digest, family);
    for (const member of family) this.#plans.set(member.resolved_digest, member);
  }

  #forgetOldest(): void {
    const [oldest] = this.#families;
    if (oldest === undefined) return;
    const [name, family] = oldest;
    this.#families.delete(name);
    for (const member of family)
      if (this.#plans.get(member.resolved_digest) === member) this.#plans.delete(member.resolved_digest);
  }

  /** What an instance takes over from this ended one, that it resumes. */
  #takenOver(execution_id: string): Partial<TakenOver> {
    let taken: Partial<TakenOver> = {};
    for (const id of [...this.lineage(execution_id)].reverse())
      taken = takenOverFrom(this.#replay(this.startOf(id), taken, DEFAULT_MAX_PARALLEL).instance, child =>
        this.#hasCompleted(child),
      );
    return taken;
  }

  #replay(start: AuditRecord, taken: Partial<TakenOver>, places: Places | number): Replayed {
    const plan = this.planOf(start.resolved_digest ?? '');
    return replay(plan, { ...headOfStart(start), ...taken }, this.#recordsOf(start.execution_id), places);
  }

  /** The records of an instance: its start, what happened in it, the ends of its children, and its own end. */
  *#recordsOf(execution_id: string): Generator<AuditRecord> {
    const { log } = this.#journal;
    const own = [...log.records({ execution_id, record_type: 'workflow' })];
    yield* own.slice(0, 1);
    yield* log.records({ parent_execution_id: execution_id });
    yield* own.slice(1);
  }

  #adopt(run: InstanceRun): InstanceRun {
    this.#runs.set(run.execution_id, run);
    run.onEnd(() => this.#retire(run, run.result()));
    return run;
  }

  /** Keeps the result of an ended instance and lets go of the rest. */
  #retire(run: InstanceRun, result: WorkflowWaitResult): void {
    if (!this.#runs.delete(run.execution_id)) return;
    this.#open.delete(run.execution_id);
    if (this.#ended.size >= ENDED_KEPT) this.#ended.delete(this.#ended.keys().next().value as string);
    this.#ended.set(run.execution_id, result);
  }

  #endedResult(execution_id: string): WorkflowWaitResult {
    const known = this.#ended.get(execution_id);
    if (known !== undefined) return known;
    const missing = this.#aside.get(execution_id);
    if (missing !== undefined) throw noCode(`The interrupted instance '${execution_id}'`, missing);
    const { instance } = this.replayed(execution_id);
    const { end } = instance;
    if (end === undefined)
      throw new ArsError('illegal_state', `The instance '${execution_id}' does not run in this incarnation.`, {
        details: { execution_id },
      });
    return {
      status: end.status,
      ...(end.outputs === undefined ? {} : { outputs: { ...end.outputs } }),
      ...(end.error === undefined ? {} : { error: end.error }),
      trace: traceOf(instance),
    };
  }
}

function requestName(agent_id: string, request_key: string): string {
  return JSON.stringify([agent_id, request_key]);
}
