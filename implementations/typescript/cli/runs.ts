import { Command, Option } from 'commander';
import { ArsError } from '../error.js';
import type { Holding } from '../store/lock.js';
import type { StartedQuery } from '../store/started.js';
import type { StoreReader } from '../store/store.js';
import { type RunStatus, type RunSummary, summaryOf } from '../workflow/history.js';
import { withReader, workspaceOption } from './audit-source.js';
import { visible } from './code-frame.js';
import { errorColors, outputColors } from './color.js';
import { counted } from './counted.js';
import { failedNodeIn } from './failed-node.js';
import {
  type Alive,
  type Liveliness,
  livelinessOf,
  paintLiveliness,
  readWithHolding,
  withLiveliness,
} from './liveliness.js';
import { nextCommand } from './next-command.js';
import { writeLine } from './output.js';

interface RunsOptions {
  readonly workspace: string;
  readonly status?: RunStatus | Liveliness;
  readonly workflow?: string;
  readonly agent?: string;
  readonly since?: string;
  readonly until?: string;
  readonly children?: boolean;
  readonly limit: number;
  readonly format: 'text' | 'json';
}

const STATUSES: readonly (RunStatus | Liveliness)[] = [
  'completed',
  'failed',
  'compensated',
  'in_doubt',
  'running',
  'interrupted',
  'open',
];
const LIMIT = 50;

const EXAMPLES = `
Examples:
  $ ars runs                              the last ${LIMIT}, the latest first
  $ ars runs --status failed --since 2026-03-01
  $ ars runs --workflow order --format json

running: started and not ended, and a process holds the workspace. interrupted: the same, and no process does any more, as
after a crash; it goes on with ars run --resume. open: either of them, and what JSON calls both, with "interrupted" beside it.
This reads only, also while a run holds the workspace.`;

/** Returns the sub-command `ars runs`. */
export function runsCommand(): Command {
  return new Command('runs')
    .description('list the instances of a workspace: how they ended, when they started, how long they took')
    .addOption(workspaceOption())
    .addOption(new Option('--status <status>', 'only those that stand so').choices(STATUSES))
    .option('--workflow <name>', 'only those of this workflow, as name or name@version')
    .option('--agent <agent_id>', 'only those of this agent')
    .option('--since <time>', 'only those that started then or later, RFC 3339 or a date', time)
    .option('--until <time>', 'only those that started before', time)
    .option('--children', 'those that run as skills of others, too')
    .addOption(new Option('--limit <n>', 'at most so many, the latest').argParser(positive).default(LIMIT))
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action((options: RunsOptions) => withReader(options.workspace, reader => list(reader, options)));
}

function time(text: string): string {
  const instant = Date.parse(text);
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text) || Number.isNaN(instant))
    throw new ArsError('usage', `"${text}" is no time; write 2026-03-01 or 2026-03-01T12:00:00Z`);
  return new Date(instant).toISOString();
}

function positive(text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new ArsError('usage', `--limit "${text}" is no whole number from 1 on`);
}

async function list(reader: StoreReader, options: RunsOptions): Promise<void> {
  const { found } = readWithHolding(reader, options.workspace, holding => findRuns(reader, options, holding));
  const { shown, count } = found;
  if (options.format === 'json') {
    await writeLine(JSON.stringify(shown, undefined, 2));
    return;
  }
  const width = shown.reduce((most, { workflow_id }) => Math.max(most, workflow_id.length), 0);
  for (const run of shown) await writeLine(runLine(run, width, whyOf(reader, run)));
  if (count === 0) process.stderr.write('no run matches\n');
  if (count > shown.length) process.stderr.write(`${count - shown.length} earlier ones; --limit shows more\n`);
  process.stderr.write(interruptedText(shown));
}

