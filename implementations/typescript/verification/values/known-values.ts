import type { Action, Node } from '../../../../schemas/types.js';
import { ArsError } from '../../error.js';
import { type Path, type Placeholder, parseTemplate } from '../../workflow/mapping-template.js';
import { PlainReference } from '../../workflow/plain-reference.js';
import type { VerificationContext } from '../context.js';
import { listedNames } from '../listed-names.js';
import {
  elementSchemaOf,
  type JsonType,
  listedMembers,
  memberSchema,
  type SchemaPart,
  typeOfValue,
  typesOfSchema,
} from './json-schema-shape.js';

/** What is known of a value: its schema, the mapping that gives it, a certain type, or nothing. */
export type Known =
  | { readonly kind: 'schema'; readonly part: SchemaPart }
  | { readonly kind: 'mapping'; readonly mapping: unknown; readonly node: number; readonly within: VerificationContext }
  | { readonly kind: 'type'; readonly type: JsonType }
  | { readonly kind: 'unknown' };

/** What a path leads to, or the name in it that leads to nothing for certain. */
export type Destination = { readonly known: Known } | { readonly missing: number; readonly at: Known };

const UNKNOWN: Known = { kind: 'unknown' };
/** How many mappings one path is followed through; beyond that nothing is known. */
const MOST_HOPS = 64;

/** Returns what a path leads to in the mappings of a node; -1 stands for the workflow's own. */
export function follow(context: VerificationContext, node: number, path: Path): Destination {
  let [start, consumed] = rootOf(context, node, path);
  let rest = path.slice(consumed);
  let known = start;
  /** How many names at the end of `rest` are those of the path itself; the others are judged where they are written. */
  let ownNames = rest.length;
  for (let hops = 0; hops < MOST_HOPS; ) {
    const through = known.kind === 'mapping' ? referenceIn(known.mapping) : undefined;
    if (known.kind === 'mapping' && through !== undefined) {
      if (through === 'built') known = { kind: 'type', type: 'string' };
      else if (through === 'unclear' || through.fallback !== undefined) return { known: UNKNOWN };
      else {
        [start, consumed] = rootOf(known.within, known.node, through.path);
        rest = [...through.path.slice(consumed), ...rest];
        known = start;
      }
      hops++;
      continue;
    }
    const [key, ...others] = rest;
    if (key === undefined) return { known };
    const next = memberOf(known, key);
    if (next === 'none') {
      return rest.length > ownNames ? { known: UNKNOWN } : { missing: path.length - rest.length, at: known };
    }
    if (next.kind === 'unknown') return { known: UNKNOWN };
    known = next;
    rest = others;
    ownNames = Math.min(ownNames, rest.length);
  }
  return { known: UNKNOWN };
}

/** Returns the types that a value can have, undefined where that is not known. */
export function typesOf(known: Known): ReadonlySet<JsonType> | undefined {
  if (known.kind === 'schema') return typesOfSchema(known.part);
  if (known.kind === 'type') return new Set([known.type]);
  if (known.kind !== 'mapping') return undefined;
  const through = referenceIn(known.mapping);
  if (through === undefined) return new Set([typeOfValue(known.mapping)]);
  if (through === 'built') return new Set(['string']);
  return through === 'unclear' ? undefined : typesOfEither(known.within, known.node, through);
}

function typesAt(context: VerificationContext, node: number, path: Path): ReadonlySet<JsonType> | undefined {
  const destination = follow(context, node, path);
  if (!('known' in destination) || destination.known.kind === 'mapping') return undefined;
  return typesOf(destination.known);
}

/** The types of a reference or what stands in for it. */
function typesOfEither(
  context: VerificationContext,
  node: number,
  { path, fallback }: Placeholder,
): ReadonlySet<JsonType> | undefined {
  const types = typesAt(context, node, path);
  if (fallback === undefined || types === undefined) return types;
  const others = 'path' in fallback ? typesAt(context, node, fallback.path) : new Set([typeOfValue(fallback.literal)]);
  return others === undefined ? undefined : new Set([...types, ...others]);
}

/** Returns what is known of every element of an array. */
export function elementOf(known: Known): Known {
  if (known.kind !== 'schema') return UNKNOWN;
  const part = elementSchemaOf(known.part);
  return part === undefined ? UNKNOWN : { kind: 'schema', part };
}

/** Returns the names that a value is known to have, in their order, for suggestions. */
export function namesIn(context: VerificationContext, known: Known): readonly string[] {
  if (known.kind === 'schema') return listedNames(context, listedMembers(known.part));
  const { kind } = known;
  return kind === 'mapping' && isObject(known.mapping) ? listedNames(context, known.mapping) : [];
}

/** Returns what the outputs of a node are known to be; undefined for nodes that never have any. */
export function outputsOf(context: VerificationContext, node: number): Known | undefined {
  const subject = context.node(node);
  if (context.input.unclearNodes.has(node)) return UNKNOWN;
  if (subject.type === 'condition' || subject.type === 'terminal') return undefined;
  if (subject.type === 'error' && subject.handling === 'fail') return undefined;
  if (undoes(subject)) return { kind: 'mapping', mapping: {}, node, within: context };
  const executed = executedBy(context, node);
  for (const mapped of executed === undefined ? [] : [node, executed]) {
    const mapping = mappingOf(context.node(mapped), 'output_mapping');
    if (mapping !== undefined) return { kind: 'mapping', mapping, node: mapped, within: context };
  }
  return resultOf(context, node);
}

