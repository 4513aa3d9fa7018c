import type { ErrorObject } from 'ajv';
import { defectsOf, type SchemaDefect } from './defects.js';
import { formsOf } from './forms.js';
import type { JsonSchema, SchemaName } from './load.js';
import type { SchemaTypes } from './types.js';
import { alternativeValidator, metaValidator, type Validator, validatorOf } from './validators.js';

export { MAX_DEFECTS, type SchemaDefect } from './defects.js';
export { type JsonSchema, loadSchema, type SchemaName } from './load.js';
export { nearest } from './nearest.js';
export type * from './types.js';

/**
 * Gives the defects of a value against a schema of ARS 1.0, one for each cause; an empty list where it fits.
 *
 * At most {@link MAX_DEFECTS} are told one by one; one more, of keyword `more`, counts the rest. The value is never
 * changed. Throws a RangeError where there is no such schema.
 *
 * @example
 * ```ts
 * const defects = validate('workflow#edge', { from_node: 'a', to_node: 'b', label: true });
 * // [{ pointer: '/label', message: '"label" must be a string, not the boolean true', help: 'Quote it: label: "true".', … }]
 * ```
 */
export function validate(name: SchemaName, value: unknown): SchemaDefect[] {
  const errors = errorsOf(validatorOf(name), value);
  return errors === null ? [] : defectsOf(errors, checkAlternative);
}

/**
 * Tells whether a value fits a schema of ARS 1.0. Throws a RangeError where there is no such schema.
 *
 * @example
 * ```ts
 * if (isValid('agent', value)) trust = value.trust;
 * ```
 */
export function isValid<Name extends SchemaName>(name: Name, value: unknown): value is SchemaTypes[Name] {
  return formsOf(name)?.fits(value) ?? errorsOf(validatorOf(name), value) === null;
}

/**
 * Gives what keeps a value from being a schema of JSON Schema 2020-12, as the validator tells it; an empty list where it is one.
 *
 * @example
 * ```ts
 * const [error] = metaSchemaErrors({ type: 'strng' }); // error.instancePath: '/type'
 * ```
 */
export function metaSchemaErrors(schema: unknown): readonly ErrorObject[] {
  return errorsOf(metaValidator(), schema) ?? [];
}

function checkAlternative(schema: JsonSchema, value: unknown): readonly ErrorObject[] | null {
  return errorsOf(alternativeValidator(schema), value);
}

function errorsOf(validator: Validator, value: unknown): readonly ErrorObject[] | null {
  if (validator(value)) return null;
  const errors = validator.errors ?? [];
  validator.errors = null;
  return errors;
}
