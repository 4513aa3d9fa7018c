import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { defectsOf, type SchemaDefect } from './defects.js';
import { type JsonSchema, type SchemaName, schemaFiles, schemaId } from './load.js';
import type { SchemaTypes } from './types.js';
import { uniqueItems } from './unique-items.js';

export { MAX_DEFECTS, type SchemaDefect } from './defects.js';
export { type JsonSchema, loadSchema, type SchemaName } from './load.js';
export { nearest } from './nearest.js';
export type * from './types.js';

let shared: Ajv2020 | undefined;
const alternatives = new WeakMap<JsonSchema, ValidateFunction>();

/**
 * Gives the defects of a value against a schema of ARS 1.0, one for each cause; an empty list where it fits.
 *
 * At most {@link MAX_DEFECTS} are told one by one; one more, of keyword `more`, counts the rest. The value is never
 * changed. Throws a RangeError where there is no such schema.
 *
 * @example
 * ```ts
 * validate('workflow#edge', { from_node: 'a', to_node: 'b', label: true });
 * // [{ pointer: '/label', message: '"label" must be a string, not the boolean true', help: 'Quote it: label: "true".', … }]
 * ```
 */
export function validate(name: SchemaName, value: unknown): SchemaDefect[] {
  const errors = errorsOf(validatorOf(name), value);
  return errors === null ? [] : defectsOf(errors, checkAlternative);
}

/** Tells whether a value fits a schema of ARS 1.0. Throws a RangeError where there is no such schema. */
export function isValid<Name extends SchemaName>(name: Name, value: unknown): value is SchemaTypes[Name] {
  return errorsOf(validatorOf(name), value) === null;
}

function validatorOf(name: SchemaName): ValidateFunction {
  const validator = ajv().getSchema(schemaId(name));
  if (validator === undefined) throw new RangeError(`There is no schema "${name}"; the files are in schemas/v1.0.`);
  return validator;
}

function checkAlternative(schema: JsonSchema, value: unknown): readonly ErrorObject[] | null {
  let validator = alternatives.get(schema);
  if (validator === undefined) {
    validator = ajv().compile(schema);
    alternatives.set(schema, validator);
  }
  return errorsOf(validator, value);
}

function errorsOf(validator: ValidateFunction, value: unknown): readonly ErrorObject[] | null {
  if (validator(value)) return null;
  const errors = validator.errors ?? [];
  validator.errors = null;
  return errors;
}

/** The validator with every schema file added; each schema is compiled when it is first used. */
function ajv(): Ajv2020 {
  if (shared !== undefined) return shared;
  const instance = new Ajv2020({
    strict: true,
    // The schemas are fixed: a test holds them against the meta-schema, which takes longer than all that they are used for.
    validateSchema: false,
    strictRequired: false,
    allowUnionTypes: true,
    discriminator: true,
    allErrors: true,
    verbose: true,
    code: { process: boundErrors },
  });
  ajvFormats.default(instance);
  instance.removeKeyword('uniqueItems');
  instance.addKeyword(uniqueItems);
  for (const schema of schemaFiles().values()) instance.addSchema(schema);
  shared = instance;
  return instance;
}

/** The most errors that the validator gathers before it stops gathering; those that follow are still errors. */
const MAX_ERRORS = 10_000;

/**
 * Compiled code with a bound on the errors that it gathers. Each list of errors that a part hands up is copied into a new
 * one by the whole, which takes a time that grows with the square of the number of errors.
 */
function boundErrors(code: string): string {
  return code.replaceAll(
    /vErrors === null \? ([\w.]+) : vErrors\.concat\(\1\)/g,
    `vErrors === null ? $1 : vErrors.length < ${MAX_ERRORS} ? vErrors.concat($1) : vErrors`,
  );
}
