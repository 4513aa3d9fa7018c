import { nearest } from '../../../../schemas/index.js';
import type { ArsError } from '../../error.js';
import type { TemplateFault } from '../../workflow/mapping-template.js';
import type { FindingDraft } from '../rule.js';

const ROOTS = ['inputs', 'context', 'nodes', 'result', 'error'];
const WORDS: Readonly<Record<string, string>> = { and: '&&', or: '||', not: '!' };

/** What a text in an expression is commonly meant to be, and what to write for it. */
const HABITS: readonly [pattern: RegExp, help: (match: RegExpExecArray) => string][] = [
  [
    /\$\{\s*([^}\s]*)[^}]*\}?/,
    ([, path]) => `There is no \${ } in an expression: write ${path === '' ? 'inputs.x' : path}.`,
  ],
  [/([!=])==/, ([, sign]) => `Write ${sign}= for ${sign}==.`],
  [/(?<![=!<>])=(?![=])/, () => 'Write == to compare.'],
  [/\b(and|or|not)\b/i, ([, word = '']) => `Write ${WORDS[word.toLowerCase()]} for ${word}.`],
];

/** Returns the finding for an expression that cannot be read. */
export function expressionFinding(
  error: ArsError,
  pointer: string,
  source: string,
  inputs: readonly string[],
): FindingDraft {
  const { message, offset } = error.details;
  const overload = /^(?:no such overload: |found no matching overload for )'?([^']*)'?$/.exec(String(message))?.[1];
  if (overload !== undefined) {
    const help = /\bint\b.*\bdouble\b|\bdouble\b.*\bint\b/.test(overload)
      ? 'Numbers of documents are doubles: write a literal as 1.0, or use double() or int().'
      : 'Combine and compare values of one type; string(), double() and int() convert.';
    const what = `The expression "${source}" does not fit its types, at character ${Number(offset) + 1}: ${overload}`;
    return { pointer, message: `${what} is not defined`, related: [], help };
  }
  const read = `The expression "${source}" cannot be read`;
  if (message === 'Unexpected token: EOF')
    return {
      pointer,
      message: `${read}, at its end: something more is expected there`,
      related: [],
      help: 'Write the rest of it.',
    };
  return finding(error, pointer, read, helpFor(error, source, inputs));
}

function helpFor(error: ArsError, source: string, inputs: readonly string[]): string {
  const unquoted = source.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  for (const [pattern, help] of HABITS) {
    const match = pattern.exec(unquoted);
    if (match !== null) return help(match);
  }
  if (/third macro/.test(String(error.details.message)))
    return 'Nest two at most; let an action compute what needs more.';
  const unknown = /no variable '([^']*)'|Unknown variable: (\S+)/.exec(String(error.details.message));
  const name = unknown?.[1] ?? unknown?.[2];
  if (name !== undefined) {
    if (inputs.includes(name)) return `Write inputs.${name}.`;
    const root = nearest(name, ROOTS);
    const input = root === undefined ? nearest(name, inputs) : undefined;
    if (root !== undefined) return `Did you mean "${root}"?`;
    if (input !== undefined) return `Did you mean inputs.${input}?`;
    return 'Write inputs.x for an input, nodes.a.outputs.x for an output, and a text in quotes.';
  }
  return 'Mend the text at the place that is named.';
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
  if (fault.reason === undefined) return 'Write ${path} or ${path ?? default}, and $${ for the text ${ itself.';
  const meant = nearest(fault.root, ROOTS);
  return meant === undefined
    ? `Write \${inputs.${fault.root}} for an input, \${nodes.${fault.root}.outputs.x} for an output of a node.`
    : `Did you mean "${meant}"?`;
}

function finding(error: ArsError, pointer: string, what: string, help: string): FindingDraft {
  const { message, offset } = error.details;
  return { pointer, message: `${what}, at character ${Number(offset) + 1}: ${String(message)}`, related: [], help };
}
