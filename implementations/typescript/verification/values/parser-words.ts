import { nearest } from '../../../../schemas/index.js';
import { marked } from '../../../../schemas/words.js';

/** What the parser of expressions calls what is written otherwise. */
const TOKENS: Readonly<Record<string, string>> = {
  RPAREN: 'a )',
  LPAREN: 'a (',
  RBRACKET: 'a ]',
  LBRACKET: 'a [',
  RBRACE: 'a }',
  LBRACE: 'a {',
  COLON: 'a :',
  COMMA: 'a ,',
  DOT: 'a .',
  IDENTIFIER: 'a name',
  STRING: 'a text',
  NUMBER: 'a number',
  QUESTION: 'a ?',
  EOF: 'the end',
  PLUS: '"+"',
  MINUS: '"-"',
  MULTIPLY: '"*"',
  DIVIDE: '"/"',
  MODULO: '"%"',
  EQ: '"=="',
  NE: '"!="',
  LT: '"<"',
  LE: '"<="',
  GT: '">"',
  GE: '">="',
  AND: '"&&"',
  OR: '"||"',
  NOT: '"!"',
  IN: '"in"',
};

/** What is usually meant by functions and methods of other languages. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  len: 'size(x)',
  length: 'size(x)',
  count: 'size(x)',
  str: 'string(x)',
  toString: 'string(x)',
  float: 'double(x)',
  number: 'double(x)',
  parseInt: 'int(x)',
  includes: 'x.contains(y)',
  some: 'x.exists(e, …)',
  any: 'x.exists(e, …)',
  every: 'x.all(e, …)',
  startswith: 'x.startsWith(y)',
  endswith: 'x.endsWith(y)',
};
const KNOWN = ['size', 'string', 'double', 'int', 'bool', 'has', 'type', 'contains', 'startsWith', 'endsWith'].concat([
  'all',
  'exists',
  'exists_one',
  'map',
  'filter',
  'timestamp',
  'duration',
]);

/** Returns what the parser of expressions says of one, in plain words. */
export function parserText(message: string): string {
  const [, expected = '', got = ''] = /^Expected ([A-Z]+), got ([A-Z]+)$/.exec(message) ?? [];
  if (expected !== '') return `${TOKENS[expected] ?? expected} is missing${got === 'EOF' ? '' : ' here'}`;
  const [, token] = /^Unexpected token: ([A-Z]+)$/.exec(message) ?? [];
  if (token !== undefined) return `${TOKENS[token] ?? token} is not expected here`;
  const [, character] = /^Unexpected character: '?(.+?)'?$/s.exec(message) ?? [];
  if (character !== undefined) return `${marked(character)} is not expected here`;
  return message === 'Unterminated string' ? 'the quotation mark is not closed' : message;
}

/** Returns what to write for what the parser of expressions, or the list of functions, does not take; else nothing. */
export function parserHelp(message: string): string | undefined {
  const [, name] = /^There is no function '(.*)'$/s.exec(message) ?? [];
  if (name !== undefined) {
    const meant = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    const near = meant === undefined ? nearest(name, KNOWN) : undefined;
    if (meant !== undefined) return `Write ${meant}.`;
    return near === undefined
      ? `There are ${KNOWN.slice(0, -1).join(', ')} and ${KNOWN.at(-1)}.`
      : `Did you mean "${near}"?`;
  }
  const [, expected = ''] = /^Expected ([A-Z]+), got [A-Z]+$/.exec(message) ?? [];
  if (expected === 'COLON') return 'Write condition ? one : other.';
  if (expected === 'IDENTIFIER') return 'Write one dot between two names.';
  const closer = TOKENS[expected];
  if (closer !== undefined) return `Write ${closer.replace('a ', '')} where it belongs.`;
  if (message === 'Unterminated string') return 'End the text with the mark that it begins with.';
  const [, character = ''] = /^Unexpected character: '?(.+?)'?$/s.exec(message) ?? [];
  if (/^[)\]}]$/.test(character)) return `Remove the ${character}, or open it before.`;
  return undefined;
}
