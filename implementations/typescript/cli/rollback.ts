import { Command, Option } from 'commander';
import { ArsError } from '../error.js';
import type { ActionFunctions } from '../execution/functions.js';
import { OWNER, type Runtime } from '../runtime.js';
import { findModule, loadModule, loadRemembered, useModule } from './action-module.js';
import { CLI_AGENT } from './consent.js';
import { idMeantIn } from './id-beginning.js';
import { withRuntime } from './instance.js';
import { writeLine } from './output.js';
import { DEFAULT_WORKSPACE, demandWorkspace } from './workspace-option.js';

interface RollbackOptions {
  readonly evidence: string;
  readonly agent: string;
  readonly workspace: string;
  readonly actions?: string;
  readonly format: 'text' | 'json';
}

const EXAMPLES = `
Examples:
  $ ars rollback EXECUTION_ID --evidence "the customer called it off"
  $ ars rollback EXECUTION_ID --evidence '{"ticket": 4711}'

EXECUTION_ID is a committed execution of an action, as ars show names it; its instance has to have ended.
A rollbackable one is reverted, a compensatable one compensated. It stays committed in the log; the undo is a second effect.
Only the agent that made it may ask; where that is ${CLI_AGENT}, you permit it with this command.`;

/** Returns the sub-command `ars rollback`. */
export function rollbackCommand(): Command {
  return new Command('rollback')
    .description('undo a committed execution, by the revert or compensation of its action')
    .argument('<execution_id>', 'the execution')
    .requiredOption('--evidence <why>', 'why, which is recorded: a text, or a JSON value')
    .option('--agent <agent_id>', 'who asks', CLI_AGENT)
    .addOption(new Option('--workspace <dir>', 'the folder of the workspace').default(DEFAULT_WORKSPACE))
    .option('--actions <file>', 'a module with the code of the actions')
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action(rollback);
}

async function rollback(named_id: string, options: RollbackOptions): Promise<void> {
  const { workspace, agent, format } = options;
  if (options.evidence.trim() === '') throw new ArsError('usage', '--evidence is empty; say why it is undone');
  demandWorkspace(workspace, 'nothing was committed in it');
  const execution_id = idMeantIn(workspace, named_id, 'execution');
  const named = findModule(options.actions, undefined);
  process.exitCode = await withRuntime({ workspace, agent }, await codeFor(workspace, named), async runtime => {
    useModule(workspace, named);
    if (agent === CLI_AGENT) await permitUndo(runtime);
    const undo = await runtime.rollback({
      execution_id,
      agent_id: agent,
      evidence: evidenceOf(options.evidence) as never,
    });
    const records = [...runtime.records({ execution_id, record_type: 'action' })];
    const status = records.at(-1)?.status ?? '';
    await writeLine(
      format === 'json'
        ? JSON.stringify({ execution_id, status, undone_by: undo })
        : `${status} ${execution_id}, by ${undo}`,
    );
    return 0;
  });
}

async function codeFor(workspace: string, named: string | undefined): Promise<ActionFunctions> {
  const own = named === undefined ? [] : [await loadModule(named)];
  return Object.assign({}, ...(await loadRemembered(workspace)), ...own) as ActionFunctions;
}

function evidenceOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The person at the command line, who is the owner, lets its agent have things undone. */
async function permitUndo(runtime: Runtime): Promise<void> {
  const permission = { domain: 'execution', granted_to: CLI_AGENT, granted_by: OWNER } as const;
  try {
    await runtime.grant({ permission_id: 'cli-undo', actions: ['undo'], ...permission });
  } catch (error) {
    if (!(error instanceof ArsError) || error.code !== 'conflict') throw error;
  }
}
