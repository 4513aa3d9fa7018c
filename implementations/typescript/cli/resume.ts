import { ArsError } from '../error.js';
import type { Runtime } from '../runtime.js';
import { findModule, loadModule, useModule } from './action-module.js';
import { watchThrows } from './code-place.js';
import { errorColors } from './color.js';
import { advised, askConsent, riskToConfirm } from './consent.js';
import { idMeantIn } from './id-beginning.js';
import { agentOf, follow, report, withRuntime } from './instance.js';
import {
  codeOfEnded,
  codeOfInterrupted,
  type InterruptedUndo,
  interruptedIn,
  interruptedUndosIn,
} from './interrupted.js';
import { nextCommand } from './next-command.js';
import { progressOf } from './progress.js';
import type { RunOptions } from './run-options.js';
import { demandWorkspace } from './workspace-option.js';

/** Finishes what is interrupted in a workspace, or runs an ended instance on; gives the exit code. */
export async function resume(files: readonly string[], options: RunOptions): Promise<number> {
  if (options.dryRun === true) throw new ArsError('usage', '--dry-run is for a workflow file, not for --resume');
  if (options.input.length > 0 || options.inputs !== undefined)
    throw new ArsError('usage', 'a resumed instance keeps its inputs; leave --input and --inputs out');
  if (options.registry.length > 0 || options.workflow !== undefined)
    throw new ArsError('usage', 'a resumed instance keeps its documents; leave --registry and --workflow out');
  if (options.maxParallel !== undefined || options.requestKey !== undefined)
    throw new ArsError(
      'usage',
      'a resumed instance keeps its limit and its key; leave --max-parallel and --request-key out',
    );
  demandWorkspace(options.workspace, 'nothing is interrupted in it');
  const interrupted = interruptedIn(options.workspace);
  const { workspace } = options;
  const ids = typeof options.resume === 'string' ? [idMeantIn(workspace, options.resume, 'root')] : interrupted;
  const undos = options.resume === true ? interruptedUndosIn(workspace) : [];
  if (ids.length === 0 && undos.length === 0) {
    process.stderr.write('nothing is interrupted in this workspace\n');
    return 0;
  }
  const named = findModule(options.actions, files[0]);
  const ended = named === undefined && !ids.every(id => interrupted.includes(id));
  const before = await (ended ? codeOfEnded(workspace) : codeOfInterrupted(workspace, interrupted));
  const actions = { ...before, ...(named && (await loadModule(named))) };
  const { functions, places } = watchThrows(actions);
  return withRuntime(options, functions, async (runtime, since) => {
    useModule(workspace, named);
    const watched = progressOf(runtime, since, options.quiet === true, places);
    let worst = 0;
    for (const id of ids) {
      if (runtime.withoutCode.has(id) && options.resume === true) {
        worst = 1;
        continue;
      }
      const execution_id = interrupted.includes(id) ? id : await continued(runtime, id, options);
      worst = Math.max(worst, report(runtime, execution_id, await follow(runtime, watched, execution_id), options));
    }
    if (ids.length === 0) watched();
    return Math.max(worst, ...undos.map(undo => reportUndo(runtime, undo)));
  });
}

/** Prints what became of an undo that was interrupted, and gives the exit code. */
function reportUndo(runtime: Runtime, { execution_id, original }: InterruptedUndo): number {
  const [record] = runtime.records({ execution_id: original, record_type: 'action', latest: true });
  const { status = '', refers_to: [by] = [] } = record ?? {};
  const { green, red, yellow } = errorColors();
  if (status !== 'committed') {
    process.stderr.write(`${green(status)} ${original}, by ${by}\n`);
    return 0;
  }
  const [left] = runtime.records({ execution_id, incomplete: true });
  process.stderr.write(
    left === undefined
      ? `${red('failed')} the undo of ${original}, which stays committed\n`
      : `${yellow('!')} the undo of ${original} stays interrupted: it needs its code; name the module with --actions FILE\n`,
  );
  return 1;
}

/** Starts the successor of an ended instance; gives the id of what runs then. */
async function continued(runtime: Runtime, id: string, options: RunOptions): Promise<string> {
  const { confirm } = options;
  const agent_id = agentOf(runtime, id);
  const ask = async (by_policy: boolean) => {
    const question = { name: id, agent_id, risk: runtime.risk(id), causes: runtime.causes(id), by_policy };
    return confirm && askConsent(runtime, question, confirm);
  };
  const confirmation_id = await ask(false);
  const resuming = runtime.resume(id, agent_id, confirmation_id).catch(async (error: unknown) => {
    if (confirm === undefined || confirmation_id !== undefined || riskToConfirm(error) === undefined) throw error;
    return runtime.resume(id, agent_id, await ask(true));
  });
  return (await advised(resuming, nextCommand('run', '--resume', id), 'resumed')) ?? id;
}
