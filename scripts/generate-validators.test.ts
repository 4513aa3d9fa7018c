import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AnySchemaObject } from 'ajv';
import { describe, expect, test } from 'vitest';
import { DECIDING } from '../schemas/forms.js';
import { isValid, validate } from '../schemas/index.js';
import { type JsonSchema, type SchemaName, schemaFiles, schemaId } from '../schemas/load.js';
import { metaValidator, type Validator, validatorOf } from '../schemas/validators.js';
import { DIALECT } from './generate-validators.js';
import { listFiles, ROOT } from './project.js';
import { compiler, metaCompiler } from './validators/compiler.js';
import { alternativesIn, placesOf } from './validators/places.js';
import { QUICK } from './validators/quick.js';

const EXAMPLES = 'schemas/v1.0/examples/';
const ajv = compiler();

type Alternatives = ReadonlyMap<AnySchemaObject, Validator>;

/** What two checks tell of a value where they differ. */
function differing(one: Validator, other: Validator, value: unknown): unknown {
  const told = [one, other].map(validator => validator(value) || validator.errors);
  return isDeepStrictEqual(told[0], told[1]) ? undefined : told;
}

/** An example, without its members, and with each of another type besides one of an unknown name. */
function variants(document: unknown): unknown[] {
  if (document === null || typeof document !== 'object' || Array.isArray(document)) return [document];
  const changed = Object.entries(document).map(([name, member]) => [name, typeof member === 'object' ? 0 : [member]]);
  return [document, {}, { ...Object.fromEntries(changed), 'no name': 0 }];
}

/** The value without one of its members each. */
function withoutEach(document: unknown): unknown[] {
  if (document === null || typeof document !== 'object') return [];
  return Object.keys(document).map(name =>
    Object.fromEntries(Object.entries(document).filter(([key]) => key !== name)),
  );
}

const examples = listFiles(EXAMPLES, '.json').map(path => {
  const [, noun, kind, entry] =
    /^(.+)\/(valid|invalid)\/(?:([^./]+)\.)?[^./]+\.json$/.exec(path.slice(EXAMPLES.length)) ?? [];
  const value = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as unknown;
  const document = kind === 'valid' ? value : (value as { readonly document: unknown }).document;
  return { path, name: (entry === undefined ? noun : `${noun}#${entry}`) as SchemaName, document };
});

/** A schema whose conditions stand in `allOf`. */
interface Conditional extends JsonSchema {
  readonly allOf: readonly { readonly if: Condition; readonly then: Condition }[];
}
type Condition = { readonly properties?: Readonly<Record<string, unknown>> };

/** Keywords that say of an object nothing but which members it has, and of each something by itself. */
const OF_MEMBERS = new Set([
  ...['$schema', '$id', 'title', 'description', 'type', 'additionalProperties', 'required', 'properties'],
  'dependentRequired',
]);
const OF_FORMS = new Set(['required', 'properties', 'dependentRequired']);

describe('the validators that are generated', () => {
  test('tell of every example and of what is wrong with it exactly what the compiler’s own tell', () => {
    for (const { path, name, document } of examples) {
      const compiled = ajv.getSchema(schemaId(name)) as Validator;
      for (const variant of variants(document)) {
        expect(differing(validatorOf(name), compiled, variant), path).toBeUndefined();
      }
    }
  });

  test('tell whether a value fits as those tell that say why, where there are quick ones', () => {
    for (const noun of QUICK as SchemaName[])
      for (const { path, document } of examples)
        for (const variant of [...variants(document), ...withoutEach(document), null, 0, []])
          for (const _ of ['of a new form', 'of a known form'])
            expect(isValid(noun, variant), `${noun}: ${path}`).toBe(validate(noun, variant).length === 0);
  });

  test('tell by its form whether a value fits, since conditions look at nothing but that', () => {
    for (const noun of QUICK) {
      const { allOf, $defs: _, ...others } = schemaFiles().get(`ars:/v1.0/${noun}.schema.json`) as Conditional;
      expect(Object.keys(others).filter(keyword => !OF_MEMBERS.has(keyword))).toEqual([]);
      for (const { if: tested, then: wanted, ...rest } of allOf) {
        expect(rest).toEqual({});
        for (const part of [tested, wanted])
          expect(Object.keys(part).filter(keyword => !OF_FORMS.has(keyword))).toEqual([]);
        for (const [name, schema] of Object.entries({ ...tested.properties, ...wanted.properties }))
          expect(schema === false || (DECIDING as readonly string[]).includes(name), name).toBe(true);
      }
    }
  });

  test('tell of JSON Schemas, right and wrong, what the compiler’s own tells', () => {
    const compiled = metaCompiler().getSchema(DIALECT) as Validator;
    const schemas = [...schemaFiles().values()].flatMap(schema => [
      schema,
      { ...schema, type: 'strng', required: 'all' },
    ]);
    for (const schema of [...schemas, true, 0, { $defs: { a: { items: { minimum: 'a' } } } }])
      expect(differing(metaValidator(), compiled, schema), JSON.stringify(schema)).toBeUndefined();
  });

  test('tell of every alternative what the compiler’s own tell', () => {
    const alternatives = createRequire(import.meta.url)('../schemas/validators/alternatives.cjs') as Alternatives;
    expect(alternatives.size).toBe(alternativesIn(placesOf()).length);
    for (const [schema, generated] of alternatives) {
      const compiled = ajv.compile(schema) as Validator;
      for (const { path, document } of examples)
        expect(differing(generated, compiled, document), `${path} ${JSON.stringify(schema)}`).toBeUndefined();
    }
  });
});
