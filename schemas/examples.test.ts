import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type JsonSchema, type SchemaName, validate } from './index.js';
import { resolveSchema, schemaFiles } from './load.js';

const FOLDER = new URL('./v1.0/examples/', import.meta.url);

interface Example {
  /** Its path below the folder of examples. */
  readonly path: string;
  /** The file of its schema, without ending. */
  readonly noun: string;
  /** What it is an example of. */
  readonly schema: SchemaName;
  readonly document: unknown;
  readonly expect?: { readonly pointer: string; readonly keyword: string };
}

/** Reads `noun/valid/[entry.]case.json`, which is the document, and `noun/invalid/…`, which wraps it. */
function readExample(path: string): Example {
  const [, noun = '', kind, entry] = /^(.+)\/(valid|invalid)\/(?:([^./]+)\.)?[^./]+\.json$/.exec(path) ?? [];
  if (noun === '') throw new Error(`${path} is not at <schema>/valid or <schema>/invalid`);
  const value = JSON.parse(readFileSync(new URL(path, FOLDER), 'utf8')) as Record<string, unknown>;
  const schema = (entry === undefined ? noun : `${noun}#${entry}`) as SchemaName;
  return kind === 'valid'
    ? { path, noun, schema, document: value }
    : { path, noun, schema, document: value.document, expect: value.expect as Required<Example>['expect'] };
}

const examples = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .map(path => path.split(/[\\/]/).join('/'))
  .filter(path => path.endsWith('.json'))
  .sort()
  .map(readExample);
const valid = examples.filter(example => example.expect === undefined);
const invalid = examples.filter(example => example.expect !== undefined);
const nouns = [...schemaFiles().keys()].map(id => id.replace(/^ars:\/v1\.0\//, '').replace(/\.schema\.json$/, ''));

/** A part of a schema file, by its identifier and pointer. */
interface Part {
  readonly id: string;
  readonly schema: JsonSchema;
}

/** The part that a reference leads to, or the part itself. */
function target({ id, schema }: Part): Part {
  return typeof schema.$ref === 'string'
    ? target({ id: schema.$ref, schema: resolveSchema(schema.$ref) })
    : { id, schema };
}

function below(part: Part, ...steps: readonly string[]): Part {
  const schema = steps.reduce<unknown>((value, step) => (value as JsonSchema)[step], part.schema) as JsonSchema;
  const [file = '', fragment = ''] = part.id.split('#');
  return { id: `${file}#${[fragment, ...steps].join('/')}`, schema };
}

/** Every property of every schema, conditions aside. */
function allProperties(): Map<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  const visit = (part: Part): void => {
    for (const name of Object.keys((part.schema.properties ?? {}) as object)) {
      const property = below(part, 'properties', name);
      found.set(property.id, property.schema);
      visit(property);
    }
    for (const entry of Object.keys((part.schema.$defs ?? {}) as object)) visit(below(part, '$defs', entry));
    for (const key of ['items', 'additionalProperties'])
      if (typeof part.schema[key] === 'object') visit(below(part, key));
    for (const key of ['oneOf', 'anyOf'])
      for (const index of Object.keys((part.schema[key] ?? []) as object)) visit(below(part, key, index));
  };
  for (const [id, schema] of schemaFiles()) visit({ id: `${id}#`, schema });
  return found;
}

/** Marks every property and every word of an enumeration that a valid value makes use of. */
function mark(reached: Set<string>, given: Part, value: unknown): void {
  const part = target(given);
  const { schema } = part;
  if (Array.isArray(schema.enum)) reached.add(`${part.id} ${String(value)}`);
  for (const key of ['oneOf', 'anyOf'])
    for (const index of Object.keys((schema[key] ?? []) as object)) {
      const branch = target(below(part, key, index));
      if (resembles(branch.schema, value)) mark(reached, branch, value);
    }
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const item of value) mark(reached, below(part, 'items'), item);
  } else if (value !== null && typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) {
      if (Object.hasOwn((schema.properties ?? {}) as object, name)) {
        const property = below(part, 'properties', name);
        reached.add(property.id);
        mark(reached, property, member);
      } else if (typeof schema.additionalProperties === 'object')
        mark(reached, below(part, 'additionalProperties'), member);
    }
  }
}

