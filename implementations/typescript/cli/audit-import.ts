import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { uuidv7 } from 'uuidv7';
import type { AuditRecord } from '../../../schemas/types.js';
import { fileLines } from '../audit/daily-files.js';
import type { Head } from '../audit/log.js';
import { ArsError } from '../error.js';
import { type LogImporter, openImporter } from '../store/importer.js';
import { startConsistencyCheck } from '../verification/consistency/index.js';
import type { Plan } from '../workflow/plan.js';
import { demandInside } from '../workspace/canonical-path.js';
import { ensureManifest, MANIFEST_PATH, readManifest } from '../workspace/manifest.js';
import { filesOf, shownFile, workspaceOption } from './audit-source.js';
import { visible } from './code-frame.js';
import { errorColors } from './color.js';
import { counted } from './counted.js';
import { plansOfFiles } from './definitions.js';
import { warnOfOthers } from './instance.js';
import { writeLine } from './output.js';

interface ImportOptions {
  readonly workspace: string;
  readonly definitions: readonly string[];
  readonly strict?: boolean;
}

/** Where a line stands, from 1. */
interface Place {
  readonly file: string;
  readonly line: number;
}

/** What an import came to. */
interface Imported {
  readonly head: Head;
  /** How many records were added to what was there. */
  readonly added: number;
  /** What was done with a last line without a line feed. */
  readonly torn?: 'completed' | 'left out';
  /** Started instances that have not ended, and whose resolved documents are not there. */
  readonly stranded: readonly string[];
  /** How many records name evidence that an export does not hold. */
  readonly evidence: number;
}

const EXAMPLES = `
Examples:
  $ ars audit import log.jsonl --workspace restored
  $ ars audit import backup/infrastructure/audit --workspace restored --definitions flow.yaml
  $ ssh host ars audit export --stdout | ars audit import - --workspace restored

The chain and the consistency of the log are checked (as by ars audit check), and State is rebuilt from it, all or nothing.
A workspace that has a log already takes what follows where its own is the beginning of this one; any other is refused.
A last line that is torn is completed where only its line feed is missing, and left out otherwise; --strict refuses it.
What is no part of an export does not come back: the registry, agents, permissions and policies, and large evidence.
Instances that have not ended go on once their workflows are there: --definitions.`;

/** Returns the command `ars audit import`. */
export function importCommand(): Command {
  return new Command('import')
    .description('make a workspace of an exported log, or bring one up to it')
    .argument('<files...>', 'exported files, or folders of daily files, in order; - is standard input')
    .addOption(workspaceOption().makeOptionMandatory())
    .option(
      '--definitions <file>',
      'workflows and registries that instances ran; may be repeated',
      (file: string, all: readonly string[]) => [...all, file],
      [],
    )
    .option('--strict', 'refuse a torn last line')
    .addHelpText('after', EXAMPLES)
    .action(importLog);
}

async function importLog(paths: readonly string[], options: ImportOptions): Promise<void> {
  const files = filesOf(paths);
  const plans = await plansOfFiles(options.definitions);
  warnOfOthers(options.workspace);
  const isNew = !existsSync(options.workspace);
  demandInside(options.workspace, MANIFEST_PATH);
  readManifest(options.workspace);
  const importer = openImporter(options.workspace);
  let imported: Imported | undefined;
  try {
    imported = await readInto(importer, files, plans, options.strict === true);
    importer.commit();
    ensureManifest(options.workspace, { workspace_id: uuidv7(), created_at: new Date().toISOString() });
  } finally {
    const isOurs = isNew && importer.head.sequence === 0 && !existsSync(join(options.workspace, MANIFEST_PATH));
    // Only whoever holds the lock knows that nobody else has made something of the folder meanwhile.
    if (imported === undefined && isOurs) rmSync(options.workspace, { recursive: true, force: true });
    importer.close();
  }
  await report(imported);
}

async function readInto(
  importer: LogImporter,
  files: readonly string[],
  plans: ReadonlyMap<string, Plan>,
  strict: boolean,
): Promise<Imported> {
  const incoming = new Import(importer, plans);
  for (const [at, file] of files.entries()) {
    let rest: string | undefined;
    const lines = fileLines(file, text => {
      rest = text;
    });
    const place = { file, line: 0 };
    for await (const line of lines) {
      place.line += 1;
      if (typeof line === 'string') incoming.take(line, place);
      else if (line.reason !== 'torn' || strict || at < files.length - 1)
        throw refusal(place, incoming.head.sequence + 1, line.message);
      else return incoming.end(incoming.heal(rest, place));
    }
  }
  return incoming.end();
}

