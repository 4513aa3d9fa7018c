import type { AuditRecord } from '../../../schemas/types.js';
import type { PreparedExecution } from '../audit/commit-protocol.js';
import { detailOf, type Execution } from '../audit/execution-record.js';
import type { Ending, ExecutionWatch } from '../audit/execution-steps.js';
import type { Journal } from '../audit/journal.js';
import { ArsError } from '../error.js';
import { Foresight, type ForesightParts, type Upcoming } from './foresight.js';
import { type Failure, type Instance, type InstanceEnd, isStopped } from './instance.js';
import type { InstanceEffect, InstanceEvent } from './instance-event.js';
import { recordedExecution } from './node-execution.js';
import type { PlaceTaker, RunTree } from './run-tree.js';
import type { Standing } from './standing.js';
import { transition, wantsPlace } from './transition.js';
import { Waiters } from './waiters.js';

/** What an enactment stands on. */
export interface EnactmentParts extends ForesightParts {
  readonly journal: Journal;
  /**
   * Undoes what an instance has committed, and gives the failure where not all of it could be undone; between undos it
   * asks whether it may go on.
   */
  readonly undoInstance: (execution_id: string, mayGoOn: () => boolean) => Promise<Failure | undefined>;
}

/** What an enactment leaves to the run that it belongs to. */
export interface Surroundings {
  /** Starts the child instance of a node. */
  readonly startChild: (node: number) => Promise<void>;
  /** Something is in doubt. */
  readonly doubted: () => void;
  /** The end is durable. */
  readonly ended: (end: InstanceEnd) => void;
  readonly failed: (error: ArsError) => void;
  /** Something that was in flight is not any longer. */
  readonly calmed: () => void;
}

/** The effects that start something. */
const STARTS: ReadonlySet<InstanceEffect['type']> = new Set(['execute', 'start_child', 'undo_instance']);

/** What an instance does: records and carries out what its transitions ask for. Nothing rejects unheard. */
export class Enactment implements PlaceTaker {
  readonly #parts: EnactmentParts;
  readonly #instance: Instance;
  readonly #foresight: Foresight;
  readonly #tree: RunTree;
  readonly #standing: Standing;
  readonly #around: Surroundings;
  readonly #pending: Map<number, AuditRecord>;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #delays = new Waiters();
  /** Whether this incarnation starts nothing more, whatever is allowed. */
  #halted = false;
  /** Whether nothing is waited for any more before a retry. */
  #stopped = false;

  /** `pending`: executions that are pending in the log and not yet invoked, by node. */
  constructor(
    parts: EnactmentParts,
    standing: Standing,
    at: { readonly instance: Instance; readonly pending: ReadonlyMap<number, AuditRecord>; readonly tree: RunTree },
    around: Surroundings,
  ) {
    this.#parts = parts;
    this.#instance = at.instance;
    this.#pending = new Map(at.pending);
    this.#tree = at.tree;
    this.#foresight = new Foresight(parts, at.instance);
    this.#standing = standing;
    this.#around = around;
  }

  /** Whether nothing is in flight. */
  get idle(): boolean {
    return this.#inFlight.size === 0;
  }

  get halted(): boolean {
    return this.#halted;
  }

  /** What a started instance does first: nothing where this incarnation starts nothing more. */
  first(): Upcoming {
    return this.#foresight.foresee(this.#halted ? [] : transition(this.#instance, { type: 'continued' }).effects);
  }

  /** Does what the durable records of the first steps allow. */
  begin(first: Upcoming): void {
    this.#enact(first);
    this.#tree.offer(this);
  }

  /** Goes on where nothing holds the instance any longer. */
  go(): void {
    if (!this.#halted) this.proceed({ type: 'continued' });
  }

  /** Applies an event that no ending of an execution carries, and what follows from it. */
  proceed(event: InstanceEvent): void {
    this.#apply(event);
    this.#tree.offer(this);
  }

  invokeAllPending(): void {
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const [node, record] of pending)
      this.#track(this.#invokePending(node, recordedExecution(this.#instance, record)));
  }

