import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { type Expected, readBaseline, type Surprise, surprises } from '../report/baseline.js';
import { colorsOutput } from '../report/color.js';
import { consoleReport } from '../report/console.js';
import { openEvents } from '../report/events.js';
import { liveProgress } from '../report/progress.js';
import { toReport } from '../report/report.js';
import { slowestText } from '../report/slowest.js';
import type { Background } from '../report/standing.js';
import { writeViews } from '../report/views.js';
import { writeReport } from '../report/write.js';
import { suiteVersion } from '../runner/package.js';
import { PROFILES, type Profile } from '../runner/profile.js';
import { type Run, runSuite } from '../runner/run.js';
import { select } from '../runner/select.js';
import { EXIT } from '../runner/verdict.js';
import type { Done } from './after-run.js';
import {
  adapterCommand,
  connector,
  descriptors,
  factor,
  interruptible,
  list,
  natural,
  SHRINK_MS,
  seedOption,
} from './options.js';
import { claimFolder } from './out-folder.js';

interface RunFlags {
  readonly profile: Profile;
  readonly req?: readonly string[];
  readonly seed: number;
  readonly runs: number;
  readonly jobs: number;
  readonly out: string;
  readonly baseline?: string;
  readonly fd?: string;
  readonly scale: number;
  readonly slowest?: number;
}

/** Gives the command that judges a runtime and writes the report. */
export function runCommand(background: () => Background, done: Done): Command {
  return new Command('run')
    .description('run the suite against a runtime and write the report')
    .argument('[command...]', 'the command that starts the adapter, after --')
    .addOption(new Option('--profile <name>', 'what to judge').choices(PROFILES).default('full'))
    .option('--req <ids>', 'only these requirements, separated by commas', list)
    .option('--seed <number>', 'what the cases are drawn from, or random', seedOption, 1)
    .option('--runs <number>', 'generated cases of each property', natural, 20)
    .addOption(
      new Option('--jobs <number>', 'sessions at one time; with 1 never two processes live at once')
        .argParser(natural)
        .default(availableParallelism(), 'the number of processors'),
    )
    .option('--out <dir>', 'where the report, replays/ and transcripts/ go', 'out')
    .option('--baseline <file>', 'known deviations: whatever differs from them, better or worse, fails')
    .option('--fd <in,out>', 'descriptors that carry the protocol instead of stdin and stdout', descriptors)
    .option('--scale <factor>', 'by what limits of time are multiplied', factor, 1)
    .option('--slowest <number>', 'also print the properties that took longest, so many', natural)
    .action(async (command: string[], options: RunFlags) => done(await run(command, options, background())));
}

async function run(words: readonly string[], flags: RunFlags, background: Background): Promise<number> {
  const properties = select(background.properties, flags.profile, flags.req);
  const command = adapterCommand(words, flags.fd);
  const baseline = flags.baseline === undefined ? undefined : readBaseline(flags.baseline);
  claimFolder(flags.out);
  const progress = liveProgress(process.stderr);
  const started_at = new Date().toISOString();
  const events = openEvents(flags.out);
  const { seed, runs } = flags;
  try {
    const { profile, req: asked, scale, jobs } = flags;
    const facts = { suite_version: suiteVersion(), command: words, jobs, profile, scale, started_at };
    events.write({ event: 'run_started', ...facts, seed, runs, requirements: asked ?? null });
    const result = await interruptible(signal =>
      runSuite({
        connect: connector(command, flags.scale, flags.jobs > 1),
        properties,
        ...(flags.req === undefined ? {} : { requirements: flags.req }),
        ...{ seed, runs, jobs: flags.jobs, shrink_ms: SHRINK_MS * flags.scale, signal },
        onProgress: progress.show,
        onEvent: event => events.write(event),
      }).finally(progress.clear),
    );
    const report = toReport(result, { ...facts, ...(asked === undefined ? {} : { asked }) });
    const counterexamples = result.outcomes.flatMap(outcome => outcome.counterexamples);
    const found = baseline === undefined ? undefined : surprises(report, baseline, new Set(background.clauses.keys()));
    events.write({ event: 'run_ended', exit_code: report.exit_code, ...(found && { surprises: found }) });
    writeReport(flags.out, report, counterexamples);
    await writeViews(flags.out, background);
    process.stdout.write(
      consoleReport({ report, counterexamples, background, out: flags.out, color: colorsOutput(), ...expected(found) }),
    );
    if (flags.slowest !== undefined) process.stdout.write(`\n${slowestText(result.outcomes, flags.slowest)}`);
    return found === undefined ? result.exit : exitAgainst(result, found, baseline ?? []);
  } finally {
    events.close();
  }
}

function expected(found: readonly Surprise[] | undefined): { surprises?: readonly Surprise[] } {
  return found === undefined ? {} : { surprises: found };
}

/** What is exactly as expected ends with 0; what the baseline cannot tell of, a method that is not served, does not. */
function exitAgainst(result: Run, found: readonly Surprise[], baseline: readonly Expected[]): number {
  if (result.interrupted || result.exit === EXIT.suite_bug) return result.exit;
  if (found.length > 0) return EXIT.nonconforming;
  if (result.missing.length > 0) return result.exit;
  return baseline.length > 0 || result.exit === EXIT.conforms ? EXIT.conforms : result.exit;
}
