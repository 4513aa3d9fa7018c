import type { Action } from '../../../../schemas/types.js';
import { INPUTS, NODES, type PlainPath } from '../../workflow/plain-reference.js';
import { ACTION } from '../columns.js';
import type { VerificationContext } from '../context.js';
import {
  BITS,
  bitsOf,
  memberSchema,
  membersOf,
  type SchemaPart,
  type Types,
  typeOfValue,
  UNKNOWN,
} from './json-schema-shape.js';

/** There is no such value. */
export const NONE = -1;

/** A name and the types of what it stands for. */
interface NamedTypes {
  readonly name: string;
  readonly types: Types;
}

/** How many names are compared one by one; more are looked up. */
const MOST_LISTED = 8;

/** Types by name, found out once for each name; most definitions have few. */
class TypesByName<T extends NamedTypes> {
  readonly #listed: T[] = [];
  #others: Map<string, T> | undefined;
  readonly #create: (name: string) => T;

  constructor(create: (name: string) => T) {
    this.#create = create;
  }

  of(name: string): T {
    for (const entry of this.#listed) if (entry.name === name) return entry;
    return this.#find(name);
  }

  /** What a path is about by its last name. */
  at(path: PlainPath): T {
    for (const entry of this.#listed) if (path.isNamed(entry.name)) return entry;
    return this.#find(path.name);
  }

  #find(name: string): T {
    const known = this.#others?.get(name);
    if (known !== undefined) return known;
    const created = this.#create(name);
    if (this.#listed.length < MOST_LISTED) this.#listed.push(created);
    else {
      this.#others ??= new Map();
      this.#others.set(name, created);
    }
    return created;
  }
}

/** The types of what plain paths lead to. */
export class PathTypes {
  /** The node that was read last. */
  source = -1;
  readonly #context: VerificationContext;
  readonly #definitions: DefinitionTypes[] = [];
  readonly #inputs: TypesByName<NamedTypes>;

  constructor(context: VerificationContext) {
    this.#context = context;
    this.#inputs = new TypesByName(name => ({ name, types: typesOfInput(context, name) }));
  }

  /** The types of what a path leads to, if it is there; none where something may be wrong with the path. */
  typesAt(reader: number, path: PlainPath, own?: DefinitionTypes): Types {
    if (path.root === INPUTS) return this.#inputs.at(path).types;
    if (path.root !== NODES) return own?.givenAt(path) ?? NONE;
    const { columns, judged } = this.#context;
    const source = this.#sourceFor(reader, path);
    this.source = source;
    if (source < 0 || columns.type[source] !== ACTION || judged[source] === 0) return NONE;
    if (columns.mapsOutputs[source] === 1) return NONE;
    return this.definitionOf(source).givenAt(path);
  }

  /** The node that is read; most often it is the one before, or the one that was read last. */
  #sourceFor(reader: number, path: PlainPath): number {
    const { graph, ambiguous } = this.#context;
    if (ambiguous.size > 0) return path.find(graph);
    const edge = graph.inEdges[graph.inStart[reader] as number] ?? -1;
    const before = edge < 0 ? -1 : (graph.source[edge] as number);
    if (this.#isOf(path, before)) return before;
    return this.#isOf(path, this.source) ? this.source : path.find(graph);
  }

  #isOf(path: PlainPath, node: number): boolean {
    return node >= 0 && path.isOf(this.#context.graph.names[node] as string);
  }

  /** What the definition of an action node takes and gives. */
  definitionOf(node: number): DefinitionTypes {
    const { actions, columns } = this.#context;
    const number = columns.reference[node] as number;
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

/** What a definition takes under a name; none where it does not take it. */
export interface Taken extends NamedTypes {
  readonly isRequired: boolean;
  /** A text that means the same in every node and was mapped to it last, and its types: most nodes map the same one. */
  lastText: string;
  lastTypes: Types;
}

/** What a definition takes and gives, by name. */
export class DefinitionTypes {
  readonly requiredCount: number;
  readonly #taken: TypesByName<Taken>;
  readonly #given: TypesByName<NamedTypes>;

  constructor(action: Action | undefined) {
    const takes = partOf(action?.input_schema);
    const gives = partOf(action?.output_schema);
    const { required, allowed } = takes === undefined ? OPEN : membersOf(takes);
    const isRequired = membership(required);
    const isAllowed = allowed === undefined ? undefined : membership(allowed);
    this.requiredCount = required.length < 2 ? required.length : new Set(required).size;
    this.#taken = new TypesByName(name => ({
      name,
      types: isAllowed?.(name) === false ? NONE : takenTypes(takes, name),
      isRequired: isRequired(name),
      lastText: '',
      lastTypes: NONE,
    }));
    this.#given = new TypesByName(name => ({ name, types: givenTypes(gives, name) }));
  }

  taken(name: string): Taken {
    return this.#taken.of(name);
  }

  /** The types of what the name at the end of a path stands for in a result. */
  givenAt(path: PlainPath): Types {
    return this.#given.at(path).types;
  }
}

const OPEN = { required: [], allowed: undefined };

function takenTypes(takes: SchemaPart | undefined, name: string): Types {
  const member = takes === undefined ? undefined : memberSchema(takes, name);
  return member === undefined || member === 'none' ? UNKNOWN : bitsOf(member);
}

function givenTypes(gives: SchemaPart | undefined, name: string): Types {
  const member = gives === undefined ? undefined : memberSchema(gives, name);
  return member === 'none' ? NONE : member === undefined ? UNKNOWN : bitsOf(member);
}

/** Whether a name is in a list. */
function membership(names: readonly string[]): (name: string) => boolean {
  if (names.length <= MOST_LISTED) return name => names.includes(name);
  const set = new Set(names);
  return name => set.has(name);
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
