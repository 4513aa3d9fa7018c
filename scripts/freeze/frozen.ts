import { createHash } from 'node:crypto';

/** The digest of each frozen file, by its path relative to the project. */
export type Digests = Readonly<Record<string, string>>;

/** What `spec/v1.0/FROZEN.json` holds: the files as they were published. It is written once and never again. */
export interface Frozen {
  readonly spec_version: '1.0';
  /** The date of publication, YYYY-MM-DD. */
  readonly frozen: string;
  readonly files: Digests;
  /** The level of each requirement, which no erratum changes. */
  readonly requirements: Levels;
}

/** The key word of each requirement, by its identifier. */
export type Levels = Readonly<Record<string, string>>;

/** What happened to one file. An absent digest says that the file was not there. */
export interface Change {
  readonly file: string;
  readonly before?: string;
  readonly after?: string;
}

/** The place of the digests, and of the corrections. */
export const FROZEN_FILE = 'spec/v1.0/FROZEN.json';
export const ERRATA_FILE = 'spec/v1.0/errata.md';

/** What stands among the frozen files and is not part of the specification: the configuration of a tool. */
const NOT_FROZEN = new Set([FROZEN_FILE, ERRATA_FILE, 'schemas/v1.0/verifier-config.schema.json']);

/** Tells whether a file of the project is frozen: chapters and what else explains them, vectors, and schemas. */
export function isFrozenPath(path: string): boolean {
  if (NOT_FROZEN.has(path)) return false;
  return /^spec\/v1\.0\/[^/]+\.md$|^spec\/v1\.0\/vectors\/.*\.json$|^schemas\/v1\.0\/.*\.schema\.json$/.test(path);
}

/** Gives the digest of the bytes of a file, as the chapters write digests. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Gives the text of `FROZEN.json`, with the files in order of their paths. */
export function frozenText(files: Digests, requirements: Levels, date: string): string {
  const sorted = Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
  const frozen: Frozen = { spec_version: '1.0', frozen: date, files: sorted, requirements };
  return `${JSON.stringify(frozen, null, 2)}\n`;
}

/**
 * Gives the digests that the errata lead to from those at publication, and what is wrong with the way there.
 *
 * Every change has to start from the digest where the one before it ended.
 */
export function applyErrata(
  published: Digests,
  changes: readonly (Change & { readonly place: string })[],
): { readonly expected: Digests; readonly problems: readonly string[] } {
  const expected = new Map(Object.entries(published));
  const problems: string[] = [];
  for (const { file, before, after, place } of changes) {
    if (!isFrozenPath(file)) problems.push(`${place}: "${file}" is not frozen; an erratum is about a frozen file`);
    else if (before === after) problems.push(`${place}: ${file} has the same digest before and after`);
    else if (expected.get(file) !== before)
      problems.push(
        `${place}: ${file} had ${expected.get(file) ?? 'no text'} then, and the erratum starts from ${before ?? 'none'}`,
      );
    if (after === undefined) expected.delete(file);
    else expected.set(file, after);
  }
  return { expected: Object.fromEntries(expected), problems };
}

/** Gives what differs between the digests that are expected and those that are there, in order of the paths. */
export function changesBetween(expected: Digests, present: Digests): Change[] {
  const files = [...new Set([...Object.keys(expected), ...Object.keys(present)])].sort();
  return files
    .map(file => ({ file, before: expected[file], after: present[file] }))
    .filter(({ before, after }) => before !== after)
    .map(({ file, before, after }) => ({
      file,
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    }));
}

/** Gives the requirements that came, went or changed their key word: what no erratum can do. */
export function levelChanges(published: Levels, present: Levels): string[] {
  const ids = [...new Set([...Object.keys(published), ...Object.keys(present)])];
  return ids
    .filter(id => published[id] !== present[id])
    .map(
      id =>
        `${id} was ${published[id] ?? 'no requirement'} and is ${present[id] ?? 'none'} now: that is a new version of the specification, not an erratum`,
    );
}
