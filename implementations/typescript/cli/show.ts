import { Command, Option } from 'commander';
import { ArsError } from '../error.js';
import type { StoreReader } from '../store/store.js';
import { foldInstance, type ReplaySource } from '../verification/replay/index.js';
import { sourceOfLog } from '../verification/replay/source.js';
import { type Unrecorded, unrecordedOf } from '../verification/replay/unrecorded.js';
import { type ExecutionHistory, historiesOf, type InstanceHistory, type NodeHistory } from '../workflow/history.js';
import { withReader, workspaceOption } from './audit-source.js';
import { visible } from './code-frame.js';
import { outputColors } from './color.js';
import { doubtText } from './doubts.js';
import { type FailedNode, failedNodeIn, failedNodeText } from './failed-node.js';
import { idMeant } from './id-beginning.js';
import { jsonText } from './json-text.js';
import {
  type Alive,
  holderText,
  livelinessOf,
  paintLiveliness,
  readWithHolding,
  withLiveliness,
} from './liveliness.js';
import { nextCommand } from './next-command.js';
import { writeLine } from './output.js';
import { durationText } from './runs.js';

interface ShowOptions {
  readonly workspace: string;
  readonly full?: boolean;
  readonly format: 'text' | 'json';
}

/** How much of a value is printed, in characters. */
const SHORT = 160;
/** How many nodes a line names without --full. */
const MOST_NAMES = 12;

const EXAMPLES = `
Examples:
  $ ars show EXECUTION_ID                 an instance, or the one that an execution belongs to
  $ ars show EXECUTION_ID --format json   all of it, for a program

Nodes stand in the order in which they came up, with their attempts, outputs, errors and what recovery decided.
Conditions and skipped nodes leave no record: what they came to follows from the others, and stands below them, with what
an instance that has not ended waits for. This reads only, also while a run holds the workspace.
Here and wherever else an id is asked for, as much of its beginning will do as no other id begins with.`;

/** Returns the sub-command `ars show`. */
export function showCommand(): Command {
  return new Command('show')
    .description('show what happened in an instance, node by node')
    .argument('<execution_id>', 'an instance, or an execution in one')
    .addOption(workspaceOption())
    .option('--full', 'print values and lists of nodes in full')
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action((execution_id: string, options: ShowOptions) =>
      withReader(options.workspace, reader => show(reader, execution_id, options)),
    );
}

async function show(reader: StoreReader, named: string, options: ShowOptions): Promise<void> {
  const execution_id = idMeant(reader, named, 'instance');
  const { format, full } = options;
  const source = sourceOfLog(reader);
  const { found, holding } = readWithHolding(reader, options.workspace, () =>
    historiesOf(reader, instanceOf(reader, execution_id)),
  );
  const histories = found.map(
    (history): Shown => ({
      ...withLiveliness(history, holding),
      ...confirmedOf(reader, history.execution_id),
      ...standingOf(source, history.execution_id),
      ...brokenOf(reader, history),
    }),
  );
  const [root, ...below] = histories;
  if (root === undefined) throw new ArsError('not_found', `"${execution_id}" is in no instance of this workspace`);
  if (format === 'json') await writeLine(jsonText({ ...root, below }, 2));
  else {
    for (const line of treeOf(root, histories, full === true)) await writeLine(line);
    for (const line of doubtLines(histories)) await writeLine(line);
    if (root.interrupted === true) await writeLine(interruptedLine(reader, root));
  }
}

/** An instance with what its records do not say. */
interface Shown extends InstanceHistory, Partial<Unrecorded>, Alive {
  readonly failed_at?: FailedNode;
  /** What its start used up. */
  readonly confirmation?: { readonly confirmation_id: string; readonly approver?: string };
}

/** Where it failed; nothing where the log names no node. */
function brokenOf(reader: StoreReader, { execution_id, error }: InstanceHistory): Pick<Shown, 'failed_at'> {
  return error?.node_id === undefined ? {} : { failed_at: failedNodeIn(reader, execution_id, error.node_id) };
}

/** What has no record; nothing where the documents of the instance are not at hand, as in an imported log. */
function standingOf(source: ReplaySource, execution_id: string): Partial<Unrecorded> {
  try {
    return unrecordedOf(foldInstance(source, execution_id));
  } catch (error) {
    if (error instanceof ArsError) return {};
    throw error;
  }
}

