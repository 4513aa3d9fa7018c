import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import pc from 'picocolors';
import { SuiteError } from './error.js';
import { examine } from './harness/doctor.js';
import type { AdapterCommand } from './harness/process.js';
import { Session } from './harness/session.js';
import { findMutant, MUTANTS } from './mutants/index.js';
import { mutantSuspect, nullSuspects, power } from './mutants/power.js';
import { findProperty, PROPERTIES } from './properties/index.js';
import { readClauses } from './report/clause.js';
import { consoleReport } from './report/console.js';
import { diagnosisText } from './report/diagnosis.js';
import { explain, listing } from './report/listing.js';
import { convictionLine, matrixSummary } from './report/matrix.js';
import { liveProgress } from './report/progress.js';
import { readReplay } from './report/replay-file.js';
import { replayReport } from './report/replay-report.js';
import { toReport } from './report/report.js';
import { writeReport } from './report/write.js';
import { suiteVersion } from './runner/package.js';
import { runSuite } from './runner/run.js';
import { PROFILES, type Profile, select } from './runner/select.js';
import { EXIT } from './runner/verdict.js';
import { type Connect, Worker } from './runner/worker.js';

/** How long one failing case may be made smaller, in milliseconds. */
const SHRINK_MS = 8_000;

const color = pc.isColorSupported && (process.stdout.isTTY === true || process.env.FORCE_COLOR !== undefined);

/** Gives the command line of the suite; `done` is told the exit code of a command that ends. */
export function commands(done: (code: number) => void): Command {
  const program = new Command('ars-compliance')
    .description('Judges an agent runtime, in any language, by the requirements of the Agent Runtime Specification.')
    .version(suiteVersion())
    .showHelpAfterError('(--help shows the usage)')
    .exitOverride();
  const adapter = ['[command...]', 'the command that starts the adapter, after --'] as const;

  program
    .command('run')
    .description('run the suite against a runtime and write the report')
    .argument(...adapter)
    .addOption(new Option('--profile <name>', 'what to run').choices(PROFILES).default('full'))
    .option('--req <ids>', 'only these requirements, separated by commas', list)
    .option('--seed <number>', 'what the cases are drawn from, or random', seedOption, 1)
    .option('--runs <number>', 'generated cases of each property', natural, 20)
    .option('--jobs <number>', 'sessions at one time; with 1 never two processes live at once', natural, 2)
    .option('--out <dir>', 'where report.json, replays/ and transcripts/ go', 'out')
    .option('--fd <in,out>', 'descriptors that carry the protocol instead of stdin and stdout', descriptors)
    .option('--scale <factor>', 'by what limits of time are multiplied', factor, 1)
    .action(async (command: string[], options: RunFlags) => done(await run(command, options)));
  program
    .command('replay')
    .description('run the case of a replay file again')
    .argument('<file>', 'a file of replays/')
    .argument(...adapter)
    .option('--scale <factor>', 'by what limits of time are multiplied', factor, 1)
    .action(async (file: string, command: string[], options: { scale: number }) =>
      done(await replay(file, command, options.scale)),
    );
  program
    .command('list')
    .description('list the properties and what they judge')
    .action(() => void process.stdout.write(listing(PROPERTIES)));
  program
    .command('explain')
    .description('show what a requirement says and how it is judged')
    .argument('<id>', 'the identifier of a requirement')
    .action((id: string) => {
      select(PROPERTIES, 'full', [id]);
      process.stdout.write(explain(id, PROPERTIES, MUTANTS, readClauses()));
    });
  program
    .command('doctor')
    .description('say what is wrong with an adapter, before a run')
    .argument(...adapter)
    .option('--fd <in,out>', 'descriptors that carry the protocol instead of stdin and stdout', descriptors)
    .action(async (command: string[], options: { fd?: string }) => {
      const report = await examine(adapterCommand(command, options.fd));
      process.stdout.write(diagnosisText(report, color));
      done(report.ok ? EXIT.conforms : EXIT.adapter);
    });
  program
    .command('power')
    .description('show that the suite finds every planted fault, in the compiled reference runtime')
    .option('--mutant <ids>', 'only these, separated by commas', list)
    .option('--seed <number>', 'what the cases are drawn from, or random', seedOption, 1)
    .option('--runs <number>', 'generated cases of each property', natural, 3)
    .option('--jobs <number>', 'mutants at one time', natural, 2)
    .option('--full', 'run each to the end, so that everything that it breaks is told', false)
    .option('--budget <seconds>', 'how long one mutant may take', natural, 60)
    .action(async (options: PowerFlags) => done(await convictAll(options)));
  return program;
}

interface RunFlags {
  readonly profile: Profile;
  readonly req?: readonly string[];
  readonly seed: number;
  readonly runs: number;
  readonly jobs: number;
  readonly out: string;
  readonly fd?: string;
  readonly scale: number;
}

