import type { WorkflowWaitResult } from '../../../schemas/types.js';
import type { ArsError } from '../error.js';
import { type Instance, type InstanceEnd, traceOf } from './instance.js';
import { Waiters } from './waiters.js';

/** Where an instance stands for others, who see of it what is durable and nothing else, and who of them waits. */
export class Standing {
  readonly #instance: Instance;
  readonly #waiters = new Waiters();
  #visible: number;
  #end: InstanceEnd | undefined;
  #failure: ArsError | undefined;

  constructor(instance: Instance) {
    this.#instance = instance;
    this.#visible = instance.resolved.length;
    this.#end = instance.end;
  }

  /** The end, once its record is durable. */
  get end(): InstanceEnd | undefined {
    return this.#end;
  }

  /** Why this incarnation can record nothing more of it. */
  get failure(): ArsError | undefined {
    return this.#failure;
  }

  /** Lets the first so many resolved nodes be seen. */
  publish(count: number): void {
    this.#visible = Math.max(this.#visible, count);
  }

  /** Lets all and the end be seen. */
  conclude(end: InstanceEnd): void {
    this.#end = end;
    this.publish(this.#instance.resolved.length);
  }

  /** Notes why nothing more can be recorded; the first reason stays. */
  fail(error: ArsError): void {
    this.#failure ??= error;
  }

  /** Lets all that wait look again. */
  look(): void {
    this.#waiters.look();
  }

  /**
   * Gives the result when the instance has ended, or stands in doubt with nothing in flight, at the latest after so many
   * milliseconds. Rejects with the failure of one that has failed and not ended.
   */
  async wait(isIdle: () => boolean, budget_ms: number): Promise<WorkflowWaitResult> {
    const settled = () =>
      this.#end !== undefined || this.#failure !== undefined || (this.#instance.doubts.size > 0 && isIdle());
    await this.#waiters.wait(settled, budget_ms);
    if (this.#failure !== undefined && this.#end === undefined) throw this.#failure;
    return this.result();
  }

  /** What the instance has come to so far. */
  result(): WorkflowWaitResult {
    const end = this.#end;
    const trace = traceOf(this.#instance, this.#visible);
    if (end === undefined) return { status: this.#instance.doubts.size > 0 ? 'in_doubt' : 'running', trace };
    const outputs = end.outputs === undefined ? {} : { outputs: { ...end.outputs } };
    return { status: end.status, ...outputs, ...(end.error === undefined ? {} : { error: end.error }), trace };
  }
}