/** Whether a node is an error node that undoes, whose outputs are the empty object. */
export function undoes(node: Node): boolean {
  if (node.type !== 'error') return false;
  return node.handling === 'rollback' || (node.handling === 'compensate' && node.compensate_ref === undefined);
}

/** Returns what the result of a node is known to be. */
export function resultOf(context: VerificationContext, node: number): Known {
  const executed = executedBy(context, node);
  if (executed === undefined) return UNKNOWN;
  const subject = context.node(executed);
  if (subject.type === 'skill') {
    const skill = context.skills.resolve(subject.workflow_ref);
    if (skill === undefined) return UNKNOWN;
    return { kind: 'mapping', mapping: skill.outputs ?? {}, node: -1, within: context.contextOf(skill) };
  }
  const schema = actionOf(context, executed)?.output_schema;
  return schema === undefined ? UNKNOWN : { kind: 'schema', part: { schema, root: schema } };
}

/** Returns the action that a node executes, as far as it is known. */
export function actionOf(context: VerificationContext, node: number): Action | undefined {
  return context.actions.ofNode(node);
}

/** Returns the node whose action or skill a node executes: itself, or the failed one where it retries. */
export function executedBy(context: VerificationContext, node: number): number | undefined {
  let at = node;
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    const subject = context.node(at);
    if (subject.type !== 'error') return subject.type === 'action' || subject.type === 'skill' ? at : undefined;
    if (subject.handling === 'compensate' && subject.compensate_ref !== undefined) return at;
    if (subject.handling !== 'retry') return undefined;
    const edge = onlyInEdge(context, at);
    const source = edge === undefined ? -1 : (context.graph.source[edge] as number);
    if (source < 0 || context.input.unclearNodes.has(source)) return undefined;
    at = source;
  }
  return undefined;
}

/** The in-edge of a node that has one, duplicates and edges that are never taken aside. */
function onlyInEdge(context: VerificationContext, node: number): number | undefined {
  const edges = context.in(node);
  const [edge, ...others] = edges.length === 1 ? edges : edges.filter(each => context.isCounted(each));
  return others.length === 0 ? edge : undefined;
}

export function mappingOf(node: Node, field: 'input_mapping' | 'output_mapping'): unknown {
  return field in node ? (node as unknown as Record<string, unknown>)[field] : undefined;
}

/** What the first names of a path lead to, and how many they are. */
function rootOf(context: VerificationContext, node: number, path: Path): [Known, number] {
  const [root, name = ''] = path;
  if (root === 'inputs') {
    if (path.length === 1) return [{ kind: 'type', type: 'object' }, 1];
    const { inputs } = context.input;
    const schema = inputs !== undefined && Object.hasOwn(inputs, name) ? inputs[name]?.schema : undefined;
    return [schema === undefined ? UNKNOWN : { kind: 'schema', part: { schema, root: schema } }, 2];
  }
  if (root === 'nodes') {
    const source = path[2] === 'outputs' ? context.graph.indexOf(name) : -1;
    if (source < 0 || context.ambiguous.has(source)) return [UNKNOWN, path.length];
    return [outputsOf(context, source) ?? UNKNOWN, 3];
  }
  if (root === 'result' && node >= 0) return [resultOf(context, node), 1];
  if (root === 'error' && path.length === 2) return [{ kind: 'type', type: 'string' }, 2];
  return [UNKNOWN, path.length];
}

/** Returns what is known of a member, `none` where there is certainly none of that name. */
export function memberOf(known: Known, key: string): Known | 'none' {
  switch (known.kind) {
    case 'schema': {
      const next = memberSchema(known.part, key);
      return next === undefined ? UNKNOWN : next === 'none' ? 'none' : { kind: 'schema', part: next };
    }
    case 'type':
      return known.type === 'object' || known.type === 'array' ? UNKNOWN : 'none';
    case 'mapping': {
      const { mapping, node, within } = known;
      if (typeof mapping !== 'object' || mapping === null || !Object.hasOwn(mapping, key)) return 'none';
      if (Array.isArray(mapping) && !/^(?:0|[1-9][0-9]*)$/.test(key)) return 'none';
      return { kind: 'mapping', mapping: (mapping as Record<string, unknown>)[key], node, within };
    }
    default:
      return UNKNOWN;
  }
}

const plain = new PlainReference();

/** The reference that a string of a mapping takes its value from; built where it always gives a string. */
function referenceIn(mapping: unknown): Placeholder | 'built' | 'unclear' | undefined {
  if (typeof mapping !== 'string' || !mapping.includes('${')) return undefined;
  if (plain.read(mapping)) return placeholderOf(plain);
  try {
    const template = parseTemplate(mapping);
    const [part] = template?.parts ?? [];
    return template?.whole !== true || part === undefined || typeof part === 'string' ? 'built' : part;
  } catch (error) {
    if (error instanceof ArsError) return 'unclear';
    throw error;
  }
}

function placeholderOf({ path, standsIn, other, literal }: PlainReference): Placeholder {
  if (standsIn === 'nothing') return { path: path.names, offset: 0 };
  return { path: path.names, offset: 0, fallback: standsIn === 'path' ? { path: other.names } : { literal } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
