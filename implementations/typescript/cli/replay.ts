import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { AuditRecord } from '../../../schemas/types.js';
import { startChainCheck } from '../audit/chain.js';
import { fileLines } from '../audit/daily-files.js';
import { ArsError } from '../error.js';
import { storePaths } from '../store/paths.js';
import { openReader, type StoreReader } from '../store/store.js';
import { type ReplayReport, type ReplaySource, replayInstance } from '../verification/replay/index.js';
import { sourceOfLog, sourceOfRecords } from '../verification/replay/source.js';
import { filesOf, shownFile, workspaceOption } from './audit-source.js';
import { visible } from './code-frame.js';
import { errorColors, outputColors } from './color.js';
import { plansOfFiles } from './definitions.js';
import { idAmong, idMeant } from './id-beginning.js';
import { writeLine } from './output.js';

interface ReplayOptions {
  readonly file: readonly string[];
  readonly definitions: readonly string[];
  readonly workspace: string;
  readonly format: 'text' | 'json';
}

const EXAMPLES = `
Examples:
  $ ars replay                        every instance of the workspace
  $ ars replay EXECUTION_ID           one instance and all below it
  $ ars replay --file log.jsonl --definitions flow.yaml

The graph is fired again with the recorded results; no action is invoked and nothing is written. It says at which record a
log departs from what its workflow gives: a path, an attempt, an input, an output or an end that does not follow.
An exported log does not hold workflows: they come from the workspace or from --definitions.
Exit status: 0 where all that was asked for agrees, 1 where something differs or cannot be replayed, 2 usage.`;

const repeated = (value: string, all: readonly string[]) => [...all, value];

/** Returns the sub-command `ars replay`. */
export function replayCommand(): Command {
  return new Command('replay')
    .description('run instances again from their log, and say where it departs from their workflows')
    .argument('[execution_id]', 'an instance, or an execution in one; all where none is named')
    .addOption(workspaceOption())
    .option(
      '--file <file>',
      'an exported file, a folder of daily files, or - for standard input; may be repeated, in order',
      repeated,
      [],
    )
    .option('--definitions <file>', 'workflows and registries that instances ran; may be repeated', repeated, [])
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action(replay);
}

async function replay(named: string | undefined, options: ReplayOptions): Promise<void> {
  const { workspace, file, definitions } = options;
  const plans = await plansOfFiles(definitions);
  const reader = file.length > 0 && !existsSync(storePaths(workspace).database) ? undefined : openReader(workspace);
  try {
    const stored = reader && sourceOfLog(reader);
    const planOf: ReplaySource['planOf'] = digest => plans.get(digest) ?? stored?.planOf(digest);
    if (file.length > 0) {
      const records = await recordsOf(filesOf(file));
      const source = sourceOfRecords(records, planOf);
      const ids = named === undefined ? source.roots : [idAmong(records, named, 'instance')];
      await report(source, ids, options);
    } else if (stored !== undefined && reader !== undefined) {
      const ids = named === undefined ? rootsOf(reader) : [idMeant(reader, named, 'instance')];
      await report({ ...stored, planOf }, ids, options);
    }
  } finally {
    reader?.close();
  }
}

function* rootsOf(reader: StoreReader): Generator<string> {
  for (const record of reader.records({ record_type: 'workflow', status: 'workflow_started' }))
    if (record.parent_execution_id === undefined) yield record.execution_id;
}

/** The records of files up to the first line that breaks the chain, which is told. */
async function recordsOf(files: readonly string[]): Promise<AuditRecord[]> {
  const check = startChainCheck();
  const records: AuditRecord[] = [];
  for (const file of files)
    for await (const line of fileLines(file)) {
      const fault = typeof line === 'string' ? check.accept(line) : line;
      if (fault !== undefined) {
        const text = `${shownFile(file)}: record ${check.head.sequence + 1}: ${fault.reason}: ${visible(fault.message)}`;
        process.stderr.write(`${text}\nonly what is before it is replayed\n`);
        process.exitCode = 1;
        return records;
      }
      const { last } = check;
      if (last !== undefined && 'redacted' in last)
        throw new ArsError(
          'unsupported',
          `Record ${last.sequence} of ${shownFile(file)} is a stub; a log with stubs cannot be replayed`,
        );
      if (last !== undefined) records.push(last as AuditRecord);
    }
  return records;
}

async function report(source: ReplaySource, ids: Iterable<string>, { format, file }: ReplayOptions): Promise<void> {
  const count = { agrees: 0, differs: 0, not_replayed: 0 };
  for (const id of ids) {
    const result = replayInstance(source, id);
    count[result.verdict] += 1;
    await writeLine(format === 'json' ? JSON.stringify(result) : reportText(result));
  }
  if (count.differs + count.not_replayed > 0) process.exitCode = 1;
  const { agrees, differs, not_replayed } = count;
  const { yellow } = errorColors();
  if (agrees + differs + not_replayed === 0) process.stderr.write('no instance was started in this log\n');
  else if (format === 'text')
    process.stderr.write(
      `${agrees} agree, ${differs} differ${not_replayed === 0 ? '' : yellow(`, ${not_replayed} cannot be replayed`)}\n`,
    );
  if (not_replayed > 0 && format === 'text' && file.length > 0)
    process.stderr.write(
      'an exported log holds no workflows: give those that the instances ran, unchanged, and their skills and registries with --definitions FILE, or their workspace with --workspace DIR\n',
    );
}

function reportText({ execution_id, verdict, instances, first_difference }: ReplayReport): string {
  const { green, red, yellow, dim } = outputColors();
  const paint = { agrees: green, differs: red, not_replayed: yellow }[verdict];
  const [root] = instances;
  const records = instances.reduce((sum, instance) => sum + instance.records, 0);
  const below = instances.length === 1 ? '' : `, ${instances.length} instances`;
  const extent = root?.extent === 'ended' ? '' : root?.extent === 'open' ? ', not ended' : ', ended before its time';
  const head = `${paint(verdict.replace('_', ' '))}  ${execution_id}  ${visible(root?.workflow_id ?? '')}`;
  const lines = [`${head}  ${dim(`${records} records${below}${extent}`)}`];
  if (first_difference !== undefined) {
    const { sequence, expected, found } = first_difference;
    lines.push(`  record ${sequence}: expected ${visible(expected)}, found ${visible(found)}`);
  }
  for (const { execution_id: id, reason } of instances)
    if (reason !== undefined) lines.push(`  ${id}: ${visible(reason)}`);
  return lines.join('\n');
}
