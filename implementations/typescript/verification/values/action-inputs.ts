import { nearest } from '../../../../schemas/index.js';
import type { Action } from '../../../../schemas/types.js';
import { NODES, PlainReference } from '../../workflow/plain-reference.js';
import type { VerificationContext } from '../context.js';
import { listedNames } from '../listed-names.js';
import { type FindingDraft, listNames, pointerSegment } from '../rule.js';
import { suggest } from '../suggestion.js';
import {
  type JsonType,
  memberSchema,
  membersOf,
  overlap,
  type SchemaPart,
  takesScalar,
  typesOfSchema,
} from './json-schema-shape.js';
import { actionOf, typesOf } from './known-values.js';
import { referenceMeant } from './literal-paths.js';
import { neverHasOutputs, type Sound } from './sound-mappings.js';

/** What an action or a workflow takes. */
export interface Taker {
  /** The action or workflow in words. */
  readonly name: string;
  readonly required: ReadonlySet<string>;
  /** The only names that there may be; undefined where others are allowed. */
  readonly allowed: ReadonlySet<string> | undefined;
  /** The types of what may be handed over under a name, undefined where that is not known. */
  typesOf(name: string): ReadonlySet<JsonType> | undefined;
}

/**
 * Adds what is wrong with the inputs that nodes hand to their actions, but for what is sound: names that are missing,
 * unknown, or of another type.
 */
export function judgeActionInputs(context: VerificationContext, findings: FindingDraft[], sound?: Sound): void {
  const takers = new Map<Action, Taker>();
  for (let node = 0; node < context.graph.nodeCount; node++) {
    if (context.judged[node] === 0 || sound?.nodes[node] === 1 || sound?.isSoundButOfNothing(node) === true) continue;
    const action = actionOf(context, node);
    if (action?.input_schema === undefined) continue;
    let taker = takers.get(action);
    if (taker === undefined) {
      taker = takerOf(action);
      takers.set(action, taker);
    }
    judgeInterface(context, node, taker, findings, sound);
  }
}

function takerOf({ action_id, version, input_schema: schema }: Action): Taker {
  const part: SchemaPart = { schema, root: schema };
  const { required, allowed } = membersOf(part);
  const known = new Map<string, ReadonlySet<JsonType> | undefined>();
  return {
    name: `the action "${action_id}@${version}"`,
    required: new Set(required),
    allowed: allowed === undefined ? undefined : new Set(allowed),
    typesOf(name) {
      if (known.has(name)) return known.get(name);
      const member = memberSchema(part, name);
      const types = member === 'none' || member === undefined ? undefined : typesOfSchema(member);
      known.set(name, types);
      return types;
    },
  };
}

