import { nearest } from '../../../../schemas/index.js';
import type { Action } from '../../../../schemas/types.js';
import { NODES, PlainReference } from '../../workflow/plain-reference.js';
import { CONDITION, TERMINAL } from '../columns.js';
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
import type { Sound } from './sound-mappings.js';

/** What an action or a workflow takes. */
export interface Taker {
  /** The action or workflow in words. */
  readonly name: string;
  readonly required: readonly string[];
  /** The only names that there may be; undefined where others are allowed. */
  readonly allowed: ReadonlySet<string> | undefined;
  /** The types of what may be handed over under a name, undefined where that is not known. */
  typesOf(name: string): ReadonlySet<JsonType> | undefined;
}

/**
 * What is wrong with the inputs that nodes hand to their actions, but for what is sound: names that are missing, unknown,
 * or of another type.
 */
export function judgeActionInputs(context: VerificationContext, sound?: Sound): FindingDraft[] {
  const findings: FindingDraft[] = [];
  const takers = new Map<Action, Taker>();
  for (let node = 0; node < context.graph.nodeCount; node++) {
    if (context.judged[node] === 0 || sound?.nodes[node] === 1) continue;
    const action = actionOf(context, node);
    if (action?.input_schema === undefined) continue;
    const taker = takers.get(action) ?? takerOf(action);
    takers.set(action, taker);
    for (const finding of judgeInterface(context, node, taker, sound)) findings.push(finding);
  }
  return findings;
}

function takerOf({ action_id, version, input_schema: schema }: Action): Taker {
  const part: SchemaPart = { schema, root: schema };
  const { required, allowed } = membersOf(part);
  const known = new Map<string, ReadonlySet<JsonType> | undefined>();
  return {
    name: `the action "${action_id}@${version}"`,
    required,
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

/** What is wrong with what a node hands over, but for what is sound. An unknown name that is like a missing one is one finding. */
export function judgeInterface(context: VerificationContext, node: number, to: Taker, sound?: Sound): FindingDraft[] {
  const { name, required, allowed } = to;
  const { node_id, input_mapping: mapping = {} } = context.node(node) as Handing;
  const names = Object.keys(mapping).filter((key, at) => sound?.isMember(node, 'input_mapping', key, at) !== true);
  const lacking = required.filter(key => !Object.hasOwn(mapping, key));
  const findings: FindingDraft[] = [];
  if (names.length + lacking.length === 0) return findings;
  const missing = new Set(lacking);
  const place = `${context.nodePointer(node)}/input_mapping`;
  for (const key of names.sort()) {
    if (allowed !== undefined && !allowed.has(key)) {
      const taken = listedNames(context, allowed);
      const meant = missing.size > 100 ? undefined : nearest(key, [...missing]);
      if (meant !== undefined) missing.delete(meant);
      const help =
        meant !== undefined
          ? `Did you mean "${meant}"? It is required, and nothing is mapped to it.`
          : suggest(context, key, taken, `It takes ${taken.length === 0 ? 'nothing' : listNames(taken)}.`);
      const message = `"${node_id}" hands "${key}" to ${name}, which does not take it`;
      findings.push({ node_id, pointer: `${place}/${pointerSegment(key)}`, message, related: [], help });
      continue;
    }
    const wanted = to.typesOf(key);
    if (wanted === undefined || readsNoOutputs(context, mapping[key])) continue;
    const types = typesOf({ kind: 'mapping', mapping: mapping[key], node, within: context });
    if (types === undefined) continue;
    if (overlap(wanted, types) && (typeof mapping[key] !== 'number' || takesScalar(wanted, mapping[key]))) continue;
    const message = `"${node_id}" hands ${typeText(types)} as "${key}" to ${name}, which takes ${typeText(wanted)}`;
    const help = `Map "${key}" to ${typeText(wanted)}; a string that is exactly one reference keeps the type of its value.`;
    findings.push({ node_id, pointer: `${place}/${pointerSegment(key)}`, message, related: [], help });
  }
  if (missing.size === 0) return findings;
  const left = [...missing].sort();
  const pointer = 'input_mapping' in context.node(node) ? place : context.nodePointer(node);
  const message = `"${node_id}" does not map ${listNames(left)}, which ${name} requires`;
  const help = `Add to input_mapping: { ${left[0]}: "\${…}" }.`;
  findings.push({ node_id, pointer, message, related: [], help });
  return findings;
}

const plain = new PlainReference();

/** Whether a value is a plain reference to a node that has no outputs: of what nobody gives there is no type. */
function readsNoOutputs({ graph, columns }: VerificationContext, value: unknown): boolean {
  if (typeof value !== 'string' || !plain.read(value) || plain.path.root !== NODES) return false;
  const type = columns.type[plain.path.find(graph)];
  return type === CONDITION || type === TERMINAL;
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
