import type { AuditRecord, WorkflowWaitResult } from '../../../schemas/types.js';
import type { RecordDraft, Step } from '../audit/log.js';
import { ArsError } from '../error.js';
import { type ExecutionPermit, startPermit } from '../execution/permit.js';
import { digest } from '../state/canonical.js';
import { childHead, endedChild } from './child.js';
import { Enactment, type EnactmentParts } from './enactment.js';
import {
  executedSkill,
  failureAt,
  hasBegun,
  type Instance,
  type InstanceEnd,
  type InstanceHead,
  type StopReason,
} from './instance.js';
import type { InstanceEvent } from './instance-event.js';
import { Kin } from './kin.js';
import type { Plan } from './plan.js';
import { limitToKeep, type RunTree } from './run-tree.js';
import { Standing } from './standing.js';
import { transition } from './transition.js';
import { startedDraft } from './workflow-record.js';

/** What a run stands on. */
export interface RunParts extends EnactmentParts {
  /** The plans whose resolved documents are durable. */
  readonly durable: WeakSet<Plan>;
  /**
   * A run of a new child instance, to be started; it resumes the one that its head names where that can be. Undefined
   * where it cannot, but has to.
   */
  readonly childRun: (plan: Plan, head: InstanceHead, tree: RunTree, hasTo: boolean) => InstanceRun | undefined;
}

/**
 * An instance while it runs, with the runs of its child instances: starts, goes on, stops and is waited for.
 *
 * What others can see of it is durable. Nothing rejects unheard: a failure ends the run and is told to whoever waits.
 */
