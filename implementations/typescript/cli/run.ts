import { Command, Option } from 'commander';
import type { Workflow } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { Runtime } from '../runtime.js';
import { canonicalize } from '../state/canonical.js';
import { workflowKey } from '../workflow/resolve.js';
import { findModule, loadModule, useModule } from './action-module.js';
import { visible } from './code-frame.js';
import { requireCode } from './code-needed.js';
import { watchThrows } from './code-place.js';
import { errorColors } from './color.js';
import { advised, askConsent, CLI_AGENT, riskText } from './consent.js';
import { boundInputs, readInputs } from './inputs.js';
import { follow, report, withRuntime } from './instance.js';
import { codeOfInterrupted, interruptedIfAny, joinCode } from './interrupted.js';
import { nextCommand } from './next-command.js';
import { withHint, writeLine } from './output.js';
import { progressOf } from './progress.js';
import { reasonsOf, registerAdvice } from './register-advice.js';
import { resume } from './resume.js';
import { explainConflict, type RunDocuments, readRunFiles } from './run-files.js';
import { type RunOptions, repeated } from './run-options.js';
import { DEFAULT_WORKSPACE } from './workspace-option.js';

const EXAMPLES = `
Examples:
  $ ars run workflow.yaml --input name=Ada
  $ ars run workflow.yaml skill.yaml      the first runs; what it refers to is in the others
  $ ars run workflow.yaml --dry-run       say how risky it is, and run nothing
  $ ars run --resume                      finish what was interrupted in the workspace
  $ ars run --resume EXECUTION_ID         run an ended, failed instance on from what it committed

All documents of the files, and those of --registry, go into the registry of the workspace, except the one that runs.
What is RISKY or IRREVERSIBLE runs with --confirm only. It runs as the agent ${CLI_AGENT}; you confirm as owner.
The code of the actions is a module of functions by action_id: --actions FILE, else actions.mjs beside the workflow.
Exit status: 0 completed, 1 failed, compensated, denied, in doubt or ended by the code of an action, 2 usage; of a dry run, 1 where a start would be denied.
The outputs are printed on stdout as JSON.`;

