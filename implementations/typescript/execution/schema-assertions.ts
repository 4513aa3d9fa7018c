import { type LinearPattern, linearPattern, PatternError, type Spend } from '../../../schemas/pattern/index.js';
import { canonicalize } from '../state/canonical.js';
import { formatCheck } from './schema-formats.js';
import { own, SchemaFault } from './schema-resources.js';

/** Says in words what a value itself is not, whatever is in it; undefined where it fits. */
export type Assertion = (value: unknown) => string | undefined;

type Schema = Readonly<Record<string, unknown>>;
type Keyword = (operand: never, schema: Schema, patterns: Patterns) => Assertion;
type Items = readonly unknown[];
type Members = Readonly<Record<string, unknown>>;

/** How many instructions all regular expressions of a schema may have together. */
export const MOST_INSTRUCTIONS = 40_000;

/** The regular expressions of one schema; what they cost is told to `spend`. */
export class Patterns {
  readonly spend: Spend;
  readonly #known = new Map<string, LinearPattern>();
  /** How many instructions they have together. */
  instructions = 0;

  constructor(spend: Spend) {
    this.spend = spend;
  }

  /** Gives a regular expression. Throws `PatternError`, also where all of them together are too long. */
  of(source: string): LinearPattern {
    const known = this.#known.get(source);
    if (known !== undefined) return known;
    const pattern = linearPattern(source, 'u', this.spend);
    this.#known.set(source, pattern);
    this.instructions += pattern.size;
    if (this.instructions <= MOST_INSTRUCTIONS) return pattern;
    throw new PatternError('unsupported', source, `makes the schema take more than ${MOST_INSTRUCTIONS} instructions`);
  }
}

/** Gives what the keywords of a part say of a value by itself, in the order in which it is told. */
export function assertionsOf(schema: Schema, patterns: Patterns): Assertion[] {
  const assertions: Assertion[] = [];
  for (const [name, keyword] of KEYWORDS)
    if (Object.hasOwn(schema, name)) assertions.push(keyword(schema[name] as never, schema, patterns));
  return assertions;
}

/** Gives a regular expression that a keyword of a part has. Throws a `SchemaFault` whose cause is a `PatternError`. */
export function patternIn(part: object, keyword: string, source: string, patterns: Patterns): LinearPattern {
  try {
    return patterns.of(source);
  } catch (error) {
    throw error instanceof PatternError ? new SchemaFault(part, keyword, error.message, error) : error;
  }
}

const KEYWORDS: readonly (readonly [name: string, keyword: Keyword])[] = [
  ['type', typeKeyword],
  ['const', (constant: unknown) => value => (equal(value, constant) ? undefined : 'must be equal to constant')],
  ['enum', enumKeyword],
  ['multipleOf', (by: number) => ofNumber(value => Number.isInteger(value / by), `must be multiple of ${by}`)],
  ['maximum', (limit: number) => ofNumber(value => value <= limit, `must be <= ${limit}`)],
  ['exclusiveMaximum', (limit: number) => ofNumber(value => value < limit, `must be < ${limit}`)],
  ['minimum', (limit: number) => ofNumber(value => value >= limit, `must be >= ${limit}`)],
  ['exclusiveMinimum', (limit: number) => ofNumber(value => value > limit, `must be > ${limit}`)],
  [
    'maxLength',
    (most: number) =>
      ofText(text => lengthOf(text, most) <= most, `must NOT have more than ${counted(most, 'character')}`),
  ],
  [
    'minLength',
    (least: number) =>
      ofText(text => lengthOf(text, least) >= least, `must NOT have fewer than ${counted(least, 'character')}`),
  ],
  ['pattern', patternKeyword],
  ['format', formatKeyword],
  [
    'maxItems',
    (most: number) => ofItems(({ length }) => length <= most, `must NOT have more than ${counted(most, 'item')}`),
  ],
  [
    'minItems',
    (least: number) => ofItems(({ length }) => length >= least, `must NOT have fewer than ${counted(least, 'item')}`),
  ],
  ['uniqueItems', uniqueItemsKeyword],
  [
    'maxProperties',
    (most: number) =>
      ofMembers(value =>
        Object.keys(value).length <= most ? undefined : `must NOT have more than ${counted(most, 'property')}`,
      ),
  ],
  [
    'minProperties',
    (least: number) =>
      ofMembers(value =>
        Object.keys(value).length >= least ? undefined : `must NOT have fewer than ${counted(least, 'property')}`,
      ),
  ],
  ['required', requiredKeyword],
  ['dependentRequired', dependentRequiredKeyword],
  ['dependencies', dependentRequiredKeyword],
];

