import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ArsError } from '../error.js';
import { canonicalize } from '../state/canonical.js';

/** Says in words what is wrong with a value; undefined where it fits. */
export type SchemaCheck = (value: unknown) => string | undefined;

type Schema = Readonly<Record<string, unknown>> | boolean;

const ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: true, addUsedSchema: false, logger: false });
addFormats.default(ajv);
const CHECKS_KEPT = 2048;
const checks = new Map<string, SchemaCheck>();

/**
 * Returns the check of a JSON Schema 2020-12 that a document brings along; an absent schema accepts everything.
 *
 * Throws `invalid_document` (details {name, reason}) where the schema is no schema or refers to anything outside itself.
 */
export function compileSchema(schema: Schema | undefined, name: string): SchemaCheck {
  if (schema === undefined || schema === true) return () => undefined;
  if (schema === false) return () => `${name} allows no value`;
  const key = `${name}\n${canonicalize(schema)}`;
  const known = checks.get(key);
  if (known !== undefined) return known;
  const check = compile(schema, name);
  if (checks.size >= CHECKS_KEPT) checks.clear();
  checks.set(key, check);
  return check;
}

function compile(schema: Readonly<Record<string, unknown>>, name: string): SchemaCheck {
  let copy: Readonly<Record<string, unknown>> | undefined;
  try {
    copy = structuredClone(schema);
    const validate = ajv.compile(copy);
    const dataVar = name.split(' ').at(-1) ?? 'value';
    return value => (validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArsError('invalid_document', `The ${name} is not a usable JSON Schema: ${reason}`, {
      details: { name, reason },
      cause: error,
    });
  } finally {
    if (copy !== undefined) ajv.removeSchema(copy);
  }
}
