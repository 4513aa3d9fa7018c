import { Command, Option } from 'commander';
import { loadSchema } from '../../../schemas/index.js';
import type { AuditRecord } from '../../../schemas/types.js';
import { startChainCheck } from '../audit/chain.js';
import { type FilesVerdict, listDailyFiles, verifyFiles, writeDailyFiles } from '../audit/daily-files.js';
import type { RecordQuery } from '../audit/log.js';
import { ArsError } from '../error.js';
import { lockExport } from '../store/lock.js';
import { storePaths } from '../store/paths.js';
import { openReader, type StoreReader } from '../store/store.js';
import { checkCommand } from './audit-check.js';
import { importCommand } from './audit-import.js';
import { filesOf, shownFile, withLog, workspaceOption } from './audit-source.js';
import { visible } from './code-frame.js';
import { outputColors } from './color.js';
import { idMeant } from './id-beginning.js';
import { writeLine } from './output.js';

const colors = outputColors();

interface ShowOptions {
  readonly workspace: string;
  readonly execution?: string;
  readonly run?: string;
  readonly status?: string;
  readonly type?: string;
  readonly incomplete?: boolean;
  readonly limit?: number;
  readonly format: 'text' | 'jsonl';
}

/** The command `ars audit`, which reads the log of a workspace also while a run writes it. */
export function auditCommand(): Command {
  const audit = new Command('audit').description('read, export and check the audit log of a workspace');
  audit
    .command('show')
    .description('print records in sequence order')
    .addOption(workspaceOption())
    .option('--execution <id>', 'only records of this execution')
    .option('--run <id>', 'only records of this run: a root instance, or what is in it')
    .addOption(new Option('--status <status>', 'only records with this status').choices(namesOf('status')))
    .addOption(new Option('--type <record_type>', 'only records of this type').choices(namesOf('record_type')))
    .option('--incomplete', 'only executions that are pending or in doubt')
    .option('--limit <n>', 'at most so many records', positiveInteger)
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'jsonl']).default('text'))
    .action((options: ShowOptions) => withLog(options.workspace, reader => show(reader, options)));
  audit
    .command('export')
    .description('write the log in the interchange form: daily files in the workspace, or --stdout')
    .addOption(workspaceOption())
    .option('--stdout', 'print the lines instead of writing files')
    .action((options: { workspace: string; stdout?: boolean }) =>
      withLog(options.workspace, reader => exportLog(reader, options.workspace, options.stdout === true)),
    );
  audit
    .command('verify')
    .description('check the hash chain of a workspace, or of exported files and folders given in order')
    .argument('[files...]', 'exported files, or folders of daily files; - is standard input')
    .addOption(workspaceOption())
    .option(
      '--head <digest>',
      'the hash that the last record must have, from a place that the writer cannot reach',
      digest,
    )
    .action(async (files: string[], options: { workspace: string; head?: string }) => {
      const verdict = files.length > 0 ? await verifyFiles(filesOf(files)) : await verifyWorkspace(options.workspace);
      await reportVerdict(verdict, options.head);
    });
  audit.addCommand(checkCommand());
  audit.addCommand(importCommand());
  return audit;
}

/** The values that the schema of records lists for a field. */
function namesOf(field: 'status' | 'record_type'): readonly string[] {
  return (loadSchema(`audit-record#${field}`) as { enum: readonly string[] }).enum;
}

function digest(text: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(text)) return text;
  throw new ArsError('usage', `--head "${text}" is no digest; it is written sha256: and 64 hexadecimal digits`);
}

function positiveInteger(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new ArsError('usage', `--limit "${text}" is no whole number from 1 on`);
  return Number(text);
}

