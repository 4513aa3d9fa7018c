import { type JsonSchema, loadSchema, type SchemaName } from '../../../schemas/index.js';

/** A field of a document, as its schema describes it. */
export interface Field {
  readonly name: string;
  /** What it means; where several things have it with different meanings, of each. */
  readonly meanings: readonly string[];
  /** The values that it may have, where they are few; in a list, its elements. */
  readonly values: readonly string[];
  /** The chapter, and the heading in it. */
  readonly place: string;
}

const SOURCES = [
  ['workflow', 'spec/v1.0/07-workflow.md#the-document'],
  ['action', 'spec/v1.0/05-execution.md#fields'],
] as const;

let fields: ReadonlyMap<string, Field> | undefined;

/** Returns the fields of workflows and of contracts of actions, by name. */
export function documentFields(): ReadonlyMap<string, Field> {
  fields ??= readFields();
  return fields;
}

function readFields(): Map<string, Field> {
  const found = new Map<string, Field & { readonly owners: Map<string, string[]> }>();
  for (const [source, place] of SOURCES) {
    const schema = loadSchema(source);
    const definitions = Object.entries(object(schema.$defs)).map(([name, part]): [string, JsonSchema] => [
      name.replaceAll('_', ' '),
      object(part),
    ]);
    for (const [owner, part] of [[source, schema] as [string, JsonSchema], ...definitions]) {
      for (const [name, member] of Object.entries(object(part.properties))) {
        const { description } = object(member);
        if (typeof description !== 'string') continue;
        const field = found.get(name) ?? {
          name,
          meanings: [],
          values: valuesOf(object(member)),
          place,
          owners: new Map(),
        };
        field.owners.set(description, [...(field.owners.get(description) ?? []), owner]);
        found.set(name, field);
      }
    }
  }
  return new Map([...found].map(([name, field]) => [name, { ...field, meanings: meaningsOf(field.owners) }]));
}

function meaningsOf(owners: ReadonlyMap<string, readonly string[]>): string[] {
  if (owners.size === 1) return [...owners.keys()];
  return [...owners].map(([meaning, names]) => `Of ${names.join(', ')}: ${meaning}`);
}

/** The values of a field, by its own schema or the one that it refers to. */
function valuesOf(member: JsonSchema): string[] {
  const part = object(member.items ?? member);
  const [, source, name] = /^ars:\/v1\.0\/(\w+)\.schema\.json#\/\$defs\/(\w+)$/.exec(String(part.$ref)) ?? [];
  const values = (name === undefined ? part : loadSchema(`${source}#${name}` as SchemaName)).enum;
  return Array.isArray(values) ? values.map(String) : [];
}

function object(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {};
}
