import type { Action } from '../../../../schemas/types.js';
import { marked } from '../../../../schemas/words.js';
import { ArsError } from '../../error.js';
import { actionKey } from '../../execution/contract.js';
import { compileMapping, type Mapping, type Path } from '../../workflow/mapping.js';
import { PlainReference } from '../../workflow/plain-reference.js';
import type { VerificationContext } from '../context.js';
import { checkOwnCondition } from '../expression-type.js';
import type { UsedDefinition } from '../references.js';
import { type FindingDraft, pointerSegment } from '../rule.js';
import { mappingOf } from './known-values.js';
import { PlainOwnConditions } from './plain-conditions.js';
import type { MappingField, Sound } from './sound-mappings.js';
import { expressionFinding, mappingFinding } from './syntax.js';

/** Where something is read. */
export type ReadPlace =
  | 'input_mapping'
  | 'output_mapping'
  | 'expression'
  | 'outputs'
  | 'precondition'
  | 'postcondition'
  | 'success_condition';

/** A path that a mapping or an expression reads. */
export interface Read {
  /** The node that reads; -1 stands for the outputs of the workflow, and for what a definition reads. */
  readonly reader: number;
  readonly place: ReadPlace;
  readonly pointer: string;
  readonly path: Path;
  /** Whether a literal stands in, or `has` asks before, where the path leads to nothing. */
  readonly defaulted: boolean;
  /** The path that stands in. */
  readonly fallback?: Path | undefined;
  /** The definition whose condition reads. */
  readonly action?: Action;
  /** The node that uses it, where the registry defines it and the document has no place for it. */
  readonly user?: string;
}

/** Takes what is read, one after the other: most of it need not be kept. */
export type TakeRead = (read: Read) => void;

/** Returns what the mappings or the expression of one node read. */
export function readsOf(context: VerificationContext, node: number): readonly Read[] {
  const reads: Read[] = [];
  readNode(context, node, read => reads.push(read), []);
  return reads;
}

/**
 * Tells what mappings and expressions read: of judged nodes, of the used definitions in the document, of the outputs; and
 * returns the findings about texts that cannot be read themselves. What is sound is skipped; where that is known, so are
 * such conditions of definitions.
 */
export function tellReads(context: VerificationContext, take: TakeRead, sound?: Sound): FindingDraft[] {
  const findings: FindingDraft[] = [];
  for (let node = 0; node < context.graph.nodeCount; node++) {
    if (context.judged[node] === 1 && sound?.nodes[node] !== 1) readNode(context, node, take, findings, sound);
  }
  const plain = new PlainOwnConditions();
  for (const used of context.actions.used) {
    if (sound !== undefined && hasSoundConditions(plain, used.action)) continue;
    for (const [place, inner, source] of conditionsOf(used.action)) {
      if (sound !== undefined && plain.isSound(used.action, source)) continue;
      const where = { reader: -1, place, action: used.action, ...placeOf(used, inner) };
      const own: FindingDraft[] = [];
      readExpression(context, where, source, ['boolean'], take, own);
      for (const draft of own) findings.push(ofDefinition(where, draft));
    }
  }
  for (const [name, mapping] of Object.entries(context.input.outputs ?? {}))
    readMapping({ reader: -1, place: 'outputs' }, `/outputs/${name}`, mapping, take, findings);
  return findings;
}

type Where = Pick<Read, 'reader' | 'place' | 'pointer' | 'action' | 'user'>;

/** Where something in a definition is: in the document, or where the first node refers to it. */
function placeOf(used: UsedDefinition, inner: string): Pick<Read, 'pointer' | 'user'> {
  if (used.pointer !== undefined) return { pointer: used.pointer + inner };
  const [first] = used.users;
  return { pointer: first?.pointer ?? '', user: first?.node_id ?? '' };
}

/** Returns a finding about a definition; of one in the registry with its name. */
export function ofDefinition({ action, user, place }: Where, draft: FindingDraft): FindingDraft {
  if (action === undefined || user === undefined) return draft;
  const owner = `the ${place} of the action "${actionKey(action)}" in the registry`;
  return { node_id: user, ...draft, message: `In ${owner}: ${draft.message}` };
}

function readNode(
  context: VerificationContext,
  node: number,
  take: TakeRead,
  findings: FindingDraft[],
  sound?: Sound,
): void {
  const subject = context.node(node);
  const { node_id, type } = subject;
  const before = findings.length;
  if (type === 'condition') {
    const where = { reader: node, place: 'expression', pointer: `${context.nodePointer(node)}/expression` } as const;
    readExpression(context, where, subject.expression, ['boolean', 'string'], take, findings);
  } else if (type !== 'terminal') {
    readField(context, { reader: node, place: 'input_mapping' }, take, findings, sound);
    readField(context, { reader: node, place: 'output_mapping' }, take, findings, sound);
  }
  for (let at = before; at < findings.length; at++) findings[at] = { node_id, ...(findings[at] as FindingDraft) };
}

/** Whether nothing is wrong with the conditions of a definition, which is so of most. */
function hasSoundConditions(plain: PlainOwnConditions, action: Action): boolean {
  const { preconditions = NONE, postconditions = NONE, success_condition } = action;
  for (const { expression } of preconditions) if (!plain.isSound(action, expression)) return false;
  for (const { expression } of postconditions) if (!plain.isSound(action, expression)) return false;
  return success_condition === undefined || plain.isSound(action, success_condition);
}