/** What to do about those that no process is at; nothing where there are none. */
function interruptedText(shown: readonly (RunSummary & Alive)[]): string {
  const count = shown.filter(({ interrupted }) => interrupted === true).length;
  if (count === 0) return '';
  const what = `${counted(count, 'run is', 'runs are')} interrupted: no process holds this workspace`;
  return `${errorColors().yellow('!')} ${what}; finish ${count === 1 ? 'it' : 'them'} with: ${nextCommand('run', '--resume')}\n`;
}

/** The runs that are wanted, the latest first, as many as are shown, and how many there are; only what is shown is read. */
function findRuns(
  reader: StoreReader,
  { status, workflow, agent, since, until, children, limit }: RunsOptions,
  holding: Holding,
): { readonly shown: readonly (RunSummary & Alive)[]; readonly count: number } {
  const doubted = doubtedIn(reader);
  if (status === (holding.held ? 'interrupted' : 'running')) return { shown: [], count: 0 };
  const { ids, count } = reader.started({
    ...(children === true ? {} : { root: true }),
    ...(status === undefined ? {} : standing(status, doubted)),
    ...(since === undefined ? {} : { from: since }),
    ...(until === undefined ? {} : { until }),
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(workflow === undefined ? {} : { workflow }),
    limit,
  });
  const shown = ids.flatMap(execution_id => {
    const [start, end] = reader.records({ execution_id, record_type: 'workflow' });
    return start === undefined ? [] : withLiveliness(summaryOf(start, end, doubted.has(execution_id)), holding);
  });
  return { shown, count };
}

const ENDED = {
  completed: 'workflow_completed',
  failed: 'workflow_failed',
  compensated: 'workflow_compensated',
} as const;

/** What the log says of runs that stand so. */
function standing(status: RunStatus | Liveliness, doubted: Iterable<string>): Pick<StartedQuery, 'ended' | 'ids'> {
  if (status === 'completed' || status === 'failed' || status === 'compensated') return { ended: ENDED[status] };
  return { ended: null, ids: { are: status === 'in_doubt', among: doubted } };
}

/** The instances in which, or below which, something is in doubt. */
function doubtedIn(reader: StoreReader): ReadonlySet<string> {
  const doubted = new Set<string>();
  for (const record of reader.records({ record_type: 'action', status: 'in_doubt', incomplete: true }))
    for (let id = record.parent_execution_id; id !== undefined && !doubted.has(id); ) {
      doubted.add(id);
      const [start] = reader.records({ execution_id: id, record_type: 'workflow', limit: 1 });
      id = start?.parent_execution_id;
    }
  return doubted;
}

/** Why a run failed: the node that broke, and its error. */
function whyOf(reader: StoreReader, { execution_id, error }: RunSummary): string {
  if (error === undefined) return '';
  const { node_id, error_class, error_detail } = error;
  const broke = node_id === undefined ? '' : `${failedNodeIn(reader, execution_id, node_id).node_id} `;
  return `${broke}${error_class}: ${error_detail}`;
}

function runLine(run: RunSummary & Alive, width: number, why: string): string {
  const { execution_id, workflow_id, started_at, duration_ms } = run;
  const how = livelinessOf(run);
  const cells = [
    started_at,
    how.padEnd(11),
    (duration_ms === undefined ? '' : durationText(duration_ms)).padStart(9),
    visible(workflow_id).padEnd(width),
    execution_id,
  ];
  const { isTTY, columns } = process.stdout;
  const told = isTTY === true ? cutTo(visible(why), columns - cells.join('  ').length - 2) : visible(why);
  return [...cells.with(1, paintLiveliness(how)(cells[1] as string)), outputColors().dim(told)].join('  ').trimEnd();
}

/** The beginning of a text for so many columns of a terminal, of which the last says that there is more; ars show has all. */
export function cutTo(text: string, columns: number): string {
  if (!(text.length > columns)) return text;
  const letters = [...text].slice(0, Math.max(0, columns - 1));
  return letters.length === 0 ? '' : `${letters.join('')}…`;
}

/** A duration for a person. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60
    ? `${minutes} min ${Math.round((ms % 60_000) / 1_000)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