/** Returns the sub-command `ars run`. */
export function runCommand(): Command {
  return new Command('run')
    .description('run a workflow durably')
    .argument('[files...]', 'YAML or JSON workflows of which the first runs, and registries; - is standard input')
    .addOption(repeated('-i, --input <name=value>', 'an input; may be repeated'))
    .option('--inputs <file>', 'a JSON object of inputs')
    .addOption(repeated('--registry <file>', 'a file to look actions and skills up in; may be repeated'))
    .option('--workflow <name>', 'which workflow of the files runs, where it is not the first')
    .addOption(new Option('--workspace <dir>', 'the folder of the workspace').default(DEFAULT_WORKSPACE))
    .option('--actions <file>', 'a module with the code of the actions')
    .option('--agent <agent_id>', 'on whose behalf it runs; with --resume it is who started it', CLI_AGENT)
    .addOption(new Option('--confirm [yes]', 'run what is risky, after a question or at once').choices(['yes']))
    .option('--dry-run', 'pass verification and governance, and invoke nothing')
    .option('--resume [execution_id]', 'finish what was interrupted, or run an ended instance on')
    .option('--request-key <key>', 'the same key gives the same instance')
    .option('--max-parallel <n>', 'the most actions running at one time', positive)
    .option('--quiet', 'no progress')
    .addOption(new Option('--format <format>', 'what to print on stdout').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action(async (files: readonly string[], options: RunOptions) => {
      process.exitCode = options.resume === undefined ? await start(files, options) : await resume(files, options);
    });
}

function positive(text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new ArsError('usage', `--max-parallel "${text}" is no whole number from 1 on`);
}

async function start(files: readonly string[], options: RunOptions): Promise<number> {
  if (files.length === 0) throw new ArsError('usage', 'ars run needs a workflow file, or --resume');
  const { registry: registries, workflow: name, workspace } = options;
  const documents = await readRunFiles({ files, registries, name, workspace });
  if (documents === undefined) return 1;
  const { workflow, file } = documents;
  const inputs = readInputs(workflow, options.input, options.inputs);
  const found = findModule(options.actions, file);
  const interrupted = interruptedIfAny(workspace);
  const actions = joinCode(
    await codeOfInterrupted(workspace, interrupted),
    found === undefined ? {} : await loadModule(found),
  );
  if (options.dryRun !== true)
    for (const line of requireCode(documents, actions))
      process.stderr.write(`${errorColors().yellow('!')} ${visible(line)}\n`);
  const { functions, places } = watchThrows(actions);
  return withRuntime(options, functions, async (runtime, since) => {
    const { agent: agent_id, requestKey: request_key, maxParallel: max_parallel, confirm } = options;
    const wanted = { workflow, inputs, agent_id };
    await define(runtime, documents, workspace);
    if (options.dryRun === true) return simulate(runtime, wanted, options);
    useModule(workspace, found);
    const confirmation_id = confirm && (await confirmed(runtime, wanted, confirm));
    if (options.quiet !== true) tellInterrupted(runtime, interrupted);
    const watched = progressOf(runtime, since, options.quiet === true, places);
    const { sequence } = runtime.state([]);
    const starting = runtime.start({
      ...wanted,
      ...(confirmation_id === undefined ? {} : { confirmation_id }),
      ...(request_key === undefined ? {} : { request_key }),
      ...(max_parallel === undefined ? {} : { max_parallel }),
    });
    const execution_id = await advised(starting, againText(files, options), 'started').catch((error: unknown) => {
      const reasons = reasonsOf(error);
      throw withHint(withHint(error, registerAdvice(reasons, agent_id)), inputAdvice(reasons));
    });
    if (request_key !== undefined) tellEarlier(runtime, wanted, execution_id, sequence);
    return report(runtime, execution_id, await follow(runtime, watched, execution_id), options);
  });
}

/** Says whose the steps are that are told beside those of a new instance. */
function tellInterrupted(runtime: Runtime, interrupted: readonly string[]): void {
  for (const execution_id of interrupted) {
    const [started] = runtime.records({ execution_id, record_type: 'workflow', limit: 1 });
    if (started === undefined || started.parent_execution_id !== undefined) continue;
    const what = visible(`${started.workflow_id} ${execution_id}`);
    process.stderr.write(`${errorColors().yellow('!')} interrupted before, and decided first: ${what}\n`);
  }
}

/** The same start, as it is typed. */
function againText(
  files: readonly string[],
  { registry, workflow, inputs, input, agent, requestKey, maxParallel, quiet, format }: RunOptions,
): string {
  const options: [string, string | undefined][] = [
    ...registry.map((path): [string, string] => ['--registry', path]),
    ['--workflow', workflow],
    ['--inputs', inputs],
    ...input.map((pair): [string, string] => ['--input', pair]),
    ['--agent', agent === CLI_AGENT ? undefined : agent],
    ['--request-key', requestKey],
    ['--max-parallel', maxParallel?.toString()],
    ['--format', format === 'text' ? undefined : format],
  ];
  const given = options.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  return nextCommand('run', ...files, ...given, ...(quiet === true ? ['--quiet'] : []));
}

/** How inputs are given, where they did not fit; undefined where that was not why. */
function inputAdvice(reasons: ReturnType<typeof reasonsOf>): string | undefined {
  if (!reasons.some(({ code }) => code === 'INPUTS_UNFIT')) return undefined;
  return 'inputs are given with --input NAME=VALUE, or as a JSON object with --inputs FILE\n';
}

/** Puts what was given beside the workflow into the registry. */
async function define(runtime: Runtime, { definitions }: RunDocuments, workspace: string): Promise<void> {
  try {
    await runtime.putRegistry(definitions);
  } catch (error) {
    throw explainConflict(error, workspace);
  }
}

/** Says where a request key gave an instance that was there before, and whether that is what is wanted now. */
function tellEarlier(runtime: Runtime, { workflow, inputs }: Wanted, execution_id: string, before: number): void {
  const [started] = runtime.records({ execution_id, record_type: 'workflow', limit: 1 });
  if (started === undefined || started.sequence > before) return;
  const differs: string[] = [];
  if (started.workflow_id !== workflowKey(workflow)) differs.push(`its workflow is ${started.workflow_id}`);
  else if (canonicalize(runtime.workflowOf(execution_id)) !== canonicalize(workflow))
    differs.push(`its workflow was another ${started.workflow_id}, since changed without a new version`);
  else if (misfitOf({ workflow, inputs }) !== undefined || !isSame(started.inputs, boundInputs(workflow, inputs)))
    differs.push('its inputs differ');
  process.stderr.write(
    `${errorColors().yellow('!')} given by request key: ${['an earlier start', ...differs].join(', ')}\n`,
  );
}

function isSame(earlier: unknown, now: unknown): boolean {
  return canonicalize(earlier ?? {}) === canonicalize(now);
}

interface Wanted {
  readonly workflow: Workflow;
  readonly inputs: Record<string, unknown>;
  readonly agent_id: string;
}

/** Says how risky a start would be. */
async function simulate(runtime: Runtime, wanted: Wanted, options: RunOptions): Promise<number> {
  const simulation = await runtime.start({ ...wanted, dry_run: true });
  const { dry_run: risk } = simulation;
  const { workflow } = wanted;
  if (options.format === 'json') await writeLine(JSON.stringify(simulation));
  else {
    process.stdout.write(riskText({ name: workflow.workflow.name, risk, causes: runtime.causes(workflow) }));
    await writeLine(`resolved_digest ${risk.resolved_digest}`);
    await writeLine(`inputs_digest   ${risk.inputs_digest}`);
  }
  process.stderr.write('dry run: nothing was invoked\n');
  const misfit = misfitOf(wanted);
  if (misfit !== undefined) process.stderr.write(`a start with these inputs would be denied: ${visible(misfit)}\n`);
  return misfit === undefined ? 0 : 1;
}

/** Why the inputs do not fit, which a dry run does not ask; undefined where they do. */
function misfitOf({ workflow, inputs }: Pick<Wanted, 'workflow' | 'inputs'>): string | undefined {
  try {
    boundInputs(workflow, inputs);
    return undefined;
  } catch (error) {
    if (error instanceof ArsError && error.code === 'invalid_document') return error.message;
    throw error;
  }
}

/** Dry-runs a start and has it confirmed. */
async function confirmed(runtime: Runtime, wanted: Wanted, answer: 'yes' | true): Promise<string | undefined> {
  const { workflow, agent_id } = wanted;
  const { dry_run: risk } = await runtime.start({ ...wanted, dry_run: true });
  const causes = runtime.causes(workflow);
  const by_policy = runtime.check(wanted).reasons.some(({ code }) => code === 'CONFIRMATION_NEEDED');
  return askConsent(runtime, { name: workflow.workflow.name, agent_id, risk, causes, by_policy }, answer);
}
