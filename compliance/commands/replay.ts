import { Command } from 'commander';
import { SuiteError, textOf } from '../error.js';
import { COMPARISONS } from '../properties/comparisons.js';
import { findProperty } from '../properties/index.js';
import { readClauses } from '../report/clause.js';
import { colorsOutput } from '../report/color.js';
import { comparedReport } from '../report/diff-report.js';
import { type Difference, type Replay, readKept } from '../report/replay-file.js';
import { replayReport } from '../report/replay-report.js';
import { compareCase } from '../runner/diff.js';
import { Worker } from '../runner/worker.js';
import type { Done } from './after-run.js';
import { withTwo } from './diff.js';
import { adapterCommand, connector, factor, interruptible } from './options.js';

/** Gives the command that runs the case of a file again: a failure of `run`, or what two runtimes part at. */
export function replayCommand(done: Done): Command {
  return new Command('replay')
    .description('run the case of a replay file again; one that diff has kept, by both runtimes')
    .argument('<file>', 'a file of replays/')
    .argument('[command...]', 'the command that starts the adapter, after --; of two the second')
    .option('--scale <factor>', 'by what limits of time are multiplied', factor, 1)
    .action(async (file: string, command: string[], { scale }: { scale: number }) => {
      const recorded = readKept(file);
      const again = { file, words: command, scale };
      done('comparison' in recorded ? await both(recorded, again) : await one(recorded, again));
    });
}

/** How a case is run again. */
interface Again {
  readonly file: string;
  /** What starts the adapter, of two the second; nothing where it is as recorded. */
  readonly words: readonly string[];
  readonly scale: number;
}

async function one(recorded: Replay, { file, words, scale }: Again): Promise<number> {
  const property = findProperty(recorded.property);
  const command = adapterCommand(words.length > 0 ? words : recorded.command, undefined);
  const result = await interruptible(async signal => {
    const worker = new Worker(connector(command, scale), signal);
    try {
      await worker.open();
      const context = { subject: worker, seed: recorded.seed, runs: 1, shrink_ms: 0, signal };
      return await property.replay(context, recorded.role, recorded.case);
    } finally {
      await worker.close();
    }
  });
  const { text, code } = replayReport(recorded, result, { file, clauses: readClauses(), color: colorsOutput() });
  process.stdout.write(text);
  return code;
}

async function both(recorded: Difference, { file, words, scale }: Again): Promise<number> {
  const { comparison, case: value } = recorded;
  const second = words.length > 0 ? words : recorded.b.command;
  return withTwo([recorded.a.command, second], scale, async ({ a, b, names }) => {
    const compared = await compareCase({ a, b, comparisons: COMPARISONS }, comparison, value).catch(
      (cause: unknown) => {
        if (cause instanceof SuiteError && cause.code !== 'suite_bug') throw cause;
        throw new SuiteError('usage', `the case of '${file}' cannot be run or judged: ${textOf(cause)}`, { cause });
      },
    );
    const { text, code } = comparedReport(compared, names, colorsOutput());
    process.stdout.write(text);
    return code;
  });
}
