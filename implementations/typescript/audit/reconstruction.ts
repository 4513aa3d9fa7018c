import { isValid } from '../../../schemas/index.js';
import type { Snapshot, State, StateEntry } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { snapshotFault, snapshotOf } from '../state/snapshot.js';
import { foldState, toState } from '../state/state.js';
import { GENESIS } from './chain.js';
import type { Log } from './log.js';

/** State as of a record. */
export interface Reconstruction {
  /** Its entries by key, deleted ones included, each with value, version and writer. */
  readonly state: State;
  /** The sequence of that record; 0 before the first. */
  readonly sequence: number;
}

/** What to reconstruct, and from where. */
export interface ReconstructionOptions {
  /** The last record to fold in. Absent: the head. */
  readonly sequence?: number;
  /** The snapshot to begin with. Absent: the latest stored one that can be used, or none. */
  readonly snapshot?: Snapshot;
}

type ReadLog = Pick<Log, 'head' | 'records' | 'snapshots'>;

/**
 * State as of a record, folded from a snapshot and the committed records after it; nothing is invoked and nothing written.
 *
 * Throws `not_found` for a sequence beyond the log, `invalid_document` for a given snapshot that does not verify or is not
 * one of this log up to there, `log_corrupt` where the records do not fit one another.
 *
 * @requirement FR1
 * @requirement FR2
 * @requirement FR3
 */
export function reconstructState(log: ReadLog, options: ReconstructionOptions = {}): Reconstruction {
  const last = log.head().sequence;
  const { sequence = last, snapshot } = options;
  if (!Number.isSafeInteger(sequence) || sequence < 0 || sequence > last)
    throw new ArsError('not_found', `There is no record ${sequence}; the log ends with ${last}.`, {
      details: { sequence, last },
    });
  const fault = snapshot && faultOf(log, snapshot, sequence);
  if (fault !== undefined)
    throw new ArsError('invalid_document', `The snapshot cannot be used: ${fault}.`, { details: { sequence } });
  const base = snapshot ?? usableSnapshot(log, sequence);
  const entries = new Map(Object.entries(base?.state ?? {}));
  return { state: toState(foldState(committedBetween(log, base?.sequence ?? 0, sequence), entries)), sequence };
}

/** The latest stored snapshot at or before a record that verifies and is one of this log; undefined where there is none. */
export function usableSnapshot(log: ReadLog, sequence: number): Snapshot | undefined {
  for (const stored of log.snapshots(sequence))
    if (faultOf(log, stored, sequence) === undefined) return stored as Snapshot;
  return undefined;
}

/** What is wrong with a stored snapshot. */
export interface StoredSnapshotFault {
  /** Absent where it does not say of which record it is. */
  readonly sequence?: number;
  readonly fault: string;
}

/**
 * The first stored snapshot that is damaged or has another State than the records up to there give; undefined where there
 * is none. The log is folded once, whatever the number of snapshots.
 *
 * @requirement SO2
 */
export function storedSnapshotFault(log: ReadLog): StoredSnapshotFault | undefined {
  const last = log.head().sequence;
  const whole: Omit<Snapshot, 'state'>[] = [];
  for (const stored of log.snapshots(last)) {
    const fault = faultOf(log, stored, last);
    if (fault !== undefined) return { ...(isValid('snapshot', stored) && { sequence: stored.sequence }), fault };
    const { state: _state, ...rest } = stored as Snapshot;
    whole.push(rest);
  }
  const entries = new Map<string, StateEntry>();
  let folded = 0;
  for (const { sequence, head_hash, checksum } of whole.reverse()) {
    foldState(committedBetween(log, folded, sequence), entries);
    folded = sequence;
    if (snapshotOf({ sequence, hash: head_hash }, toState(entries)).checksum !== checksum)
      return { sequence, fault: 'its State is another one' };
  }
  return undefined;
}

function faultOf(log: ReadLog, value: unknown, sequence: number): string | undefined {
  const fault = snapshotFault(value);
  if (fault !== undefined) return fault;
  const { sequence: taken, head_hash } = value as Snapshot;
  if (taken > sequence) return `it is of record ${taken}, after ${sequence}`;
  return head_hash === hashAt(log, taken) ? undefined : `its head_hash is not the hash of record ${taken} of this log`;
}

/** The hash of the record at a sequence, that of an empty log at 0; undefined beyond the log. */
export function hashAt(log: Pick<Log, 'records'>, sequence: number): string | undefined {
  if (sequence === 0) return GENESIS.hash;
  for (const record of log.records({ after: sequence - 1, limit: 1 })) return record.hash;
  return undefined;
}

function* committedBetween(log: ReadLog, after: number, last: number) {
  for (const record of log.records({ after, status: 'committed' })) {
    if (record.sequence > last) return;
    yield record;
  }
}
