import type { Snapshot } from '../../../schemas/types.js';
import type { LinkedRecord } from '../audit/linked-record.js';
import type { Head, Step } from '../audit/log.js';
import { ArsError } from '../error.js';
import type { Clock, FaultHook } from '../execution/host.js';
import { snapshotFault, snapshotOf } from '../state/snapshot.js';
import { inTransaction, rollBack, type SqlDatabase, type SqlStatement } from './driver.js';
import type { StoreReads } from './read.js';
import { type PreparedStep, prepareStep, type StoreWrites } from './write.js';

/** What a group commit stands on. */
export interface GroupCommitParts {
  readonly db: SqlDatabase;
  readonly writes: StoreWrites;
  readonly reads: StoreReads;
  readonly incarnation: number;
  readonly clock: Clock;
  readonly fault: FaultHook | undefined;
  /** The end of the log as it is stored. */
  readonly head: Head;
  readonly timestamp: string;
  /** How many records may stand in the log before the indexes know them; {@link LONGEST_TAIL} where absent. */
  readonly longest_tail?: number | undefined;
}

/** A write that waits: `run` does it inside the transaction and gives what to do once that is durable. */
interface Waiting {
  run(batch: Batch): () => void;
  reject(error: ArsError): void;
}

/** Does its work inside the transaction, and gives what to do once that is durable. */
type Write<T> = (batch: Batch, resolve: (value: T) => void, reject: (error: unknown) => void) => () => void;

/** A transaction while it is filled. */
interface Batch {
  head: Head;
  readonly timestamp: string;
  /** Executions whose committed record is in it. */
  readonly committed: string[];
  /** Begins the transaction where that has not been done: records alone are inserted by one statement, which is one. */
  readonly begin: () => void;
}

/**
 * How many records may stand in the log before the indexes know them. So many a query looks through one by one; and the more
 * are indexed together, the fewer pages are written for each.
 */
const LONGEST_TAIL = 512;

/** The error of whoever reads or writes a store that is closed. */
export function closedError(): ArsError {
  return new ArsError('illegal_state', 'the store is closed; open the workspace again');
}

/** The last instant that a timestamp of four-digit years can say, in milliseconds. */
const LAST_INSTANT = 253_402_300_799_999;

/**
 * The order of all writes. Steps that wait when the event loop comes round share one transaction, hence one wait for the
 * disk; each stands or falls alone, since it is checked as a whole before any of it is written.
 *
 * @requirement AW3
 * @requirement AW4
 */
export class GroupCommit {
  readonly #parts: GroupCommitParts;
  readonly #begin: SqlStatement;
  readonly #commit: SqlStatement;
  #head: Head;
  #time: number;
  #waiting: Waiting[] = [];
  #failure: ArsError | undefined;
  #closed = false;

  constructor(parts: GroupCommitParts) {
    this.#parts = parts;
    this.#begin = parts.db.prepare('BEGIN IMMEDIATE');
    this.#commit = parts.db.prepare('COMMIT');
    this.#head = parts.head;
    this.#time = Date.parse(parts.timestamp);
  }

  /** The durable end of the log. */
  get head(): Head {
    return this.#head;
  }