async function show(reader: StoreReader, options: ShowOptions): Promise<void> {
  const { execution, run } = options;
  const query = {
    ...(execution === undefined ? {} : { execution_id: idMeant(reader, execution, 'any') }),
    ...(run === undefined ? {} : { context_id: idMeant(reader, run, 'root') }),
    ...(options.status === undefined ? {} : { status: options.status }),
    ...(options.type === undefined ? {} : { record_type: options.type }),
    ...(options.incomplete === true ? { incomplete: true } : {}),
    ...(options.limit === undefined ? {} : { limit: options.limit }),
  } as RecordQuery;
  let count = 0;
  for (const record of reader.records(query)) {
    count += 1;
    await writeLine(options.format === 'jsonl' ? JSON.stringify(record) : recordLine(record));
  }
  if (count === 0) process.stderr.write('no record matches\n');
}

/** One record in one line: place, time, what it is about, and how it went. */
export function recordLine(record: AuditRecord): string {
  const subject = record.node_id ?? record.workflow_id ?? record.gate ?? record.execution_id;
  const notes = [
    record.record_type === 'workflow' || record.status === 'in_doubt' ? record.execution_id : undefined,
    record.action_id === undefined ? undefined : `${record.action_id}@${record.action_version}`,
    record.attempt === undefined || record.attempt === 1 ? undefined : `attempt ${record.attempt}`,
    record.purpose,
    record.degraded ? 'degraded' : undefined,
    record.error_class === undefined ? undefined : `${record.error_class}: ${record.error_detail}`,
    ...(record.reasons ?? []).map(reason => reason.message),
  ].filter(note => note !== undefined);
  const cells = [
    String(record.sequence).padStart(6),
    record.timestamp,
    record.record_type.padEnd(8),
    paint(record.status)(record.status.padEnd(18)),
    subject,
    colors.dim(visible(notes.join(' · '))),
  ];
  return cells.join('  ').trimEnd();
}

function paint(status: AuditRecord['status']): (text: string) => string {
  if (/^(?:failed|failure|denied|in_doubt|workflow_failed|close)$/.test(status)) return colors.red;
  if (/^(?:committed|completed|success|workflow_completed|allowed)$/.test(status)) return colors.green;
  return colors.yellow;
}

async function exportLog(reader: StoreReader, workspace: string, stdout: boolean): Promise<void> {
  if (stdout) {
    for (const line of reader.lines()) await writeLine(line);
    return;
  }
  const lock = lockExport(workspace, storePaths(workspace));
  try {
    await exportFiles(reader, workspace);
  } finally {
    lock.release();
  }
}

async function exportFiles(reader: StoreReader, workspace: string): Promise<void> {
  const { files, records } = await writeDailyFiles(reader, workspace);
  for (const file of files) await writeLine(file);
  process.stderr.write(records === 0 ? 'nothing new to export\n' : `${records} records exported\n`);
  const verdict = await verifyFiles(await listDailyFiles(workspace));
  if (verdict.ok) return;
  await reportVerdict(verdict, undefined);
  process.stderr.write(
    'what an earlier export wrote was changed since, and stays as it is: move infrastructure/audit away and export anew\n',
  );
}

async function verifyWorkspace(workspace: string): Promise<FilesVerdict> {
  const reader = openReader(workspace);
  try {
    const check = startChainCheck();
    for (const line of reader.lines()) {
      const fault = check.accept(line);
      if (fault !== undefined) return { ok: false, first_bad_sequence: check.head.sequence + 1, ...fault };
    }
    return { ok: true, head: check.head };
  } finally {
    reader.close();
  }
}

async function reportVerdict(verdict: FilesVerdict, head: string | undefined): Promise<void> {
  if (!verdict.ok) {
    const place = verdict.file === undefined ? '' : `${shownFile(verdict.file)}: `;
    process.stderr.write(`${place}record ${verdict.first_bad_sequence}: ${verdict.reason}: ${verdict.message}\n`);
    process.exitCode = 1;
    return;
  }
  if (head !== undefined && head !== verdict.head.hash) {
    process.stderr.write(
      `the chain holds, but ends in ${verdict.head.hash} and not in ${head}: records are missing at its end, have been added since that head, or were rewritten\n`,
    );
    process.exitCode = 1;
    return;
  }
  await writeLine(`ok: ${verdict.head.sequence} records, head ${verdict.head.hash}`);
}
