import type { ErrorObject } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { metaSchemaErrors } from '../../../schemas/index.js';
import { type LinearPattern, linearPattern, PatternError } from '../../../schemas/pattern/index.js';
import { ArsError } from '../error.js';
import { canonicalize } from '../state/canonical.js';
import { excerpt } from '../state/excerpt.js';
import { compilerClass, withFormats } from './compiler.js';

/** Says in words what is wrong with a value; undefined where it fits. */
export type SchemaCheck = (value: unknown) => string | undefined;

type Schema = Readonly<Record<string, unknown>> | boolean;

/** How many parts of a schema one check may enter, a part as often as it is referred to: references can double it each time. */
const MOST_WORK = 1_000_000;
/** How many steps of regular expressions are one of these. */
const STEPS_OF_PATTERNS = 50;
/** How many instructions all regular expressions of a schema may have together. */
const MOST_INSTRUCTIONS = 40_000;

/**
 * How many objects and lists of a schema may stand one in another. The compiler calls itself for each, and how far that
 * goes varies from run to run.
 */
export const SCHEMA_DEPTH = 200;

class WorkExceeded extends Error {}

/**
 * The compiler; its generated code calls `spend` wherever it enters a part, under the name that the code knows it by.
 * What is left is counted in steps of regular expressions.
 */
type BoundedCompiler = Ajv2020 & {
  left: number;
  spend(steps?: number): void;
  /** The regular expressions of the schema that is being compiled, and how many instructions they have. */
  readonly patterns: Map<string, LinearPattern>;
  instructions: number;
  /** Forgets a schema that was compiled, and every name that it or a part of it has given itself. */
  forget(schema: object): void;
};

let shared: BoundedCompiler | undefined;

function compiler(): BoundedCompiler {
  shared ??= newCompiler();
  return shared;
}

function newCompiler(): BoundedCompiler {
  class Bounded extends compilerClass() {
    left = Number.POSITIVE_INFINITY;
    readonly patterns = new Map<string, LinearPattern>();
    instructions = 0;

    spend(steps = STEPS_OF_PATTERNS): void {
      this.left -= steps;
      if (this.left < 0) throw new WorkExceeded();
    }

    readonly #own = [{ ...this.schemas }, { ...this.refs }];

    forget(schema: object): void {
      this.removeSchema(schema);
      for (const [at, names] of [this.schemas, this.refs].entries()) {
        const own = this.#own[at] as typeof names;
        for (const name of Object.keys(names)) if (!Object.hasOwn(own, name)) delete names[name];
        Object.assign(names, own);
      }
    }
  }
  const spend = (steps: number): void => ajv.spend(steps);
  const ajv: BoundedCompiler = withFormats(
    new Bounded({
      strict: false,
      allErrors: false,
      logger: false,
      ownProperties: true,
      code: {
        // Its passes over what it has written take longer than the check ever gains, and grow faster than the schema.
        optimize: false,
        process: code => code.replace('let vErrors = null;', 'self.spend();let vErrors = null;'),
        regExp: Object.assign((source: string) => patternOf(ajv, source), { code: 'linearPattern' }),
      },
    }),
    spend,
  );
  for (const names of [ajv.schemas, ajv.refs]) Object.setPrototypeOf(names, null);
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    validate: (unique: boolean, items: readonly unknown[]) => !unique || allDifferent(items),
  });
  return ajv;
}

/** Gives a regular expression of the schema that is being compiled. Throws `PatternError`, also where all are too long. */
function patternOf(ajv: BoundedCompiler, source: string): LinearPattern {
  const known = ajv.patterns.get(source);
  if (known !== undefined) return known;
  const pattern = linearPattern(source, 'u', steps => ajv.spend(steps));
  ajv.patterns.set(source, pattern);
  ajv.instructions += pattern.size;
  if (ajv.instructions <= MOST_INSTRUCTIONS) return pattern;
  throw new PatternError('unsupported', source, `makes the schema take more than ${MOST_INSTRUCTIONS} instructions`);
}

const CHECKS_KEPT = 2048;
/** How many instructions of regular expressions the kept checks may have together: a short one can have thousands. */
const INSTRUCTIONS_KEPT = 4 * MOST_INSTRUCTIONS;
const checks = new Map<string, SchemaCheck>();
let instructionsKept = 0;

/**
 * Returns the check of a JSON Schema 2020-12 that a document brings along; an absent schema accepts everything.
 *
 * Throws `invalid_document` (details {name, reason}) where the schema is no schema or refers to anything outside itself,
 * and `unsupported` where a regular expression in it has no check in linear time, as those with back-references.
 */
