import type { AuditRecord, WorkflowWaitResult } from '../../../schemas/types.js';
import type { CommitProtocol, PreparedExecution } from '../audit/commit-protocol.js';
import { detailOf, type Execution } from '../audit/execution-record.js';
import type { Ending, ExecutionWatch } from '../audit/execution-steps.js';
import type { Journal } from '../audit/journal.js';
import type { RecordDraft, Step } from '../audit/log.js';
import { ArsError } from '../error.js';
import { type ExecutionPermit, startPermit } from '../execution/permit.js';
import { digest } from '../state/canonical.js';
import { childHead, endedChild } from './child.js';
import { inputsOf } from './evaluate.js';
import {
  executedAction,
  executedSkill,
  type Failure,
  failureAt,
  hasBegun,
  type Instance,
  type InstanceEnd,
  type InstanceHead,
  isStopped,
  type StopReason,
  targetOf,
  traceOf,
} from './instance.js';
import type { InstanceEffect, InstanceEvent } from './instance-event.js';
import { nodeExecution, recordedExecution } from './node-execution.js';
import type { Plan } from './plan.js';
import type { PlaceTaker, RunTree } from './run-tree.js';
import { transition, wantsPlace } from './transition.js';
import { Waiters } from './waiters.js';
import { recordsOf, startedDraft } from './workflow-record.js';

/** What a run stands on. */
export interface RunParts {
  readonly journal: Journal;
  readonly protocol: CommitProtocol;
  /** A new execution_id each time. */
  readonly newId: () => string;
  /** The plans whose resolved documents are durable. */
  readonly durable: WeakSet<Plan>;
  /**
   * Undoes what an instance has committed, and gives the failure where not all of it could be undone; between undos it
   * asks whether it may go on.
   */
  readonly undoInstance: (execution_id: string, mayGoOn: () => boolean) => Promise<Failure | undefined>;
  /**
   * A run of a new child instance, to be started; it resumes the one that its head names where that can be. Undefined
   * where it cannot, but has to.
   */
  readonly childRun: (plan: Plan, head: InstanceHead, tree: RunTree, hasTo: boolean) => InstanceRun | undefined;
}

/** The effects that start something. */
const STARTS: ReadonlySet<InstanceEffect['type']> = new Set(['execute', 'start_child', 'undo_instance']);

/** Effects with the records that they consist of. */
interface Upcoming {
  readonly effects: readonly InstanceEffect[];
  /** How many nodes are resolved once the records are durable. */
  readonly count: number;
  readonly records: readonly RecordDraft[];
  /** Executions whose `pending` is among the records, by node. */
  readonly prepared: ReadonlyMap<number, PreparedExecution>;
}

const NOTHING_PREPARED: ReadonlyMap<number, PreparedExecution> = new Map();

/**
 * An instance while it runs: carries out what transitions ask for, and tells who waits.
 *
 * What others can see of it is durable. Nothing rejects unheard: a failure ends the run and is told to whoever waits.
 */
export class InstanceRun implements PlaceTaker {
  readonly instance: Instance;
  readonly #parts: RunParts;
  readonly #pending: Map<number, AuditRecord>;
  /** Nodes of whose action an earlier attempt may have had its effect. */
  readonly #effects = new Set<number>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #waiters = new Waiters();
  readonly #delays = new Waiters();
  readonly #tree: RunTree;
  readonly #children = new Map<number, InstanceRun>();
  #parent: { readonly run: InstanceRun; readonly node: number } | undefined;
  #visible: number;
  #end: InstanceEnd | undefined;
  #failure: ArsError | undefined;
  /** Whether this incarnation starts nothing more, whatever is allowed. */
  #halted = false;
  /** Whether nothing is waited for any more before a retry. */
  #stopped = false;
  #goingOn: Promise<boolean> | undefined;
  #onEnd: () => void = () => undefined;

  /** `pending`: executions that are pending in the log and not yet invoked, by node. */
  constructor(
    parts: RunParts,
    instance: Instance,
    tree: RunTree,
    pending: ReadonlyMap<number, AuditRecord> = new Map(),
  ) {
    this.#parts = parts;
    this.instance = instance;
    this.#tree = tree;
    this.#pending = new Map(pending);
    this.#visible = instance.resolved.length;
    this.#end = instance.end;
    for (let node = 0; node < instance.invocations.length; node++)
      if ((instance.invocations[node] as number) > 0) this.#effects.add(node);
  }

