import { YAMLException } from 'js-yaml';
import { lineStart, type OpenMark, openMarkBefore } from './open-bracket.js';
import { DOCUMENT_DEPTH, type TextDefect } from './source-tree.js';
import { bracesBefore, slipAt } from './yaml-slip.js';

const TOO_DEEP = 'nesting exceeded maxDepth';
const HELP =
  'Check the indentation and the quotes at this place; a text with ": ", " #" or brackets stands in quotes, as an expression with ? : does.';
const MISSED_COMMA = 'missed comma between flow collection entries';
/** What the parser says of what follows a bracket or a quotation mark that is not closed, or of what stands in brackets. */
const IN_BRACKETS = /^(?:deficient indentation|unexpected end of the \w+ within a (?:flow|double|single)|missed comma)/;

/** Returns what is said of a YAML text that the parser refuses with an error: what, where, and what to do. */
export function yamlDefect(error: unknown, text: string): TextDefect {
  const mark = error instanceof YAMLException ? (error.mark as { position?: number } | undefined) : undefined;
  const reason = error instanceof YAMLException ? error.reason : TOO_DEEP;
  const start = Math.min(mark?.position ?? 0, text.length);
  const defect = { start, end: start + 1 };
  if (reason.startsWith(TOO_DEEP))
    return {
      ...defect,
      message: `More than ${DOCUMENT_DEPTH} containers are nested`,
      help: 'Make the document flatter.',
    };
  const braces = reason === MISSED_COMMA ? bracesBefore(reason, text, start) : undefined;
  if (braces !== undefined) {
    const { what, help, ...where } = braces;
    return { ...where, message: `Not readable as YAML: ${what}`, help };
  }
  const opened = IN_BRACKETS.test(reason) ? openMarkBefore(text, start) : undefined;
  if (opened === undefined) {
    const slip = slipAt(reason, text, start);
    if (slip === undefined) return { ...defect, message: `Not readable as YAML: ${reason}`, help: HELP };
    const { what, help, ...where } = slip;
    return { ...where, message: `Not readable as YAML: ${what}`, help };
  }
  if (reason !== MISSED_COMMA) return tabbed(opened, text, start) ?? unclosed(opened, text, start);
  const related = { message: `this ${opened.mark} is open`, start: opened.at, end: opened.at + 1 };
  const found = text.charAt(start);
  return found === ']' || found === '}'
    ? {
        ...defect,
        message: `Not readable as YAML: ${opened.closer} is missing before ${found}`,
        help: `Write ${opened.closer} where the ${opened.mark} ends.`,
        related,
      }
    : {
        ...defect,
        message: 'Not readable as YAML: a comma is missing between two entries in brackets',
        help: HELP,
        related,
      };
}

/** A tab in brackets, in a line that has to be indented more, and in which a tab is no indentation. */
function tabbed({ mark, closer, at }: OpenMark, text: string, place: number): TextDefect | undefined {
  if (mark === closer) return undefined;
  let first = place;
  while (first < text.length && /\s/.test(text.charAt(first))) first++;
  const start = Math.max(lineStart(text, first), at);
  const tab = text.slice(start, first).indexOf('\t');
  if (tab < 0) return undefined;
  return {
    message: 'Not readable as YAML: a tab stands in brackets where a space is wanted',
    help: 'Write spaces; a line in brackets is indented with spaces, more than the line that the bracket belongs to.',
    start: start + tab,
    end: start + tab + 1,
    related: { message: `this ${mark} is open`, start: at, end: at + 1 },
  };
}

/** Something was opened, and what stands at the place shows that it should have been closed before. */
function unclosed({ at, mark, closer }: OpenMark, text: string, place: number): TextDefect {
  const what = mark === closer ? 'quotation mark' : 'bracket';
  const isHere = text.startsWith(closer, place);
  const isEnd = text.slice(place).trim() === '';
  const found = isHere
    ? `this ${closer} is indented too little to close it`
    : isEnd
      ? `the text ends without ${closer}`
      : `no ${closer} before this line, which is indented too little`;
  return {
    message: `Not readable as YAML: the ${what} ${mark} is not closed`,
    help: isHere
      ? `Indent the ${closer} more than the line that the ${mark} belongs to.`
      : `Write ${closer} where it ends; until then every line is indented more than the one that it belongs to.`,
    start: at,
    end: at + 1,
    related: { message: found, start: place, end: place + 1 },
  };
}
