/** A bracket or a quotation mark of a YAML text that is not closed. */
export interface OpenMark {
  readonly at: number;
  readonly mark: string;
  readonly closer: string;
}

const CLOSERS: Readonly<Record<string, string>> = { '[': ']', '{': '}' };
/** What a value stands behind, outside of brackets. */
const INDICATORS = /[-?:]/;
const BRACKETS = /[,[\]{}]/;

/**
 * Returns the innermost bracket, or the quotation mark, that is open before a place of a YAML text; undefined where none is.
 *
 * It is meant for texts that cannot be read: what stands before the place is taken for YAML.
 */
export function openMarkBefore(text: string, place: number): OpenMark | undefined {
  const open: number[] = [];
  let at = 0;
  while (at < place) {
    const char = text.charAt(at);
    const inBrackets = open.length > 0;
    if (/\s/.test(char)) at++;
    else if (char === '#' && startsToken(text, at)) at = lineEnd(text, at);
    else if (char === '"' || char === "'") {
      const end = quoteEnd(text, at);
      if (end >= place) return { at, mark: char, closer: char };
      at = end + 1;
    } else if (char === '[' || char === '{') open.push(at++);
    else if (inBrackets && (char === ']' || char === '}')) {
      open.pop();
      at++;
    } else if (!inBrackets && (char === '|' || char === '>')) at = blockEnd(text, at);
    else if (char === ',' || (char === ':' && inBrackets) || (INDICATORS.test(char) && endsToken(text, at + 1))) at++;
    else if (isDocumentMark(text, at)) at += 3;
    else if (char === '&' || char === '!') at = wordEnd(text, at);
    else at = inBrackets ? plainEnd(text, at, true) : plainLinesEnd(text, at);
  }
  const last = open.at(-1);
  if (last === undefined) return undefined;
  const mark = text.charAt(last);
  return { at: last, mark, closer: CLOSERS[mark] ?? '' };
}

/** Where the line ends that a place is in, at its first CR or LF. */
function lineEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && !isLineEnd(text, end)) end++;
  return end;
}

/** Returns where the line begins that a place is in. */
export function lineStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && !isLineEnd(text, start - 1)) start--;
  return start;
}

function isLineEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 10 || code === 13;
}

/** Whether a token can begin at a place: it is the first of its line, or behind a space. */
function startsToken(text: string, at: number): boolean {
  return at === 0 || /\s/.test(text.charAt(at - 1));
}

/** Whether a token has ended before a place. */
function endsToken(text: string, at: number): boolean {
  return at >= text.length || /\s/.test(text.charAt(at));
}

/** Whether a document begins or ends with a line. */
function isDocumentMark(text: string, at: number): boolean {
  return (
    (text.startsWith('---', at) || text.startsWith('...', at)) &&
    endsToken(text, at + 3) &&
    (at === 0 || isLineEnd(text, at - 1))
  );
}

/** Where the quotation mark is that ends a quoted text, or the end of the text. */
function quoteEnd(text: string, start: number): number {
  const mark = text.charAt(start);
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\' && mark === '"') at++;
    else if (char === mark) {
      if (mark === '"' || text.charAt(at + 1) !== mark) return at;
      at++;
    }
  }
  return text.length;
}

/** Where a text ends that keeps its lines. */
function blockEnd(text: string, at: number): number {
  return deeperLinesEnd(text, lineEnd(text, at), depthOf(text, at), true);
}

/** Where a text without quotation marks ends outside of brackets, with the lines that continue it. */
function plainLinesEnd(text: string, start: number): number {
  const end = plainEnd(text, start, false);
  return end < text.length && isLineEnd(text, end) ? deeperLinesEnd(text, end, depthOf(text, start), false) : end;
}

/** The first line behind the end of one that is indented no more than so much, or is a mark, or, if they count, a comment. */
function deeperLinesEnd(text: string, from: number, depth: number, hasComments: boolean): number {
  let end = from;
  while (end < text.length) {
    const next = end + 1;
    end = lineEnd(text, next);
    const first = next + indentOf(text, next);
    if (text.slice(first, end).trim() === '') continue;
    if (first - next <= depth || isDocumentMark(text, next) || (!hasComments && text.charAt(first) === '#'))
      return next;
  }
  return text.length;
}

/** How far what holds a text is indented: its key, or the dash of its entry; -1 where it is a whole document. */
function depthOf(text: string, at: number): number {
  const start = lineStart(text, at);
  let first = start + indentOf(text, start);
  let depth = first - start - 1;
  if (isDocumentMark(text, first)) return -1;
  while (first < at && INDICATORS.test(text.charAt(first)) && endsToken(text, first + 1)) {
    depth = first - start;
    first++;
    while (first < at && /\s/.test(text.charAt(first))) first++;
  }
  while (first < at && (text.charAt(first) === '&' || text.charAt(first) === '!')) {
    first = wordEnd(text, first);
    while (first < at && /\s/.test(text.charAt(first))) first++;
  }
  return first < at ? first - start : depth;
}

function indentOf(text: string, start: number): number {
  let at = start;
  while (text.charAt(at) === ' ') at++;
  return at - start;
}

/** Where an anchor or a tag ends. */
function wordEnd(text: string, start: number): number {
  const isVerbatim = text.startsWith('!<', start);
  let at = start + 1;
  while (at < text.length && !(isVerbatim ? /[\s>]/ : /[\s,[\]{}]/).test(text.charAt(at))) at++;
  return isVerbatim && text.charAt(at) === '>' ? at + 1 : at;
}

/** Where a text without quotation marks ends, outside of brackets at the end of its line at the latest. */
function plainEnd(text: string, start: number, inBrackets: boolean): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const char = text.charAt(at);
    if ((isLineEnd(text, at) && !inBrackets) || (char === '#' && startsToken(text, at))) break;
    if (char === ':' && (endsToken(text, at + 1) || (inBrackets && BRACKETS.test(text.charAt(at + 1))))) break;
    if (inBrackets && BRACKETS.test(char)) break;
  }
  return at;
}
