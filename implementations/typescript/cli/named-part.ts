import type { Finding, Location } from '../../../schemas/types.js';
import type { SourceDocument } from '../workspace/document.js';
import { writtenOffsets } from './written-offsets.js';

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
const AT_CHARACTER =
  /(?:^|["'`] |^The reference )(?:cannot be read|does not fit its types), at (?:character (?<at>[0-9]+)|its end): (?<why>.*)$/s;

/** In a longer text, and for a longer message, nothing is looked for: each finding would look through all of it. */
const MOST_CHARACTERS = 10_000;

/** What a text of an expression stands in, and a reference of a mapping, `$${` aside. */
const LITERALS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs;
const REFERENCES = /\$\$\{|\$\{(?:"(?:[^"\\]|\\.)*"|[^"}])*\}?/gs;

type Part = readonly [from: number, to: number];

/**
 * Returns where in the text that a finding of S8 is about the name stands that it speaks of, or the character; undefined
 * where the text does not have it, or stands elsewhere, as with an alias of YAML.
 */
export function placeOfNamed(document: SourceDocument, { pointer, message }: Finding): Location | undefined {
  if (message.length > MOST_CHARACTERS) return undefined;
  const value = valueAt(document.value, pointer);
  if (typeof value !== 'string' || value.length > MOST_CHARACTERS) return undefined;
  const { source } = document;
  const { line, column, end_line = line, end_column = column } = document.locate(pointer);
  const start = source.offset(line, column);
  const end = source.offset(end_line, end_column);
  if (end - start > 2 * MOST_CHARACTERS) return undefined;
  const [from, to] = partOf(value, message, /^\/outputs\/|_mapping(?:\/|$)/.test(pointer)) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const offsets = writtenOffsets(value, source.text.slice(start, end));
  if (offsets === undefined) return undefined;
  const [first, last] = [offsets[from] as number, offsets[to - 1] as number];
  // What the last code unit is written as ends where the next one begins, unless a line ends between them.
  const next = offsets[to] as number;
  const isTogether = !/\s/.test(source.text.slice(start + last + 1, start + next));
  return source.location(start + first, start + (isTogether ? next : last + 1));
}

/** From where to where in a text the part is that a message speaks of. */
function partOf(text: string, message: string, isMapping: boolean): Part | undefined {
  const { at, why = '' } = AT_CHARACTER.exec(message)?.groups ?? {};
  if (at !== undefined) {
    const from = Number(at) - 1;
    return from < text.length ? [from, from + (lengthOfWord(text, from, why) ?? 1)] : endOf(text, isMapping);
  }
  if (why !== '') return endOf(text, isMapping);
  for (const [pattern, before] of NAMED) {
    const name = pattern.exec(message)?.groups?.name;
    if (name !== undefined) return partNamed(text, before + name, isMapping);
  }
  return undefined;
}

/** How long the word at a place is that an explanation has in quotes. */
function lengthOfWord(text: string, from: number, why: string): number | undefined {
  const words = [...why.matchAll(/(["'`])(.+?)\1/gs)].map(match => match[2] as string);
  return words.find(word => text.startsWith(word, from))?.length;
}

/** Where a text ends too early: its last character, of a mapping all of the reference that is not closed. */
function endOf(text: string, isMapping: boolean): Part | undefined {
  const to = text.trimEnd().length;
  const from = isMapping ? text.lastIndexOf('${') : to - 1;
  return to === 0 || from < 0 ? undefined : [from, to];
}

/** Where a path or a part of an expression stands: where it is read, and where nothing stands in for it, if it is there. */
function partNamed(text: string, written: string, isMapping: boolean): Part | undefined {
  const spans = [...text.matchAll(isMapping ? REFERENCES : LITERALS)].map(({ index, 0: { length } }) => [
    index,
    index + length,
  ]);
  const isRead = (from: number): boolean =>
    isMapping === spans.some(([start = 0, end = 0]) => start < from && from < end);
  const found = [...text.matchAll(formsOf(written))]
    .map(({ index, 0: { length } }): Part => [index, index + length])
    .filter(([from]) => isRead(from));
  const isBare = ([, to]: Part): boolean => !/^[^}]*\?\?/.test(text.slice(to));
  return (isMapping ? found.find(isBare) : undefined) ?? found[0];
}

/** What is written for a name: the names of a path may stand in brackets; what was cut for the message goes on. */
function formsOf(written: string): RegExp {
  const escaped = (part: string): string => part.replaceAll(/[$()*+.?[\\\]^{|}/-]/g, '\\$&');
  const [first = '', ...names] = /^[\w-]+(?:\.[^\s."'()[\]]+)*$/.test(written) ? written.split('.') : [written];
  const path = names.map(escaped).map(name => `(?:\\.${name}|\\[(?:"${name}"|'${name}')\\])`);
  const isCut = names.length === 0 && first.endsWith('…');
  const form = escaped(isCut ? first.slice(0, -1) : first) + path.join('');
  return new RegExp(`(?<![\\p{L}\\p{N}_.])${form}${isCut ? '' : '(?![\\p{L}\\p{N}_-])'}`, 'gu');
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
