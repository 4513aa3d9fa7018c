import type { Log } from './audit/log.js';
import { ArsError } from './error.js';
import type { Clock, FaultHook } from './execution/host.js';
import { newId } from './new-id.js';
import { openStore } from './store/store.js';
import { ensureManifest, readManifest } from './workspace/manifest.js';

/** Which workspace to open, and how. */
export interface LogOptions {
  readonly workspace: string;
  readonly clock?: Clock;
  readonly fault?: FaultHook;
  readonly incarnation?: number;
}

/** What the clock says, as RFC 3339. Throws `usage` for a clock that says no instant, or none of the years 0000 to 9999. */
export function instantOf(clock: Clock): string {
  let cause: unknown;
  try {
    const instant = new Date(clock()).toISOString();
    if (/^\d{4}-/.test(instant)) return instant;
  } catch (error) {
    cause = error;
  }
  throw new ArsError('usage', 'The clock that the workspace was opened with tells no time that a timestamp can say.', {
    cause,
  });
}

/**
 * The log of the embedded store of a workspace, which gets a manifest where it has none. An opening that is refused leaves
 * the folder as it was. Throws what opening a store throws, and `workspace_foreign` for a folder that is no workspace of
 * this version or leads elsewhere.
 *
 * @requirement FS1
 */
export function openLog(options: LogOptions): Log {
  const { workspace, incarnation, clock = Date.now, fault } = options;
  if (workspace === '') throw new ArsError('usage', 'The workspace has no name; name a folder, as . for this one.');
  readManifest(workspace);
  const log = openStore({
    workspace_dir: workspace,
    clock,
    ...(incarnation === undefined ? {} : { incarnation }),
    ...(fault === undefined ? {} : { fault }),
  });
  try {
    ensureManifest(workspace, { workspace_id: newId(), created_at: instantOf(clock) });
  } catch (error) {
    void log.close();
    throw error;
  }
  return log;
}