interface PowerFlags {
  readonly mutant?: readonly string[];
  readonly seed: number;
  readonly runs: number;
  readonly jobs: number;
  readonly full: boolean;
  readonly budget: number;
}

async function run(words: readonly string[], flags: RunFlags): Promise<number> {
  const properties = select(PROPERTIES, flags.profile, flags.req);
  const command = adapterCommand(words, flags.fd);
  claimFolder(flags.out);
  const clauses = readClauses();
  const progress = liveProgress(process.stderr);
  const started_at = new Date().toISOString();
  const result = await interruptible(signal =>
    runSuite({
      connect: connector(command, flags.scale, flags.jobs > 1),
      properties,
      ...(flags.req === undefined ? {} : { requirements: flags.req }),
      seed: flags.seed,
      runs: flags.runs,
      jobs: flags.jobs,
      shrink_ms: SHRINK_MS * flags.scale,
      signal,
      onProgress: progress.show,
    }).finally(progress.clear),
  );
  const facts = { suite_version: suiteVersion(), command: words, jobs: flags.jobs, started_at };
  const report = toReport(result, facts);
  const counterexamples = result.outcomes.flatMap(outcome => outcome.counterexamples);
  writeReport(flags.out, report, counterexamples);
  process.stdout.write(consoleReport({ report, counterexamples, clauses, out: flags.out, color }));
  return result.exit;
}

/** Makes sure that the report can be written before an hour of work is put into it. */
function claimFolder(out: string): void {
  try {
    // One by one: Node's own way of making parents never comes back where a folder refuses entries with ENOENT.
    const wanted: string[] = [];
    for (let folder = resolve(out); !existsSync(folder); folder = dirname(folder)) wanted.unshift(folder);
    for (const folder of wanted) mkdirSync(folder);
    if (!statSync(out).isDirectory()) throw new Error('it is no folder');
    accessSync(out, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new SuiteError('usage', `cannot write to '${out}': ${(cause as Error).message}`, { cause });
  }
}

async function replay(file: string, words: readonly string[], scale: number): Promise<number> {
  const recorded = readReplay(file);
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
  const { text, code } = replayReport(recorded, result, { file, clauses: readClauses(), color });
  process.stdout.write(text);
  return code;
}

async function convictAll(flags: PowerFlags): Promise<number> {
  const mutants = flags.mutant?.map(findMutant) ?? MUTANTS;
  const suspects = [...mutants.map(mutant => mutantSuspect(mutant)), ...(flags.mutant ? [] : nullSuspects())];
  const convictions = await interruptible(signal =>
    power({
      suspects,
      properties: PROPERTIES,
      connect: command => connector(command, 1),
      seed: flags.seed,
      runs: flags.runs,
      jobs: flags.jobs,
      full: flags.full,
      budget_ms: flags.budget * 1000,
      signal,
      onConviction: conviction => void process.stdout.write(convictionLine(conviction, color)),
    }),
  );
  process.stdout.write(matrixSummary(convictions, suspects.length, color));
  if (convictions.length < suspects.length) return EXIT.interrupted;
  return convictions.every(({ fate }) => fate === 'killed') ? EXIT.conforms : EXIT.nonconforming;
}

function adapterCommand(words: readonly string[], fd: string | undefined): AdapterCommand {
  const [command, ...args] = words;
  if (command === undefined || command.trim() === '') {
    throw new SuiteError(
      'usage',
      'which adapter? Give the command that starts it: ars-compliance run -- node adapter.js',
    );
  }
  return { command, args: fd === undefined ? args : [...args, '--fd', fd] };
}

function connector(command: AdapterCommand, scale: number, spare = false): Connect {
  return () => Session.start(command, { scale, spare });
}

/** Runs something that the first SIGINT aborts and the second ends at once. */
async function interruptible<T>(use: (signal: AbortSignal) => Promise<T>): Promise<T> {
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

function list(text: string): string[] {
  const words = text.split(',').map(word => word.trim());
  if (words.some(word => word === '')) throw new InvalidArgumentError('Give identifiers separated by commas.');
  return words;
}

function natural(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Give a whole number from 1 to 999999.');
  return Number(text);
}

function seedOption(text: string): number {
  if (text === 'random') return Math.floor(Math.random() * 2 ** 31);
  if (!/^\d{1,10}$/.test(text) || Number(text) > 2 ** 32 - 1) {
    throw new InvalidArgumentError('Give a whole number from 0 to 4294967295, or random.');
  }
  return Number(text);
}

function descriptors(text: string): string {
  if (!/^\d+,\d+$/.test(text)) throw new InvalidArgumentError('Give two descriptors, as in 3,4.');
  return text;
}

function factor(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 100)) throw new InvalidArgumentError('Give a number above 0, at most 100.');
  return value;
}
