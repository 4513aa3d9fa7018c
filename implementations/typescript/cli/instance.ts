import { existsSync, readdirSync } from 'node:fs';
import { constants } from 'node:os';
import type { WorkflowWaitResult } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import type { ActionFunctions } from '../execution/functions.js';
import { Runtime } from '../runtime.js';
import type { JobStart } from '../schedule.js';
import { storePaths } from '../store/paths.js';
import { codeAdvice } from './action-module.js';
import { finishText } from './code-end.js';
import { visible } from './code-frame.js';
import { errorColors } from './color.js';
import { CLI_AGENT, needsConsent, registerCli } from './consent.js';
import { doubtsOf, doubtText } from './doubts.js';
import { isWithoutCode } from './error-text.js';
import { failedNodeOf } from './failed-node.js';
import { interruptedIfAny, undosIfAny } from './interrupted.js';
import { jsonText } from './json-text.js';
import { nextCommand } from './next-command.js';
import { endNow, withHint, workOn, writeLine } from './output.js';

/** Where a command works, and on whose behalf. */
export interface WorkspaceOptions {
  readonly workspace: string;
  readonly agent: string;
  /** Told of each start of a scheduled job. Absent: jobs start nothing. */
  readonly jobStarted?: (start: JobStart) => void;
}

/** What the runtime makes in the folder of a new workspace. */
const OWN_NAMES: readonly string[] = ['workspace.json', 'infrastructure'];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How long one look at an instance waits, in milliseconds; the command looks again until it has ended. */
const LOOK_MS = 60_000;

/**
 * Opens the workspace for a command and closes it afterwards; says what stays interrupted for want of code.
 *
 * `use` is told a time before the opening, see {@link progressOf}.
 */
export function withRuntime(
  options: WorkspaceOptions,
  actions: ActionFunctions,
  use: (runtime: Runtime, since: string) => Promise<number>,
): Promise<number> {
  return workOn(() => opened(options, actions, use));
}

async function opened(...[options, actions, use]: Parameters<typeof withRuntime>): Promise<number> {
  warnOfOthers(options.workspace);
  const since = new Date().toISOString();
  const { workspace, jobStarted } = options;
  const schedule = jobStarted === undefined ? { schedule: false } : { jobStarted };
  let runtime: Runtime | undefined;
  const leaveEarly = (signal: NodeJS.Signals) => void stopAtSignal(signal, workspace, () => runtime?.close());
  for (const signal of SIGNALS) process.once(signal, leaveEarly);
  try {
    runtime = await Runtime.open({ workspace, actions, ...schedule });
    tellWithoutCode(runtime, workspace);
    if (options.agent === CLI_AGENT) await registerCli(runtime);
    return await use(runtime, since);
  } catch (error) {
    throw isWithoutCode(error) ? withHint(error, codeAdvice(workspace)) : error;
  } finally {
    await runtime?.close();
    for (const signal of SIGNALS) process.removeListener(signal, leaveEarly);
  }
}

function tellWithoutCode({ withoutCode }: Runtime, workspace: string): void {
  for (const [id, missing] of withoutCode)
    process.stderr.write(
      `${errorColors().yellow('!')} ${id} stays interrupted: it needs code for ${missing.join(', ')}; name the module with --actions FILE\n`,
    );
  if (withoutCode.size > 0) process.stderr.write(codeAdvice(workspace));
}

/** Says that a folder which holds other things is about to become a workspace. */
export function warnOfOthers(workspace: string): void {
  if (!existsSync(workspace) || existsSync(storePaths(workspace).database)) return;
  const others = readdirSync(workspace).filter(name => !OWN_NAMES.includes(name));
  if (others.length > 0)
    process.stderr.write(
      `${errorColors().yellow('!')} "${visible(workspace)}" holds other files, and becomes a workspace: ${OWN_NAMES.join(' and ')} are written there\n`,
    );
}

/**
 * Lets what is in flight record its result for a while; the same signal once more ends the process at once, as one does while
 * what was interrupted before is still decided.
 */
async function stopAtSignal(
  signal: NodeJS.Signals,
  workspace: string,
  close: () => Promise<void> | undefined,
): Promise<void> {
  const interrupted = interruptedIfAny(workspace).length > 0 || undosIfAny(workspace).length > 0;
  const finish = interrupted ? `; ${finishText()}` : '';
  process.stderr.write(`\n${signal}: stopping${finish}\n`);
  await close();
  if (signal === 'SIGHUP') dieOf(signal);
  endNow(128 + constants.signals[signal]);
}