/** Whether an alternative is the one meant: what it requires is there, and its constants are the value's. */
function resembles(schema: JsonSchema, value: unknown): boolean {
  if (schema.type === 'null') return value === null;
  if (value === null || typeof value !== 'object') return true;
  const required = (schema.required ?? []) as readonly string[];
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  return (
    required.every(name => Object.hasOwn(value, name)) &&
    Object.entries(properties).every(
      ([name, { const: wanted }]) => wanted === undefined || Reflect.get(value, name) === wanted,
    )
  );
}

function partOf(name: SchemaName): Part {
  const [noun, entry] = name.split('#');
  const file = {
    id: `ars:/v1.0/${noun}.schema.json#`,
    schema: schemaFiles().get(`ars:/v1.0/${noun}.schema.json`) ?? {},
  };
  return target(entry === undefined ? file : below(file, '$defs', entry));
}

const reached = new Set<string>();
for (const { schema, document } of valid) mark(reached, partOf(schema), document);

describe('the examples of a schema', () => {
  test.each(nouns)('%s has a valid one and two invalid ones', noun => {
    expect(valid.filter(example => example.noun === noun).length).toBeGreaterThanOrEqual(1);
    expect(invalid.filter(example => example.noun === noun).length).toBeGreaterThanOrEqual(2);
  });

  test('stand in the folder of a schema and name an entry that it has', () => {
    for (const { path, noun, schema } of examples) {
      expect(nouns, path).toContain(noun);
      expect(partOf(schema).schema, path).toHaveProperty('description');
    }
  });

  test('fit it, where they are valid', () => {
    for (const { path, schema, document } of valid) expect(validate(schema, document), path).toEqual([]);
  });

  test('fail for the one reason that they name, where they are invalid', () => {
    for (const example of invalid) {
      const found = validate(example.schema, example.document).map(({ pointer, keyword }) => ({ pointer, keyword }));
      expect(found, example.path).toEqual([example.expect]);
    }
  });

  test('make use of every property of every schema', () => {
    expect([...allProperties().keys()].filter(id => !reached.has(id))).toEqual([]);
  });

  test('show every word of every enumeration', () => {
    const words: string[] = [];
    const visit = (part: Part): void => {
      for (const word of (part.schema.enum ?? []) as readonly unknown[])
        if (typeof word === 'string') words.push(`${part.id} ${word}`);
    };
    for (const [id, schema] of allProperties()) visit({ id, schema });
    for (const [id, schema] of schemaFiles())
      for (const entry of Object.keys((schema.$defs ?? {}) as object))
        visit(below({ id: `${id}#`, schema }, '$defs', entry));
    expect(words.length).toBeGreaterThan(100);
    expect(words.filter(word => !reached.has(word))).toEqual([]);
  });
});

test('every property of every schema is described', () => {
  const silent = [...allProperties()].filter(([id, schema]) => {
    const described = schema.description ?? target({ id, schema }).schema.description;
    return typeof described !== 'string' || !/^\S.{5,}\.$/s.test(described);
  });
  expect(silent.map(([id]) => id)).toEqual([]);
});

describe('a valid example is refused', () => {
  const objects = valid.filter(
    ({ document }) => document !== null && typeof document === 'object' && !Array.isArray(document),
  ) as (Example & { readonly document: Readonly<Record<string, unknown>> })[];

  test('without a member that its schema requires', () => {
    for (const { path, schema, document } of objects)
      for (const name of (partOf(schema).schema.required ?? []) as readonly string[]) {
        const { [name]: _, ...rest } = document;
        expect(
          validate(schema, rest).map(({ keyword }) => keyword),
          `${path} without ${name}`,
        ).toContain('required');
      }
  });

  test('with a member that its schema does not know, where it is closed', () => {
    for (const { path, schema, document } of objects) {
      if (partOf(schema).schema.additionalProperties !== false) continue;
      const defects = validate(schema, { ...document, 'not a name': 1 });
      expect(
        defects.map(({ pointer, keyword }) => `${pointer} ${keyword}`),
        path,
      ).toEqual(['/not a name additionalProperties']);
    }
  });

  test('with a member that has another form than its constant, its enumeration or its pattern', () => {
    for (const { path, schema, document } of objects)
      for (const name of Object.keys((partOf(schema).schema.properties ?? {}) as object)) {
        const member = target(below(partOf(schema), 'properties', name)).schema;
        if (member.const === undefined && member.enum === undefined && member.pattern === undefined) continue;
        if (!Object.hasOwn(document, name)) continue;
        const pointers = validate(schema, { ...document, [name]: '\u0000' }).map(({ pointer }) => pointer);
        expect(pointers, `${path} with another ${name}`).toContain(`/${name}`);
      }
  });
});