  wantsPlace(): boolean {
    return wantsPlace(this.#instance);
  }

  takePlace(): void {
    this.#apply({ type: 'place_freed' });
  }

  /** Waits for no retry any more. */
  endDelays(): void {
    this.#stopped = true;
    this.#delays.look();
  }

  /** Starts nothing further in this incarnation. */
  halt(): void {
    this.#halted = true;
    this.#instance.held = true;
    this.endDelays();
  }

  /** Resolves when nothing is in flight. */
  async calm(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  #apply(event: InstanceEvent): void {
    const { effects } = transition(this.#instance, event);
    const upcoming = this.#foresight.foresee(effects);
    const { records } = upcoming;
    if (records.length === 0) this.#enact(upcoming);
    else this.#track(this.#parts.journal.append({ records }).then(() => this.#enact(upcoming)));
  }

  /** Does what durable records allow, but starts nothing new where the instance has come to stand still meanwhile. */
  #enact({ effects, count, prepared }: Upcoming): void {
    this.#standing.publish(count);
    const still = this.#instance.held || isStopped(this.#instance);
    const withheld: number[] = [];
    for (const effect of effects) {
      const next = effect.type === 'execute' ? prepared.get(effect.node) : undefined;
      if (next !== undefined) this.#track(this.#executePrepared(effect as { node: number }, next));
      else if (still && STARTS.has(effect.type)) withheld.push((effect as { node: number }).node);
      else if (effect.type === 'execute') this.#track(this.#attempt(effect.node, effect.attempt));
      else if (effect.type === 'start_child') this.#track(this.#around.startChild(effect.node));
      else if (effect.type === 'undo_instance') this.#track(this.#undoInstance(effect.node));
      else if (effect.type === 'wait') this.#track(this.#backOff(effect.node, effect.ms));
      else if (effect.type === 'end') this.#finish(effect.end);
    }
    if (withheld.length > 0) this.proceed({ type: 'withheld', nodes: withheld });
  }

  async #attempt(node: number, attempt: number): Promise<void> {
    const { x, failure } = this.#foresight.nextAttempt(node, attempt);
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
      begun: () => transition(this.#instance, { type: 'invoked', node, attempt: x.attempt }),
      ended: ending => {
        this.#foresight.noteEnding(node, ending);
        const { effects } = transition(this.#instance, eventOf(node, ending));
        if (this.#instance.doubts.size > 0) this.#around.doubted();
        const upcoming = this.#foresight.foresee(effects);
        follow = () => this.#enact(upcoming);
        return upcoming.records;
      },
    });
    follow();
    this.#tree.offer(this);
  }

  async #undoInstance(node: number): Promise<void> {
    const halted = () => this.#standing.failure !== undefined || this.#instance.held;
    const mayGoOn = () => !halted() && this.#instance.stopped === undefined;
    const failure = await this.#parts.undoInstance(this.#instance.head.execution_id, mayGoOn);
    if (!halted()) this.proceed({ type: 'instance_undone', node, failure });
  }

  async #backOff(node: number, ms: number): Promise<void> {
    if (ms > 0) {
      await this.#delays.wait(() => this.#stopped, ms);
      if (this.#stopped) return;
    }
    this.proceed({ type: 'retry_due', node });
  }

  #finish(end: InstanceEnd): void {
    this.#standing.conclude(end);
    this.endDelays();
    this.#tree.leave(this);
    this.#around.ended(end);
  }

  #track(work: Promise<void>): void {
    const ended = () => {
      this.#inFlight.delete(tracked);
      this.#around.calmed();
    };
    const tracked: Promise<void> = work.then(ended, error => {
      this.#around.failed(asArsError(error));
      ended();
    });
    this.#inFlight.add(tracked);
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
