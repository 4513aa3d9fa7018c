import { setMaxListeners } from 'node:events';
import type { AuditRecord, WorkflowWaitResult } from '../../../schemas/types.js';
import type { CommitProtocol } from '../audit/commit-protocol.js';
import { detailOf, type Execution } from '../audit/execution-record.js';
import type { Ending, ExecutionWatch } from '../audit/execution-steps.js';
import type { Journal } from '../audit/journal.js';
import type { RecordDraft, StoredDocument } from '../audit/log.js';
import { ArsError } from '../error.js';
import { delay } from '../execution/attempt.js';
import type { ExecutionPermit } from '../execution/permit.js';
import { digest } from '../state/canonical.js';
import { inputsOf } from './evaluate.js';
import { executedStep, type Failure, type Instance, type InstanceEnd, targetOf, traceOf } from './instance.js';
import { nodeExecution, recordedExecution } from './node-execution.js';
import { type InstanceEffect, type InstanceEvent, transition } from './transition.js';
import { endDraft, errorDraft, startedDraft, terminalDraft } from './workflow-record.js';

/** What a run stands on. */
export interface RunParts {
  readonly journal: Journal;
  readonly protocol: CommitProtocol;
  /** A new execution_id each time. */
  readonly newId: () => string;
  /**
   * Undoes what an instance has committed, and gives the failure where not all of it could be undone; between undos it
   * asks whether it may go on.
   */
  readonly undoInstance: (execution_id: string, mayGoOn: () => boolean) => Promise<Failure | undefined>;
}

const NONE: readonly RecordDraft[] = [];

/**
 * An instance while it runs: carries out what transitions ask for, and tells who waits.
 *
 * What others can see of it is durable. Nothing rejects unheard: a failure ends the run and is told to whoever waits.
 */
export class InstanceRun {
  readonly instance: Instance;
  readonly #parts: RunParts;
  readonly #pending: Map<number, AuditRecord>;
  /** Nodes of whose action an earlier attempt may have had its effect. */
  readonly #effects = new Set<number>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #waiting = new Set<() => void>();
  readonly #stop = new AbortController();
  #visible: number;
  #end: InstanceEnd | undefined;
  #failure: ArsError | undefined;
  #onEnd: () => void = () => undefined;

