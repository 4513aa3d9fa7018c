import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { Workflow } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { ActionFunctions } from '../execution/functions.js';
import type { Runtime } from '../runtime.js';
import { storePaths } from '../store/paths.js';
import { findModule, loadModule, rememberModule } from './action-module.js';
import { askConsent, CLI_AGENT, consentAdvice, riskText, riskToConfirm } from './consent.js';
import { readInputs } from './inputs.js';
import { follow, report, withRuntime } from './instance.js';
import { codeOfInterrupted, interruptedIn, joinCode } from './interrupted.js';
import { writeLine } from './output.js';
import { progressOf } from './progress.js';
import { explainConflict, type RunDocuments, readRunFiles } from './run-files.js';
import { DEFAULT_WORKSPACE } from './workspace-option.js';

interface RunOptions {
  readonly input: readonly string[];
  readonly registry: readonly string[];
  readonly workflow?: string;
  readonly inputs?: string;
  readonly workspace: string;
  readonly actions?: string;
  readonly agent: string;
  readonly resume?: string | true;
  readonly requestKey?: string;
  readonly maxParallel?: number;
  readonly confirm?: 'yes' | true;
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
  readonly format: 'text' | 'json';
}

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
Exit status: 0 completed, 1 failed, compensated, denied or in doubt, 2 usage. The outputs are printed on stdout as JSON.`;

/** Returns the sub-command `ars run`. */
export function runCommand(): Command {
  return new Command('run')
    .description('run a workflow durably')
    .argument('[files...]', 'YAML or JSON workflows of which the first runs, and registries; - is standard input')
    .option('-i, --input <name=value>', 'an input; may be repeated', (pair, all: string[]) => [...all, pair], [])
    .option('--inputs <file>', 'a JSON object of inputs')
    .option(
      '--registry <file>',
      'a file to look actions and skills up in; may be repeated',
      (file, all: string[]) => [...all, file],
      [],
    )
    .option('--workflow <name>', 'which workflow of the files runs, where it is not the first')
    .addOption(new Option('--workspace <dir>', 'the folder of the workspace').default(DEFAULT_WORKSPACE))
    .option('--actions <file>', 'a module with the code of the actions')
    .option('--agent <agent_id>', 'on whose behalf it runs', CLI_AGENT)
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
  const actions = joinCode(
    await codeOfInterrupted(options.workspace),
    found === undefined ? {} : await loadModule(found),
  );
  if (options.dryRun !== true) requireCode(workflow, actions, file);
  return withRuntime(options, actions, async (runtime, since) => {
    const { agent: agent_id, requestKey: request_key, maxParallel: max_parallel, confirm } = options;
    const wanted = { workflow, inputs, agent_id };
    await define(runtime, documents, workspace);
    if (options.dryRun === true) return simulate(runtime, wanted, options);
    if (found !== undefined) rememberModule(options.workspace, found);
    const confirmation_id = confirm && (await confirmed(runtime, wanted, confirm));
    const watched = progressOf(runtime, since, options.quiet === true);
    const starting = runtime.start({
      ...wanted,
      ...(confirmation_id === undefined ? {} : { confirmation_id }),
      ...(request_key === undefined ? {} : { request_key }),
      ...(max_parallel === undefined ? {} : { max_parallel }),
    });
    const execution_id = await advised(
      starting,
      ['ars run', ...files, ...registries.map(path => `--registry ${path}`)].join(' '),
    );
    return report(runtime, execution_id, await follow(runtime, watched, execution_id), options.format);
  });
}

/** Puts what was given beside the workflow into the registry. */
async function define(runtime: Runtime, { definitions }: RunDocuments, workspace: string): Promise<void> {
  try {
    await runtime.putRegistry(definitions);
  } catch (error) {
    throw explainConflict(error, workspace);
  }
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
  return 0;
}

/** Dry-runs a start and has it confirmed. */
async function confirmed(runtime: Runtime, wanted: Wanted, answer: 'yes' | true): Promise<string | undefined> {
  const { workflow, agent_id } = wanted;
  const { dry_run: risk } = await runtime.start({ ...wanted, dry_run: true });
  const causes = runtime.causes(workflow);
  const by_policy = runtime.check(wanted).reasons.some(({ code }) => code === 'CONFIRMATION_NEEDED');
  return askConsent(runtime, { name: workflow.workflow.name, agent_id, risk, causes, by_policy }, answer);
}

/** The result, or the error after what can be done about it was printed. */
async function advised<T>(work: Promise<T>, again: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ArsError && error.code === 'not_found' && Array.isArray(error.details.actions))
      process.stderr.write(`name the module that has the code of all these actions:  ${again} --actions FILE\n`);
    process.stderr.write(consentAdvice(error, again) ?? '');
    throw error;
  }
}

async function resume(files: readonly string[], options: RunOptions): Promise<number> {
  if (options.dryRun === true) throw new ArsError('usage', '--dry-run is for a workflow file, not for --resume');
  if (options.input.length > 0 || options.inputs !== undefined)
    throw new ArsError('usage', 'a resumed instance keeps its inputs; leave --input and --inputs out');
  if (options.registry.length > 0 || options.workflow !== undefined)
    throw new ArsError('usage', 'a resumed instance keeps its documents; leave --registry and --workflow out');
  if (!existsSync(storePaths(options.workspace).database))
    throw new ArsError('not_found', `"${options.workspace}" is no workspace yet, so nothing is interrupted in it`);
  const ids = typeof options.resume === 'string' ? [options.resume] : interruptedIn(options.workspace);
  if (ids.length === 0) {
    process.stderr.write('nothing is interrupted in this workspace\n');
    return 0;
  }
  const named = findModule(options.actions, files[0]);
  const actions = { ...(await codeOfInterrupted(options.workspace)), ...(named && (await loadModule(named))) };
  return withRuntime(options, actions, async (runtime, since) => {
    const watched = progressOf(runtime, since, options.quiet === true);
    let worst = 0;
    for (const id of ids) {
      if (runtime.withoutCode.has(id) && options.resume === true) {
        worst = 1;
        continue;
      }
      const execution_id = await continued(runtime, id, options);
      worst = Math.max(
        worst,
        report(runtime, execution_id, await follow(runtime, watched, execution_id), options.format),
      );
    }
    return worst;
  });
}

/** An instance that goes on by itself keeps its id; an ended one gets a successor where one was asked for by name. */
async function continued(runtime: Runtime, id: string, options: RunOptions): Promise<string> {
  const { status } = await runtime.wait(id, 0);
  const runs = status === 'running' || status === 'in_doubt' || typeof options.resume !== 'string';
  if (runs) return id;
  const { agent: agent_id, confirm } = options;
  const ask = async (by_policy: boolean) => {
    const question = { name: id, agent_id, risk: runtime.risk(id), causes: runtime.causes(id), by_policy };
    return confirm && askConsent(runtime, question, confirm);
  };
  const confirmation_id = await ask(false);
  const resuming = runtime.resume(id, agent_id, confirmation_id).catch(async (error: unknown) => {
    if (confirm === undefined || confirmation_id !== undefined || riskToConfirm(error) === undefined) throw error;
    return runtime.resume(id, agent_id, await ask(true));
  });
  return (await advised(resuming, `ars run --resume ${id}`)) ?? id;
}

function requireCode(workflow: Workflow, actions: ActionFunctions, file: string): void {
  const named = Object.keys(actions);
  for (const { action_id, version } of workflow.actions ?? []) {
    if (Object.hasOwn(actions, action_id) || Object.hasOwn(actions, `${action_id}@${version}`)) continue;
    const known = named.length === 0 ? 'there is no module of actions' : `there is code for ${named.join(', ')}`;
    throw new ArsError(
      'usage',
      `"${file}" uses the action "${action_id}", and ${known}; give it with --actions FILE or put actions.mjs beside the workflow`,
    );
  }
}