/** Adds what is wrong with what a node hands over, but for what is sound. An unknown name that is like a missing one is one finding. */
export function judgeInterface(
  context: VerificationContext,
  node: number,
  to: Taker,
  findings: FindingDraft[],
  sound?: Sound,
): void {
  const { name, required, allowed } = to;
  const { node_id, input_mapping: mapping = {} } = context.node(node) as Handing;
  const names: string[] = [];
  let at = 0;
  for (const key in mapping) {
    if (sound?.isMember(node, 'input_mapping', key, at) !== true && sound?.isOfNothing(node, at) !== true)
      names.push(key);
    at++;
  }
  const missing = new Missing(context, required, mapping);
  if (names.length > 1) names.sort();
  for (const key of names) {
    if (allowed !== undefined && !allowed.has(key)) {
      const taken = listedNames(context, allowed);
      const meant = missing.count > FEW ? undefined : nearest(key, missing.few);
      if (meant !== undefined) missing.delete(meant);
      const help =
        meant !== undefined
          ? `Did you mean "${meant}"? It is required, and nothing is mapped to it.`
          : suggest(context, key, taken, `It takes ${taken.length === 0 ? 'nothing' : listNames(taken)}.`);
      const message = `"${node_id}" hands "${key}" to ${name}, which does not take it`;
      findings.push({ node_id, pointer: inputPointer(context, node, key), message, related: [], help });
      continue;
    }
    const wanted = to.typesOf(key);
    if (wanted === undefined || readsNoOutputs(context, mapping[key])) continue;
    const types = typesOf({ kind: 'mapping', mapping: mapping[key], node, within: context });
    if (types === undefined) continue;
    if (overlap(wanted, types) && (typeof mapping[key] !== 'number' || takesScalar(wanted, mapping[key]))) continue;
    const message = `"${node_id}" hands ${typeText(types)} as "${key}" to ${name}, which takes ${typeText(wanted)}`;
    const value = mapping[key];
    const meant = typeof value === 'string' ? referenceMeant(context, value) : undefined;
    const help =
      meant === undefined
        ? `Map "${key}" to ${typeText(wanted)}; a string that is exactly one reference keeps the type of its value.`
        : `Did you mean ${meant}?`;
    findings.push({ node_id, pointer: inputPointer(context, node, key), message, related: [], help });
  }
  if (missing.count === 0) return;
  const told = missing.first(MOST_TOLD);
  const pointer = `${context.nodePointer(node)}${'input_mapping' in context.node(node) ? '/input_mapping' : ''}`;
  const message = `"${node_id}" does not map ${listNames(told, MOST_TOLD, missing.count)}, which ${name} requires`;
  const help = `Add to input_mapping: { ${told[0]}: "\${…}" }.`;
  findings.push({ node_id, pointer, message, related: [], help });
}

function inputPointer(context: VerificationContext, node: number, key: string): string {
  return `${context.nodePointer(node)}/input_mapping/${pointerSegment(key)}`;
}

/** How many of the names that are missing a finding tells. */
const MOST_TOLD = 5;
/** Among how many of them at most the one is looked for that an unknown name may stand for. */
const FEW = 100;

/** The names that are required and not mapped: counted, and looked up as far as they are told, for thousands of nodes can lack thousands. */
class Missing {
  readonly #context: VerificationContext;
  readonly #required: ReadonlySet<string>;
  readonly #given: Readonly<Record<string, unknown>>;
  #meant: Set<string> | undefined;
  #few: readonly string[] | undefined;
  count: number;

  constructor(context: VerificationContext, required: ReadonlySet<string>, given: Readonly<Record<string, unknown>>) {
    this.#context = context;
    this.#required = required;
    this.#given = given;
    this.count = required.size;
    for (const name in given) if (required.has(name)) this.count--;
  }

  delete(name: string): void {
    this.#meant ??= new Set();
    this.#meant.add(name);
    this.#few = undefined;
    this.count--;
  }

  /** All of them, where they are few; kept for the next unknown name. */
  get few(): readonly string[] {
    this.#few ??= this.first(FEW);
    return this.#few;
  }

  /** The first of them in their order, at most so many. */
  first(most: number): string[] {
    const names: string[] = [];
    for (const name of listedNames(this.#context, this.#required)) {
      if (names.length === most || names.length === this.count) break;
      if (!Object.hasOwn(this.#given, name) && this.#meant?.has(name) !== true) names.push(name);
    }
    return names;
  }
}

const plain = new PlainReference();

/** Whether a value is a plain reference to a node that never has outputs. */
function readsNoOutputs(context: VerificationContext, value: unknown): boolean {
  if (typeof value !== 'string' || !plain.read(value) || plain.path.root !== NODES) return false;
  return neverHasOutputs(context, plain.path.find(context.graph));
}

/** A node that hands values over. */
interface Handing {
  readonly node_id: string;
  readonly input_mapping?: Readonly<Record<string, unknown>>;
}

/** Returns types in words, as in "a number or null". */
export function typeText(types: ReadonlySet<JsonType>): string {
  const words = [...types]
    .sort()
    .map(type => (type === 'null' ? 'null' : `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`));
  return words.join(' or ');
}