export function compileSchema(schema: Schema | undefined, name: string): SchemaCheck {
  if (schema === undefined || schema === true) return () => undefined;
  if (schema === false) return () => `${name} allows no value`;
  const key = `${name}\n${canonicalize(schema)}`;
  const known = checks.get(key);
  if (known !== undefined) return known;
  const { check, instructions } = compile(schema, name);
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

/** Gives the check, and how many instructions its regular expressions have. */
function compile(
  schema: Readonly<Record<string, unknown>>,
  name: string,
): { readonly check: SchemaCheck; readonly instructions: number } {
  const ajv = compiler();
  let copy: Readonly<Record<string, unknown>> | undefined;
  try {
    if (isTooDeep(schema)) throw new RangeError(`it is nested more than ${SCHEMA_DEPTH} levels deep`);
    copy = structuredClone(schema);
    readySchema(copy);
    ajv.left = Number.POSITIVE_INFINITY;
    // A dialect that a schema names is the compiler's to know; to load all dialects and judge by them takes longer.
    ajv.opts.validateSchema = Object.hasOwn(copy, '$schema');
    if (!ajv.opts.validateSchema) refuseIllFormed(ajv, copy);
    const validate = ajv.compile(copy);
    demandReadable(ajv, validate);
    const dataVar = name.split(' ').at(-1) ?? 'value';
    const check: SchemaCheck = value =>
      bounded(ajv, value, () => (validate(value) ? undefined : problemsOf(validate.errors ?? [], dataVar)));
    return { check, instructions: ajv.instructions };
  } catch (error) {
    const reason = reasonOf(error);
    const isUnsupported = error instanceof PatternError && error.kind === 'unsupported';
    throw new ArsError(
      isUnsupported ? 'unsupported' : 'invalid_document',
      `The ${name} is not a usable JSON Schema: ${reason}`,
      {
        details: { name, reason },
        cause: error,
      },
    );
  } finally {
    ajv.patterns.clear();
    ajv.instructions = 0;
    if (copy !== undefined) ajv.forget(copy);
  }
}

/** The compiler calls itself for each property, alternative and reference in a row, and ends where the stack does. */
const TOO_MANY = 'it refers to itself in a circle, or has too many properties, alternatives or references in a row';

function reasonOf(error: unknown): string {
  if (error instanceof RangeError && error.message.includes('call stack')) return TOO_MANY;
  return error instanceof Error ? error.message : String(error);
}

/** How many problems of a value are told one by one, and how much of each, in characters. */
const PROBLEMS_TOLD = 5;
const PROBLEM_LENGTH = 200;

/** What is wrong with a value: the first few problems, each with its place, and how many more there are. */
function problemsOf(errors: readonly ErrorObject[], name: string): string {
  const problems = new Set<string>();
  for (const { instancePath, message = 'does not fit' } of errors)
    problems.add(excerpt(`${name}${instancePath} ${message}`, PROBLEM_LENGTH));
  const told = [...problems].slice(0, PROBLEMS_TOLD);
  const left = problems.size - told.length;
  return `${told.join(', ')}${left === 0 ? '' : `, and ${left} more`}`;
}

/** What means something to the compiler and nothing to JSON Schema 2020-12, where it is a note. */
const FOREIGN = ['$async', 'nullable', 'id'];
const HOLDS_DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
const HOLDS_NAMES: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  'dependentRequired',
]);

/**
 * Takes the foreign keywords out of a schema and all schemas in it; what holds an object may be one that is referred to.
 * Throws where one of them refers to what nobody wrote.
 */
function readySchema(schema: object): void {
  const open: [value: object, isSchema: boolean, root: object][] = [[schema, true, schema]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, isSchema, outer] = next;
    const holdsKeywords = isSchema && !Array.isArray(value);
    const { $id, $ref } = holdsKeywords ? (value as { $id?: unknown; $ref?: unknown }) : {};
    const root = typeof $id === 'string' && $id !== '' && $id !== '#' ? value : outer;
    if (typeof $ref === 'string' && $ref.startsWith('#/') && leadsAstray($ref, root))
      throw new Error(`can't resolve reference ${$ref}`);
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner !== 'object' || inner === null) {
        if (holdsKeywords && FOREIGN.includes(name)) Reflect.deleteProperty(value, name);
      } else if (!holdsKeywords || !HOLDS_DATA.has(name))
        open.push([inner, !(holdsKeywords && HOLDS_NAMES.has(name)), root]);
    }
  }
}

/**
 * Whether a reference within a document leads to what every object has, as toString, which the compiler takes for a schema. One
 * that leads to nothing is the compiler's to refuse, which knows whether anything is judged by it.
 */
function leadsAstray(reference: string, root: object): boolean {
  let at: unknown = root;
  for (const token of reference.slice(2).split('/')) {
    const name = decoded(token)?.replaceAll('~1', '/').replaceAll('~0', '~');
    if (name === undefined || typeof at !== 'object' || at === null) return false;
    if (!Object.hasOwn(at, name)) return name in at;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return false;
}

function decoded(token: string): string | undefined {
  try {
    return decodeURIComponent(token);
  } catch {
    return undefined;
  }
}

function refuseIllFormed(ajv: Ajv2020, schema: Schema): void {
  const [error] = metaSchemaErrors(schema);
  if (error !== undefined) throw new Error(`schema is invalid: ${ajv.errorsText([error])}`);
}

/** Throws a RangeError where the engine, which reads the code when it is first called, finds it too large. */
function demandReadable(ajv: BoundedCompiler, validate: (value: unknown) => unknown): void {
  ajv.left = MOST_WORK * STEPS_OF_PATTERNS;
  try {
    validate(null);
  } catch (error) {
    if (!(error instanceof WorkExceeded)) throw error;
  }
}

/** In linear time; the validator's own keyword compares every pair. */
function allDifferent(items: readonly unknown[]): boolean {
  return new Set(items.map(item => canonicalize(item))).size === items.length;
}

function bounded(ajv: BoundedCompiler, value: unknown, check: () => string | undefined): string | undefined {
  ajv.left = MOST_WORK * STEPS_OF_PATTERNS;
  try {
    return check();
  } catch (error) {
    if (error instanceof WorkExceeded) return `to check it takes more than ${MOST_WORK} steps`;
    if (error instanceof RangeError)
      return isTooDeep([value]) ? 'it is nested too deeply to be checked' : `its schema cannot be used: ${TOO_MANY}`;
    throw error;
  }
}