  /** `pending`: executions that are pending in the log and not yet invoked, by node. */
  constructor(parts: RunParts, instance: Instance, pending: ReadonlyMap<number, AuditRecord> = new Map()) {
    this.#parts = parts;
    this.instance = instance;
    this.#pending = new Map(pending);
    this.#visible = instance.resolved.length;
    this.#end = instance.end;
    setMaxListeners(0, this.#stop.signal);
    for (let node = 0; node < instance.invocations.length; node++)
      if ((instance.invocations[node] as number) > 0) this.#effects.add(node);
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

  /** Starts a new instance; resolves when `workflow_started` is durable. */
  async start(permit: ExecutionPermit, request_key: string | undefined): Promise<void> {
    this.#check(permit);
    const { plan, head } = this.instance;
    const resolved: StoredDocument = { kind: 'resolved', id: plan.resolved_digest, value: plan.resolved };
    const record = startedDraft(plan, head, digest(head.inputs), request_key);
    await this.#parts.journal.append({ records: [record], documents: [resolved] });
    transition(this.instance, { type: 'started' });
    this.#proceed({ type: 'continued' });
  }

  /** Goes on from where the log left the instance. */
  continue(permit: ExecutionPermit): void {
    this.#check(permit);
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const [node, record] of pending)
      this.#track(this.#invokePending(node, recordedExecution(this.instance, record)));
    this.#proceed({ type: 'continued' });
  }

  /** Starts nothing further, and ends the instance once nothing is in flight. */
  cancel(): void {
    if (this.instance.end !== undefined || this.instance.cancelled) return;
    this.#stop.abort();
    this.#proceed({ type: 'cancelled' });
  }

  /** Ends an instance that governance does not let continue. */
  async denyContinuation(): Promise<void> {
    const end: InstanceEnd = { status: 'failed', error: { error_class: 'E0', detail: 'denied' } };
    await this.#parts.journal.append({ records: [endDraft(this.instance, end)] });
    transition(this.instance, { type: 'ended', end });
    this.#finish(end);
  }

  /** Takes over what an operator found out about the execution of a node in doubt; nothing starts before `continue`. */
  settle(node: number, event: InstanceEvent): void {
    if (!this.instance.doubts.has(node)) return;
    transition(this.instance, event);
    this.#publish(this.instance.resolved.length);
  }

  /** Starts nothing further in this incarnation; resolves when nothing is in flight. */
  async halt(): Promise<void> {
    this.instance.held = true;
    this.#stop.abort();
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** Ends the run without ending the instance: nothing can be recorded any more. */
  fail(error: ArsError): void {
    this.#failure ??= error;
    this.instance.held = true;
    this.#stop.abort();
    this.#notify();
  }

  /**
   * Gives where the instance stands when it has ended or stands still in doubt, at the latest after so many milliseconds.
   *
   * Rejects with `storage_failed` (details error_class E2) where the log cannot be written.
   */
  async wait(budget_ms: number): Promise<WorkflowWaitResult> {
    if (!this.#settled()) await this.#change(budget_ms);
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
    return this.instance.doubts.size > 0 && this.#inFlight.size === 0;
  }

  /** Resolves when the run has settled or the budget is used up. */
  async #change(budget_ms: number): Promise<void> {
    const timer = new AbortController();
    const settled = new Promise<void>(resolve => {
      const look = () => {
        if (!this.#settled()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      timer.signal.addEventListener('abort', () => this.#waiting.delete(look), { once: true });
    });
    await Promise.race([settled, delay(budget_ms, timer.signal)]);
    timer.abort();
  }

  /** Applies an event that no ending of an execution carries, and what follows from it. */
  #proceed(event: InstanceEvent): void {
    const { effects } = transition(this.instance, event);
    const count = this.instance.resolved.length;
    const records = this.#drafts(effects);
    if (records.length === 0) this.#enact(effects, count);
    else this.#track(this.#parts.journal.append({ records }).then(() => this.#enact(effects, count)));
  }

  /** Does what durable records allow. */
  #enact(effects: readonly InstanceEffect[], count: number): void {
    this.#publish(count);
    for (const effect of effects) {
      if (effect.type === 'execute') this.#track(this.#attempt(effect.node, effect.attempt));
      else if (effect.type === 'undo_instance') this.#track(this.#undoInstance(effect.node));
      else if (effect.type === 'wait') this.#track(this.#backOff(effect.node, effect.ms));
      else if (effect.type === 'end') this.#finish(effect.end);
    }
  }

  async #attempt(node: number, attempt: number): Promise<void> {
    const inputs = inputsOf(this.instance, executedStep(this.instance, node));
    const x = nodeExecution(this.instance, node, {
      execution_id: this.#parts.newId(),
      attempt,
      inputs: inputs.ok ? inputs.value : {},
      effect_possible: this.#effects.has(targetOf(this.instance, node)),
    });
    const { protocol } = this.#parts;
    if (inputs.ok) return this.#carry(node, x, watch => protocol.execute(x, watch));
    const { error_class, detail } = inputs.failure;
    return this.#carry(node, x, watch => protocol.refuse(x, { error_class, detail, effect: 'none' }, watch));
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
        const count = this.instance.resolved.length;
        follow = () => this.#enact(effects, count);
        return this.#drafts(effects);
      },
    });
    follow();
  }

  #noteEffect(target: number, ending: Ending): void {
    if (ending.status !== 'failed') return;
    if (ending.undone === true) this.#effects.delete(target);
    else if (ending.error.effect !== 'none') this.#effects.add(target);
  }

  async #undoInstance(node: number): Promise<void> {
    const halted = () => this.#failure !== undefined || this.instance.held;
    const mayGoOn = () => !halted() && !this.instance.cancelled;
    const failure = await this.#parts.undoInstance(this.execution_id, mayGoOn);
    if (!halted()) this.#proceed({ type: 'instance_undone', node, failure });
  }

  async #backOff(node: number, ms: number): Promise<void> {
    if (ms > 0 && !(await delay(ms, this.#stop.signal))) return;
    this.#proceed({ type: 'retry_due', node });
  }

  #drafts(effects: readonly InstanceEffect[]): readonly RecordDraft[] {
    let drafts: RecordDraft[] | undefined;
    for (const effect of effects) {
      if (effect.type === 'record_terminal') {
        drafts ??= [];
        drafts.push(terminalDraft(this.instance, effect.node, effect.status, this.#parts.newId()));
      } else if (effect.type === 'record_error') {
        drafts ??= [];
        drafts.push(errorDraft(this.instance, effect.node, effect.failure, this.#parts.newId()));
      } else if (effect.type === 'end') {
        drafts ??= [];
        drafts.push(endDraft(this.instance, effect.end));
      }
    }
    return drafts ?? NONE;
  }

  #publish(count: number): void {
    this.#visible = Math.max(this.#visible, count);
  }

  #finish(end: InstanceEnd): void {
    this.#end = end;
    this.#publish(this.instance.resolved.length);
    this.#stop.abort();
    this.#onEnd();
    this.#notify();
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch(error => this.fail(asArsError(error)))
      .finally(() => {
        this.#inFlight.delete(tracked);
        this.#notify();
      });
    this.#inFlight.add(tracked);
  }

  #notify(): void {
    for (const look of [...this.#waiting]) look();
  }

  #check(permit: ExecutionPermit): void {
    if (permit.execution_id === this.execution_id) return;
    throw new ArsError('internal', `The permit is for ${permit.execution_id}, not for ${this.execution_id}.`);
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
