import type { Finding, Location } from '../../../schemas/types.js';
import type { SourceDocument } from '../workspace/document.js';
import { writtenOffsets } from './written-offsets.js';

/** What the message of a finding of S8 names, by the form of the message: a name behind a root, or all as it is written. */
const NAMED: readonly [pattern: RegExp, root: string][] = [
  [/^There is no node "(?<name>.*)"$/s, 'nodes'],
  [/^The workflow has no input "(?<name>.*)": it has/s, 'inputs'],
  [/^The input "(?<name>.*)" may not be given/s, 'inputs'],
  [/^".*" reads "(?<name>.*)", but no path leads/s, 'nodes'],
  [/^"(?<name>.*)" reads its own outputs$/s, 'nodes'],
  [/may lead to nothing: "(?<name>.*)" need not have committed/s, 'nodes'],
  [/, so (?<mark>["'`])(?<name>.*)\k<mark> may lead to nothing$/s, ''],
  [
    /^(?:In .*: )?(?<mark>["'`])(?<name>.*?)\k<mark> (?:leads to nothing: |cannot be read by an? |names no outputs of |is read where )/s,
    '',
  ],
  [/^(?:In .*: )?The types of (?<mark>["'`])(?<name>.*)\k<mark> do not fit: /s, ''],
  [/^(?:In .*: )?In (?<mark>["'`])(?<name>.*)\k<mark> \S+ (?:takes|goes through|has no member)/s, ''],
  [/^(?:In .*: )?In (?<mark>["'`])(?<name>.*?)\k<mark> ["'`].* is .*, and - takes a number$/s, ''],
];
const AT_CHARACTER =
  /(?:^|["'`] |^The reference )(?:cannot be read|does not fit its types), at (?:character (?<at>[0-9]+)|its end): (?<why>.*)$/s;

/** An operand that is the whole side of its operator: the same text elsewhere may be compared, which is right. */
const OPERAND = /^(?:In .*: )?(?<mark>["'`])(?<name>.*)\k<mark> is .*, and \S+ takes a boolean$/s;
const OPERAND_BEFORE = /^$|&&|\|\||[!?:(,]$/;
const OPERAND_BEHIND = /^$|&&|\|\||^[?:),]/;

/** In a longer text, and for a longer message, nothing is looked for: each finding would look through all of it. */
const MOST_CHARACTERS = 10_000;
const MOST_WRITTEN = 2 * MOST_CHARACTERS;

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
  const text = textAt(document, pointer);
  const [from, to] = text === undefined ? [] : (partOf(text, message) ?? []);
  const offsets = text?.offsets();
  if (offsets === undefined || from === undefined || to === undefined) return undefined;
  const { source } = document;
  const [first, last] = [offsets[from] as number, offsets[to - 1] as number];
  // What the last code unit is written as ends where the next one begins, unless a line ends between them.
  const next = offsets[to] as number;
  const isTogether = !/\s/.test(source.text.slice(last + 1, next));
  return source.location(first, isTogether ? next : last + 1);
}

/** A string that findings are about. */
interface Text {
  readonly pointer: string;
  readonly value: string;
  readonly isMapping: boolean;
  /** What is read in a mapping, and what is not in an expression. */
  readonly spans: readonly Part[];
  /** Where in the source each of its code units stands. */
  offsets(): Int32Array | undefined;
}

/** The string that was looked at last in a document: findings about the same one follow one another. */
const lastTexts = new WeakMap<SourceDocument, Text>();

function textAt(document: SourceDocument, pointer: string): Text | undefined {
  const known = lastTexts.get(document);
  if (known?.pointer === pointer) return known;
  const value = valueAt(document.value, pointer);
  if (typeof value !== 'string' || value.length > MOST_CHARACTERS) return undefined;
  const isMapping = /^\/outputs\/|_mapping(?:\/|$)/.test(pointer);
  const matches = [...value.matchAll(isMapping ? REFERENCES : LITERALS)];
  const spans = matches.map(({ index, 0: { length } }): Part => [index, index + length]);
  let found: Int32Array | undefined | null = null;
  const offsets = (): Int32Array | undefined => {
    if (found === null) found = offsetsOf(document, pointer, value);
    return found;
  };
  const text = { pointer, value, isMapping, spans, offsets };
  lastTexts.set(document, text);
  return text;
}

function offsetsOf({ source, locate }: SourceDocument, pointer: string, value: string): Int32Array | undefined {
  const { line, column, end_line = line, end_column = column } = locate(pointer);
  const start = source.offset(line, column);
  const end = source.offset(end_line, end_column);
  if (end - start > MOST_WRITTEN) return undefined;
  return writtenOffsets(value, source.text.slice(start, end))?.map(offset => start + offset);
}

/** From where to where in a text the part is that a message speaks of. */
function partOf(text: Text, message: string): Part | undefined {
  const { value } = text;
  const { at, why = '' } = AT_CHARACTER.exec(message)?.groups ?? {};
  if (at !== undefined) {
    const from = Number(at) - 1;
    return from < value.length ? [from, from + (lengthOfWord(value, from, why) ?? 1)] : endOf(text);
  }
  if (why !== '') return endOf(text);
  const operand = OPERAND.exec(message)?.groups?.name;
  if (operand !== undefined) return operandNamed(text, operand);
  for (const [pattern, root] of NAMED) {
    const name = pattern.exec(message)?.groups?.name;
    if (name !== undefined) return partNamed(text, root === '' ? namesOf(name) : [root, name]);
  }
  return undefined;
}

/** How long the word at a place is that an explanation has in quotes. */
function lengthOfWord(text: string, from: number, why: string): number | undefined {
  const words = [...why.matchAll(/(["'`])(.+?)\1/gs)].map(match => match[2] as string);
  return words.find(word => text.startsWith(word, from))?.length;
}

/** Where a text ends too early: its last character, of a mapping all of the reference that is not closed. */
function endOf({ value, isMapping }: Text): Part | undefined {
  const to = value.trimEnd().length;
  const from = isMapping ? value.lastIndexOf('${') : to - 1;
  return to === 0 || from < 0 ? undefined : [from, to];
}

/** Where a path or a part of an expression stands: where it is read, and where nothing stands in for it, if it is there. */
function partNamed(text: Text, names: readonly string[]): Part | undefined {
  const { value, isMapping } = text;
  const found = readIn(text, names);
  const isBare = ([, to]: Part): boolean => !/^[^}]*\?\?/.test(value.slice(to));
  return (isMapping ? found.find(isBare) : undefined) ?? found[0];
}

function operandNamed(text: Text, written: string): Part | undefined {
  const { value } = text;
  return readIn(text, namesOf(written)).find(
    ([from, to]) =>
      OPERAND_BEFORE.test(value.slice(0, from).trimEnd().slice(-2)) &&
      OPERAND_BEHIND.test(value.slice(to).trimStart().slice(0, 2)),
  );
}

/** Where a name stands and is read. */
function readIn({ value, isMapping, spans }: Text, names: readonly string[]): Part[] {
  let at = 0;
  const isRead = (from: number): boolean => {
    while (at < spans.length && (spans[at] as Part)[1] <= from) at++;
    return isMapping === (at < spans.length && (spans[at] as Part)[0] < from);
  };
  return occurrences(value, names).filter(([from]) => isRead(from));
}

/** What goes on with a name, before it and behind it. */
const NAME_BEFORE = /[\p{L}\p{N}_.]$/u;
const NAME_BEHIND = /^[\p{L}\p{N}_-]/u;

/** Where a name stands as a whole: the names of a path may be in brackets; what was cut for the message goes on. */
function occurrences(value: string, [first = '', ...names]: readonly string[]): Part[] {
  const isCut = names.length === 0 && first.endsWith('…');
  const begin = isCut ? first.slice(0, -1) : first;
  const found: Part[] = [];
  if (begin === '') return found;
  for (let from = value.indexOf(begin); from !== -1; from = value.indexOf(begin, from + begin.length)) {
    if (NAME_BEFORE.test(value.slice(Math.max(0, from - 2), from))) continue;
    const to = endOfPath(value, from + begin.length, names);
    if (to !== undefined && (isCut || !NAME_BEHIND.test(value.slice(to, to + 2)))) found.push([from, to]);
  }
  return found;
}

/** A path: names behind dots, those of an expression also in brackets. */
const PATH = /^[\w-]+(?:\.[^\s."'()[\]]+|\["[^"\\]*"\]|\[[0-9]+\])*$/;

/** The names of a path; of a part of an expression that is none, the part itself. */
function namesOf(written: string): string[] {
  if (!PATH.test(written)) return [written];
  const names = written.matchAll(/(?:^|\.)([^.[]+)|\["([^"]*)"\]|\[([0-9]+)\]/g);
  return [...names].map(([, name, bracketed, index]) => name ?? bracketed ?? index ?? '');
}

/** Where names end that follow one another from a place on, each behind a dot or in brackets; undefined where others do. */
function endOfPath(value: string, from: number, names: readonly string[]): number | undefined {
  let to = from;
  for (const name of names) {
    const form = [`.${name}`, `["${name}"]`, `['${name}']`, `[${name}]`].find(written => value.startsWith(written, to));
    if (form === undefined) return undefined;
    to += form.length;
  }
  return to;
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