const NONE: readonly { readonly expression: string }[] = [];

function* conditionsOf(action: Action): Generator<[ReadPlace, string, string]> {
  for (const [at, { expression }] of (action.preconditions ?? []).entries())
    yield ['precondition', `/preconditions/${at}/expression`, expression];
  for (const [at, { expression }] of (action.postconditions ?? []).entries())
    yield ['postcondition', `/postconditions/${at}/expression`, expression];
  if (action.success_condition !== undefined)
    yield ['success_condition', '/success_condition', action.success_condition];
}

function readExpression(
  context: VerificationContext,
  where: Where,
  source: string,
  types: readonly string[],
  take: TakeRead,
  findings: FindingDraft[],
): void {
  const compiled = context.expressionOf(source);
  if (compiled instanceof ArsError) {
    findings.push(expressionFinding(context, compiled, where, source));
    return;
  }
  const { type, misfit } =
    where.action === undefined ? context.conditionOf(where.reader) : checkOwnCondition(context, where.action, compiled);
  if (misfit !== undefined) findings.push({ pointer: where.pointer, ...misfit, related: [] });
  else if (type !== 'unknown' && !types.includes(type)) {
    const message = `The expression ${marked(source)} never gives a ${types.join(' or a ')}`;
    const help = 'Compare the value with another one, for example with == or >.';
    findings.push({ pointer: where.pointer, message, related: [], help });
    return;
  }
  const told = new Set<string>();
  for (const path of compiled.references) {
    const key = path.join('\n');
    if (told.has(key)) continue;
    told.add(key);
    take({ ...where, path, defaulted: compiled.guarded.some(guarded => guards(guarded, path)) });
  }
}

/** Whether asking for the one path keeps the other from being read where it leads to nothing. */
function guards(asked: Path, path: Path): boolean {
  const names = asked[0] === 'nodes' || asked[0] === 'inputs' ? 2 : asked.length;
  return asked.slice(0, names).every((name, at) => path[at] === name);
}

/** What reads in a mapping: a node, or the outputs of the workflow. */
interface Reader {
  readonly reader: number;
  readonly place: 'input_mapping' | 'output_mapping' | 'outputs';
}

/** Reads a mapping of a node; but for the members that are sound, where that is known. */
function readField(
  context: VerificationContext,
  where: Reader & { readonly place: MappingField },
  take: TakeRead,
  findings: FindingDraft[],
  sound?: Sound,
): void {
  const { reader, place } = where;
  const mapping = mappingOf(context.node(reader), place);
  if (mapping === undefined) return;
  if (sound === undefined) {
    readMapping(where, `${context.nodePointer(reader)}/${place}`, mapping, take, findings);
    return;
  }
  let at = 0;
  for (const key in mapping as Readonly<Record<string, unknown>>) {
    if (sound.isMember(reader, place, key, at++)) continue;
    const pointer = `${context.nodePointer(reader)}/${place}/${pointerSegment(key)}`;
    readMapping(where, pointer, (mapping as Readonly<Record<string, unknown>>)[key], take, findings);
  }
}

const plain = new PlainReference();

function readMapping(
  { reader, place }: Reader,
  where: string,
  mapping: unknown,
  take: TakeRead,
  findings: FindingDraft[],
): void {
  if (typeof mapping === 'string' && plain.read(mapping)) {
    const fallback = plain.standsIn === 'path' ? plain.other.names : undefined;
    const defaulted = plain.standsIn === 'literal';
    take({ reader, place, pointer: where, path: plain.path.names, defaulted, fallback });
    return;
  }
  let compiled: Mapping;
  try {
    compiled = compileMapping(mapping);
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    const before = findings.length;
    if (typeof mapping !== 'string')
      for (const [inner, text] of textsIn(mapping)) readMapping({ reader, place }, where + inner, text, take, findings);
    if (findings.length === before) findings.push(mappingFinding(error, where));
    return;
  }
  const { references } = compiled;
  const told = new Set<string>();
  for (let at = 0; at < references.length; at++) {
    const { path, pointer, offset, hasDefault } = references[at] as (typeof references)[number];
    const next = references[at + 1];
    const fallback = hasDefault && next?.pointer === pointer && next.offset === offset ? next.path : undefined;
    const first = at;
    if (fallback !== undefined) at++;
    /** Only in one text can the same be read twice; the references of a text are neighbours. */
    if (references[first - 1]?.pointer === pointer || references[at + 1]?.pointer === pointer) {
      const key = JSON.stringify([pointer, path, hasDefault, fallback]);
      if (told.has(key)) continue;
      told.add(key);
    }
    const defaulted = hasDefault && fallback === undefined;
    take({ reader, place, pointer: where + pointer, path, defaulted, fallback });
  }
}

/** Every text in a mapping with its place, in the order of the document. */
function* textsIn(mapping: unknown): Generator<[pointer: string, text: string]> {
  const open: [string, unknown][] = [['', mapping]];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [pointer, value] = at;
    if (typeof value === 'string') yield [pointer, value];
    if (typeof value !== 'object' || value === null) continue;
    const members = Object.entries(value).map(([key, member]): [string, unknown] => [
      `${pointer}/${pointerSegment(key)}`,
      member,
    ]);
    for (const member of members.reverse()) open.push(member);
  }
}
