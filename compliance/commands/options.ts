import { InvalidArgumentError } from 'commander';
import { SuiteError } from '../error.js';
import type { AdapterCommand } from '../harness/process.js';
import { Session } from '../harness/session.js';
import { EXIT } from '../runner/verdict.js';
import type { Connect } from '../runner/worker.js';

/** How long one failing case may be made smaller, in milliseconds. */
export const SHRINK_MS = 8_000;

/** Gives the adapter that a command line names; throws `usage` where it names none. */
export function adapterCommand(words: readonly string[], fd: string | undefined): AdapterCommand {
  const [command, ...args] = words;
  if (command === undefined || command.trim() === '') {
    throw new SuiteError('usage', 'which adapter? Give the command that starts it behind --, as in -- node adapter.js');
  }
  return { command, args: fd === undefined ? args : [...args, '--fd', fd] };
}

/** Gives what starts an adapter. */
export function connector(command: AdapterCommand, scale: number, spare = false): Connect {
  return signal => Session.start(command, { scale, spare, signal });
}

/** Runs something that the first SIGINT aborts and the second ends at once. */
export async function interruptible<T>(use: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    return await use(controller.signal);
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}

/** Gives the words of a command that came as one text: white space parts them, quotes hold them together. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)) {
    words.push(word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''));
  }
  if ((text.match(/'[^']*'|"[^"]*"|['"]/g) ?? []).some(part => part.length === 1)) {
    throw new SuiteError('usage', `a quote of the command is not closed: ${text}`);
  }
  return words;
}

/** Reads identifiers separated by commas. */
export function list(text: string): string[] {
  const words = text.split(',').map(word => word.trim());
  if (words.some(word => word === '')) throw new InvalidArgumentError('Give identifiers separated by commas.');
  return words;
}

/** Reads a whole number from 1 on. */
export function natural(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Give a whole number from 1 to 999999.');
  return Number(text);
}

/** Reads a seed of 32 bits, or draws one. */
export function seedOption(text: string): number {
  if (text === 'random') return Math.floor(Math.random() * 2 ** 31);
  if (!/^\d{1,10}$/.test(text) || Number(text) > 2 ** 32 - 1) {
    throw new InvalidArgumentError('Give a whole number from 0 to 4294967295, or random.');
  }
  return Number(text);
}

/** Reads two descriptors. */
export function descriptors(text: string): string {
  if (!/^\d+,\d+$/.test(text)) throw new InvalidArgumentError('Give two descriptors, as in 3,4.');
  return text;
}

/** Reads a factor. */
export function factor(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 100)) throw new InvalidArgumentError('Give a number above 0, at most 100.');
  return value;
}
