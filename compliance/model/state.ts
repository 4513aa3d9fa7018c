import type { RecordedChange } from '../../schemas/types.js';

/** One key as the fold sees it; `writer` is whatever the caller names executions by. */
export interface Entry {
  readonly value?: unknown;
  readonly version: number;
  readonly writer: string;
}

/** State while it is folded (Ch4, Ch6): by key, deleted keys included. */
export type Fold = Map<string, Entry>;

/** Whether the version checks of a list of changes hold when they are applied one after the other. */
export function versionsHold(fold: ReadonlyMap<string, Entry>, changes: readonly RecordedChange[]): boolean {
  const written = new Map<string, number>();
  for (const change of changes) {
    const version = written.get(change.key) ?? fold.get(change.key)?.version ?? 0;
    if (change.expected_version !== undefined && change.expected_version !== version) return false;
    written.set(change.key, version + 1);
  }
  return true;
}

/**
 * Applies changes in place; every write raises the version of its key by one, whatever it does. The execution is the
 * writer from then on, unless the change puts an earlier one back.
 */
export function applyChanges(fold: Fold, changes: readonly RecordedChange[], execution_id: string): void {
  for (const change of changes) {
    const version = (fold.get(change.key)?.version ?? 0) + 1;
    const writer = change.writer ?? execution_id;
    fold.set(change.key, change.op === 'put' ? { value: change.value, version, writer } : { version, writer });
  }
}
