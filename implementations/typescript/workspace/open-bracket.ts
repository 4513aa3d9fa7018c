/** A bracket or a quotation mark of a YAML text that is not closed. */
export interface OpenMark {
  readonly at: number;
  readonly mark: string;
  readonly closer: string;
}

const CLOSERS: Readonly<Record<string, string>> = { '[': ']', '{': '}' };

/**
 * Returns the innermost bracket, or the quotation mark, that is open before a place of a YAML text; undefined where none is.
 *
 * It is meant for texts that cannot be read: what stands before the place is taken for YAML, and where the text takes
 * liberties (a text of several lines with a bracket at the beginning of one) the answer can be another one.
 */
export function openMarkBefore(text: string, place: number): OpenMark | undefined {
  const open: number[] = [];
  let at = 0;
  while (at < place) {
    const char = text.charAt(at);
    if (/\s/.test(char)) at++;
    else if (char === '#' && startsToken(text, at)) at = lineEnd(text, at);
    else if (char === '"' || char === "'") {
      const end = quoteEnd(text, at);
      if (end >= place) return { at, mark: char, closer: char };
      at = end + 1;
    } else if (char === '[' || char === '{') open.push(at++);
    else if (open.length > 0 && (char === ']' || char === '}')) {
      open.pop();
      at++;
    } else if (open.length === 0 && (char === '|' || char === '>')) at = blockEnd(text, at);
    else if (',-?:'.includes(char) && endsToken(text.charAt(at + 1), open.length > 0)) at++;
    else if (char === '&' || char === '!') at = wordEnd(text, at);
    else at = plainEnd(text, at, open.length > 0);
  }
  const last = open.at(-1);
  if (last === undefined) return undefined;
  const mark = text.charAt(last);
  return { at: last, mark, closer: CLOSERS[mark] ?? '' };
}

function startsToken(text: string, at: number): boolean {
  return at === 0 || /\s/.test(text.charAt(at - 1));
}

function endsToken(next: string, inBrackets: boolean): boolean {
  return next === '' || /\s/.test(next) || inBrackets;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
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

/** Where a text ends that keeps its lines: with the first line that is not indented more than the one that announces it. */
function blockEnd(text: string, at: number): number {
  const lineStart = text.lastIndexOf('\n', at) + 1;
  const indent = indentOf(text, lineStart);
  let end = lineEnd(text, at);
  while (end < text.length) {
    const next = end + 1;
    const nextEnd = lineEnd(text, next);
    if (text.slice(next, nextEnd).trim() !== '' && indentOf(text, next) <= indent) return next;
    end = nextEnd;
  }
  return text.length;
}

function indentOf(text: string, lineStart: number): number {
  let at = lineStart;
  while (text.charAt(at) === ' ') at++;
  return at - lineStart;
}

function wordEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && !/[\s,[\]{}]/.test(text.charAt(at))) at++;
  return at;
}

/** Where a text without quotation marks ends, at the end of its line at the latest. */
function plainEnd(text: string, start: number, inBrackets: boolean): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\n' || (char === '#' && startsToken(text, at))) break;
    if (char === ':' && (/^\s?$/.test(text.charAt(at + 1)) || (inBrackets && /[,[\]{}]/.test(text.charAt(at + 1)))))
      break;
    if (inBrackets && /[,[\]{}]/.test(char)) break;
  }
  return at;
}
