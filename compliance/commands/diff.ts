import { join } from 'node:path';
import { Command } from 'commander';
import { SuiteError } from '../error.js';
import { COMPARISONS } from '../properties/comparisons.js';
import { colorsOutput } from '../report/color.js';
import { diffReport, type Names } from '../report/diff-report.js';
import { type Difference, differencePath } from '../report/replay-file.js';
import { writeJson } from '../report/write.js';
import { type Disagreement, diff } from '../runner/diff.js';
import { suiteVersion } from '../runner/package.js';
import { EXIT } from '../runner/verdict.js';
import { Worker } from '../runner/worker.js';
import type { Done } from './after-run.js';
import { adapterCommand, connector, interruptible, natural, SHRINK_MS, seedOption, wordsOf } from './options.js';
import { claimFolder } from './out-folder.js';

interface DiffFlags {
  readonly a: string;
  readonly b: string;
  readonly seed: number;
  readonly runs: number;
  readonly out: string;
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
    .option('--out <dir>', 'where replays/ goes, with the case at which they disagree', 'out')
    .action(async (flags: DiffFlags) => done(await compare(flags)));
}

async function compare(flags: DiffFlags): Promise<number> {
  const [first, second] = [commandOf(flags.a), commandOf(flags.b)];
  claimFolder(flags.out);
  return withTwo([first, second], 1, async ({ a, b, names, signal }) => {
    const { seed, runs } = flags;
    const found = await diff({ a, b, comparisons: COMPARISONS, seed, runs, shrink_ms: 4 * SHRINK_MS, signal });
    const file = found.disagreement && keep(found.disagreement, seed, [first, second], flags.out);
    process.stdout.write(diffReport(found, names, colorsOutput(), file));
    return signal.aborted ? EXIT.interrupted : codeOf(found);
  });
}

/** Two started runtimes. */
interface Two {
  readonly a: Worker;
  readonly b: Worker;
  readonly names: Names;
  readonly signal: AbortSignal;
}

/** Gives what comes of using two runtimes, which these commands start; both end with it, and where one does not start. */
export async function withTwo<T>(
  commands: readonly [readonly string[], readonly string[]],
  scale: number,
  use: (two: Two) => Promise<T>,
): Promise<T> {
  return interruptible(async signal => {
    const start = (words: readonly string[]) => new Worker(connector(adapterCommand(words, undefined), scale), signal);
    const [a, b] = [start(commands[0]), start(commands[1])];
    try {
      const [first, second] = await Promise.all([a.open(), b.open()]);
      return await use({ a, b, names: { a: nameOf(first), b: nameOf(second) }, signal });
    } finally {
      await Promise.allSettled([a.close(), b.close()]);
    }
  });
}

/** Writes what two runtimes part at into a folder, and gives the path of the file. */
function keep(
  { kind, case: value, a, b }: Disagreement,
  seed: number,
  [first, second]: readonly [readonly string[], readonly string[]],
  out: string,
): string {
  const path = join(out, differencePath(kind));
  writeJson(path, {
    replay: '1.0',
    suite_version: suiteVersion(),
    comparison: kind,
    seed,
    case: value,
    a: { command: first, seen: a },
    b: { command: second, seen: b },
  } satisfies Difference);
  return path;
}

function codeOf(found: Awaited<ReturnType<typeof diff>>): number {
  if (found.disagreement !== undefined) return EXIT.nonconforming;
  return Object.values(found.compared).every(count => count === 0) ? EXIT.inconclusive : EXIT.conforms;
}

function nameOf({ runtime }: { readonly runtime: { readonly name: string; readonly version: string } }): string {
  return `${runtime.name} ${runtime.version}`;
}

function commandOf(text: string): string[] {
  const words = wordsOf(text);
  if (words.length === 0) throw new SuiteError('usage', 'an empty command starts no adapter');
  return words;
}
