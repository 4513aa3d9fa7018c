import { metaSchemaErrors } from '../../../schemas/index.js';
import { PatternError } from '../../../schemas/pattern/index.js';
import { ArsError } from '../error.js';
import { canonicalize } from '../state/canonical.js';
import { MOST_INSTRUCTIONS, Patterns } from './schema-assertions.js';
import { EndlessReference, evaluate } from './schema-evaluation.js';
import { wholeOf } from './schema-parts.js';
import { DIALECT, type JsonSchema, SchemaFault } from './schema-resources.js';

/** Says in words what is wrong with a value; undefined where it fits. */
export type SchemaCheck = (value: unknown) => string | undefined;

/** How often one check may apply parts of a schema to parts of a value: references can double it each time. */
const MOST_WORK = 2_000_000;
/** How many steps of regular expressions are one of these, and how many parts that have no parts in them. */
const SMALL_STEPS = 25;

/** How many objects and lists of a schema may stand one in another: the check of the schema itself calls itself for each. */
export const SCHEMA_DEPTH = 200;

class WorkExceeded extends Error {}

const CHECKS_KEPT = 2048;
/** How many instructions of regular expressions the kept checks may have together: a short one can have thousands. */
const INSTRUCTIONS_KEPT = 4 * MOST_INSTRUCTIONS;
const checks = new Map<string, SchemaCheck>();
let instructionsKept = 0;

/**
 * Returns the check of a JSON Schema 2020-12 that a document brings along; an absent schema accepts everything.
 *
 * Throws `invalid_document` (details {name, reason, pointer}) where the schema is no schema or refers to what is not in it,
 * and `unsupported` where a regular expression in it has no check in linear time, as those with back-references.
 */
export function compileSchema(schema: JsonSchema | undefined, name: string): SchemaCheck {
  if (schema === undefined || schema === true) return () => undefined;
  if (schema === false) return () => `${name} allows no value`;
  const text = canonicalize(schema);
  const key = `${name}\n${text}`;
  const known = checks.get(key);
  if (known !== undefined) return known;
  const { check, instructions } = compile(schema, text, name);
  if (checks.size >= CHECKS_KEPT || instructionsKept + instructions > INSTRUCTIONS_KEPT) {
    checks.clear();
    instructionsKept = 0;
  }
  checks.set(key, check);
  instructionsKept += instructions;
  return check;
}

/** Whether a schema has more than {@link SCHEMA_DEPTH} objects and lists one in another, as one that holds itself has. */
export function isTooDeep(schema: object): boolean {
  let level: ReadonlySet<object> = new Set([schema]);
  for (let depth = 0; depth < SCHEMA_DEPTH; depth++) {
    const next = new Set<object>();
    for (const one of level)
      for (const inner of Object.values(one)) if (typeof inner === 'object' && inner !== null) next.add(inner);
    if (next.size === 0) return false;
    level = next;
  }
  return true;
}

/** Gives the check, and how many instructions its regular expressions have; `text` is the schema's. */
function compile(
  schema: object,
  text: string,
  name: string,
): { readonly check: SchemaCheck; readonly instructions: number } {
  let left = Number.POSITIVE_INFINITY;
  const spend = (steps: number): void => {
    left -= steps;
    if (left < 0) throw new WorkExceeded();
  };
  const patterns = new Patterns(spend);
  if (isTooDeep(schema)) throw unusable(name, `it is nested more than ${SCHEMA_DEPTH} levels deep`);
  // As its text has it, no part of it is shared and nobody else changes it.
  const own = JSON.parse(text) as Readonly<Record<string, unknown>>;
  try {
    const [error] = metaSchemaErrors({ ...own, $schema: DIALECT });
    if (error !== undefined)
      throw unusable(name, `schema is invalid: schema${error.instancePath} ${error.message}`, error.instancePath);
    const whole = wholeOf(own, patterns);
    const dataVar = name.split(' ').at(-1) ?? 'value';
    const check: SchemaCheck = value => {
      left = MOST_WORK * SMALL_STEPS;
      try {
        return evaluate(whole, value, dataVar, { spend, perPart: SMALL_STEPS });
      } catch (cause) {
        if (cause instanceof WorkExceeded) return `to check it takes more than ${MOST_WORK} steps`;
        if (cause instanceof EndlessReference) return 'its check does not end: the schema refers to itself in a circle';
        throw cause;
      }
    };
    return { check, instructions: patterns.instructions };
  } catch (cause) {
    if (!(cause instanceof SchemaFault)) throw cause;
    throw unusable(name, cause.message, pointerTo(own, cause), cause.cause);
  }
}

function unusable(name: string, reason: string, pointer = '', cause?: unknown): ArsError {
  const isUnsupported = cause instanceof PatternError && cause.kind === 'unsupported';
  const message = `The ${name} is not a usable JSON Schema: ${reason}`;
  const details = { name, reason, pointer };
  return new ArsError(isUnsupported ? 'unsupported' : 'invalid_document', message, { details, cause });
}

/** Where in a schema a fault is. */
function pointerTo(schema: object, { part, keyword }: SchemaFault): string {
  const open: [value: object, pointer: string][] = [[schema, '']];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, pointer] = next;
    if (value === part) return keyword === '' ? pointer : `${pointer}/${keyword}`;
    for (const [name, inner] of Object.entries(value))
      if (typeof inner === 'object' && inner !== null)
        open.push([inner, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`]);
  }
  return '';
}