function confirmedOf(reader: StoreReader, execution_id: string): Pick<Shown, 'confirmation'> {
  const [start] = reader.records({ execution_id, record_type: 'workflow', limit: 1 });
  const confirmation_id = start?.confirmation_id;
  if (confirmation_id === undefined) return {};
  const [granted] = reader.records({ execution_id: confirmation_id, record_type: 'approval', limit: 1 });
  return { confirmation: { confirmation_id, ...(granted === undefined ? {} : { approver: granted.agent_id }) } };
}

/** What is in doubt, which a whole instance waits for. */
function* doubtLines(histories: readonly Shown[]): Generator<string> {
  for (const { nodes } of histories)
    for (const { executions } of nodes)
      for (const { execution_id, status } of executions)
        if (status === 'in_doubt') yield `${outputColors().red('?')} ${doubtText(execution_id)}`;
}

/** That no process is at an instance, and how it goes on. */
function interruptedLine(reader: StoreReader, { execution_id }: Shown): string {
  const [start] = reader.records({ execution_id, record_type: 'workflow', limit: 1 });
  const command = nextCommand('run', '--resume', start?.context_id ?? execution_id);
  return `${outputColors().yellow('!')} interrupted: no process holds this workspace; finish it with: ${command}`;
}

/** The instance that something is, or belongs to. Throws `not_found`. */
function instanceOf(reader: StoreReader, execution_id: string): string {
  let denied = false;
  for (const record of reader.records({ execution_id })) {
    if (record.record_type === 'workflow') return execution_id;
    if (record.parent_execution_id !== undefined) return record.parent_execution_id;
    denied ||= record.status === 'denied';
  }
  if (!denied) throw new ArsError('not_found', `"${execution_id}" is in no instance`, { details: { execution_id } });
  const why = nextCommand('audit', 'show', '--execution', execution_id);
  throw new ArsError('not_found', `"${execution_id}" was denied by a gate, so nothing ran; this says why: ${why}`);
}

interface Lines {
  readonly indent: string;
  readonly lines: Iterator<string | { readonly child: string }>;
}

/** The lines of an instance, with those of a child below the node that started it. */
function* treeOf(root: Shown, histories: readonly Shown[], full: boolean): Generator<string> {
  const byId = new Map(histories.map(history => [history.execution_id, history]));
  const stack: Lines[] = [{ indent: '', lines: instanceLines(root, full) }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { value, done } = top.lines.next();
    if (done === true) stack.pop();
    else if (typeof value === 'string') yield `${top.indent}${value}`;
    else {
      const child = byId.get(value.child);
      if (child !== undefined) stack.push({ indent: `${top.indent}    `, lines: instanceLines(child, full) });
    }
  }
}

function* instanceLines(history: Shown, full: boolean): Generator<string | { readonly child: string }> {
  const {
    workflow_id,
    execution_id,
    started_at,
    duration_ms,
    agent_id,
    inputs,
    outputs,
    error,
    resumes,
    confirmation,
    failed_at,
  } = history;
  const { bold, dim } = outputColors();
  const took = duration_ms === undefined ? '' : `  ${durationText(duration_ms)}`;
  const how = livelinessOf(history);
  const by = how === 'running' ? dim(`  ${holderText(history.process)}`) : '';
  yield `${bold(visible(workflow_id))}  ${execution_id}  ${paintLiveliness(how)(how)}${by}${took}`;
  yield dim(`  ${started_at}  agent ${visible(agent_id)}${resumes === undefined ? '' : `  resumes ${resumes}`}`);
  if (confirmation !== undefined)
    yield dim(`  confirmed by ${visible(confirmation.approver ?? 'somebody')}  ${confirmation.confirmation_id}`);
  yield `  inputs   ${valueText(inputs, full)}`;
  for (const node of history.nodes) yield* nodeLines(node, started_at, full);
  yield* unrecordedLines(history, full);
  if (outputs !== undefined) yield `  outputs  ${valueText(outputs, full)}`;
  if (error !== undefined)
    yield `  error    ${errorText(error)}${failed_at === undefined ? '' : ` (at ${failedNodeText(failed_at)})`}`;
}

