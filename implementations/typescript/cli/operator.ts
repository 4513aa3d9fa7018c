import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { isValid, validate } from '../../../schemas/index.js';
import type { SchemaTypes } from '../../../schemas/types.js';
import type { DocumentKind } from '../audit/log.js';
import { ArsError } from '../error.js';
import { OWNER, Runtime } from '../runtime.js';
import { storePaths } from '../store/paths.js';
import { openReader } from '../store/store.js';
import { visible } from './code-frame.js';
import { warnOfOthers } from './instance.js';
import { withHint, writeLine } from './output.js';
import { readSource } from './sources.js';

/** The option that names who changes a workspace. */
export function byOption(): Option {
  return new Option('--by <agent_id>', 'in whose name').default(OWNER);
}

/** The option that says how a list is printed. */
export function formatOption(): Option {
  return new Option('--format <format>', 'how to print').choices(['text', 'json']).default('text');
}

/** Opens a workspace to change what is kept in it, and closes it afterwards. Nothing runs meanwhile. */
export async function withOperator<T>(workspace: string, use: (runtime: Runtime) => Promise<T>): Promise<T> {
  warnOfOthers(workspace);
  const runtime = await Runtime.open({ workspace, schedule: false });
  try {
    return await use(runtime);
  } finally {
    await runtime.close();
  }
}

/**
 * The stored documents of a kind by their names, read beside whoever writes; none where there is no workspace yet. Those
 * that do not fit their schema are told of on stderr and left out.
 */
export function storedDocuments<Name extends keyof SchemaTypes>(
  workspace: string,
  kind: DocumentKind,
  name: Name,
  documentIn: (stored: unknown) => unknown = stored => stored,
): SchemaTypes[Name][] {
  if (!existsSync(storePaths(workspace).database)) return [];
  const reader = openReader(workspace);
  try {
    const found: SchemaTypes[Name][] = [];
    for (const { id, value } of reader.documents(kind)) {
      const document = documentIn(value);
      if (isValid(name, document)) found.push(document as SchemaTypes[Name]);
      else process.stderr.write(`the ${kind} "${visible(id)}" is damaged: it does not fit its schema\n`);
    }
    return found;
  } finally {
    reader.close();
  }
}

/** What a person calls kinds of documents whose schemas are called otherwise. */
const PLAIN: Readonly<Partial<Record<keyof SchemaTypes, string>>> = {
  'scheduler-job': 'scheduled job',
  'index-entry': 'entry of the index',
};

function placed(file: string, { line, column }: { readonly line: number; readonly column: number }): string {
  return `${file}:${line}:${column}:`;
}

/**
 * The documents of files, in YAML or JSON, all of one kind. Throws `invalid_document` for the first one that cannot be
 * read or does not fit, with the places of all its defects, and `usage` for a file that cannot be opened.
 */
export async function readAll<Name extends keyof SchemaTypes>(
  name: Name,
  files: readonly string[],
): Promise<SchemaTypes[Name][]> {
  const all: SchemaTypes[Name][] = [];
  for (const file of files)
    for (const document of await readSource(file)) {
      const unread = document.defects.slice(0, 1);
      const misfits = unread.length > 0 ? [] : validate(name, document.value);
      const [first, ...others] = [
        ...unread,
        ...misfits.map(({ pointer, message, help }) => ({
          location: document.locate(pointer),
          message: `${message}. ${help}`,
        })),
      ];
      if (first === undefined) all.push(document.value as SchemaTypes[Name]);
      else
        throw withHint(
          new ArsError(
            'invalid_document',
            `${placed(file, first.location)} not a valid ${PLAIN[name] ?? name}: ${first.message}`,
            { details: { file, ...first.location } },
          ),
          others.map(({ location, message }) => `  ${visible(`${placed(file, location)} ${message}`)}\n`).join(''),
        );
    }
  return all;
}

/** Prints rows with their cells one below the other, or the values as lines of JSON; says on stderr where there are none. */
export async function printAll<T>(
  values: readonly T[],
  format: 'text' | 'json',
  row: (value: T) => readonly string[],
  none: string,
): Promise<void> {
  if (values.length === 0) process.stderr.write(`${none}\n`);
  if (format === 'json') for (const value of values) await writeLine(JSON.stringify(value));
  else for (const line of columns(values.map(row))) await writeLine(line);
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const shown = rows.map(cells => cells.map(visible));
  const widths: number[] = [];
  for (const cells of shown)
    for (const [at, cell] of cells.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return shown.map(cells =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