  /** The run of the root instance. */
  get root(): InstanceRun {
    let root: InstanceRun = this;
    for (let above = root.#above; above !== undefined; above = root.#above) root = above;
    return root;
  }

  get execution_id(): string {
    return this.instance.head.execution_id;
  }

  /** The end, once its record is durable. */
  get end(): InstanceEnd | undefined {
    return this.#end;
  }

  /** Whether it stands still because of executions in doubt, or did until it is continued. */
  get held(): boolean {
    return this.instance.held && this.#end === undefined;
  }

  /** Calls back once the end is durable. */
  onEnd(callback: () => void): void {
    this.#onEnd = callback;
  }

  /**
   * Starts a new instance that the gates have allowed; resolves when what they said and `workflow_started` are durable, in
   * one step. What is durable gives the permit to do anything.
   *
   * @requirement GF4
   */
  async start(gates: readonly RecordDraft[], request_key: string | undefined): Promise<void> {
    const { records, documents } = this.#startStep(request_key);
    transition(this.instance, { type: 'started' });
    const upcoming = this.#foresee(this.#halted ? [] : transition(this.instance, { type: 'continued' }).effects);
    const step = { records: [...gates, ...records, ...upcoming.records], documents };
    const written = await this.#parts.journal.append(step);
    this.#parts.durable.add(this.instance.plan);
    this.#check(
      startPermit(
        this.execution_id,
        written.map(({ facts }) => facts),
      ),
    );
    this.#enact(upcoming);
    this.#tree.offer(this);
  }

