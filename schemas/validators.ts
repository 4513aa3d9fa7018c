import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ErrorObject } from 'ajv';
import { folderOf, type JsonSchema, type SchemaName } from './load.js';

/** A compiled check: tells whether a value fits, and in `errors` why the last one did not. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly ErrorObject[] | null;
}

/** What a generated file exports: its schema, and the checks by the pointer to what they check. */
interface Compiled {
  readonly schema: JsonSchema;
  readonly validators?: Readonly<Record<string, Validator>>;
}

/** Checks that tell of a value only whether it fits: those that all have to hold, and those of each member by itself. */
export interface QuickChecks {
  readonly whole: readonly ((value: unknown) => boolean)[];
  readonly members: Readonly<Record<string, (value: unknown) => boolean>>;
}

const require = createRequire(import.meta.url);
const validators = new Map<SchemaName, Validator>();
let quick: ReadonlyMap<string, QuickChecks> | undefined;

/** Gives the compiled check of a schema, loaded when it is first asked for. Throws a RangeError where there is no such schema. */
export function validatorOf(name: SchemaName): Validator {
  const known = validators.get(name);
  if (known !== undefined) return known;
  const [noun, entry] = name.split('#');
  const path = join(folderOf('validators'), `${noun}.cjs`);
  const { validators: checks = {} }: Partial<Compiled> = existsSync(path) ? (require(path) as Compiled) : {};
  const pointer = entry === undefined ? '' : `/$defs/${entry}`;
  const validator = Object.hasOwn(checks, pointer) ? checks[pointer] : undefined;
  if (validator === undefined) throw new RangeError(`There is no schema "${name}"; the files are in schemas/v1.0.`);
  validators.set(name, validator);
  return validator;
}

/** Gives the quick checks of a schema that has some; undefined of any other. */
export function quickChecks(name: SchemaName): QuickChecks | undefined {
  quick ??= new Map(Object.entries(require(join(folderOf('validators'), 'quick.cjs'))));
  return quick.get(name);
}

/** Gives the compiled check of an alternative of `anyOf` or `oneOf`, as an error names it. */
export function alternativeValidator(schema: JsonSchema): Validator {
  const path = join(folderOf('validators'), 'alternatives.cjs');
  const validator = (require(path) as ReadonlyMap<JsonSchema, Validator>).get(schema);
  if (validator === undefined)
    throw new RangeError(`There is no alternative ${JSON.stringify(schema)} in schemas/v1.0.`);
  return validator;
}

/** Gives the compiled check of JSON Schema 2020-12 itself. */
export function metaValidator(): Validator {
  return require(join(folderOf('validators'), 'json-schema.cjs')) as Validator;
}
