import { nearest } from '../../../../schemas/index.js';
import { marked } from '../../../../schemas/words.js';
import type { ArsError } from '../../error.js';
import type { TemplateFault } from '../../workflow/mapping-template.js';
import type { VerificationContext } from '../context.js';
import type { FindingDraft } from '../rule.js';
import { parserHelp, parserText } from './parser-words.js';
import { IDENTIFIER } from './path-text.js';
import { READABLE } from './readable.js';
import type { ReadPlace } from './reads.js';

const ROOTS = ['inputs', 'context', 'nodes', 'result', 'error'];
const WORDS: Readonly<Record<string, string>> = { and: '&&', or: '||', not: '!' };

/** What a text in an expression is commonly meant to be, and what to write for it. */
const HABITS: readonly [pattern: RegExp, help: (match: RegExpExecArray) => string][] = [
  [
    /\$\{\s*([^}\s]*)[^}]*\}?/,
    ([, path]) => `There is no \${ } in an expression: write ${path === '' ? 'inputs.x' : path}.`,
  ],
  [/(?<![\w$])\$\.(\w*)/, ([, name]) => `There is no $ in an expression: write inputs.${name === '' ? 'x' : name}.`],
  [
    /(?<![\w$])\$((?:inputs|context|nodes|result|error)\b[\w.]*)/,
    ([, path]) => `There is no $ in an expression: write ${path}.`,
  ],
  [/([!=])==/, ([, sign]) => `Write ${sign}= for ${sign}==.`],
  [/(?<![=!<>])=(?![=])/, () => 'Write == to compare.'],
  [/(?<![.\w-])(and|or|not)(?![.\w-])/i, ([, word = '']) => `Write ${WORDS[word.toLowerCase()]} for ${word}.`],
];

/** Returns the finding for an expression that cannot be read. */
export function expressionFinding(
  context: VerificationContext,
  error: ArsError,
  { pointer, place }: { readonly pointer: string; readonly place: ReadPlace },
  source: string,
): FindingDraft {
  const { message, offset } = error.details;
  const overload = /^(?:no such overload: |found no matching overload for )'?([^']*)'?$/.exec(String(message))?.[1];
  if (overload !== undefined) {
    const help = / % /.test(overload)
      ? 'Only ints have a remainder: write int(x) % 2.'
      : /\bint\b.*\bdouble\b|\bdouble\b.*\bint\b/.test(overload)
        ? 'Numbers of documents are doubles: write a literal as 1.0, or use double() or int().'
        : 'Combine and compare values of one type; string(), double() and int() convert.';
    const what = `The expression ${marked(source)} does not fit its types, at character ${Number(offset) + 1}: ${overload.replaceAll(/\bdyn\b/g, 'any value')}`;
    return { pointer, message: `${what} is not defined`, related: [], help };
  }
  const read = `The expression ${marked(source)} cannot be read`;
  if (message === 'Unexpected token: EOF')
    return {
      pointer,
      message: `${read}, at its end: something more is expected there`,
      related: [],
      help: 'Write the rest of it.',
    };
  const at = `${read}, at character ${Number(offset) + 1}`;
  const hyphened = READABLE[place].includes('nodes') ? nodeInBrackets(context, source) : undefined;
  if (hyphened !== undefined) {
    const { name, written } = hyphened;
    const why = `"${name}" is no name that can stand behind a dot`;
    return { pointer, message: `${at}: ${why}`, related: [], help: `Write ${written}.` };
  }
  const braces = inBraces(source);
  if (braces !== undefined)
    return {
      pointer,
      message: `${read}, at character ${braces.at + 1}: ${braces.mark} marks no reference here`,
      related: [],
      help: `There are no braces around a reference in an expression: write ${braces.path}.`,
    };
  const roots = ['inputs', ...READABLE[place]];
  const what = parserText(atOffset(String(message), source, Number(offset))).replace(
    /; there are .*$/s,
    `; there are ${roots.join(', ')}`,
  );
  return { pointer, message: `${at}: ${what}`, related: [], help: helpFor(context, String(message), source, roots) };
}

/** A text in two pairs of braces, or a path in one, as other languages write a reference. */
const BRACES =
  /\$?(\{\{)\s*([^{}]*[^{}\s])\s*\}\}|(?<!\$)(\{)\s*((?:inputs|context|nodes|result|error)\.[^{}\s:,]+)\s*\}/d;

