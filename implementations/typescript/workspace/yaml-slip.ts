import { lineStart } from './open-bracket.js';
import { excerpt } from './source-tree.js';
import { keyWithoutColon } from './yaml-lines.js';

/** What is wrong in a text, in the words of whoever writes it, and what to do. */
export interface Slip {
  readonly what: string;
  readonly help: string;
  readonly start: number;
  readonly end: number;
}

type Told = readonly [what: string, help: string];

/** What the parser says of tags, but that there are two. */
const TAG = /^(?!duplication).*\btag\b/;
/** What is meant by reasons of the parser, each where the text says nothing more particular. */
const REASONS: readonly [reason: RegExp, told: Told][] = [
  [
    /non-printable|valid JSON character/,
    ['a control character stands here', 'Remove it, or write it as an escape in double quotes, as in "\\x07".'],
  ],
  [
    /^unknown escape sequence/,
    [
      'in double quotes a backslash begins an escape, and this is none',
      'Write two backslashes for one, or put the text in single quotes.',
    ],
  ],
  [
    /^expected hexadecimal/,
    [
      'an escape is too short: \\x has two hexadecimal digits, \\u four and \\U eight',
      'Write all of its digits; for a backslash write two, or put the text in single quotes.',
    ],
  ],
  [
    /^expected the node content, but found ','/,
    ['there is nothing before this comma', 'Remove the comma, or write what is missing before it.'],
  ],
  [
    /^a line break is expected/,
    ['something follows the | or > of a text of several lines', 'Begin it on the next line, or put it in quotes.'],
  ],
  [
    /^name of an? (?:alias|anchor)/,
    ['* and & stand before the name of an anchor, and there is none', 'Put a text that begins with * or & in quotes.'],
  ],
  [
    /^duplication of an? (?:tag|anchor)/,
    ['one value has two tags or two anchors', 'Keep one of them; a text with ! or & in it stands in quotes.'],
  ],
  [TAG, ['! begins a tag, and this is none', 'Put a text that begins with ! in quotes.']],
  [
    /directive/i,
    ['a line that begins with % is a directive', 'Remove it; a text that begins with % stands in quotes.'],
  ],
  [
    /chomping|indentation width/,
    ['behind | and > stand one sign and one digit at most', 'Write | or > alone, and indent the lines below alike.'],
  ],
  [/^tab characters/, ['a tab stands where the line is indented', 'Indent with spaces.']],
  [
    /^end of the stream/,
    [
      'this line does not belong to what stands before it',
      'Indent the keys of one object, and the entries of one list, alike.',
    ],
  ],
  [
    /^(?:bad indentation|can not read a block mapping entry)/,
    [
      'this line is not indented as those that it belongs to',
      'Indent the keys of one object alike, and put a text with ": " in quotes.',
    ],
  ],
];

const TEXT_IN_QUOTES = 'Put the text in quotes.';

/** Returns the slip of the pen that a reason of the parser is likely to come from; undefined for reasons that are rare. */
export function slipAt(reason: string, text: string, place: number): Slip | undefined {
  const key = keyWithoutColon(reason, text, place);
  if (key !== undefined)
    return {
      ...key,
      what: `there is no : behind "${excerpt(text.slice(key.start, key.end))}"`,
      help: 'Is it a key? Write a : and a space behind it.',
    };
  const braces = bracesBefore(reason, text, place);
  if (braces !== undefined) return braces;
  const told = inLine(reason, text, place) ?? REASONS.find(([pattern]) => pattern.test(reason))?.[1];
  if (told === undefined) return undefined;
  const start = markBefore(reason, text, place);
  return { what: told[0], help: told[1], start, end: start + 1 };
}

/** What is said of {{ x }} without quotes, alone or with something before or behind it. */
export const DOUBLE_BRACES: Told = [
  '{{ }} is an object whose key is an object',
  'A reference is written ${inputs.x} or ${nodes.a.outputs.x}; put another text in quotes.',
];
const NOT_ONE_VALUE = /^(?:bad indentation of a|end of the stream|missed comma)/;

/** The braces or brackets without quotes in the line up to the place that are followed by what is no part of them. */
export function bracesBefore(reason: string, text: string, place: number): Slip | undefined {
  if (!NOT_ONE_VALUE.test(reason)) return undefined;
  const from = Math.max(lineStart(text, place), place - 1000);
  const before = text.slice(from, place);
  const double = /(?<=^ *|[:-] +|[[,] *)\{\{(?:[^{}"']*|[^{}]*\}\}[^{},"']*)$/.exec(before);
  if (double !== null) {
    const start = from + double.index;
    return { what: DOUBLE_BRACES[0], help: DOUBLE_BRACES[1], start, end: start + 2 };
  }
  if (reason.startsWith('missed comma')) return undefined;
  const single = /(?<=[:-] +)(?:\{[^{}]*(\})|\[[^[\]]*(\]))[^{}[\],"':#]*$/.exec(before);
  if (single === null) return undefined;
  const [, brace, bracket] = single;
  const start = from + single.index;
  return {
    what: `something follows the ${brace ?? bracket} that ends ${brace === undefined ? 'a list' : 'an object'}`,
    help: `Remove it, or put the whole text in quotes; a reference is written \${inputs.x}.`,
    start,
    end: start + 1,
  };
}

/** Where the mark stands of an anchor, a tag or a directive that is none; the parser names a place behind it. */
function markBefore(reason: string, text: string, place: number): number {
  if (/^name of an? (?:alias|anchor)/.test(reason)) return place - 1;
  if (/directive/i.test(reason)) return directiveBefore(text, place);
  if (reason.includes('verbatim')) return text.lastIndexOf('!<', place);
  if (!TAG.test(reason)) return place;
  const from = Math.max(0, place - 1000);
  const mark = text.slice(from, place).search(/!\S*$/);
  return mark < 0 ? place : from + mark;
}

/** Where the last line before a place begins with %. */
function directiveBefore(text: string, place: number): number {
  let at = text.lastIndexOf('%', place);
  while (at > 0 && !/[\r\n\ufeff]/.test(text.charAt(at - 1))) at = text.lastIndexOf('%', at - 1);
  return Math.max(at, 0);
}

/** What the line up to the place shows, where it is a line of a block. */
function inLine(reason: string, text: string, place: number): Told | undefined {
  if (!/^(?:bad indentation of a mapping|end of the stream)/.test(reason)) return undefined;
  const before = text.slice(Math.max(lineStart(text, place), place - 1000), place);
  const here = text.charAt(place);
  if (/^ *\t/.test(before)) return ['a tab stands where the line is indented', 'Indent with spaces.'];
  if (/:\s+$/.test(before)) {
    if (here === '-') return ['a list begins on the line of its key', 'Begin it on the next line, or write it in [ ].'];
    return /[@`%,[\]{}|>?]/.test(here) ? [`a text cannot begin with ${here}`, TEXT_IN_QUOTES] : undefined;
  }
  const mark = /(["'])\s*$/.exec(before)?.[1];
  if (mark !== undefined) {
    const help =
      mark === '"'
        ? 'Write \\" for a " in double quotes, or put the whole text in single quotes.'
        : "Write '' for a ' in single quotes, or put the whole text in double quotes.";
    return [`something follows the ${mark} that ends the text`, help];
  }
  return here === ':' && /^\s*(?:- +)*[^\s:#][^:#]*:\s/.test(before)
    ? ['there is a second ": " in the line', 'Put the text behind the first one in quotes, or begin a new line.']
    : undefined;
}