/** Ends the process by a signal: as it exits, Node sets the terminal right, and aborts where that has gone away. */
function dieOf(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** The agent that started an instance, on whose behalf it goes on. Throws `not_found`. */
export function agentOf(runtime: Runtime, execution_id: string): string {
  for (const { agent_id } of runtime.records({ execution_id, record_type: 'workflow', limit: 1 })) return agent_id;
  throw new ArsError('not_found', `There is no instance '${execution_id}'.`, { details: { execution_id } });
}

/** Waits until an instance has ended or is in doubt. */
export async function follow(runtime: Runtime, watched: () => void, execution_id: string): Promise<WorkflowWaitResult> {
  let result: WorkflowWaitResult;
  do result = await runtime.wait(execution_id, LOOK_MS);
  while (result.status === 'running');
  watched();
  return result;
}

/** Prints how an instance ended, its outputs on stdout, and gives the exit code. */
export function report(
  runtime: Runtime,
  execution_id: string,
  result: WorkflowWaitResult,
  { format }: { readonly format: 'text' | 'json' },
): number {
  const { status, outputs, error } = result;
  process.exitCode = status === 'completed' ? 0 : 1;
  if (format === 'json') void writeLine(jsonText({ execution_id, ...result }));
  else if (outputs !== undefined) void writeLine(jsonText(outputs, 2));
  const color =
    status === 'completed' ? errorColors().green : status === 'compensated' ? errorColors().yellow : errorColors().red;
  const why =
    error === undefined ? endedAt(runtime, execution_id, status) : `: ${failureText(runtime, execution_id, error)}`;
  process.stderr.write(`${color(status)} ${execution_id}${why}\n`);
  if (status === 'in_doubt')
    for (const id of doubtsOf(runtime, execution_id))
      process.stderr.write(`  ${errorColors().red('?')} ${doubtText(id)}\n`);
  if (status === 'failed' && error !== undefined) process.stderr.write(onwardText(runtime, execution_id));
  return status === 'completed' ? 0 : 1;
}

/** The node that broke with its error, and the error node that took it up, of an instance that failed by an error. */
function failureText(
  runtime: Runtime,
  execution_id: string,
  { node_id, error_class, detail }: NonNullable<WorkflowWaitResult['error']>,
): string {
  const what = `${error_class} ${visible(detail)}`;
  if (node_id === undefined) return what;
  const where = { execution_id, node_id };
  const broke = failedNodeOf(query => runtime.records(query), runtime.workflowOf(execution_id), where);
  const onto = broke.taken_up_by === undefined ? '' : ` (taken up by ${visible(broke.taken_up_by)})`;
  return `${visible(broke.node_id)} ${what}${onto}`;
}

/** How an instance that failed by an error is run on, which its own terminals would only lead to the same end. */
function onwardText(runtime: Runtime, execution_id: string): string {
  if (hasUndone(runtime, execution_id))
    return 'something in it was undone: start the workflow anew, once its cause is gone\n';
  const confirm = needsConsent(runtime.risk(execution_id)) ? ' --confirm' : '';
  const command = nextCommand('run', '--resume', execution_id);
  return `run it on from what it committed, once its cause is gone: ${command}${confirm}\n`;
}

/** Whether something in an instance or below it was undone, after which it is not run on. */
function hasUndone(runtime: Runtime, context_id: string): boolean {
  for (const { purpose } of runtime.records({ context_id, record_type: 'action', status: 'committed' }))
    if (purpose !== undefined) return true;
  return false;
}

/** Which terminal node ended an instance that failed without an error. */
function endedAt(runtime: Runtime, execution_id: string, status: WorkflowWaitResult['status']): string {
  if (status === 'completed' || status === 'in_doubt') return '';
  const terminals = runtime.records({ parent_execution_id: execution_id, record_type: 'terminal' });
  const names = [...terminals].flatMap(({ node_id, status: said }) =>
    said === 'failed' ? [`"${visible(node_id ?? '')}"`] : [],
  );
  return names.length === 0 ? '' : `: ended at terminal ${names.join(', ')}`;
}
