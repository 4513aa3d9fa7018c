import { Command } from 'commander';
import { checkLogCommand, coverageCommand, reportCommand } from './commands/after-run.js';
import { diffCommand } from './commands/diff.js';
import { initCommand } from './commands/init.js';
import {
  adapterCommand,
  connector,
  descriptors,
  interruptible,
  list,
  natural,
  seedOption,
} from './commands/options.js';
import { replayCommand } from './commands/replay.js';
import { runCommand } from './commands/run.js';
import { examine } from './harness/doctor.js';
import { findMutant, MUTANTS } from './mutants/index.js';
import { mutantSuspect, nullSuspects, power } from './mutants/power.js';
import { PROPERTIES } from './properties/index.js';
import { readClauses } from './report/clause.js';
import { colorsOutput } from './report/color.js';
import { diagnosisText } from './report/diagnosis.js';
import { explain, listing } from './report/listing.js';
import { convictionLine, matrixSummary } from './report/matrix.js';
import type { Background } from './report/standing.js';
import { suiteVersion } from './runner/package.js';
import { EXIT } from './runner/verdict.js';

/** Gives the command line of the suite; `done` is told the exit code of a command that ends. */
export function commands(done: (code: number) => void): Command {
  const program = new Command('ars-compliance')
    .description('Judges an agent runtime, in any language, by the requirements of the Agent Runtime Specification.')
    .version(suiteVersion())
    .showHelpAfterError('(--help shows the usage)')
    .exitOverride();
  const adapter = ['[command...]', 'the command that starts the adapter, after --'] as const;
  const more = [
    initCommand(),
    runCommand(background, done),
    reportCommand(background),
    coverageCommand(background, done),
    diffCommand(done),
    replayCommand(done),
    checkLogCommand(done),
  ];
  for (const command of more) program.addCommand(command.copyInheritedSettings(program));

  program
    .command('doctor')
    .description('say what is wrong with an adapter, before a run')
    .argument(...adapter)
    .option('--fd <in,out>', 'descriptors that carry the protocol instead of stdin and stdout', descriptors)
    .action(async (command: string[], options: { fd?: string }) => {
      const report = await examine(adapterCommand(command, options.fd));
      process.stdout.write(diagnosisText(report, colorsOutput()));
      done(report.ok ? EXIT.conforms : EXIT.adapter);
    });
  program
    .command('list')
    .description('list the properties and what they judge')
    .action(() => void process.stdout.write(listing(PROPERTIES)));
  program
    .command('explain')
    .description('show what a requirement says and how it is judged')
    .argument('<id>', 'the identifier of a requirement')
    .action((id: string) => void process.stdout.write(explain(id, background())));
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

/** What is known of the suite itself. */
function background(): Background {
  return { clauses: readClauses(), properties: PROPERTIES, mutants: MUTANTS };
}

interface PowerFlags {
  readonly mutant?: readonly string[];
  readonly seed: number;
  readonly runs: number;
  readonly jobs: number;
  readonly full: boolean;
  readonly budget: number;
}

async function convictAll(flags: PowerFlags): Promise<number> {
  const mutants = flags.mutant?.map(findMutant) ?? MUTANTS;
  const suspects = [...mutants.map(mutant => mutantSuspect(mutant)), ...(flags.mutant ? [] : nullSuspects())];
  const color = colorsOutput();
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
