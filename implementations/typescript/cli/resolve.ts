import { Command, Option } from 'commander';
import { ArsError } from '../error.js';
import { OWNER, type Runtime } from '../runtime.js';
import { findModule, loadModule, useModule } from './action-module.js';
import { CLI_AGENT } from './consent.js';
import { doubtsOf, doubtText } from './doubts.js';
import { incompleteMeantIn } from './id-beginning.js';
import { readObject } from './inputs.js';
import { agentOf, follow, report, withRuntime } from './instance.js';
import { codeOfInterrupted } from './interrupted.js';
import { nextCommand } from './next-command.js';
import { withHint } from './output.js';
import { progressOf } from './progress.js';
import { DEFAULT_WORKSPACE, demandWorkspace } from './workspace-option.js';

interface ResolveOptions {
  readonly applied?: boolean;
  readonly absent?: boolean;
  readonly outputs?: string;
  readonly workspace: string;
  readonly actions?: string;
  readonly approver: string;
  readonly quiet?: boolean;
  readonly format: 'text' | 'json';
}

const EXAMPLES = `
Examples:
  $ ars audit show --incomplete                                what is in doubt, and why
  $ ars resolve EXECUTION_ID --applied --outputs '{"id": 7}'   it took place; these are its outputs
  $ ars resolve EXECUTION_ID --absent                          it did not take place, and never will

The instance then goes on from there, once nothing else in it is in doubt. Exit status: as of ars run.`;

/** Returns the sub-command `ars resolve`. */
export function resolveCommand(): Command {
  return new Command('resolve')
    .description('say what became of an execution in doubt, and let its instance go on')
    .argument('<execution_id>', 'the execution in doubt')
    .addOption(new Option('--applied', 'its effect took place').conflicts('absent'))
    .option('--absent', 'its effect did not take place and never will')
    .option('--outputs <json>', 'with --applied: the outputs that it would have given')
    .addOption(new Option('--workspace <dir>', 'the folder of the workspace').default(DEFAULT_WORKSPACE))
    .option('--actions <file>', 'a module with the code of the actions')
    .option('--approver <agent_id>', 'who says so', OWNER)
    .option('--quiet', 'no progress')
    .addOption(new Option('--format <format>', 'what to print on stdout').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action(async (execution_id: string, options: ResolveOptions) => {
      process.exitCode = await resolve(execution_id, options);
    });
}

async function resolve(named_id: string, options: ResolveOptions): Promise<number> {
  const { workspace, approver, actions, quiet } = options;
  if (options.applied !== true && options.absent !== true)
    throw new ArsError('usage', 'say what became of it: --applied or --absent');
  if (options.absent === true && options.outputs !== undefined)
    throw new ArsError('usage', 'what did not take place has no outputs; leave --outputs out');
  const outputs = options.applied === true ? readObject(options.outputs ?? '{}', '--outputs') : undefined;
  demandWorkspace(workspace, 'nothing is in doubt in it');
  const execution_id = incompleteMeantIn(workspace, named_id);
  const named = findModule(actions, undefined);
  const code = { ...(await codeOfInterrupted(workspace)), ...(named && (await loadModule(named))) };
  return withRuntime({ workspace, agent: CLI_AGENT }, code, async (runtime, since) => {
    useModule(workspace, named);
    const watched = progressOf(runtime, since, quiet === true);
    const verdict = outputs === undefined ? { verdict: 'absent' as const } : { verdict: 'applied' as const, outputs };
    await runtime.resolve({ execution_id, approver, ...verdict }).catch((error: unknown) => {
      throw refused(error, runtime, execution_id);
    });
    const [record] = runtime.records({ execution_id, limit: 1 });
    const root = record?.context_id ?? execution_id;
    // With something else in doubt it stands still, which the report tells.
    if (doubtsOf(runtime, root).length === 0) await runtime.resume(root, agentOf(runtime, root));
    return report(runtime, root, await follow(runtime, watched, root), options);
  });
}

/** A refusal with what to do: outputs are wanted, or, for an instance's id, what of the instance is in doubt. */
function refused(error: unknown, runtime: Runtime, execution_id: string): unknown {
  if (!(error instanceof ArsError)) return error;
  if (error.code === 'invalid_document') {
    const again = nextCommand('resolve', execution_id, '--applied', '--outputs', '{"name": "value"}');
    return withHint(error, `the outputs that it would have given come as a JSON object: ${again}\n`);
  }
  if (error.code !== 'illegal_state') return error;
  const doubts = doubtsOf(runtime, execution_id);
  if (doubts.length === 0) return error;
  const meant = new ArsError(error.code, `'${execution_id}' is an instance; an execution of it is meant`, {
    details: { ...error.details, in_doubt: doubts },
    cause: error,
  });
  return withHint(meant, doubts.map(id => `  ${doubtText(id)}\n`).join(''));
}
