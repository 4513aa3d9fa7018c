import { Command } from 'commander';
import { SuiteError } from '../error.js';
import { COMPARISONS } from '../properties/comparisons.js';
import { colorsOutput } from '../report/color.js';
import { diffReport } from '../report/diff-report.js';
import { diff } from '../runner/diff.js';
import { EXIT } from '../runner/verdict.js';
import { Worker } from '../runner/worker.js';
import type { Done } from './after-run.js';
import { connector, interruptible, natural, SHRINK_MS, seedOption, wordsOf } from './options.js';

interface DiffFlags {
  readonly a: string;
  readonly b: string;
  readonly seed: number;
  readonly runs: number;
}

/** Gives the command that runs two runtimes side by side; it ends with 0 where they agree, with 1 where they do not. */
export function diffCommand(done: Done): Command {
  return new Command('diff')
    .description(
      'run two runtimes side by side on the same cases (programs, some of them killed; workflows to verify; scenes of governance: of what both claim), and show the smallest one at which they disagree',
    )
    .requiredOption('--a <command>', 'the command that starts the one adapter, as one word of the shell')
    .requiredOption('--b <command>', 'the command that starts the other')
    .option('--seed <number>', 'what the cases are drawn from, or random', seedOption, 1)
    .option('--runs <number>', 'generated cases', natural, 100)
    .action(async (flags: DiffFlags) => done(await compare(flags)));
}

async function compare(flags: DiffFlags): Promise<number> {
  const result = await interruptible(async signal => {
    const [a, b] = [flags.a, flags.b].map(text => new Worker(connector(commandOf(text), 1), signal)) as [
      Worker,
      Worker,
    ];
    try {
      const [first, second] = await Promise.all([a.open(), b.open()]);
      const names = { a: nameOf(first), b: nameOf(second) };
      const { seed, runs } = flags;
      const found = await diff({ a, b, comparisons: COMPARISONS, seed, runs, shrink_ms: 4 * SHRINK_MS, signal });
      process.stdout.write(diffReport(found, names, colorsOutput()));
      return signal.aborted ? EXIT.interrupted : codeOf(found);
    } finally {
      await Promise.allSettled([a.close(), b.close()]);
    }
  });
  return result;
}

function codeOf(found: Awaited<ReturnType<typeof diff>>): number {
  if (found.disagreement !== undefined) return EXIT.nonconforming;
  return Object.values(found.compared).every(count => count === 0) ? EXIT.inconclusive : EXIT.conforms;
}

function nameOf({ runtime }: { readonly runtime: { readonly name: string; readonly version: string } }): string {
  return `${runtime.name} ${runtime.version}`;
}

function commandOf(text: string) {
  const [command, ...args] = wordsOf(text);
  if (command === undefined) throw new SuiteError('usage', 'an empty command starts no adapter');
  return { command, args };
}