/** The first reference of an expression that stands in braces, outside of texts. */
function inBraces(source: string): { readonly at: number; readonly mark: string; readonly path: string } | undefined {
  const { indices, index } = BRACES.exec(blanked(source)) ?? {};
  const [mark, path] = [indices?.[1] ?? indices?.[3], indices?.[2] ?? indices?.[4]];
  if (index === undefined || mark === undefined || path === undefined) return undefined;
  return { at: index, mark: source.startsWith('{{', mark[0]) ? '{{ }}' : '{ }', path: source.slice(...path) };
}

/** An expression with nothing in the quotation marks of its texts, and everything else where it was. */
function blanked(source: string): string {
  return source.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, text => `"${' '.repeat(text.length - 2)}"`);
}

/** What the parser says, with the word or character at the place: it names one that it has looked ahead to. */
function atOffset(message: string, source: string, offset: number): string {
  const [here] = /^(?:[A-Za-z_][A-Za-z0-9_]*|.)/su.exec(source.slice(offset)) ?? [];
  return here !== undefined && /^Unexpected character: /.test(message) ? `Unexpected character: ${here}` : message;
}

/** The first node of an expression whose id is written behind a dot although it has other characters than a name. */
function nodeInBrackets(
  { graph }: VerificationContext,
  source: string,
): { readonly name: string; readonly written: string } | undefined {
  for (const [, name = '', rest = ''] of source.matchAll(/\bnodes\.([^\s."'[\]]+)((?:\.[A-Za-z_][A-Za-z0-9_]*)*)/g))
    if (!IDENTIFIER.test(name) && graph.indexOf(name) >= 0)
      return { name, written: `nodes[${JSON.stringify(name)}]${rest}` };
  return undefined;
}

function helpFor(context: VerificationContext, message: string, source: string, roots: readonly string[]): string {
  const inputs = Object.keys(context.input.inputs ?? {});
  const unquoted = blanked(source);
  for (const [pattern, help] of HABITS) {
    const match = pattern.exec(unquoted);
    if (match !== null) return help(match);
  }
  if (/third macro/.test(message)) return 'Nest two at most; let an action compute what needs more.';
  const unknown = /no variable '([^']*)'|Unknown variable: (\S+)/.exec(message);
  const name = unknown?.[1] ?? unknown?.[2];
  if (name !== undefined) {
    if (inputs.includes(name)) return `Write inputs.${name}.`;
    const root = nearest(name, roots);
    const input = root === undefined ? nearest(name, inputs) : undefined;
    if (root !== undefined) return `Did you mean "${root}"?`;
    if (input !== undefined) return `Did you mean inputs.${input}?`;
    return roots.includes('nodes')
      ? 'Write inputs.x for an input, nodes.a.outputs.x for an output, and a text in quotes.'
      : `Write ${roots.map(one => (one === 'exit_code' ? one : `${one}.x`)).join(' or ')}, and a text in quotes.`;
  }
  return parserHelp(message) ?? 'Mend the text at the place that is named.';
}

/** Returns the finding for a reference of a mapping that cannot be read. */
export function mappingFinding(error: ArsError, pointer: string): FindingDraft {
  const inner = typeof error.details.pointer === 'string' ? error.details.pointer : '';
  const help = mappingHelp(error.details as TemplateFault);
  return finding(error, pointer + inner, 'The reference cannot be read', help);
}

function mappingHelp(fault: TemplateFault): string {
  if (fault.reason === 'quotes')
    return 'Write ?? "text"; in YAML with single quotes around the whole: \'${… ?? "text"}\'.';
  if (fault.reason === 'braces')
    return 'A reference has one pair of braces: write ${inputs.x} or ${nodes.a.outputs.x}.';
  if (fault.reason === undefined) return 'Write ${path} or ${path ?? default}, and $${ for the text ${ itself.';
  const [name = '', bracket] = fault.root.split('[');
  if (bracket !== undefined && ROOTS.includes(name))
    return `A reference has no brackets: each name stands behind a dot, as in \${${name}.x}.`;
  if (/[^\w-]/.test(fault.root))
    return 'A mapping reads a path and computes nothing: let the action compute it, or a condition by its expression.';
  const meant = nearest(fault.root, ROOTS);
  return meant === undefined
    ? `Write \${inputs.${fault.root}} for an input, \${nodes.${fault.root}.outputs.x} for an output of a node.`
    : `Did you mean "${meant}"?`;
}

function finding(error: ArsError, pointer: string, what: string, help: string): FindingDraft {
  const { message, offset } = error.details;
  return { pointer, message: `${what}, at character ${Number(offset) + 1}: ${String(message)}`, related: [], help };
}