/** Names for one line; of many only the first, and how many more there are. */
export function namesText(names: readonly string[], full: boolean): string {
  const most = full ? names.length : MOST_NAMES;
  const rest = names.length - most;
  return visible(names.slice(0, most).join(', ')) + (rest > 0 ? ` and ${rest} more` : '');
}

function* unrecordedLines({ conditions = [], skipped = [], waiting = [] }: Shown, full: boolean): Generator<string> {
  const { dim, green, red, cyan } = outputColors();
  for (const condition of conditions) {
    const [sign, came] =
      'label' in condition ? [green('✓'), visible(condition.label)] : [red('✗'), red(visible(condition.error))];
    yield `  ${sign} ${visible(condition.node_id)}${dim('  condition')}  ${came}`;
  }
  if (skipped.length > 0) yield dim(`  skipped  ${namesText(skipped, full)}`);
  for (const { node_id, for: before, again } of waiting) {
    const why = again === true ? 'its next attempt' : before.length === 0 ? 'its turn' : namesText(before, full);
    yield `  ${cyan('…')} ${visible(node_id)}  waits for ${why}`;
  }
}

function* nodeLines(node: NodeHistory, since: string, full: boolean): Generator<string | { readonly child: string }> {
  const { node_id, kind, outcome, error, executions, children } = node;
  const what = kind === 'action' ? '' : outputColors().dim(`  ${kind}`);
  yield `  ${mark(outcome)} ${visible(node_id)}${what}${kind === 'terminal' || kind === 'action' ? '' : `  ${outcome ?? ''}`}`;
  for (const execution of executions) yield* executionLines(execution, since, full);
  for (const child of children) yield { child };
  if (error !== undefined) yield `      ${errorText(error)}`;
}

function* executionLines(execution: ExecutionHistory, since: string, full: boolean): Generator<string> {
  const { action, attempt, purpose, status, started_at, duration_ms, execution_id, outputs, error, decisions } =
    execution;
  const { dim } = outputColors();
  const offset = `+${durationText(Date.parse(started_at) - Date.parse(since))}`.padStart(10);
  const notes = [
    attempt === 1 ? undefined : `attempt ${attempt}`,
    purpose === 'execute' ? undefined : purpose,
    execution.degraded ? 'degraded' : undefined,
    duration_ms === undefined ? undefined : durationText(duration_ms),
  ].filter(note => note !== undefined);
  const noted = notes.length === 0 ? '' : `  ${notes.join(', ')}`;
  yield `      ${dim(offset)}  ${status.padEnd(11)}  ${visible(action)}${noted}  ${dim(execution_id)}`;
  for (const { decision, probe, new_execution_id } of decisions) {
    const by = new_execution_id === undefined ? '' : ` as ${new_execution_id}`;
    yield `                  ${outputColors().yellow('↻')} ${decision}${by}${probe === undefined ? '' : `, probe ${probe}`}`;
  }
  const errorLine = error === undefined ? undefined : `                  ${errorText(error)}`;
  if (execution.resolved !== undefined) {
    if (errorLine !== undefined) yield errorLine;
    const { verdict, approver, at } = execution.resolved;
    yield `                  ${outputColors().yellow('!')} was in doubt; ${visible(approver)} resolved it as ${verdict}  ${dim(at)}`;
  }
  if (outputs !== undefined) yield `                  ${valueText(outputs, full)}`;
  for (const { key, op, ...change } of execution.state_changes ?? [])
    yield `                  ${op} ${visible(JSON.stringify(key))}${'value' in change ? ` ${valueText(change.value, full)}` : ''}`;
  if (errorLine !== undefined && execution.resolved === undefined) yield errorLine;
}

function errorText({ error_class, error_detail }: { error_class: string; error_detail: string }): string {
  return outputColors().red(`${error_class}: ${visible(error_detail)}`);
}

function mark(outcome: NodeHistory['outcome']): string {
  const { green, red, yellow, cyan } = outputColors();
  if (outcome === undefined || outcome === 'pending') return cyan('…');
  if (outcome === 'committed' || outcome === 'success' || outcome === 'completed') return green('✓');
  if (outcome === 'rolled_back' || outcome === 'compensated') return yellow('↩');
  return outcome === 'in_doubt' ? red('?') : red('✗');
}

function valueText(value: unknown, full: boolean): string {
  const text = visible(jsonText(value));
  return full || text.length <= SHORT ? text : `${text.slice(0, SHORT)}… (--full shows all)`;
}
