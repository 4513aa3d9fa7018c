import { Command, Option } from 'commander';
import { fileLines } from '../audit/daily-files.js';
import type { Head } from '../audit/log.js';
import { storedSnapshotFault } from '../audit/reconstruction.js';
import { ArsError } from '../error.js';
import type { LevelOfResolved } from '../governance/bypass.js';
import { type FinishedLogFinding, startLogCheck } from '../governance/log-check.js';
import { levelOf } from '../governance/safety.js';
import type { StoreReader } from '../store/store.js';
import { planResolved } from '../workflow/plan.js';
import type { ResolvedDocuments } from '../workflow/resolve.js';
import { filesOf, shownFile, withLog, workspaceOption } from './audit-source.js';
import { visible } from './code-frame.js';
import { outputColors } from './color.js';
import { counted } from './counted.js';
import { writeLine } from './output.js';

type Format = 'text' | 'json';
type Tell = (finding: FinishedLogFinding, file?: string) => Promise<void>;

/** The command `ars audit check`, which says what a log alone shows: whether it is whole, consistent, and nothing went past the gates. */
export function checkCommand(): Command {
  return new Command('check')
    .description(
      'check a log of a workspace, or of exported files and folders given in order: its chain, what its records say of one another, and that nothing went past the gates',
    )
    .argument('[files...]', 'exported files, or folders of daily files; - is standard input')
    .addOption(workspaceOption())
    .addOption(new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text'))
    .action((files: string[], { workspace, format }: { workspace: string; format: Format }) =>
      files.length > 0
        ? report(format, tell => checkFiles(filesOf(files), tell))
        : withLog(workspace, reader => report(format, tell => checkWorkspace(reader, workspace, tell))),
    );
}

/** What was looked at, and in words what was not, so that nothing passes for sound which no check has seen. */
interface Checked {
  readonly head: Head;
  readonly not_checked: readonly string[];
}

async function checkFiles(paths: readonly string[], tell: Tell): Promise<Checked> {
  const levels = countingLevels(() => undefined);
  const check = startLogCheck({ levelOfResolved: levels.levelOfResolved });
  const checked = () => ({ head: check.head, not_checked: levels.unknown() });
  for (const file of paths)
    for await (const line of fileLines(file)) {
      for (const finding of typeof line === 'string' ? check.accept(line) : [check.reject(line)])
        await tell(finding, file);
      if (check.ended) return checked();
    }
  return checked();
}

async function checkWorkspace(reader: StoreReader, workspace: string, tell: Tell): Promise<Checked> {
  const levels = countingLevels(storedLevels(reader));
  const check = startLogCheck({ levelOfResolved: levels.levelOfResolved });
  let isSound = true;
  for (const line of reader.lines()) {
    for (const finding of check.accept(line)) {
      isSound = false;
      await tell(finding);
    }
    if (check.ended) break;
  }
  if (isSound) {
    refuseDerived(reader, workspace);
    refuseSnapshots(reader, workspace);
  }
  const tables = isSound
    ? []
    : ['the tables and snapshots beside the records, which are compared with a log without findings only'];
  return { head: check.head, not_checked: [...levels.unknown(), ...tables] };
}

/** Levels, with a count of the starts whose level was asked for and is not known. */
function countingLevels(levelOf: LevelOfResolved) {
  let count = 0;
  return {
    levelOfResolved: (resolved_digest: string) => {
      const level = levelOf(resolved_digest);
      if (level === undefined) count += 1;
      return level;
    },
    unknown: () =>
      count === 0
        ? []
        : [`whether ${counted(count, 'start')} needed a confirmation, since the workflows are not at hand`],
  };
}

/** Whoever asks the workspace is answered from tables that follow from the records: a whole chain says nothing of them. */
function refuseDerived(reader: StoreReader, workspace: string): void {
  const fault = reader.derivedFault();
  if (fault === undefined) return;
  const place = fault.sequence === undefined ? '' : `, first about record ${fault.sequence}`;
  throw new ArsError(
    'log_corrupt',
    `the records are whole, but the table "${fault.table}" of the workspace "${workspace}" is not what they say${place}; export the log and import it into a new workspace`,
    { details: { ...fault } },
  );
}

/** A snapshot that is damaged is not used, and one that has another State would be believed: the records say what it is. */
function refuseSnapshots(reader: StoreReader, workspace: string): void {
  const found = storedSnapshotFault(reader);
  if (found === undefined) return;
  const { sequence, fault } = found;
  const which = sequence === undefined ? 'a snapshot' : `the snapshot of record ${sequence}`;
  throw new ArsError(
    'log_corrupt',
    `the records are whole, but ${which} in the workspace "${workspace}" is not what they say: ${fault}; export the log and import it into a new workspace`,
    { details: { ...found } },
  );
}

/** The levels of the resolved documents that the workspace keeps; undefined for those that are missing or damaged. */
function storedLevels(reader: StoreReader): LevelOfResolved {
  const known = new Map<string, ReturnType<LevelOfResolved>>();
  const levelOfStored: LevelOfResolved = resolved_digest => {
    try {
      const stored = reader.document('resolved', resolved_digest);
      return stored === undefined ? undefined : levelOf(planResolved(stored as ResolvedDocuments, resolved_digest));
    } catch {
      return undefined;
    }
  };
  return resolved_digest => {
    if (!known.has(resolved_digest)) known.set(resolved_digest, levelOfStored(resolved_digest));
    return known.get(resolved_digest);
  };
}

async function report(format: Format, run: (tell: Tell) => Promise<Checked>): Promise<void> {
  const findings: (FinishedLogFinding & { file?: string })[] = [];
  let count = 0;
  const { head, not_checked } = await run(async (finding, file) => {
    count += 1;
    if (format === 'json') findings.push({ ...finding, ...(file === undefined ? {} : { file }) });
    else await writeLine(findingText(finding, file));
  });
  if (count > 0) process.exitCode = 1;
  if (format === 'json')
    await writeLine(JSON.stringify({ ok: count === 0, head, findings, not_checked }, undefined, 2));
  else for (const what of not_checked) await writeLine(`not checked: ${what}`);
  if (format === 'json') return;
  if (count === 0) await writeLine(`ok: ${head.sequence} records are consistent, head ${head.hash}`);
  else process.stderr.write(`${count} ${count === 1 ? 'finding' : 'findings'}\n`);
}

function findingText({ requirement, sequence, message, help }: FinishedLogFinding, file?: string): string {
  const place = file === undefined ? '' : `${shownFile(file)}: `;
  return `${place}record ${sequence}: ${outputColors().red(requirement)}: ${visible(message)}\n  help: ${help}`;
}
