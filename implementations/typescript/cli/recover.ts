import { Command, Option } from 'commander';
import type { RecoveryReport } from '../../../schemas/types.js';
import type { ActionFunctions } from '../execution/functions.js';
import { Runtime } from '../runtime.js';
import { findModule, loadModule, useModule } from './action-module.js';
import { visible } from './code-frame.js';
import { errorColors, outputColors } from './color.js';
import { CLI_AGENT } from './consent.js';
import { doubtText } from './doubts.js';
import { follow, withRuntime } from './instance.js';
import { codeOfInterrupted, interruptedIn } from './interrupted.js';
import { writeLine } from './output.js';
import { progressOf } from './progress.js';
import { DEFAULT_WORKSPACE, demandWorkspace } from './workspace-option.js';

interface RecoverOptions {
  readonly workspace: string;
  readonly actions?: string;
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
  readonly format: 'text' | 'json';
}

const EXAMPLES = `
Examples:
  $ ars recover --dry-run   ask probes, and say what would be decided
  $ ars recover             decide what was interrupted, and let its instances go on to their ends

The code of the actions is that of the runs that were interrupted, and what --actions FILE adds.
Exit status: 0 where everything is decided; 1 where something is in doubt or cannot be decided; 2 usage.`;

/** What keeps an interrupted execution from being decided. */
const WANTING =
  'some of it stays interrupted, for want of its code or its workflow; name the module of the code with --actions FILE';

/** What a level says of the workspace. */
const MEANING: Readonly<Record<RecoveryReport['level'], string>> = {
  COMPLETE: 'everything was committed or is done again',
  PARTIAL: 'something was undone or closed as failed',
  DEGRADED: 'something stays undecided, for want of its code or its documents',
  FAILED: 'what is in doubt stands still until somebody says what became of it',
  UNKNOWN: 'the storage cannot be read',
};

/** Returns the sub-command `ars recover`. */
export function recoverCommand(): Command {
  return new Command('recover')
    .description('decide what became of interrupted executions, and report it')
    .addOption(new Option('--workspace <dir>', 'the folder of the workspace').default(DEFAULT_WORKSPACE))
    .option('--actions <file>', 'a module with the code of the actions')
    .option('--dry-run', 'ask probes and report; write nothing, and let nothing go on')
    .option('--quiet', 'no progress')
    .addOption(new Option('--format <format>', 'how to print the report').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action(async (options: RecoverOptions) => {
      process.exitCode = await recover(options);
    });
}

async function recover(options: RecoverOptions): Promise<number> {
  const { workspace, actions: named, dryRun, quiet } = options;
  demandWorkspace(workspace, 'nothing is interrupted in it');
  const module = findModule(named, undefined);
  const actions = { ...(await codeOfInterrupted(workspace)), ...(module && (await loadModule(module))) };
  if (dryRun === true) {
    const report = await Runtime.previewRecovery({ workspace, actions });
    tellWanting(report);
    return reportRecovery(report, options);
  }
  return recoverAll(options, module, actions, quiet === true);
}

function tellWanting(report: RecoveryReport | null): void {
  if (report?.level === 'DEGRADED') process.stderr.write(`${errorColors().yellow('!')} ${WANTING}\n`);
}

async function recoverAll(
  options: RecoverOptions,
  module: string | undefined,
  actions: ActionFunctions,
  quiet: boolean,
): Promise<number> {
  const { workspace } = options;
  const ids = interruptedIn(workspace);
  return withRuntime({ workspace, agent: CLI_AGENT }, actions, async (runtime, since) => {
    useModule(workspace, module);
    const watched = progressOf(runtime, since, quiet);
    // What lacks its code among the instances was told of by name when the workspace was opened.
    if (runtime.withoutCode.size === 0) tellWanting(runtime.recovery);
    const status = await reportRecovery(runtime.recovery, options);
    for (const id of ids)
      if (!runtime.withoutCode.has(id)) {
        const result = await follow(runtime, () => undefined, id);
        if (!quiet) process.stderr.write(`${result.status} ${id}\n`);
      }
    watched();
    return status;
  });
}

async function reportRecovery(
  report: RecoveryReport | null,
  { format }: Pick<RecoverOptions, 'format'>,
): Promise<number> {
  if (format === 'json') await writeLine(JSON.stringify(report, undefined, 2));
  else if (report === null) await writeLine('nothing was interrupted, and nothing is in doubt');
  else for (const line of reportLines(report)) await writeLine(line);
  return report === null || report.level === 'COMPLETE' || report.level === 'PARTIAL' ? 0 : 1;
}

function* reportLines({ level, decisions, in_doubt }: RecoveryReport): Generator<string> {
  const { green, yellow, red, bold } = outputColors();
  const paint = { COMPLETE: green, PARTIAL: yellow, DEGRADED: yellow, FAILED: red, UNKNOWN: red }[level];
  const left = decisions.filter(({ decision }) => decision === 'in_doubt').map(({ execution_id }) => execution_id);
  const doubts = new Set([...left, ...in_doubt]).size;
  yield `${bold('recovery')} ${paint(level)}: ${decisions.length - left.length} decided, ${doubts} in doubt; ${MEANING[level]}`;
  for (const { execution_id, node_id, probe, decision, new_execution_id } of decisions) {
    const by = new_execution_id === undefined ? '' : ` as ${new_execution_id}`;
    yield `  ${execution_id}  ${visible(node_id ?? '')}  probe ${probe} → ${decision}${by}`;
  }
  for (const id of in_doubt) yield `  ${red('?')} ${doubtText(id)}`;
}
