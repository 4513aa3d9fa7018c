import { Command, Option } from 'commander';
import type { Snapshot } from '../../../schemas/types.js';
import { hashAt, reconstructState } from '../audit/reconstruction.js';
import { ArsError } from '../error.js';
import { OWNER } from '../runtime.js';
import { snapshotFault, snapshotOf } from '../state/snapshot.js';
import type { StoreReader } from '../store/store.js';
import { withReader, workspaceOption } from './audit-source.js';
import { visible } from './code-frame.js';
import { errorColors } from './color.js';
import { withRuntime } from './instance.js';
import { writeLine } from './output.js';

interface SnapshotOptions {
  readonly workspace: string;
  readonly at?: number;
  readonly list?: boolean;
  readonly format: 'text' | 'json';
}

const EXAMPLES = `
Examples:
  $ ars snapshot                  keep State as of the last record
  $ ars snapshot --list           what is kept
  $ ars snapshot --at 120         State as of record 120, folded from the log; nothing is kept

A snapshot makes it shorter to rebuild State, and nothing else: without any the log says the same.
--list and --at only read, also while a run holds the workspace.`;

/** Returns the sub-command `ars snapshot`. */
export function snapshotCommand(): Command {
  return new Command('snapshot')
    .description('keep State as of the last record as a snapshot, or rebuild State as of an earlier one')
    .addOption(workspaceOption())
    .addOption(new Option('--at <sequence>', 'print State as of this record').argParser(sequenceOf).conflicts('list'))
    .option('--list', 'list the snapshots that are kept, the latest first')
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action(async ({ workspace, at, list, format }: SnapshotOptions) => {
      if (list === true) await withReader(workspace, reader => listSnapshots(reader, format));
      else if (at !== undefined) await withReader(workspace, reader => printStateAt(reader, at, format));
      else await keep(workspace, format);
    });
}

function sequenceOf(text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new ArsError('usage', `--at "${text}" is no sequence; it is a whole number from 0 on`);
}

/** The workspace is opened without code, so what is interrupted in it stays as it is. */
async function keep(workspace: string, format: SnapshotOptions['format']): Promise<void> {
  await withReader(workspace, async () => undefined);
  await withRuntime({ workspace, agent: OWNER }, {}, async runtime => {
    const snapshot = await runtime.takeSnapshot();
    if (format === 'json') await writeLine(JSON.stringify(snapshot));
    else await writeLine(snapshotLine(snapshot));
    return 0;
  });
}

async function listSnapshots(reader: StoreReader, format: SnapshotOptions['format']): Promise<void> {
  let count = 0;
  for (const stored of reader.snapshots(reader.head().sequence)) {
    const fault = snapshotFault(stored);
    count += 1;
    if (fault !== undefined) process.stderr.write(`${errorColors().yellow('!')} a snapshot is not used: ${fault}\n`);
    else if (format === 'json') {
      const { sequence, head_hash, checksum, state } = stored as Snapshot;
      await writeLine(JSON.stringify({ sequence, head_hash, checksum, keys: Object.keys(state).length }));
    } else await writeLine(snapshotLine(stored as Snapshot));
  }
  if (count === 0) process.stderr.write('no snapshot is kept\n');
}

async function printStateAt(reader: StoreReader, sequence: number, format: SnapshotOptions['format']): Promise<void> {
  const { state } = reconstructState(reader, { sequence });
  if (format === 'json') {
    await writeLine(JSON.stringify(snapshotOf({ sequence, hash: hashAt(reader, sequence) ?? '' }, state)));
    return;
  }
  for (const [key, { version, writer, ...entry }] of Object.entries(state)) {
    const value = 'value' in entry ? JSON.stringify(entry.value) : '(deleted)';
    await writeLine(`${visible(JSON.stringify(key))}  ${visible(value)}  version ${version}, ${writer}`);
  }
  process.stderr.write(`${Object.keys(state).length} keys as of record ${sequence}\n`);
}

function snapshotLine({ sequence, checksum, state }: Snapshot): string {
  return `snapshot of record ${sequence}: ${Object.keys(state).length} keys, checksum ${checksum}`;
}
