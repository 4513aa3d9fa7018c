import type { RecordedChange, StateEntry } from '../../../schemas/types.js';
import { ArsError } from '../error.js';

/** A committed execution as far as what it wrote has to be put back. */
export interface CommittedWrites {
  readonly execution_id: string;
  readonly state_changes: readonly RecordedChange[];
}

/**
 * The changes that give every key back the value and the writer that it had before an execution wrote it.
 *
 * `present` gives the entry of a key, `before` the last execution that wrote it before; it is asked only where the version
 * says that there is one, since a log can be long. Throws `version_conflict` (details
 * {key, writer}) where another execution has written a key since: what that one did is not overwritten.
 *
 * @requirement RBI1
 */
export function putBack(
  { execution_id, state_changes }: CommittedWrites,
  present: (key: string) => StateEntry | undefined,
  before: (key: string) => CommittedWrites | undefined,
): RecordedChange[] {
  return [...writesByKey(state_changes)].map(([key, writes]) => {
    const entry = present(key);
    if (entry?.writer !== execution_id)
      throw new ArsError('version_conflict', `The key ${JSON.stringify(key)} was written by another execution since.`, {
        details: { key, writer: entry?.writer },
      });
    const expected_version = entry.version;
    const earlier = expected_version > writes ? before(key) : undefined;
    const last = earlier?.state_changes.findLast(change => change.key === key);
    if (earlier === undefined || last === undefined) return { key, op: 'delete', expected_version };
    const writer = last.writer ?? earlier.execution_id;
    return last.op === 'delete'
      ? { key, op: 'delete', writer, expected_version }
      : { key, op: 'put', value: last.value as NonNullable<typeof last.value>, writer, expected_version };
  });
}

function writesByKey(state_changes: readonly RecordedChange[]): ReadonlyMap<string, number> {
  const writes = new Map<string, number>();
  for (const { key } of state_changes) writes.set(key, (writes.get(key) ?? 0) + 1);
  return writes;
}
