import type { AuditRecord, RecordedChange, State, StateEntry } from '../../../schemas/types.js';
import { ArsError } from '../error.js';

/** Why a list of changes cannot be applied: the first key whose version is not the expected one (0: never written). */
export interface VersionConflict {
  readonly key: string;
  readonly expected_version: number;
  readonly actual_version: number;
}

/** What a list of changes does: the new entries by key, or the conflict that forbids all of it. */
export type ChangePlan =
  | { readonly ok: true; readonly entries: ReadonlyMap<string, StateEntry> }
  | { readonly ok: false; readonly conflict: VersionConflict };

/** A record as far as State depends on it. */
export type StateRecord = Pick<AuditRecord, 'record_type' | 'status' | 'execution_id' | 'state_changes'>;

/**
 * What `changes` by an execution make of the entries that `lookup` gives, all of them or nothing; it is the writer of what
 * it changes, where a change does not put an earlier writer back.
 *
 * The changes count in order, so that a key changed twice has two more writes. A deleted key keeps an entry without value;
 * its version goes on from there, and `expected_version` 0 means that the key was never written.
 *
 * @requirement I1
 */
export function planChanges(
  lookup: (key: string) => StateEntry | undefined,
  changes: readonly RecordedChange[],
  execution_id: string,
): ChangePlan {
  const entries = new Map<string, StateEntry>();
  for (const { key, op, value, expected_version, writer = execution_id } of changes) {
    const actual_version = (entries.get(key) ?? lookup(key))?.version ?? 0;
    if (expected_version !== undefined && expected_version !== actual_version) {
      return { ok: false, conflict: { key, expected_version, actual_version } };
    }
    const version = actual_version + 1;
    entries.set(
      key,
      op === 'put' ? { value: value as NonNullable<typeof value>, version, writer } : { version, writer },
    );
  }
  return { ok: true, entries };
}

/**
 * State after the records: the fold of the state changes of all committed ones, from `state` on, which it changes.
 *
 * Throws `log_corrupt` where a record expects another version than the records before it leave.
 *
 * @requirement AII4
 */
export function foldState(
  records: Iterable<StateRecord>,
  state: Map<string, StateEntry> = new Map(),
): Map<string, StateEntry> {
  for (const { record_type, status, execution_id, state_changes } of records) {
    if (record_type !== 'action' || status !== 'committed' || state_changes === undefined) {
      continue;
    }
    const plan = planChanges(key => state.get(key), state_changes, execution_id);
    if (!plan.ok) {
      throw new ArsError(
        'log_corrupt',
        `the committed record of ${execution_id} does not fit State: ${describe(plan.conflict)}`,
        {
          details: { execution_id, ...plan.conflict },
        },
      );
    }
    for (const [key, entry] of plan.entries) {
      state.set(key, entry);
    }
  }
  return state;
}

/** State as a document. Every key is a property of its own, `__proto__` like any other. */
export function toState(entries: Iterable<readonly [string, StateEntry]>): State {
  return Object.fromEntries(entries);
}

/** The error `version_conflict` that a conflict is thrown as; its details are the conflict. */
export function conflictError(conflict: VersionConflict): ArsError {
  return new ArsError('version_conflict', `${describe(conflict)}; read the key again and decide anew`, {
    details: { ...conflict },
  });
}

function describe({ key, expected_version, actual_version }: VersionConflict): string {
  const actual = actual_version === 0 ? 'was never written' : `is at version ${actual_version}`;
  return `the key ${JSON.stringify(key)} ${actual}, expected was ${expected_version}`;
}
