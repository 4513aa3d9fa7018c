import { CommanderError } from 'commander';
import { commands } from './commands.js';
import { SuiteError, textOf } from './error.js';
import { EXIT } from './runner/verdict.js';

/** How many lines of an adapter's stderr are shown where it does not start. */
const STDERR_LINES = 20;

/** Gives the exit code: 0 conforms, 1 does not, 2 usage, 3 adapter, 4 only inconclusive, 5 an error of the suite. */
export async function main(argv: readonly string[]): Promise<number> {
  let code: number = EXIT.conforms;
  const program = commands(result => {
    code = result;
  });
  try {
    await program.parseAsync(argv);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.conforms : EXIT.usage;
    process.stderr.write(`${message(error)}\n`);
    return codeOf(error);
  }
}

function codeOf(error: unknown): number {
  if (!(error instanceof SuiteError)) return EXIT.suite_bug;
  if (error.code === 'usage') return EXIT.usage;
  return ['adapter_start', 'protocol', 'adapter_exit', 'timeout'].includes(error.code) ? EXIT.adapter : EXIT.suite_bug;
}

/** The last lines of what an adapter wrote to stderr. */
function saidLast(stderr: unknown): string {
  if (typeof stderr !== 'string' || stderr.trim() === '') return '';
  return `\nIts stderr ends with:\n${stderr.trimEnd().split('\n').slice(-STDERR_LINES).join('\n')}`;
}

function message(error: unknown): string {
  const text = textOf(error);
  if (!(error instanceof SuiteError)) return `ars-compliance: an error of the suite: ${(error as Error).stack ?? text}`;
  const { fix } = error.details;
  const advice = typeof fix === 'string' ? `\n${fix}` : '';
  return `ars-compliance: ${text}${advice}${saidLast(error.details.stderr)}`;
}
