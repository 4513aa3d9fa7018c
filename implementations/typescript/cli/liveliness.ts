import { hostname } from 'node:os';
import { type Holding, holdingOf, type LockHolder } from '../store/lock.js';
import { storePaths } from '../store/paths.js';
import type { StoreReader } from '../store/store.js';
import type { RunStatus } from '../workflow/history.js';
import { visible } from './code-frame.js';
import { outputColors } from './color.js';

/** How a run stands for a person: of one that has not ended, whether a process is at it. */
export type Liveliness = Exclude<RunStatus, 'open'> | 'running' | 'interrupted';

/** What the log does not say of an instance that has not ended; nothing of one that has, or that is in doubt. */
export interface Alive {
  /** Whether no process holds the workspace, so that it goes on only once somebody lets it. */
  readonly interrupted?: boolean;
  /** The process that holds the workspace, where it names itself. */
  readonly process?: LockHolder;
}

/**
 * Gives what is read of a log together with whether its workspace is held: where nobody holds it, nothing was written
 * between the look at the lock and the end of reading, so that what had not ended then is interrupted indeed.
 */
export function readWithHolding<T>(
  reader: Pick<StoreReader, 'head'>,
  workspace: string,
  read: (holding: Holding) => T,
): { readonly found: T; readonly holding: Holding } {
  for (;;) {
    const { sequence } = reader.head();
    const holding = holdingOf(storePaths(workspace));
    const found = read(holding);
    if (holding.held || reader.head().sequence === sequence) return { found, holding };
  }
}

/** Gives a run with whether it goes on. */
export function withLiveliness<T extends { readonly status: RunStatus }>(run: T, { held, holder }: Holding): T & Alive {
  if (run.status !== 'open') return run;
  return { ...run, interrupted: !held, ...(holder === undefined ? {} : { process: holder }) };
}

/** Gives how a run stands, in a word. */
export function livelinessOf({ status, interrupted }: { readonly status: RunStatus } & Alive): Liveliness {
  return status === 'open' ? (interrupted === true ? 'interrupted' : 'running') : status;
}

/** Gives where a running instance runs. */
export function holderText(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'in another process';
  const where = holder.host === hostname() ? '' : ` of the machine "${visible(holder.host)}"`;
  return `in the process ${holder.pid}${where}`;
}

/** The colour of how a run stands. */
export function paintLiveliness(how: Liveliness): (text: string) => string {
  const { green, red, yellow, cyan } = outputColors();
  const paints = { completed: green, failed: red, compensated: yellow, in_doubt: red, running: cyan };
  return how === 'interrupted' ? yellow : paints[how];
}
