import { PlainPath } from './plain-reference.js';

/** What a plain condition compares with. */
export type PlainOperand = 'number' | 'string' | 'boolean' | 'null';

/** The most characters that a plain condition has. */
const MOST_TEXT = 512;
const OPERATOR = /\s*(==|!=|<=|>=|<|>)\s*/y;
const LITERAL = /(?:([0-9]{1,15}(?:\.[0-9]{1,15})?)|("[\w .,:;/-]*"|'[\w .,:;/-]*')|(true|false)|(null))(?![\w.])/y;
const LINK = /\s*(&&|\|\|)\s*/y;

/**
 * Reads conditions of the most common form without a syntax tree: comparisons of a path with a literal, one or several
 * with `&&` and `||` between. What it takes for one {@link compileExpression} accepts, finds to be boolean, and reads in
 * the same way; of other texts it says nothing.
 */
export class PlainCondition {
  readonly #path = new PlainPath();

  /** Whether the text is a plain condition each comparison of which holds to the test; the path is that of the moment. */
  every(text: string, test: (path: PlainPath, ordered: boolean, operand: PlainOperand) => boolean): boolean {
    if (text.length > MOST_TEXT) return false;
    let at = 0;
    for (;;) {
      const end = this.#path.readMember(text, at);
      if (end === -1) return false;
      const operator = matchAt(OPERATOR, text, end);
      if (operator === null) return false;
      const literal = matchAt(LITERAL, text, OPERATOR.lastIndex);
      if (literal === null) return false;
      const operand =
        literal[1] !== undefined
          ? 'number'
          : literal[2] !== undefined
            ? 'string'
            : literal[3] !== undefined
              ? 'boolean'
              : 'null';
      const ordered = operator[1] !== '==' && operator[1] !== '!=';
      if ((ordered && operand === 'null') || !test(this.#path, ordered, operand)) return false;
      at = LITERAL.lastIndex;
      if (at === text.length) return true;
      if (matchAt(LINK, text, at) === null) return false;
      at = LINK.lastIndex;
    }
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
