import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditRecord, FaultPoint, Snapshot } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { FaultHook } from '../execution/host.js';
import type { LinkedRecord, RecordFacts } from './linked-record.js';
import type { Log, Step } from './log.js';
import { Turns } from './turns.js';

/** Told of every record once it is durable, in log order within one step; one that throws is told nothing more. */
export type RecordListener = (record: AuditRecord) => void;

/** Whether a record concerns a listener. */
export type RecordConcern = (facts: RecordFacts) => boolean;

/**
 * The log as the runtime writes it: after one failed write there is no further one.
 *
 * @requirement AW4
 */
export class Journal {
  readonly log: Log;
  /** The order of those who read before they write: the log shows what is durable, not what waits to be. */
  readonly turns = new Turns();
  readonly #fault: FaultHook | undefined;
  readonly #listeners = new Map<RecordListener, RecordConcern>();
  readonly #onFailure = new Set<(failure: ArsError) => void>();
  readonly #onStop = new Set<() => void>();
  #failure: ArsError | undefined;
  #ended = false;

  constructor(log: Log, fault?: FaultHook) {
    this.log = log;
    this.#fault = fault;
  }

  /** Why nothing is written any more. */
  get failure(): ArsError | undefined {
    return this.#failure;
  }

  /**
   * Resolves with the records once they are durable.
   *
   * Rejects with `version_conflict`, with `storage_failed` (details error_class E2) once a write has failed, and with
   * `illegal_state` after the end; where the step became durable all the same, its details say so: `{durable: true}`.
   */
  async append(step: Step): Promise<readonly LinkedRecord[]> {
    this.#demandSound();
    let records: readonly LinkedRecord[];
    try {
      records = await this.log.append(step);
    } catch (error) {
      throw this.#refused(error);
    }
    this.#demandAnswered();
    for (const record of records) this.#tell(record);
    return records;
  }

  /** Resolves with State as of the head, once it is durable as a snapshot; rejects like {@link Journal.append}. */
  async takeSnapshot(): Promise<Snapshot> {
    this.#demandSound();
    let snapshot: Snapshot;
    try {
      snapshot = await this.log.takeSnapshot();
    } catch (error) {
      throw this.#refused(error);
    }
    this.#demandAnswered();
    return snapshot;
  }

  #demandSound(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Throws where what was just written is answered by nobody any more. */
  #demandAnswered(): void {
    if (this.#failure !== undefined) throw this.#ended ? endedAfterWriting() : this.#failure;
  }

  /** What a refused write means: only one that the storage refused ends all writing. */
  #refused(error: unknown): ArsError {
    return error instanceof ArsError && error.code !== 'storage_failed' ? error : this.#fail(error);
  }

  /** Resolves once every step given so far is durable, and what waited for that has gone on. */
  async settle(): Promise<void> {
    await this.append({ records: [] });
    await nextTurn();
  }

  /** Passes a named point of the protocol; a hook that throws there stands for a failed write. */
  pass(point: FaultPoint, execution_id: string): void {
    try {
      this.#fault?.(point, execution_id);
    } catch (error) {
      throw this.#fail(error);
    }
  }

  /** Adds a listener, who is told of what concerns it, and returns what removes it. */
  subscribe(listener: RecordListener, concern: RecordConcern = () => true): () => void {
    this.#listeners.set(listener, concern);
    return () => this.#listeners.delete(listener);
  }

  /** Calls back once when the first write fails. */
  onFailure(callback: (failure: ArsError) => void): void {
    this.#onFailure.add(callback);
  }

  /** Calls back once when no further step is written, after a failure or at the end; gives what takes that back. */
  onStop(callback: () => void): () => void {
    this.#onStop.add(callback);
    return () => this.#onStop.delete(callback);
  }

  /** Accepts no more steps, and gives the error that they meet. */
  end(): ArsError {
    this.#ended ||= this.#failure === undefined;
    this.#failure ??= new ArsError('illegal_state', 'The workspace is closed; open it again.');
    for (const callback of this.#onStop) callback();
    return this.#failure;
  }

  #tell(linked: LinkedRecord): void {
    for (const [listener, concern] of this.#listeners) {
      if (!concern(linked.facts)) continue;
      try {
        listener(linked.record);
      } catch {
        this.#listeners.delete(listener);
      }
    }
  }

  #fail(cause: unknown): ArsError {
    if (this.#failure !== undefined) return this.#failure;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const failure = new ArsError(
      'storage_failed',
      `The log cannot be written (E2): ${reason}. Open the workspace anew.`,
      {
        details: { error_class: 'E2', reason },
        cause,
      },
    );
    this.#failure = failure;
    for (const callback of this.#onFailure) callback(failure);
    for (const callback of this.#onStop) callback();
    return failure;
  }
}

function endedAfterWriting(): ArsError {
  const message =
    'The workspace was closed before this was answered. It is durable, and counts when it is opened again.';
  return new ArsError('illegal_state', message, { details: { durable: true } });
}

/** Whether what was thrown came after the step had become durable, since the log was closed meanwhile. */
export function isDurable(error: unknown): boolean {
  return error instanceof ArsError && error.code === 'illegal_state' && error.details.durable === true;
}
