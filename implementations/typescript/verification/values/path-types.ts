import type { Action, ActionNode } from '../../../../schemas/types.js';
import { INPUTS, NODES, type PlainPath } from '../../workflow/plain-reference.js';
import { ACTION } from '../columns.js';
import type { VerificationContext } from '../context.js';
import {
  type JsonType,
  memberSchema,
  membersOf,
  type SchemaPart,
  typeOfValue,
  typesOfSchema,
} from './json-schema-shape.js';

/** Types as bits of a number, fractions and integers apart; 0 stands for types that are not known. */
export type Types = number;
export const UNKNOWN: Types = 0;
/** There is no such value. */
export const NONE = -1;
export const BITS: Readonly<Record<JsonType, Types>> = {
  null: 1,
  boolean: 2,
  number: 12,
  integer: 8,
  string: 16,
  array: 32,
  object: 64,
};

/** The types of what plain paths lead to. */
export class PathTypes {
  /** The node that was read last. */
  source = -1;
  readonly #context: VerificationContext;
  readonly #definitions: DefinitionTypes[] = [];
  readonly #inputs = new Map<string, Types>();

  constructor(context: VerificationContext) {
    this.#context = context;
  }

  /** The types of what a path leads to, if it is there; none where something may be wrong with the path. */
  typesAt(reader: number, path: PlainPath, own?: DefinitionTypes): Types {
    if (path.root === INPUTS) return this.#typesOfInput(path.name);
    if (path.root !== NODES) return own?.givenOf(path.name) ?? NONE;
    const { columns, judged } = this.#context;
    const source = this.#sourceFor(reader, path);
    this.source = source;
    if (source < 0 || columns.type[source] !== ACTION || judged[source] === 0) return NONE;
    if ((this.#context.node(source) as ActionNode).output_mapping !== undefined) return NONE;
    return this.definitionOf(source).givenOf(path.name);
  }

  #typesOfInput(name: string): Types {
    let types = this.#inputs.get(name);
    if (types === undefined) {
      types = typesOfInput(this.#context, name);
      this.#inputs.set(name, types);
    }
    return types;
  }

  /** The node that is read; most often it is the one before. */
  #sourceFor(reader: number, path: PlainPath): number {
    const { graph } = this.#context;
    const edge = graph.inEdges[graph.inStart[reader] as number] ?? -1;
    const before = edge < 0 ? -1 : (graph.source[edge] as number);
    const isBefore = before >= 0 && path.isOf(this.#context.node(before).node_id);
    return isBefore && !this.#context.ambiguous.has(before) ? before : path.find(graph);
  }

  /** What the definition of an action node takes and gives. */
  definitionOf(node: number): DefinitionTypes {
    const { actions } = this.#context;
    const number = actions.numbers[node] as number;
    let known = this.#definitions[number];
    if (known === undefined) {
      known = new DefinitionTypes(actions.ofNode(node));
      this.#definitions[number] = known;
    }
    return known;
  }
}

function typesOfInput({ input: { inputs } }: VerificationContext, name: string): Types {
  const input = inputs !== undefined && Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  if (input === undefined || (input.required === false && !Object.hasOwn(input, 'default'))) return NONE;
  return input.schema === undefined ? UNKNOWN : bitsOf({ schema: input.schema, root: input.schema });
}

/** What a definition takes and gives, by name; found out once for each name. */
export class DefinitionTypes {
  readonly requiredCount: number;
  readonly #required: ReadonlySet<string>;
  readonly #allowed: ReadonlySet<string> | undefined;
  readonly #takes: SchemaPart | undefined;
  readonly #gives: SchemaPart | undefined;
  readonly #wanted = new Map<string, Types>();
  readonly #given = new Map<string, Types>();

  constructor(action: Action | undefined) {
    this.#takes = partOf(action?.input_schema);
    this.#gives = partOf(action?.output_schema);
    const { required, allowed } =
      this.#takes === undefined ? { required: [], allowed: undefined } : membersOf(this.#takes);
    this.#required = new Set(required);
    this.#allowed = allowed === undefined ? undefined : new Set(allowed);
    this.requiredCount = this.#required.size;
  }

  isRequired(name: string): boolean {
    return this.#required.has(name);
  }

  wantedOf(name: string): Types {
    let types = this.#wanted.get(name);
    if (types !== undefined) return types;
    const member = this.#takes === undefined ? undefined : memberSchema(this.#takes, name);
    const isUnknown = member === undefined || member === 'none';
    types = this.#allowed?.has(name) === false ? NONE : isUnknown ? UNKNOWN : bitsOf(member);
    this.#wanted.set(name, types);
    return types;
  }

  givenOf(name: string): Types {
    let types = this.#given.get(name);
    if (types !== undefined) return types;
    const member = this.#gives === undefined ? undefined : memberSchema(this.#gives, name);
    types = member === 'none' ? NONE : member === undefined ? UNKNOWN : bitsOf(member);
    this.#given.set(name, types);
    return types;
  }
}

function partOf(schema: unknown): SchemaPart | undefined {
  return schema === undefined ? undefined : { schema, root: schema };
}

const FRACTION: Types = 4;

/** Returns the type of a scalar; fractions and integers apart. */
export function bitsOfScalar(value: unknown): Types {
  const type = typeOfValue(value);
  return type === 'number' ? FRACTION : BITS[type];
}

/** Returns the types that a schema allows. */
export function bitsOf(part: SchemaPart): Types {
  let bits = UNKNOWN;
  for (const type of typesOfSchema(part) ?? []) bits |= BITS[type];
  return bits;
}
