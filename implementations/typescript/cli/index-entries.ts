import { Command, Option } from 'commander';
import { isValid, loadSchema } from '../../../schemas/index.js';
import type { IndexEntry } from '../../../schemas/types.js';
import { Journal } from '../audit/journal.js';
import type { Log } from '../audit/log.js';
import { EvidencePartitions } from '../governance/partition.js';
import { IndexEntries } from '../index-entries.js';
import { readingLog } from '../store/reading-log.js';
import { openReader, type StoreReader } from '../store/store.js';
import { openReaderIfAny, workspaceOption } from './audit-source.js';
import { visible } from './code-frame.js';
import { outputColors } from './color.js';
import { counted } from './counted.js';
import { byOption, formatOption, printAll, readAll, withOperator } from './operator.js';
import { writeLine } from './output.js';

interface ReadOptions {
  readonly workspace: string;
  readonly format: 'text' | 'json';
}

interface ListOptions extends ReadOptions {
  readonly kind?: IndexEntry['kind'];
  readonly keyword?: string;
  readonly stale?: boolean;
}

const EXAMPLES = `
Examples:
  $ ars index put letter.yaml         entry_id, kind, target, and keywords, description
  $ ars index list --keyword letter
  $ ars index show letter.template
  $ ars index check                   exit status 1 where an entry refers to what is not there any more

A target is an action or workflow (name@version), an execution, a key of state, a digest of evidence, the sequence of a
snapshot, or a file by its path in the workspace. Whether it is there is looked up each time; an entry whose target has gone is stale.`;

/** Returns the sub-command `ars index`. */
export function indexCommand(): Command {
  const index = new Command('index')
    .description('names for what is in a workspace, and whether it is still there')
    .addHelpText('after', EXAMPLES);
  index
    .command('put')
    .description('keep the entries of files; one of the same name is replaced')
    .argument('<files...>', 'index entries in YAML or JSON; - is standard input')
    .addOption(workspaceOption())
    .addOption(byOption())
    .action(async (files: string[], { workspace, by }: { workspace: string; by: string }) => {
      const entries = await readAll('index-entry', files);
      await withOperator(workspace, async runtime => {
        for (const entry of entries) {
          await runtime.putIndexEntry(entry, by);
          await writeLine(line(runtime.indexEntry(entry.entry_id)));
        }
      });
    });
  index
    .command('list')
    .description('list the entries, by names, and whether what they refer to is there')
    .addOption(new Option('--kind <kind>', 'only entries of this kind').choices(kinds()))
    .option('--keyword <word>', 'only entries with this keyword')
    .option('--stale', 'only entries whose target is not there')
    .addOption(workspaceOption())
    .addOption(formatOption())
    .action(list);
  index
    .command('show')
    .description('print one entry as it stands, as JSON')
    .argument('<entry_id>', 'the name of the entry')
    .addOption(workspaceOption())
    .action((entry_id: string, { workspace }: { workspace: string }) =>
      withIndex(openReader(workspace), workspace, async entries =>
        writeLine(JSON.stringify(entries.get(entry_id), undefined, 2)),
      ),
    );
  index
    .command('check')
    .description('say which entries are stale or damaged')
    .addOption(workspaceOption())
    .addOption(formatOption())
    .action(check);
  return index;
}

function kinds(): readonly string[] {
  const { properties } = loadSchema('index-entry') as { properties: { kind: { enum: readonly string[] } } };
  return properties.kind.enum;
}

/** Reads the index of a workspace, beside whoever writes. */
async function withIndex(
  reader: StoreReader | undefined,
  workspace: string,
  use: (entries: IndexEntries, log: Log) => Promise<void>,
): Promise<void> {
  const log = readingLog(reader);
  try {
    const journal = new Journal(log);
    const parts = { journal, evidencePartitions: new EvidencePartitions(journal), folder: workspace };
    await use(new IndexEntries(parts), log);
  } finally {
    await log.close();
  }
}

/** The entries as they stand, and the names of those that are damaged. */
function standing(entries: IndexEntries, log: Log): { found: IndexEntry[]; damaged: string[] } {
  const found: IndexEntry[] = [];
  const damaged: string[] = [];
  for (const { id, value } of log.documents('index_entry'))
    if (isValid('index-entry', value)) found.push(entries.get(id));
    else damaged.push(id);
  return { found, damaged };
}

function list({ workspace, format, kind, keyword, stale }: ListOptions): Promise<void> {
  return withIndex(openReaderIfAny(workspace), workspace, (entries, log) => {
    const { found, damaged } = standing(entries, log);
    for (const id of damaged)
      process.stderr.write(`the index entry "${visible(id)}" is damaged: it does not fit its schema\n`);
    const wanted = found.filter(
      entry =>
        (kind === undefined || entry.kind === kind) &&
        (keyword === undefined || entry.keywords?.includes(keyword) === true) &&
        (stale !== true || entry.stale === true),
    );
    return printAll(wanted, format, row, found.length === 0 ? 'the index has no entry' : 'no entry matches');
  });
}

function check({ workspace, format }: ReadOptions): Promise<void> {
  return withIndex(openReader(workspace), workspace, async (entries, log) => {
    const { found, damaged } = standing(entries, log);
    const count = found.length + damaged.length;
    const stale = found.filter(entry => entry.stale === true);
    const ok = stale.length + damaged.length === 0;
    if (!ok) process.exitCode = 1;
    if (format === 'json') return writeLine(JSON.stringify({ ok, entries: count, stale, damaged }, undefined, 2));
    const { red, yellow } = outputColors();
    for (const { entry_id, kind, target } of stale)
      await writeLine(`${yellow('stale')}    ${visible(entry_id)}: there is no ${kind} "${visible(target)}" any more`);
    for (const id of damaged)
      await writeLine(`${red('damaged')}  ${visible(id)}: it does not fit its schema; put it anew`);
    if (ok)
      await writeLine(
        `ok: ${counted(count, 'entry', 'entries')}, what ${count === 1 ? 'it refers' : 'they refer'} to is there`,
      );
  });
}

function line({ entry_id, kind, target, stale }: IndexEntry): string {
  return `${visible(entry_id)} is ${kind} ${visible(target)}${stale === true ? ', stale' : ''}`;
}

function row({ entry_id, kind, target, stale, keywords = [], description = '' }: IndexEntry): string[] {
  return [entry_id, kind, target, stale === true ? 'stale' : 'there', keywords.join(','), description];
}
