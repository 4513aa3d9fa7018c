import type { Finding, Location } from '../../../schemas/types.js';
import type { SourceDocument } from '../workspace/document.js';

/** What the message of a finding of S8 names: what stands before it where it is written, by the form of the message. */
const NAMED: readonly [pattern: RegExp, before: string][] = [
  [/^There is no node "(?<name>.*)"$/s, 'nodes.'],
  [/^The workflow has no input "(?<name>.*)": it has/s, 'inputs.'],
  [/^The input "(?<name>.*)" may not be given/s, 'inputs.'],
  [/^".*" reads "(?<name>.*)", but no path leads/s, 'nodes.'],
  [/^"(?<name>.*)" reads its own outputs$/s, 'nodes.'],
  [/may lead to nothing: "(?<name>.*)" need not have committed/s, 'nodes.'],
  [/, so "(?<name>.*)" may lead to nothing$/s, ''],
  [
    /^(?:In .*: )?(?<mark>["'`])(?<name>.*?)\k<mark> (?:leads to nothing: |cannot be read by an? |names no outputs of |is read where )/s,
    '',
  ],
  [/^(?:In .*: )?The types of (?<mark>["'`])(?<name>.*)\k<mark> do not fit: /s, ''],
  [/^(?:In .*: )?In (?<mark>["'`])(?<name>.*)\k<mark> \S+ (?:takes|goes through|has no member)/s, ''],
];
const AT_CHARACTER = /(?:^|["'`] |^The reference )(?:cannot be read|does not fit its types), at character ([0-9]+): /s;

/** In a longer text, and for a longer message, nothing is looked for: each finding would look through all of it. */
const MOST_CHARACTERS = 10_000;

/**
 * Returns where in the text that a finding of S8 is about the name stands that it speaks of, or the character; undefined
 * where the text is not written as it is meant, in one line and without escapes, or does not have it.
 */
export function placeOfNamed(document: SourceDocument, { pointer, message }: Finding): Location | undefined {
  if (message.length > MOST_CHARACTERS) return undefined;
  const { line, column, end_line, end_column } = document.locate(pointer);
  if (end_line !== line || end_column === undefined || end_column - column > MOST_CHARACTERS) return undefined;
  const value = valueAt(document.value, pointer);
  if (typeof value !== 'string') return undefined;
  const written = document.source.line(line).slice(column - 1, end_column - 1);
  const start = written === value ? 0 : /^(["']).*\1$/s.test(written) && written.slice(1, -1) === value ? 1 : -1;
  const part = start < 0 ? undefined : partOf(value, message);
  if (part === undefined) return undefined;
  const [from, to] = part;
  return { file: document.file, line, column: column + start + from, end_line, end_column: column + start + to };
}

/** From where to where in a text the part is that a message speaks of. */
function partOf(text: string, message: string): [from: number, to: number] | undefined {
  const [, character] = AT_CHARACTER.exec(message) ?? [];
  if (character !== undefined) {
    const from = Number(character) - 1;
    return from < text.length ? [from, from + 1] : undefined;
  }
  for (const [pattern, before] of NAMED) {
    const name = pattern.exec(message)?.groups?.name;
    if (name === undefined) continue;
    const written = before + name;
    for (let at = text.indexOf(written); at >= 0; at = text.indexOf(written, at + 1))
      if (isWhole(text, at, at + written.length)) return [at, at + written.length];
    return undefined;
  }
  return undefined;
}

/** Whether a part of a text is no part of a longer name. */
function isWhole(text: string, from: number, to: number): boolean {
  const before = text.slice(Math.max(0, from - 2), from);
  return !/[\p{L}\p{N}_.]$/u.test(before) && !/^[\p{L}\p{N}_-]/u.test(text.slice(to, to + 2));
}

function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const name of pointer.split('/').slice(1)) {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}
