import { isValid } from '../../../schemas/index.js';
import type { Snapshot, State } from '../../../schemas/types.js';
import { digest } from './canonical.js';

/** State as of a record, with the digest of it all; `head_hash` is the hash of the record at `sequence`. */
export function snapshotOf(head: { readonly sequence: number; readonly hash: string }, state: State): Snapshot {
  const content = { schema_version: '1.0', sequence: head.sequence, head_hash: head.hash, state } as const;
  return { ...content, checksum: digest(content) };
}

/**
 * Why a value is no snapshot that can be used; undefined where it is whole. Whether it is one of a log, only that log tells.
 *
 * @requirement I2
 * @requirement SO2
 */
export function snapshotFault(value: unknown): string | undefined {
  if (!isValid('snapshot', value)) return 'it does not fit the schema of snapshots';
  const { checksum, ...content } = value;
  const actual = digest(content);
  return checksum === actual ? undefined : `its checksum is ${checksum}, and its content has ${actual}`;
}