  /**
   * Goes on, with all descendants, from where the log or a doubt left them, or ends where governance, which is asked first,
   * gives no permit; gives whether it does. Who asks meanwhile gets the same answer.
   */
  goOn(ask: () => Promise<ExecutionPermit | undefined>): Promise<boolean> {
    this.#goingOn ??= this.#goOn(ask).finally(() => {
      this.#goingOn = undefined;
    });
    return this.#goingOn;
  }

  async #goOn(ask: () => Promise<ExecutionPermit | undefined>): Promise<boolean> {
    const permit = await ask();
    if (permit === undefined) {
      this.#stopAll('denied');
      return false;
    }
    this.#check(permit);
    for (const run of this.#descent().reverse()) run.#continue();
    return true;
  }

  /** Invokes what recovery decided to redo, here and in descendants, although a doubt keeps the instance from going on. */
  redo(permit: ExecutionPermit): void {
    this.#check(permit);
    for (const run of this.#descent()) run.#invokeAllPending();
  }

  /** Starts nothing further here and in descendants, and ends the instance once nothing is in flight or in doubt. */
  cancel(): void {
    this.#stopAll('cancelled');
  }

  #stopAll(reason: StopReason): void {
    const runs = this.#descent();
    for (const run of runs) {
      if (run.instance.end !== undefined || run.instance.stopped !== undefined) continue;
      run.#endDelays();
      run.#proceed({ type: 'stopped', reason });
    }
    for (const run of runs.reverse()) run.#endStopped();
  }

  /** Lets a stopped instance end that only a doubt or a missing permit has held. */
  #endStopped(): void {
    const { instance } = this;
    if (instance.stopped === undefined || !instance.held || this.#halted || !hasBegun(instance)) return;
    if (instance.doubts.size === 0 && instance.end === undefined) this.#proceed({ type: 'continued' });
  }

  /** Takes a child instance that an earlier incarnation left, for a node that waits for it. */
  adopt(node: number, child: InstanceRun): void {
    this.#children.set(node, child);
    child.#parent = { run: this, node };
    if (child.instance.doubts.size > 0) child.#tellDoubt();
  }

  /**
   * Takes over what an operator found out about the execution of a node in doubt; nothing starts before the instance goes
   * on. One that was stopped meanwhile ends.
   */
  settle(node: number, event: InstanceEvent): void {
    if (!this.instance.doubts.has(node)) return;
    transition(this.instance, event);
    this.#publish(this.instance.resolved.length);
    const settled: InstanceRun[] = [this];
    for (
      let run: InstanceRun = this;
      run.instance.doubts.size === 0 && run.#parent !== undefined;
      run = run.#parent.run
    ) {
      transition(run.#parent.run.instance, { type: 'doubt_lifted', node: run.#parent.node });
      settled.push(run.#parent.run);
    }
    for (const run of settled) run.#endStopped();
  }

  /** Starts nothing further in this incarnation; resolves when nothing is in flight. */
  async halt(): Promise<void> {
    this.#halt();
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** Ends the run without ending the instance: nothing can be recorded any more. */
  fail(error: ArsError): void {
    this.#failure ??= error;
    this.#halt();
    this.#notify();
  }

  #halt(): void {
    this.#halted = true;
    this.instance.held = true;
    this.#endDelays();
  }

  wantsPlace(): boolean {
    return wantsPlace(this.instance);
  }

  takePlace(): void {
    this.#apply({ type: 'place_freed' });
  }

  /**
   * Gives where the instance stands when it has ended or stands still in doubt, at the latest after so many milliseconds.
   *
   * Rejects with `storage_failed` (details error_class E2) where the log cannot be written.
   */
  async wait(budget_ms: number): Promise<WorkflowWaitResult> {
    await this.#waiters.wait(() => this.#settled(), budget_ms);
    if (this.#failure !== undefined && this.#end === undefined) throw this.#failure;
    return this.result();
  }

  /** Where the instance stands, as far as it is durable. */
  result(): WorkflowWaitResult {
    const end = this.#end;
    const trace = traceOf(this.instance, this.#visible);
    if (end === undefined) return { status: this.instance.doubts.size > 0 ? 'in_doubt' : 'running', trace };
    const outputs = end.outputs === undefined ? {} : { outputs: { ...end.outputs } };
    return { status: end.status, ...outputs, ...(end.error === undefined ? {} : { error: end.error }), trace };
  }

  #settled(): boolean {
    if (this.#end !== undefined || this.#failure !== undefined) return true;
    return this.instance.doubts.size > 0 && this.#descent().every(run => run.#inFlight.size === 0);
  }

  get #above(): InstanceRun | undefined {
    return this.#parent === undefined ? undefined : this.#parent.run;
  }

  /** This run and those of all descendants, ancestors first. */
  #descent(): InstanceRun[] {
    const runs: InstanceRun[] = [this];
    for (let at = 0; at < runs.length; at++) runs.push(...(runs[at] as InstanceRun).#children.values());
    return runs;
  }

  async #begin(): Promise<void> {
    await this.#parts.journal.append(this.#startStep(undefined));
    this.#parts.durable.add(this.instance.plan);
    transition(this.instance, { type: 'started' });
  }

  #startStep(request_key: string | undefined): Required<Pick<Step, 'records' | 'documents'>> {
    const { plan, head } = this.instance;
    const record = startedDraft(plan, head, digest(head.inputs), request_key);
    if (this.#parts.durable.has(plan)) return { records: [record], documents: [] };
    return { records: [record], documents: [{ kind: 'resolved', id: plan.resolved_digest, value: plan.resolved }] };
  }

  #go(): void {
    if (!this.#halted) this.#proceed({ type: 'continued' });
  }

  /** One that is only about to begin goes on by itself. */
  #continue(): void {
    if (!hasBegun(this.instance)) return;
    this.#invokeAllPending();
    this.#go();
  }

  #invokeAllPending(): void {
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const [node, record] of pending)
      this.#track(this.#invokePending(node, recordedExecution(this.instance, record)));
  }

  /** Applies an event that no ending of an execution carries, and what follows from it. */
  #proceed(event: InstanceEvent): void {
    this.#apply(event);
    this.#tree.offer(this);
  }

  #apply(event: InstanceEvent): void {
    const { effects } = transition(this.instance, event);
    const upcoming = this.#foresee(effects);
    const { records } = upcoming;
    if (records.length === 0) this.#enact(upcoming);
    else this.#track(this.#parts.journal.append({ records }).then(() => this.#enact(upcoming)));
  }

  /**
   * The records of effects. What they start at once is recorded with them, in the same atomic step: a sequence of actions
   * then waits once an action for the disk, for the end of one and the `pending` of the next together.
   */
  #foresee(effects: readonly InstanceEffect[]): Upcoming {
    const count = this.instance.resolved.length;
    const records = recordsOf(this.instance, effects, this.#parts.newId);
    if (this.instance.held || isStopped(this.instance)) return { effects, count, records, prepared: NOTHING_PREPARED };
    const prepared = new Map<number, PreparedExecution>();
    for (const effect of effects) {
      if (effect.type !== 'execute') continue;
      const { x, failure } = this.#execution(effect.node, effect.attempt);
      const next = failure === undefined ? this.#parts.protocol.prepare(x) : undefined;
      if (next !== undefined) prepared.set(effect.node, next);
    }
    return { effects, count, records: [...records, ...[...prepared.values()].map(({ record }) => record)], prepared };
  }

  /** Does what durable records allow, but starts nothing new where the instance has come to stand still meanwhile. */
  #enact({ effects, count, prepared }: Upcoming): void {
    this.#publish(count);
    const still = this.instance.held || isStopped(this.instance);
    const withheld: number[] = [];
    for (const effect of effects) {
      const next = effect.type === 'execute' ? prepared.get(effect.node) : undefined;
      if (next !== undefined) this.#track(this.#executePrepared(effect as { node: number }, next));
      else if (still && STARTS.has(effect.type)) withheld.push((effect as { node: number }).node);
      else if (effect.type === 'execute') this.#track(this.#attempt(effect.node, effect.attempt));
      else if (effect.type === 'start_child') this.#track(this.#startChild(effect.node));
      else if (effect.type === 'undo_instance') this.#track(this.#undoInstance(effect.node));
      else if (effect.type === 'wait') this.#track(this.#backOff(effect.node, effect.ms));
      else if (effect.type === 'end') this.#finish(effect.end);
    }
    if (withheld.length > 0) this.#proceed({ type: 'withheld', nodes: withheld });
  }

  /** The next attempt of a node, and why it cannot be made where its inputs cannot be had. */
  #execution(node: number, attempt: number): { readonly x: Execution; readonly failure: Failure | undefined } {
    const inputs = inputsOf(this.instance, executedAction(this.instance, node));
    const x = nodeExecution(this.instance, node, {
      execution_id: this.#parts.newId(),
      attempt,
      inputs: inputs.ok ? inputs.value : {},
      effect_possible: this.#effects.has(targetOf(this.instance, node)),
    });
    return { x, failure: inputs.ok ? undefined : inputs.failure };
  }

  async #attempt(node: number, attempt: number): Promise<void> {
    const { x, failure } = this.#execution(node, attempt);
    const { protocol } = this.#parts;
    if (failure === undefined) return this.#carry(node, x, watch => protocol.execute(x, watch));
    const { error_class, detail } = failure;
    return this.#carry(node, x, watch => protocol.refuse(x, { error_class, detail, effect: 'none' }, watch));
  }

  #executePrepared({ node }: { readonly node: number }, next: PreparedExecution): Promise<void> {
    return this.#carry(node, next.execution, watch => this.#parts.protocol.executePrepared(next, watch));
  }

  #invokePending(node: number, x: Execution): Promise<void> {
    return this.#carry(node, x, watch => this.#parts.protocol.invoke(x, watch));
  }

  async #carry(node: number, x: Execution, work: (watch: ExecutionWatch) => Promise<void>): Promise<void> {
    let follow = () => {};
    await work({
      begun: () => transition(this.instance, { type: 'invoked', node, attempt: x.attempt }),
      ended: ending => {
        this.#noteEffect(targetOf(this.instance, node), ending);
        const { effects } = transition(this.instance, eventOf(node, ending));
        if (this.instance.doubts.size > 0) this.#tellDoubt();
        const upcoming = this.#foresee(effects);
        follow = () => this.#enact(upcoming);
        return upcoming.records;
      },
    });
    follow();
    this.#tree.offer(this);
  }

  /** @requirement SN1 */
  async #startChild(node: number): Promise<void> {
    const started = childHead(this.instance, node, this.#parts.newId());
    if (!started.ok)
      return this.#proceed({ type: 'failed', node, failure: started.failure, closed: true, final: true });
    const head = started.value;
    const hasTo = endedChild(this.instance, node) !== undefined;
    const child = this.#parts.childRun(executedSkill(this.instance, node).plan, head, this.#tree, hasTo);
    if (child === undefined) {
      const { failure } = failureAt(this.instance, node);
      return this.#proceed({ type: 'failed', node, failure, closed: true, final: true });
    }
    this.#children.set(node, child);
    child.#parent = { run: this, node };
    await child.#begin();
    transition(this.instance, { type: 'child_started', node, execution_id: child.execution_id });
    if (this.instance.stopped !== undefined) child.#stopAll(this.instance.stopped);
    child.#go();
  }

  #childEnded(node: number, end: InstanceEnd): void {
    this.#children.delete(node);
    if (this.instance.end === undefined && this.#failure === undefined)
      this.#proceed({ type: 'child_ended', node, end });
  }

  /**
   * An execution in doubt stops every ancestor.
   *
   * @requirement FB5
   */
  #tellDoubt(): void {
    for (let above = this.#parent; above !== undefined; above = above.run.#parent) {
      if (above.run.instance.doubts.has(above.node)) return;
      transition(above.run.instance, { type: 'doubted', node: above.node });
      above.run.#notify();
    }
  }

  #noteEffect(target: number, ending: Ending): void {
    if (ending.status !== 'failed') return;
    if (ending.undone === true) this.#effects.delete(target);
    else if (ending.error.effect !== 'none') this.#effects.add(target);
  }

  async #undoInstance(node: number): Promise<void> {
    const halted = () => this.#failure !== undefined || this.instance.held;
    const mayGoOn = () => !halted() && this.instance.stopped === undefined;
    const failure = await this.#parts.undoInstance(this.execution_id, mayGoOn);
    if (!halted()) this.#proceed({ type: 'instance_undone', node, failure });
  }

  async #backOff(node: number, ms: number): Promise<void> {
    if (ms > 0) {
      await this.#delays.wait(() => this.#stopped, ms);
      if (this.#stopped) return;
    }
    this.#proceed({ type: 'retry_due', node });
  }

  #endDelays(): void {
    this.#stopped = true;
    this.#delays.look();
  }

  #publish(count: number): void {
    this.#visible = Math.max(this.#visible, count);
  }

  #finish(end: InstanceEnd): void {
    this.#end = end;
    this.#publish(this.instance.resolved.length);
    this.#endDelays();
    this.#tree.leave(this);
    this.#onEnd();
    this.#notify();
    if (this.#parent !== undefined) this.#parent.run.#childEnded(this.#parent.node, end);
  }

  #track(work: Promise<void>): void {
    const ended = () => {
      this.#inFlight.delete(tracked);
      this.#notify();
    };
    const tracked: Promise<void> = work.then(ended, error => {
      this.fail(asArsError(error));
      ended();
    });
    this.#inFlight.add(tracked);
  }

  #notify(): void {
    for (let run: InstanceRun | undefined = this; run !== undefined; run = run.#above) run.#waiters.look();
  }

  #check(permit: ExecutionPermit): void {
    const { context_id } = this.instance.head;
    if (permit.execution_id === context_id) return;
    throw new ArsError('internal', `The permit is for ${permit.execution_id}, not for ${context_id}.`);
  }
}

function eventOf(node: number, ending: Ending): InstanceEvent {
  if (ending.status === 'committed') return { type: 'committed', node, result: ending.outputs };
  if (ending.status === 'in_doubt') return { type: 'doubted', node };
  const { error_class, detail } = ending.error;
  const failure = { error_class, detail: detailOf(detail) };
  return { type: 'failed', node, failure, closed: ending.closed, undone: ending.undone === true };
}

function asArsError(error: unknown): ArsError {
  if (error instanceof ArsError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ArsError('internal', `The run stopped: ${message}`, { cause: error });
}
