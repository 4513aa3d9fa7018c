import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** What a document has for a JSON Schema, or for a part of one. */
export type JsonSchema = Schema | boolean;

type Schema = Readonly<Record<string, unknown>>;

/** A schema with a name of its own, and the parts that bear names in it. */
export interface Resource {
  readonly root: Schema;
  readonly uri: string;
  readonly anchors: Map<string, Schema>;
  readonly dynamicAnchors: Map<string, Schema>;
}

/** What is wrong with a part of a schema, by itself a sentence without its subject. */
export class SchemaFault extends Error {
  readonly part: object;
  readonly keyword: string;

  constructor(part: object, keyword: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.part = part;
    this.keyword = keyword;
  }
}

/** The name of JSON Schema 2020-12, the one dialect that is spoken. */
export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const VOCABULARIES = ['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content'];
const OF_DIALECT: ReadonlyMap<string, string> = new Map([
  [DIALECT, 'schema.json'],
  ...VOCABULARIES.map(name => [new URL(`meta/${name}`, DIALECT).href, `meta/${name}.json`] as const),
]);

/** The name of a schema that gives itself none. */
const NAMELESS = 'schema:///';

const HOLD_ONE = [
  'additionalProperties',
  'propertyNames',
  'items',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
];
const HOLD_MANY = [
  'allOf',
  'anyOf',
  'oneOf',
  'prefixItems',
  '$defs',
  'definitions',
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
];

/** The resources that a schema consists of, and where references between them lead. */
export class Resources {
  readonly #byUri = new Map<string, Resource>();
  readonly #resourceOf = new Map<Schema, Resource>();

  get size(): number {
    return this.#byUri.size;
  }

  /** Takes in a schema and everything in it. Throws a `SchemaFault` where names are ill-formed or taken. */
  add(root: Schema): void {
    this.take(root, this.#resource(root, NAMELESS));
  }

  /** Gives the resource that a part is in. */
  of(part: Schema): Resource {
    return this.#resourceOf.get(part) as Resource;
  }

  /** The parts that have been taken in. */
  parts(): Iterable<Schema> {
    return this.#resourceOf.keys();
  }

  /** The parts that bear a dynamic anchor, in all resources. */
  *bearing(anchor: string): Generator<Schema> {
    for (const { dynamicAnchors } of this.#byUri.values()) {
      const part = dynamicAnchors.get(anchor);
      if (part !== undefined) yield part;
    }
  }

  /** Gives the part that a reference leads to. Throws a `SchemaFault` where nothing is there. */
  find(from: Schema, keyword: '$ref' | '$dynamicRef'): Target {
    const base = this.of(from);
    const reference = String(from[keyword]);
    const fault = (reason: string): SchemaFault =>
      new SchemaFault(from, keyword, `${keyword} ${quoted(reference)} ${reason}`);
    const [uri = '', ...rest] = reference.split('#');
    const resource = uri === '' ? base : this.#named(resolved(uri, base.uri));
    if (resource === undefined) throw fault('refers to nothing in the schema');
    const fragment = decoded(rest.join('#'));
    if (fragment === undefined) throw fault('is ill-formed');
    if (fragment === '') return { part: resource.root, resource };
    if (!fragment.startsWith('/')) {
      const part = resource.anchors.get(fragment);
      if (part === undefined) throw fault('refers to no anchor of the schema');
      return resource.dynamicAnchors.has(fragment) ? { part, resource, dynamic: fragment } : { part, resource };
    }
    const target = this.#at(resource, fragment.slice(1).split('/'));
    if (target === undefined) throw fault('refers to nothing in the schema');
    return target;
  }

  /** The way down from the root of a resource, by members that are its own. */
  #at(from: Resource, names: readonly string[]): Target | undefined {
    let part: unknown = from.root;
    let resource = from;
    for (const name of names) {
      const member = name.replaceAll('~1', '/').replaceAll('~0', '~');
      const isThere = typeof part === 'object' && part !== null && Object.hasOwn(part, member);
      if (!isThere || (Array.isArray(part) && !/^(0|[1-9]\d*)$/.test(member))) return undefined;
      part = (part as Readonly<Record<string, unknown>>)[member];
      if (typeof part === 'object' && part !== null) resource = this.#resourceOf.get(part as Schema) ?? resource;
    }
    if (typeof part === 'boolean') return { part, resource };
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return undefined;
    const schema = part as Schema;
    return { part: schema, resource, isUnknown: !this.#resourceOf.has(schema) };
  }

  #named(uri: string | undefined): Resource | undefined {
    if (uri === undefined) return undefined;
    const file = OF_DIALECT.get(uri);
    if (file !== undefined && !this.#byUri.has(uri)) {
      const root = require(`ajv/dist/refs/json-schema-2020-12/${file}`) as Schema;
      this.take(root, this.#open(root, uri));
    }
    return this.#byUri.get(uri);
  }

  /** Takes in a part, and everything in it that is a schema by its place. */
  take(root: Schema, within: Resource): void {
    const open: [part: Schema, resource: Resource][] = [[root, within]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [part, outer] = next;
      const resource = part === outer.root ? outer : this.#resource(part, outer.uri, outer);
      this.#resourceOf.set(part, resource);
      this.#name(part, resource);
      for (const inner of [...partsOf(part)].reverse()) open.push([inner, resource]);
    }
  }

  /** The resource that a part is the root of, or is in. */
  #resource(part: Schema, base: string, outer?: Resource): Resource {
    const { $id, $schema } = part;
    if (typeof $schema === 'string' && withoutHash($schema) !== DIALECT)
      throw new SchemaFault(part, '$schema', `$schema ${quoted($schema)} is not JSON Schema 2020-12`);
    if (typeof $id !== 'string') return outer ?? this.#open(part, base);
    const uri = resolved(withoutHash($id), base);
    if (uri === undefined) throw new SchemaFault(part, '$id', `$id ${quoted($id)} is ill-formed`);
    if (OF_DIALECT.has(uri) || this.#byUri.has(uri))
      throw new SchemaFault(part, '$id', `$id ${quoted($id)} is the name of more than one schema`);
    return this.#open(part, uri);
  }

  #open(root: Schema, uri: string): Resource {
    const resource = { root, uri, anchors: new Map(), dynamicAnchors: new Map() };
    this.#byUri.set(uri, resource);
    return resource;
  }