function counted(count: number, what: 'character' | 'item' | 'property'): string {
  const plural = what === 'property' ? 'properties' : `${what}s`;
  return `${count} ${count === 1 ? what : plural}`;
}

function ofNumber(test: (value: number) => boolean, message: string): Assertion {
  return value => (typeof value !== 'number' || test(value) ? undefined : message);
}

function ofText(test: (value: string) => boolean, message: string): Assertion {
  return value => (typeof value !== 'string' || test(value) ? undefined : message);
}

function ofItems(test: (value: Items) => boolean, message: string): Assertion {
  return value => (!Array.isArray(value) || test(value) ? undefined : message);
}

function ofMembers(test: (value: Members) => string | undefined): Assertion {
  return value => (isMembers(value) ? test(value) : undefined);
}

/** Whether a value is an object and no list. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: value => value === null,
  boolean: value => typeof value === 'boolean',
  number: value => Number.isFinite(value),
  integer: value => Number.isInteger(value),
  string: value => typeof value === 'string',
  array: value => Array.isArray(value),
  object: isMembers,
};

function typeKeyword(type: string | readonly string[]): Assertion {
  const tests = [type].flat().map(name => TYPES[name as string] as (value: unknown) => boolean);
  const message = `must be ${[type].flat().join(',')}`;
  return value => (tests.some(test => test(value)) ? undefined : message);
}

function enumKeyword(allowed: Items, _: Schema, { spend }: Patterns): Assertion {
  const scalars = new Set(allowed.filter(one => typeof one !== 'object' || one === null));
  const objects = allowed.filter(one => typeof one === 'object' && one !== null);
  const message = 'must be equal to one of the allowed values';
  return value => {
    if (scalars.has(value)) return undefined;
    if (typeof value !== 'object') return message;
    spend(objects.length);
    return objects.some(one => equal(value, one)) ? undefined : message;
  };
}

function patternKeyword(source: string, schema: Schema, patterns: Patterns): Assertion {
  const pattern = patternIn(schema, 'pattern', source, patterns);
  return ofText(text => pattern.test(text), `must match pattern "${source}"`);
}

function formatKeyword(name: string, _: Schema, { spend }: Patterns): Assertion {
  const fits = formatCheck(name, spend);
  return value => (fits === undefined || fits(value) ? undefined : `must match format "${name}"`);
}

function uniqueItemsKeyword(isUnique: boolean, _: Schema, { spend }: Patterns): Assertion {
  return ofItems(items => {
    if (!isUnique) return true;
    spend(items.length);
    return new Set(items.map(item => canonicalize(item))).size === items.length;
  }, 'must NOT have duplicate items');
}

function requiredKeyword(names: readonly string[]): Assertion {
  return ofMembers(value => {
    const missing = names.find(name => !Object.hasOwn(value, name));
    return missing === undefined ? undefined : `must have required property '${missing}'`;
  });
}

/** Also for `dependencies`, whose lists of names mean the same. */
function dependentRequiredKeyword(dependents: Readonly<Record<string, unknown>>): Assertion {
  const lists = Object.entries(dependents).filter((entry): entry is [string, string[]] => Array.isArray(entry[1]));
  return ofMembers(value => {
    for (const [name, names] of lists) {
      const missing = Object.hasOwn(value, name) ? names.find(one => !Object.hasOwn(value, one)) : undefined;
      if (missing !== undefined) return `must have property ${missing} when property ${name} is present`;
    }
    return undefined;
  });
}

/** The length in code points, counted no further than decides. */
function lengthOf(text: string, limit: number): number {
  if (text.length < limit || text.length > 2 * limit + 1) return text.length;
  let length = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) as number) > 0xff_ff ? 2 : 1) length++;
  return length;
}

/** Whether two JSON values are the same, in time that the second bounds. */
function equal(value: unknown, constant: unknown): boolean {
  const open: [one: unknown, other: unknown][] = [[value, constant]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [one, other] = pair;
    if (one === other) continue;
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
    if (Array.isArray(one) !== Array.isArray(other)) return false;
    const names = Object.keys(other);
    if (Object.keys(one).length !== names.length) return false;
    for (const name of names) {
      if (!Object.hasOwn(one, name)) return false;
      open.push([own(one, name), own(other, name)]);
    }
  }
  return true;
}
