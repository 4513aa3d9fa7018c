import { once } from 'node:events';
import pc from 'picocolors';
import { ArsError, type ErrorCode } from '../error.js';

/** Writes a line to stdout and waits where the reader is slower. */
export async function writeLine(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

/** Ends quietly when the reader of stdout goes away, as in `ars audit show | head`. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

/** Codes that tell of the call or of what it names, not of the outcome. */
const USAGE: ReadonlySet<ErrorCode> = new Set(['usage', 'not_found', 'workspace_foreign', 'workspace_locked']);

/** Prints an error for a person, and gives the exit code: 2 for a call that cannot be served, else 1. */
export function reportError(error: unknown): number {
  if (error instanceof ArsError) {
    process.stderr.write(`${pc.red('error')} ${pc.dim(`[${error.code}]`)} ${error.message}\n`);
    return USAGE.has(error.code) ? 2 : 1;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${pc.red('error')} ${pc.dim('[internal]')} this is a defect of ars itself:\n${text}\n`);
  return 1;
}