  #name(part: Schema, resource: Resource): void {
    for (const keyword of ['$anchor', '$dynamicAnchor'] as const) {
      const name = part[keyword];
      if (typeof name !== 'string') continue;
      const known = resource.anchors.get(name);
      if (known !== undefined && known !== part)
        throw new SchemaFault(part, keyword, `${keyword} ${quoted(name)} is the name of more than one part`);
      resource.anchors.set(name, part);
      if (keyword === '$anchor') continue;
      resource.dynamicAnchors.set(name, part);
    }
  }
}

/** Where a reference leads. */
export interface Target {
  readonly part: JsonSchema;
  readonly resource: Resource;
  /** The name of the dynamic anchor that it leads to. */
  readonly dynamic?: string;
  /** Whether it stands where no keyword has a schema. */
  readonly isUnknown?: boolean;
}

/** The parts directly in a part that are schemas by their place. */
function* partsOf(part: Schema): Generator<Schema> {
  for (const keyword of HOLD_ONE) {
    const inner = own(part, keyword);
    if (isSchemaObject(inner)) yield inner;
  }
  for (const keyword of HOLD_MANY) {
    const held = own(part, keyword);
    if (typeof held !== 'object' || held === null) continue;
    for (const inner of Object.values(held)) if (isSchemaObject(inner)) yield inner;
  }
}

function isSchemaObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Gives a member of an object that is its own. */
export function own(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Readonly<Record<string, unknown>>)[name] : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text);
}

function withoutHash(uri: string): string {
  return uri.endsWith('#') ? uri.slice(0, -1) : uri;
}

function resolved(uri: string, base: string): string | undefined {
  return URL.canParse(uri, base) ? new URL(uri, base).href : undefined;
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
