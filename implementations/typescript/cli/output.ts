import { once } from 'node:events';
import { CommanderError } from 'commander';
import { ArsError, type ErrorCode } from '../error.js';
import { visible } from './code-frame.js';
import { errorColors } from './color.js';
import { linesOf } from './error-text.js';
import { refusalText } from './system-refusal.js';
import { thrownText } from './thrown-text.js';

let ending = false;

/** Ends the process because ars means to, by default with the exit code that was set. */
export function endNow(code?: number): never {
  ending = true;
  if (code !== undefined) process.exitCode = code;
  // An argument, even undefined, would replace the code that was set.
  process.exit();
}

/** Whether the process ends because ars means to, and not the code of actions. */
export function isEnding(): boolean {
  return ending;
}

/** Why nothing more can be written to stdout, once that is so. */
let outputError: NodeJS.ErrnoException | undefined;
let working = false;

/** Does work that goes on where the reader of stdout goes away meanwhile; {@link leave} then ends as it would have there. */
export async function workOn<T>(work: () => Promise<T>): Promise<T> {
  working = true;
  try {
    return await work();
  } finally {
    working = false;
  }
}

/** Writes a line to stdout and waits where the reader is slower. */
export async function writeLine(line: string): Promise<void> {
  if (outputError !== undefined || process.stdout.write(`${line}\n`)) return;
  await once(process.stdout, 'drain').catch((error: unknown) => {
    if (outputError === undefined) throw error;
  });
}

/**
 * Ends quietly when the reader of stdout goes away, as in `ars audit show | head`, and with the reason where what is printed
 * cannot be written, as on a full disk; amid a run, which the code of an action may print in, that waits until it has ended.
 * A missing stderr stops nothing.
 */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    outputError ??= error;
    if (!working) endWithoutReader(outputError);
  });
  process.stderr.on('error', () => undefined);
}

function endWithoutReader(error: NodeJS.ErrnoException): never {
  if (error.code !== 'EPIPE') process.exitCode = reportError(error);
  endNow();
}

/**
 * Ends the process once everything is written, whatever timers and sockets the code of actions has left behind.
 *
 * The exit code is the one that was set.
 */
export async function leave(): Promise<never> {
  if (outputError !== undefined) endWithoutReader(outputError);
  for (const stream of [process.stdout, process.stderr])
    if (stream.writable) await new Promise<void>(resolve => stream.write('', () => resolve()));
  endNow();
}

/** A text of several lines that a terminal shows as it is; see {@link visible}. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

/** Gives the exit code after what a command threw, and prints it unless the parser has: 2 for a call that cannot be served. */
export function endCode(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return reportError(error);
}

/** Codes that tell of the call or of what it names, not of the outcome. */
const USAGE: ReadonlySet<ErrorCode> = new Set([
  'usage',
  'not_found',
  'invalid_document',
  'workspace_foreign',
  'workspace_locked',
]);

const hints = new WeakMap<object, string>();

/** Returns the error, which is told with what can be done about it, whole lines, behind it. */
export function withHint(error: unknown, hint: string | undefined): unknown {
  if (hint !== undefined && hint !== '' && typeof error === 'object' && error !== null)
    hints.set(error, `${hints.get(error) ?? ''}${hint}`);
  return error;
}

/**
 * Prints an error for a person, and gives the exit code: 2 for a call that cannot be served, else 1.
 *
 * What the system refuses, as where the disk is full, is no defect of ars.
 */
export function reportError(error: unknown): number {
  if (error instanceof ArsError) {
    const mark = `${errorColors().red('error')} ${errorColors().dim(`[${error.code}]`)}`;
    const told = linesOf(error).map(line => `${mark} ${line}\n`);
    process.stderr.write(`${told.join('')}${hints.get(error) ?? ''}`);
    return USAGE.has(error.code) ? 2 : 1;
  }
  if (error instanceof Error && 'syscall' in error) {
    process.stderr.write(
      `${errorColors().red('error')} ${errorColors().dim('[storage_failed]')} ${refusalText(error)}\n`,
    );
    return 1;
  }
  process.stderr.write(
    `${errorColors().red('error')} ${errorColors().dim('[internal]')} this is a defect of ars itself:\n${visibleLines(thrownText(error))}\n`,
  );
  return 1;
}
