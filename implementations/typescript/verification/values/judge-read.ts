import { marked } from '../../../../schemas/words.js';
import type { Path } from '../../workflow/mapping.js';
import type { VerificationContext } from '../context.js';
import { listedNames } from '../listed-names.js';
import { atNode, type FindingDraft, listNames } from '../rule.js';
import { suggest, suggestNode } from '../suggestion.js';
import { memberSchema, type SchemaPart } from './json-schema-shape.js';
import { follow, namesIn, outputsOf, undoes } from './known-values.js';
import { pathText } from './path-text.js';
import { READABLE } from './readable.js';
import { ofDefinition, type Read, type ReadPlace } from './reads.js';

const PLACE_NAMES: Readonly<Record<ReadPlace, string>> = {
  input_mapping: 'an input_mapping',
  output_mapping: 'an output_mapping',
  expression: 'the expression of a condition',
  outputs: 'an output of the workflow',
  precondition: 'a precondition',
  postcondition: 'a postcondition',
  success_condition: 'a success_condition',
};
const ERROR_NAMES = ['error_class', 'error_detail', 'node_id'];

/** What is wrong with a path wherever it is read, or undefined: it names something that is not there. */
export function judgePath(context: VerificationContext, read: Read, path: Path): FindingDraft | undefined {
  const [root = ''] = path;
  if (root !== 'inputs' && !READABLE[read.place].includes(root))
    return misplaced(context, read, readText(read, path), root);
  if (read.action !== undefined) return judgeOwnPath(context, read, path);
  if (root === 'inputs') return judgeInput(context, read, path) ?? judgeMembers(context, read, path);
  if (root === 'nodes' && isLooseEnd(context, path[1] ?? '') && path[2] === 'outputs') return undefined;
  if (root === 'nodes') return judgeNode(context, read, path) ?? judgeMembers(context, read, path);
  if (root === 'error') return judgeError(context, read, path);
  return root === 'result' && !isSkill(context, read.reader) ? judgeMembers(context, read, path) : undefined;
}

function isLooseEnd({ looseEnds: { names } }: VerificationContext, name: string): boolean {
  return names.size > 0 && names.has(name);
}

function isSkill(context: VerificationContext, node: number): boolean {
  return node >= 0 && context.node(node).type === 'skill';
}

/** Returns a finding at the place of a read. */
export function findingAt(
  context: VerificationContext,
  read: Read,
  message: string,
  help: string,
  related: FindingDraft['related'] = [],
): FindingDraft {
  const { reader, pointer } = read;
  if (reader >= 0) return { node_id: context.node(reader).node_id, pointer, message, related, help };
  return ofDefinition(read, { pointer, message, related, help });
}

/** Returns a path in quotes, as it is written where it is read. */
export function readText({ place }: Read, path: Path): string {
  return marked(pathText(path, place));
}

function misplaced(context: VerificationContext, read: Read, written: string, root: string): FindingDraft {
  const help: Record<string, string> = {
    result:
      'Only an output_mapping, a postcondition and a success_condition read result; elsewhere write nodes.<node_id>.outputs.<name>.',
    error: 'Only error nodes, and nodes that every path reaches through one, read error.',
    exit_code: 'Only a success_condition reads exit_code.',
    nodes: 'The conditions of an action read its own inputs and, afterwards, its result.',
  };
  const message = `${written} cannot be read by ${PLACE_NAMES[read.place]}`;
  return findingAt(context, read, message, help[root] ?? `It can read inputs, ${READABLE[read.place].join(', ')}.`);
}