export class InstanceRun {
  readonly instance: Instance;
  readonly #parts: RunParts;
  readonly #tree: RunTree;
  readonly #standing: Standing;
  readonly #enactment: Enactment;
  readonly #kin = new Kin<InstanceRun>(this);
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
    this.#standing = new Standing(instance);
    const at = { instance, pending, tree };
    this.#enactment = new Enactment(parts, this.#standing, at, {
      startChild: node => this.#startChild(node),
      doubted: () => this.#tellDoubt(),
      ended: end => this.#ended(end),
      failed: error => this.fail(error),
      calmed: () => this.#notify(),
    });
  }

  /** The run of the root instance. */
  get root(): InstanceRun {
    return this.#kin.root;
  }

  get execution_id(): string {
    return this.instance.head.execution_id;
  }

  /** The end, once its record is durable. */
  get end(): InstanceEnd | undefined {
    return this.#standing.end;
  }

  /** Whether it stands still because of executions in doubt, or did until it is continued. */
  get held(): boolean {
    return this.instance.held && this.end === undefined;
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
    const limit = limitToKeep(this.execution_id, this.#tree.places.limit);
    transition(this.instance, { type: 'started' });
    const upcoming = this.#enactment.first();
    const step = { records: [...gates, ...records, ...upcoming.records], documents: [...documents, ...limit] };
    const written = await this.#parts.journal.append(step);
    this.#parts.durable.add(this.instance.plan);
    this.#check(
      startPermit(
        this.execution_id,
        written.map(({ facts }) => facts),
      ),
    );
    this.#enactment.begin(upcoming);
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
    for (const run of this.#kin.descent().reverse()) run.#continue();
    return true;
  }

  /** Invokes what recovery decided to redo, here and in descendants, although a doubt keeps the instance from going on. */
  redo(permit: ExecutionPermit): void {
    this.#check(permit);
    for (const run of this.#kin.descent()) run.#enactment.invokeAllPending();
  }

  /** Starts nothing further here and in descendants, and ends the instance once nothing is in flight or in doubt. */
  cancel(): void {
    this.#stopAll('cancelled');
  }

  #stopAll(reason: StopReason): void {
    const runs = this.#kin.descent();
    for (const run of runs) {
      if (run.instance.end !== undefined || run.instance.stopped !== undefined) continue;
      run.#enactment.endDelays();
      run.#enactment.proceed({ type: 'stopped', reason });
    }
    for (const run of runs.reverse()) run.#endStopped();
  }

  /** Lets a stopped instance end that only a doubt or a missing permit has held. */
  #endStopped(): void {
    const { instance } = this;
    if (instance.stopped === undefined || !instance.held || this.#enactment.halted || !hasBegun(instance)) return;
    if (instance.doubts.size === 0 && instance.end === undefined) this.#enactment.proceed({ type: 'continued' });
  }

  /** Takes a child instance that an earlier incarnation left, for a node that waits for it. */
  adopt(node: number, child: InstanceRun): void {
    this.#kin.adopt(node, child.#kin);
    if (child.instance.doubts.size > 0) child.#tellDoubt();
  }

  /**
   * Takes over what an operator found out about the execution of a node in doubt; nothing starts before the instance goes
   * on. One that was stopped meanwhile ends.
   */
  settle(node: number, event: InstanceEvent): void {
    if (!this.instance.doubts.has(node)) return;
    transition(this.instance, event);
    this.#standing.publish(this.instance.resolved.length);
    const settled: InstanceRun[] = [this];
    for (let kin = this.#kin; kin.self.instance.doubts.size === 0 && kin.above !== undefined; kin = kin.above) {
      transition(kin.above.self.instance, { type: 'doubt_lifted', node: kin.node });
      settled.push(kin.above.self);
    }
    for (const run of settled) run.#endStopped();
  }

  /** Starts nothing further in this incarnation; resolves when nothing is in flight. */
  async halt(): Promise<void> {
    this.#enactment.halt();
    await this.#enactment.calm();
  }

  /** Ends the run without ending the instance: nothing can be recorded any more. */
  fail(error: ArsError): void {
    this.#standing.fail(error);
    this.#enactment.halt();
    this.#notify();
  }

  /**
   * Gives where the instance stands when it has ended or stands still in doubt, at the latest after so many milliseconds.
   *
   * Rejects with `storage_failed` (details error_class E2) where the log cannot be written.
   */
  wait(budget_ms: number): Promise<WorkflowWaitResult> {
    return this.#standing.wait(() => this.#kin.descent().every(run => run.#enactment.idle), budget_ms);
  }

  /** Where the instance stands, as far as it is durable. */
  result(): WorkflowWaitResult {
    return this.#standing.result();
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

  /** One that is only about to begin goes on by itself. */
  #continue(): void {
    if (!hasBegun(this.instance)) return;
    this.#enactment.invokeAllPending();
    this.#enactment.go();
  }

  /** @requirement SN1 */
  async #startChild(node: number): Promise<void> {
    const started = childHead(this.instance, node, this.#parts.newId());
    if (!started.ok)
      return this.#enactment.proceed({ type: 'failed', node, failure: started.failure, closed: true, final: true });
    const head = started.value;
    const hasTo = endedChild(this.instance, node) !== undefined;
    const child = this.#parts.childRun(executedSkill(this.instance, node).plan, head, this.#tree, hasTo);
    if (child === undefined) {
      const { failure } = failureAt(this.instance, node);
      return this.#enactment.proceed({ type: 'failed', node, failure, closed: true, final: true });
    }
    this.#kin.adopt(node, child.#kin);
    await child.#begin();
    transition(this.instance, { type: 'child_started', node, execution_id: child.execution_id });
    if (this.instance.stopped !== undefined) child.#stopAll(this.instance.stopped);
    child.#enactment.go();
  }

  #childEnded(node: number, end: InstanceEnd): void {
    this.#kin.release(node);
    if (this.instance.end === undefined && this.#standing.failure === undefined)
      this.#enactment.proceed({ type: 'child_ended', node, end });
  }

  /**
   * An execution in doubt stops every ancestor.
   *
   * @requirement FB5
   */
  #tellDoubt(): void {
    for (let kin = this.#kin; kin.above !== undefined; kin = kin.above) {
      const above = kin.above.self;
      if (above.instance.doubts.has(kin.node)) return;
      transition(above.instance, { type: 'doubted', node: kin.node });
      above.#notify();
    }
  }

  #ended(end: InstanceEnd): void {
    this.#onEnd();
    this.#notify();
    const { above, node } = this.#kin;
    if (above !== undefined) above.self.#childEnded(node, end);
  }

  #notify(): void {
    for (let kin: Kin<InstanceRun> | undefined = this.#kin; kin !== undefined; kin = kin.above)
      kin.self.#standing.look();
  }

  #check(permit: ExecutionPermit): void {
    const { context_id } = this.instance.head;
    if (permit.execution_id === context_id) return;
    throw new ArsError('internal', `The permit is for ${permit.execution_id}, not for ${context_id}.`);
  }
}
