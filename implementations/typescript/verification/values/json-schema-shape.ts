/** The types of JSON values, an integer being a number too. */
export type JsonType = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object';

/** A JSON Schema, and the document that its local references are about. */
export interface SchemaPart {
  readonly schema: unknown;
  readonly root: unknown;
}

/** What is asked most of a schema: no object has one of these by its prototype, so that they need not be looked for as its own. */
interface Keywords {
  readonly $ref?: unknown;
  readonly type?: unknown;
  readonly properties?: unknown;
  readonly patternProperties?: unknown;
  readonly additionalProperties?: unknown;
  readonly required?: unknown;
}

/** Types as bits of a number, fractions and integers apart; 0 stands for types that are not known. */
export type Types = number;
export const UNKNOWN: Types = 0;
export const BITS: Readonly<Record<JsonType, Types>> = {
  null: 1,
  boolean: 2,
  number: 12,
  integer: 8,
  string: 16,
  array: 32,
  object: 64,
};

const MOST_REFERENCES = 32;

/** Returns the schema of a member, undefined where nothing is known of it, and `none` where there can be no such member. */
export function memberSchema(part: SchemaPart, key: string): SchemaPart | undefined | 'none' {
  const { schema, root } = follow(part);
  if (!isObject(schema)) return undefined;
  const types = bitsOfType(schema);
  if (types !== UNKNOWN && (types & (BITS.object | BITS.array)) === 0) return 'none';
  if (types !== UNKNOWN && (types & BITS.object) === 0) return elementSchema(schema, root, key);
  const { properties, patternProperties, additionalProperties: others }: Keywords = schema;
  const listed = own(properties, key);
  if (listed !== undefined) return { schema: listed, root };
  if ((types & BITS.array) !== 0 || patternProperties !== undefined) return undefined;
  if (others === false) return types === UNKNOWN && /^[0-9]+$/.test(key) ? undefined : 'none';
  return others === undefined ? undefined : { schema: others, root };
}

function elementSchema(schema: object, root: unknown, key: string): SchemaPart | undefined | 'none' {
  if (!/^(?:0|[1-9][0-9]*)$/.test(key)) return 'none';
  const prefix = own(schema, 'prefixItems');
  if (Array.isArray(prefix) && Number(key) < prefix.length) return { schema: prefix[Number(key)], root };
  const items = own(schema, 'items');
  return items === undefined ? undefined : { schema: items, root };
}

/** Returns the schema that every element has, undefined where there is none that all have. */
export function elementSchemaOf(part: SchemaPart): SchemaPart | undefined {
  const { schema, root } = follow(part);
  const items = own(schema, 'prefixItems') === undefined ? own(schema, 'items') : undefined;
  return items === undefined ? undefined : { schema: items, root };
}

/** Returns the types that a value of the schema can have, undefined where it does not say. */
export function typesOfSchema(part: SchemaPart): ReadonlySet<JsonType> | undefined {
  const { schema } = follow(part);
  const type = own(schema, 'type');
  if (typeof type === 'string' || Array.isArray(type)) {
    const types = Array.isArray(type) ? type : [type];
    return types.length > 0 && types.every(isJsonType) ? new Set(types) : undefined;
  }
  const constant = own(schema, 'const');
  if (constant !== undefined) return new Set([typeOfValue(constant)]);
  const choice = own(schema, 'enum');
  return Array.isArray(choice) && choice.length > 0 ? new Set(choice.map(typeOfValue)) : undefined;
}

/** Returns what {@link typesOfSchema} does as bits, without building a set. */
export function bitsOf(part: SchemaPart): Types {
  return bitsOfType(follow(part).schema);
}

function bitsOfType(schema: unknown): Types {
  if (typeof schema !== 'object' || schema === null) return UNKNOWN;
  const { type } = schema as Keywords;
  if (typeof type === 'string') return isJsonType(type) ? BITS[type] : UNKNOWN;
  let bits = UNKNOWN;
  if (Array.isArray(type)) {
    for (const one of type) {
      if (!isJsonType(one)) return UNKNOWN;
      bits |= BITS[one];
    }
    return bits;
  }
  const constant = own(schema, 'const');
  if (constant !== undefined) return BITS[typeOfValue(constant)];
  const choice = own(schema, 'enum');
  if (Array.isArray(choice)) for (const one of choice) bits |= BITS[typeOfValue(one)];
  return bits;
}

/** Returns the members that a value of the schema must have, and those that it may have where it may have no others. */
export function membersOf(part: SchemaPart): { required: readonly string[]; allowed: readonly string[] | undefined } {
  const { schema } = follow(part);
  const { required, additionalProperties, patternProperties, properties } = isObject(schema)
    ? (schema as Keywords)
    : {};
  const closed = additionalProperties === false && patternProperties === undefined;
  return {
    required: Array.isArray(required) ? required.filter(name => typeof name === 'string') : [],
    allowed: closed ? (isObject(properties) ? Object.keys(properties) : []) : undefined,
  };
}

/** Returns the members that a schema lists, by name. */
export function listedMembers(part: SchemaPart): object {
  const properties = own(follow(part).schema, 'properties');
  return isObject(properties) ? properties : NO_MEMBERS;
}

const NO_MEMBERS = {};

/** Whether a schema of an object lists members, and allows others without saying anything of them. */
export function isOpenByOmission(part: SchemaPart): boolean {
  const { schema } = follow(part);
  const types = bitsOfType(schema);
  const others = own(schema, 'additionalProperties');
  return (
    (types === UNKNOWN || types === BITS.object) &&
    (others === undefined || others === true) &&
    own(schema, 'properties') !== undefined &&
    OTHER_SOURCES.every(key => own(schema, key) === undefined)
  );
}

/** What a schema can say of further members with. */
const OTHER_SOURCES = ['patternProperties', '$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas'];

const JSON_TYPES: readonly unknown[] = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'];

function isJsonType(type: unknown): type is JsonType {
  return JSON_TYPES.includes(type);
}

export function typeOfValue(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}

/** Whether a value, if it is a number, a string, a boolean or null, has one of the types; every other one may. */
export function takesScalar(types: ReadonlySet<JsonType>, value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return true;
  const type = typeOfValue(value);
  return types.has(type) || (type === 'integer' && types.has('number'));
}

/** Whether some value has one of the one and one of the other types. */
export function overlap(one: ReadonlySet<JsonType>, other: ReadonlySet<JsonType>): boolean {
  for (const type of one) {
    if (other.has(type)) return true;
    if (type === 'integer' && other.has('number')) return true;
    if (type === 'number' && other.has('integer')) return true;
  }
  return false;
}

/** Follows local references, as far as nothing stands beside them that says something of members or types. */
function follow(part: SchemaPart): SchemaPart {
  const { schema, root } = part;
  if (typeof schema !== 'object' || schema === null || typeof (schema as Keywords).$ref !== 'string') return part;
  let at: unknown = schema;
  for (let hops = 0; hops < MOST_REFERENCES; hops++) {
    const reference = own(at, '$ref');
    const beside = ['type', 'properties', 'additionalProperties', 'required'].some(key => own(at, key) !== undefined);
    if (beside || typeof reference !== 'string' || !(reference === '#' || reference.startsWith('#/'))) break;
    at = reference
      .split('/')
      .slice(1)
      .reduce<unknown>((value, key) => own(value, decodeSegment(key)), root);
  }
  return { schema: at, root };
}

function decodeSegment(key: string): string {
  try {
    return decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return key;
  }
}

function own(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const member = (value as Record<string, unknown>)[key];
  return member !== undefined && Object.hasOwn(value, key) ? member : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