  /** The records of the step, once they are durable. */
  append(step: Step): Promise<readonly LinkedRecord[]> {
    return this.#enqueue(() => {
      const prepared = prepareStep(step);
      return (batch, resolve, reject) => this.#write(prepared, batch, resolve, reject);
    });
  }

  /**
   * State as of the head as a snapshot, once it is durable: it is written in a transaction, so after a crash it is there or
   * not.
   *
   * @requirement SP2
   * @requirement SP4
   */
  takeSnapshot(): Promise<Snapshot> {
    return this.#enqueue(() => (batch, resolve) => {
      const { reads, writes, fault } = this.#parts;
      const [kept] = reads.snapshots(batch.head.sequence);
      if (isOf(kept, batch.head)) {
        return () => resolve(kept);
      }
      const snapshot = snapshotOf(batch.head, reads.state());
      batch.begin();
      writes.writeSnapshot(snapshot);
      fault?.('snapshot_written');
      return () => resolve(snapshot);
    });
  }

  /** Writes what waits, then refuses all else. False where it was closed before. */
  close(): boolean {
    if (this.#closed) {
      return false;
    }
    this.#flush();
    this.#closed = true;
    this.#settle();
    return true;
  }

  #refuse(): void {
    if (this.#failure !== undefined) {
      throw this.#failure;
    }
    if (this.#closed) {
      throw closedError();
    }
  }

  /** Takes a write that is made ready now and done in the next transaction. Rejects where it cannot be made ready. */
  #enqueue<T>(prepare: () => Write<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#refuse();
      const write = prepare();
      if (this.#waiting.push({ run: batch => write(batch, resolve, reject), reject }) === 1) {
        setImmediate(() => this.#flush());
      }
    });
  }

  #write(
    prepared: PreparedStep,
    batch: Batch,
    resolve: (records: readonly LinkedRecord[]) => void,
    reject: (error: unknown) => void,
  ): () => void {
    const { writes, incarnation } = this.#parts;
    const planned = orRefusal(() => writes.plan(prepared, batch.head, incarnation, batch.timestamp));
    if (planned instanceof ArsError) {
      return () => reject(planned);
    }
    writes.write(prepared, planned, batch.begin);
    batch.head = planned.head;
    for (const { facts } of planned.linked) {
      if (facts.status === 'committed') {
        batch.committed.push(facts.execution_id);
      }
    }
    return () => resolve(planned.linked);
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) {
      return;
    }
    this.#waiting = [];
    let settle: (() => void)[];
    try {
      settle = this.#transaction(waiting);
    } catch (error) {
      this.#fail(error);
      for (const { reject } of waiting) {
        reject(this.#failure as ArsError);
      }
      return;
    }
    for (const settled of settle) {
      settled();
    }
  }

  #transaction(waiting: readonly Waiting[]): (() => void)[] {
    const { writes, fault, longest_tail = LONGEST_TAIL } = this.#parts;
    const time = this.#now();
    let begun = false;
    const begin = () => {
      if (!begun) this.#begin.run();
      begun = true;
    };
    const batch: Batch = { head: this.#head, timestamp: new Date(time).toISOString(), committed: [], begin };
    const settle = waiting.map(({ run }) => run(batch));
    const isFull = writes.tail() >= longest_tail;
    if (isFull || fault !== undefined || !writes.isOneStatement()) begin();
    if (isFull) {
      writes.settle(batch.head, batch.timestamp);
    } else {
      writes.flush();
    }
    for (const execution_id of batch.committed) {
      fault?.('committing', execution_id);
    }
    if (begun) {
      this.#commit.run();
    }
    if (batch.head !== this.#head) {
      this.#head = batch.head;
      this.#time = time;
    }
    return settle;
  }

  /** Leaves no tail behind. Where that fails, the next opening does it. */
  #settle(): void {
    const { db, writes } = this.#parts;
    if (this.#failure !== undefined || writes.tail() === 0) {
      return;
    }
    try {
      inTransaction(db, () => writes.settle(this.#head, new Date(this.#time).toISOString()));
    } catch (error) {
      this.#fail(error);
    }
  }

  #now(): number {
    const time = Math.floor(this.#parts.clock());
    if (!(time <= LAST_INSTANT)) {
      throw new RangeError(`the clock says ${time}, which no timestamp can say`);
    }
    return Math.max(time, this.#time);
  }

  #fail(cause: unknown): void {
    this.#failure = new ArsError(
      'storage_failed',
      `the log could not be written (${cause instanceof Error ? cause.message : String(cause)}); nothing of the step was applied, and nothing more is accepted until the workspace is opened again`,
      { cause },
    );
    rollBack(this.#parts.db);
  }
}

function isOf(value: unknown, head: Head): value is Snapshot {
  if (snapshotFault(value) !== undefined) {
    return false;
  }
  const { sequence, head_hash } = value as Snapshot;
  return sequence === head.sequence && head_hash === head.hash;
}

/** What the plan gives, or the error that refuses this step alone; any other error is the storage's. */
function orRefusal<T>(plan: () => T): T | ArsError {
  try {
    return plan();
  } catch (error) {
    if (error instanceof ArsError) {
      return error;
    }
    throw error;
  }
}
