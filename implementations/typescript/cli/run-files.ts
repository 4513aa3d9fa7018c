import { isValid } from '../../../schemas/index.js';
import type { Action, Registry, Workflow } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { actionKey } from '../execution/contract.js';
import { workflowKey } from '../workflow/resolve.js';
import type { SourceDocument } from '../workspace/document.js';
import { openReaderIfAny } from './audit-source.js';
import { collect } from './collect.js';
import { errorColors } from './color.js';
import { findingText } from './format/text.js';
import { reportOnAll } from './verify-report.js';

/** Which files a run takes its documents from. */
export interface RunFiles {
  /** The first workflow in them is the one that runs; what else they hold is for it to refer to. */
  readonly files: readonly string[];
  /** Files of which no workflow runs: what they hold is looked up only. */
  readonly registries: readonly string[];
  /** The name, or name@version, of the workflow that runs; absent means the first. */
  readonly name?: string | undefined;
  /** The workspace whose registry is looked in as well. */
  readonly workspace: string;
}

/** A workflow that passed verification, and the definitions that were given with it. */
export interface RunDocuments {
  readonly workflow: Workflow;
  /** The file that the workflow is in, as it was named. */
  readonly file: string;
  readonly definitions: { readonly actions: Action[]; readonly workflows: Workflow[] };
  /** What there was to refer to: the definitions, and what the workspace has beside them. */
  readonly known: { readonly actions: readonly Action[]; readonly workflows: readonly Workflow[] };
}

const STDIN = '<stdin>';
/** The rules that ask whether something that is referred to exists. */
const LOOKUPS = ['S7', 'S12'];

/**
 * Gives what a run needs of its files; undefined where verification has findings that stop it, after they were printed.
 *
 * Throws `usage` where a file cannot be read or is no registry, and where no workflow or no single one is meant.
 */
export async function readRunFiles({
  files,
  registries,
  name,
  workspace,
}: RunFiles): Promise<RunDocuments | undefined> {
  const targets = [...new Set([...files, ...registries])].map(file => ({ file, named: true }));
  const { documents, registry, problems } = await collect(targets);
  if (problems.length > 0) throw new ArsError('usage', problems.join('; '));
  const runnable = new Set(files.map(file => (file === '-' ? STDIN : file)));
  const root = rootOf(
    documents.filter(({ file }) => runnable.has(file)),
    name,
  );
  const given = { actions: registry?.actions ?? [], workflows: registry?.workflows ?? [] };
  const others = documents.filter(document => document !== root);
  const inFiles = others.flatMap(({ value }) => (isValid('workflow', value) ? [value] : []));
  const values = documents.map(({ value }) => value);
  const registered = joined(given, storedIn(workspace), values);
  if (!passes(documents, registered)) return undefined;
  return {
    workflow: root.value as Workflow,
    file: root.file === STDIN ? '-' : root.file,
    definitions: { actions: given.actions, workflows: [...given.workflows, ...inFiles] },
    known: { actions: registered.actions ?? [], workflows: [...(registered.workflows ?? []), ...inFiles] },
  };
}

function rootOf(documents: readonly SourceDocument[], name: string | undefined): SourceDocument {
  const [first] = documents;
  if (first === undefined) throw new ArsError('usage', 'there is no workflow in these files, only registries');
  if (name === undefined) return first;
  const named = documents.filter(({ value }) => namesOf(value).includes(name));
  const [root, second] = named;
  const there = documents.flatMap(({ value }) => namesOf(value).slice(-1)).join(', ');
  if (root === undefined) throw new ArsError('usage', `no workflow is named "${name}"; there is ${there}`);
  if (second === undefined) return root;
  throw new ArsError('usage', `more than one workflow is named "${name}"; say which version: ${there}`);
}

/** The name and name@version of a workflow, as far as it has them. */
function namesOf(value: unknown): string[] {
  const { name, version } = (value as Partial<Workflow> | undefined)?.workflow ?? {};
  return typeof name === 'string' ? [name, `${name}@${version}`] : [];
}

/** What a workspace has in its registry; nothing where there is no workspace. */
function storedIn(workspace: string): RunDocuments['definitions'] {
  const reader = openReaderIfAny(workspace);
  if (reader === undefined) return { actions: [], workflows: [] };
  try {
    const actions = [...reader.documents('action')].flatMap(({ value }) => (isValid('action', value) ? [value] : []));
    const workflows = [...reader.documents('workflow')].flatMap(({ value }) =>
      isValid('workflow', value) ? [value] : [],
    );
    return { actions, workflows };
  } finally {
    reader.close();
  }
}

/** What was given, and of the workspace what has no namesake there. */
function joined(
  given: RunDocuments['definitions'],
  stored: RunDocuments['definitions'],
  documents: readonly unknown[],
): Registry {
  const actions = new Set(given.actions.map(actionKey));
  const workflows = new Set([...given.workflows.map(workflowKey), ...documents.flatMap(namesOf)]);
  return {
    schema_version: '1.0',
    actions: [...given.actions, ...stored.actions.filter(action => !actions.has(actionKey(action)))],
    workflows: [...given.workflows, ...stored.workflows.filter(workflow => !workflows.has(workflowKey(workflow)))],
  };
}

/** Whether nothing blocks; what does is printed. */
function passes(documents: readonly SourceDocument[], registry: Registry): boolean {
  const colors = errorColors();
  const reports = reportOnAll(documents, registry);
  const blocking = reports.reduce((sum, { report }) => sum + report.counts.blocking, 0);
  if (blocking === 0) return true;
  const findings = reports.flatMap(({ report }) => report.findings);
  for (const [index, { report }] of reports.entries())
    for (const finding of report.findings)
      process.stderr.write(`${findingText(documents[index] as SourceDocument, finding, colors)}\n`);
  process.stderr.write(`${blocking} blocking; nothing was run\n`);
  if (findings.some(({ rule }) => LOOKUPS.includes(rule)))
    process.stderr.write(
      'what is defined elsewhere is found where its files are given as well: ars run FILE MORE_FILES…, or --registry FILE\n' +
        'the contracts of the actions that come with ars, as file.write, are printed by: ars builtin > builtin.json\n',
    );
  return false;
}

/** The error of a definition that a workspace has with other content, for whoever gave the files; any other as it is. */
export function explainConflict(error: unknown, workspace: string): unknown {
  return error instanceof ArsError && error.code === 'conflict'
    ? conflictOf(String(error.details.id), workspace, error)
    : error;
}

/** The error of a definition that a workspace has with other content. */
export function conflictOf(id: string, workspace: string, cause?: unknown): ArsError {
  return new ArsError(
    'conflict',
    `the registry of the workspace "${workspace}" has "${id}" with other content, and a version never changes: ` +
      'give what you changed a new version, or use another --workspace',
    { details: { id }, ...(cause === undefined ? {} : { cause }) },
  );
}
