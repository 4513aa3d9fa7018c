import { PlainPath } from './plain-reference.js';

/** What a plain condition compares with. */
export type PlainOperand = 'number' | 'string' | 'boolean' | 'null';

/** The most characters that a plain condition has. */
const MOST_TEXT = 512;
const MOST_DIGITS = 15;

const TAB = 0x09;
const NEW_LINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const NOT = 0x21;
const DOUBLE_QUOTE = 0x22;
const AND = 0x26;
const SINGLE_QUOTE = 0x27;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LESS = 0x3c;
const EQUAL = 0x3d;
const GREATER = 0x3e;
const OR = 0x7c;

/**
 * Reads conditions of the most common form without a syntax tree: comparisons of a path with a literal, one or several
 * with `&&` and `||` between. What it takes for one {@link compileExpression} accepts, finds to be boolean, and reads in
 * the same way; of other texts it says nothing.
 */
export class PlainCondition {
  readonly #path = new PlainPath();
  #operand: PlainOperand = 'number';

  /** Whether the text is a plain condition each comparison of which holds to the test; the path is that of the moment. */
  every(text: string, test: (path: PlainPath, ordered: boolean, operand: PlainOperand) => boolean): boolean {
    if (text.length > MOST_TEXT) return false;
    let at = 0;
    for (;;) {
      const end = this.#path.readMember(text, at);
      if (end === -1) return false;
      const operator = skipSpace(text, end);
      const first = text.charCodeAt(operator);
      const isPair = text.charCodeAt(operator + 1) === EQUAL;
      const ordered = first === LESS || first === GREATER;
      if (!ordered && !(isPair && (first === EQUAL || first === NOT))) return false;
      at = this.#readLiteral(text, skipSpace(text, operator + (isPair ? 2 : 1)));
      if (at === -1) return false;
      if ((ordered && this.#operand === 'null') || !test(this.#path, ordered, this.#operand)) return false;
      if (at === text.length) return true;
      const link = skipSpace(text, at);
      const code = text.charCodeAt(link);
      if ((code !== AND && code !== OR) || text.charCodeAt(link + 1) !== code) return false;
      at = skipSpace(text, link + 2);
    }
  }

  /** Reads a literal; returns where it ends, -1 where there is none, or something else goes on there. */
  #readLiteral(text: string, at: number): number {
    const end = this.#literalEnd(text, at);
    return end === -1 || (end < text.length && goesOn(text.charCodeAt(end))) ? -1 : end;
  }

  #literalEnd(text: string, at: number): number {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) {
      this.#operand = 'number';
      const end = digitsEnd(text, at);
      return end !== -1 && text.charCodeAt(end) === DOT ? digitsEnd(text, end + 1) : end;
    }
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      this.#operand = 'string';
      let end = at + 1;
      while (isPlainCharacter(text.charCodeAt(end))) end++;
      return text.charCodeAt(end) === code ? end + 1 : -1;
    }
    this.#operand = 'boolean';
    if (text.startsWith('true', at)) return at + 4;
    if (text.startsWith('false', at)) return at + 5;
    this.#operand = 'null';
    return text.startsWith('null', at) ? at + 4 : -1;
  }
}

/** Where digits end that are as many as are read without a doubt; else -1. */
function digitsEnd(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) >= ZERO && text.charCodeAt(at) <= NINE) at++;
  return at === start || at - start > MOST_DIGITS ? -1 : at;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== SPACE && code !== NEW_LINE && code !== TAB && code !== RETURN) break;
  }
  return at;
}

/** Whether a character is a letter, a digit or `_`. */
function isWordCharacter(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= ZERO && code <= NINE) || (code >= 0x41 && code <= 0x5a) || code === 0x5f
  );
}

/** Whether what stands behind a literal would be a part of it, or of a word that only begins like it. */
function goesOn(code: number): boolean {
  return code === DOT || isWordCharacter(code);
}

/** Whether a character stands for itself in a string: a letter, a digit, or one of ` _.,:;/-`. */
function isPlainCharacter(code: number): boolean {
  return isWordCharacter(code) || code === SPACE || (code >= 0x2c && code <= 0x2f) || code === 0x3a || code === 0x3b;
}