/** One import as its lines come. */
class Import {
  readonly #importer: LogImporter;
  readonly #plans: ReadonlyMap<string, Plan>;
  readonly #check = startConsistencyCheck();
  /** Instances that have not ended, and the digest of their resolved documents. */
  readonly #open = new Map<string, string>();
  #added = 0;
  #evidence = 0;

  constructor(importer: LogImporter, plans: ReadonlyMap<string, Plan>) {
    this.#importer = importer;
    this.#plans = plans;
  }

  get head(): Head {
    return this.#check.head;
  }

  take(line: string, place: Place): void {
    const { findings, record } = this.#check.accept(line);
    const [finding] = findings;
    if (finding !== undefined) throw refusal(place, finding.sequence, `${finding.requirement}: ${finding.message}`);
    if (record === undefined)
      throw new ArsError(
        'unsupported',
        `${placeText(place)}: record ${this.head.sequence} is a stub; State cannot be rebuilt from a log with stubs, export it as owner`,
        { details: { ...place, sequence: this.head.sequence } },
      );
    if (record.sequence <= this.#importer.head.sequence) this.#compare(line, record);
    else this.#add(record, line);
  }

  #compare(line: string, { sequence }: AuditRecord): void {
    if (this.#importer.lines.next().value === line) return;
    throw new ArsError(
      'conflict',
      `the workspace has a log already, and its record ${sequence} is another one; use another --workspace`,
      { details: { sequence } },
    );
  }

  #add(record: AuditRecord, line: string): void {
    const { status, record_type, execution_id, resolved_digest, evidence_ref } = record;
    this.#importer.add(record, line);
    this.#added += 1;
    if (evidence_ref !== undefined && !this.#importer.hasDocument('evidence', evidence_ref)) this.#evidence += 1;
    if (record_type !== 'workflow') return;
    if (status !== 'workflow_started' || resolved_digest === undefined) this.#open.delete(execution_id);
    else {
      const plan = this.#plans.get(resolved_digest);
      if (plan !== undefined)
        this.#importer.addDocument({ kind: 'resolved', id: resolved_digest, value: plan.resolved });
      this.#open.set(execution_id, resolved_digest);
    }
  }

  /** What becomes of the end of a file without a line feed. */
  heal(rest: string | undefined, place: Place): 'completed' | 'left out' {
    if (rest === undefined || !isWhole(rest)) return 'left out';
    this.take(rest, place);
    return 'completed';
  }

  end(torn?: Imported['torn']): Imported {
    const { head } = this;
    if (head.sequence === 0)
      throw new ArsError(
        'usage',
        'there is no record to import; has whatever exports them failed? Nothing was imported',
      );
    if (head.sequence < this.#importer.head.sequence)
      throw new ArsError(
        'conflict',
        `the workspace has a log of ${this.#importer.head.sequence} records already, and these files end with ${head.sequence}; there is nothing to add`,
        { details: { sequence: head.sequence } },
      );
    const stranded = [...this.#open].filter(([, digest]) => !this.#importer.hasDocument('resolved', digest));
    return {
      head,
      added: this.#added,
      ...(torn === undefined ? {} : { torn }),
      stranded: stranded.map(([execution_id]) => execution_id),
      evidence: this.#evidence,
    };
  }
}

/** Whether a text is JSON by itself, so that only its line feed can be missing. */
function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function placeText({ file, line }: Place): string {
  return `${shownFile(file)}:${line}`;
}

function refusal(place: Place, sequence: number, problem: string): ArsError {
  return new ArsError(
    'log_corrupt',
    `${placeText(place)}: record ${sequence}: ${visible(problem)}; nothing was imported`,
    {
      details: { ...place, sequence },
    },
  );
}

async function report({ head, added, torn, stranded, evidence }: Imported): Promise<void> {
  await writeLine(`imported ${added} records; the log ends with record ${head.sequence}, head ${head.hash}`);
  const note = (text: string) => process.stderr.write(`${errorColors().yellow('!')} ${text}\n`);
  if (torn === 'completed') note('the last line had no line feed; it is whole otherwise, and was taken');
  if (torn === 'left out') note('the last line was torn, and left out: what it told of is not known');
  if (stranded.length > 0)
    note(
      `${counted(stranded.length, 'instance')} that did not end cannot go on without workflows (--definitions): ${stranded.slice(0, 3).join(', ')}${stranded.length > 3 ? ', …' : ''}`,
    );
  if (evidence > 0) note(`${counted(evidence, 'record')} with evidence that an export does not hold`);
}