function judgeOwnPath(context: VerificationContext, read: Read, path: Path): FindingDraft | undefined {
  const [root, ...names] = path;
  const { action } = read;
  const schema = root === 'inputs' ? action?.input_schema : root === 'result' ? action?.output_schema : undefined;
  let part: SchemaPart | undefined | 'none' = schema === undefined ? undefined : { schema, root: schema };
  for (const [at, name] of names.entries()) {
    if (part === undefined) return undefined;
    const before: SchemaPart = part;
    part = memberSchema(before, name);
    if (part !== 'none') continue;
    const names_ = namesIn(context, { kind: 'schema', part: before });
    return ofDefinition(read, {
      pointer: read.pointer,
      message: `${readText(read, path)} leads to nothing: ${readText(read, path.slice(0, at + 1))} has no "${name}"${hasText(names_)}`,
      related: [],
      help: suggest(context, name, names_, 'Read what the schema of the action lists.'),
    });
  }
  return undefined;
}

function judgeInput(context: VerificationContext, read: Read, [, name]: Path): FindingDraft | undefined {
  const { inputs } = context.input;
  if (inputs === undefined || name === undefined || Object.hasOwn(inputs, name)) return undefined;
  const names = listedNames(context, inputs);
  const has = names.length === 0 ? 'it has none' : `it has ${listNames(names)}`;
  const help =
    name.includes('[') && read.place !== 'expression'
      ? `A reference has no brackets: write \${inputs.${name.replaceAll(/\[["']?([^\]"']*)["']?\]/g, '.$1')}}.`
      : suggest(context, name, names, `Declare it: inputs: { ${name}: { schema: { type: string } } }.`);
  return findingAt(context, read, `The workflow has no input "${name}": ${has}`, help);
}

function judgeNode(context: VerificationContext, read: Read, path: Path): FindingDraft | undefined {
  const [, name, outputs] = path;
  const shape = 'It is written nodes.<node_id>.outputs.<name>.';
  if (name === undefined || outputs !== 'outputs')
    return findingAt(context, read, `${readText(read, path)} names no outputs of a node`, shape);
  const source = context.graph.indexOf(name);
  if (source < 0) {
    const help = suggestNode(context, name, 'Name a node of this workflow.');
    return findingAt(context, read, `There is no node "${name}"`, help);
  }
  if (context.ambiguous.has(source) || context.input.unclearNodes.has(source)) return undefined;
  if (outputsOf(context, source) !== undefined) return undefined;
  const { type } = context.node(source);
  const kind = type === 'error' ? 'an error node that fails the instance' : `a ${type}`;
  const message = `${readText(read, path)} leads to nothing: "${name}" is ${kind}, which has no outputs`;
  const related = [atNode(context, source, 'this one')];
  return findingAt(context, read, message, 'Read an output of an action or a skill.', related);
}

function judgeError(context: VerificationContext, read: Read, path: Path): FindingDraft | undefined {
  const [, name] = path;
  if (name === undefined || (ERROR_NAMES.includes(name) && path.length === 2)) return undefined;
  const wrong = ERROR_NAMES.includes(name) ? (path[2] ?? '') : name;
  const help = suggest(context, wrong, ERROR_NAMES, `There are error.${ERROR_NAMES.join(', error.')}.`);
  return findingAt(
    context,
    read,
    `${readText(read, path)} leads to nothing: "error" has ${listNames(ERROR_NAMES)}`,
    help,
  );
}

function hasText(names: readonly string[]): string {
  return names.length === 0 ? '' : `; it has ${listNames(names)}`;
}

function judgeMembers(context: VerificationContext, read: Read, path: Path): FindingDraft | undefined {
  const destination = follow(context, read.reader, path);
  if ('known' in destination) return undefined;
  const { missing, at } = destination;
  const name = path[missing] ?? '';
  const names = namesIn(context, at);
  const message = `${readText(read, path)} leads to nothing: ${readText(read, path.slice(0, missing))} has no "${name}"${hasText(names)}`;
  const source = path[0] === 'nodes' && missing === 3 ? context.graph.indexOf(path[1] ?? '') : -1;
  const help =
    source >= 0 && undoes(context.node(source))
      ? 'An error node that undoes has no outputs; read those of an action or a skill.'
      : suggest(context, name, names, 'Name what is there, or add it where the value is made.');
  return findingAt(context, read, message, help);
}
