import { isMembers, type Patterns, patternIn } from './schema-assertions.js';
import type { Part, Scope } from './schema-evaluation.js';

type Schema = Readonly<Record<string, unknown>>;

/** A part to be applied to a value: to the same one, or under its key to one that is in it. */
export type Task = readonly [part: Part, value: unknown, key?: string | number];

/** What a keyword knows of its place while a value is checked. */
export interface Standing {
  /** The names and indexes that have been looked at in the value, where something asks for them, from `since` on by this part. */
  readonly marks: (string | number)[] | undefined;
  readonly since: number;
  /** The resources that its part was reached by, where a reference asks for them. */
  readonly scope: Scope | undefined;
}

/**
 * Applies parts to a value or to what is in it: yields what is to be checked, is told whether it fits, and returns in
 * words what is wrong; nothing to add where a part has told it. Undefined where the value is none for the keyword.
 */
export type Applicator = (value: unknown, at: Standing) => Applying | undefined;
export type Applying = Generator<Task, string | undefined, boolean>;

/** What is wrong has been told by a part. */
const TOLD = '';

/** Gives the part that a schema is. */
type PartOf = (schema: unknown) => Part;

type Keyword = (operand: never, schema: Schema, partOf: PartOf, patterns: Patterns) => Applicator;

/** Gives the keywords of a schema that apply parts, those last that ask what others have looked at. */
export function applicatorsOf(schema: Schema, partOf: PartOf, patterns: Patterns): Applicator[] {
  const applicators: Applicator[] = [];
  for (const [name, keyword] of KEYWORDS)
    if (Object.hasOwn(schema, name)) applicators.push(keyword(schema[name] as never, schema, partOf, patterns));
  return applicators;
}

/** Applies one part to the same value. */
export function reference(partOf: (at: Standing) => Part): Applicator {
  return function* (value, at) {
    return (yield [partOf(at), value]) ? undefined : TOLD;
  };
}

const KEYWORDS: readonly (readonly [name: string, keyword: Keyword])[] = [
  ['prefixItems', prefixItems],
  ['items', items],
  ['contains', contains],
  ['properties', properties],
  ['patternProperties', patternProperties],
  ['additionalProperties', additionalProperties],
  ['propertyNames', propertyNames],
  ['dependentSchemas', dependentSchemas],
  ['dependencies', dependentSchemas],
  ['allOf', allOf],
  ['anyOf', anyOf],
  ['oneOf', oneOf],
  ['not', not],
  ['if', conditional],
  ['unevaluatedItems', unevaluatedItems],
  ['unevaluatedProperties', unevaluatedProperties],
];

type Items = readonly unknown[];
type Members = Readonly<Record<string, unknown>>;

/** The names of the members, at the price of going through them. */
function namesOf(value: Members, { spend }: Patterns): string[] {
  const names = Object.keys(value);
  spend(names.length);
  return names;
}

function forItems(apply: (value: Items, at: Standing) => Applying): Applicator {
  return (value, at) => (Array.isArray(value) ? apply(value, at) : undefined);
}

function forMembers(apply: (value: Members, at: Standing) => Applying): Applicator {
  return (value, at) => (isMembers(value) ? apply(value, at) : undefined);
}

function prefixItems(schemas: Items, _: Schema, partOf: PartOf): Applicator {
  const parts = schemas.map(partOf);
  return forItems(function* (value, { marks }) {
    for (const [index, part] of parts.slice(0, value.length).entries()) {
      if (!(yield [part, value[index], index])) return TOLD;
      marks?.push(index);
    }
    return undefined;
  });
}

function items(schema: unknown, { prefixItems: before }: Schema, partOf: PartOf): Applicator {
  const part = partOf(schema);
  const from = Array.isArray(before) ? before.length : 0;
  return forItems(function* (value, { marks }) {
    for (let index = from; index < value.length; index++) {
      if (!(yield [part, value[index], index])) return TOLD;
      marks?.push(index);
    }
    return undefined;
  });
}

function contains(schema: unknown, { minContains = 1, maxContains }: Schema, partOf: PartOf): Applicator {
  const part = partOf(schema);
  const least = minContains as number;
  const most = maxContains as number | undefined;
  const message = `must contain at least ${least}${most === undefined ? '' : ` and no more than ${most}`} valid item(s)`;
  return forItems(function* (value, { marks }) {
    let count = 0;
    for (const [index, item] of value.entries()) {
      if (count >= least && most === undefined && marks === undefined) break;
      if (!(yield [part, item, index])) continue;
      marks?.push(index);
      if (++count > (most ?? count)) return message;
    }
    return count < least ? message : undefined;
  });
}

/** From how many properties on the members of the value are gone through instead. */
const MANY = 32;

function properties(schemas: Members, _: Schema, partOf: PartOf, patterns: Patterns): Applicator {
  const parts = new Map(Object.entries(schemas).map(([name, schema]) => [name, partOf(schema)]));
  return forMembers(function* (value, { marks }) {
    for (const name of parts.size > MANY ? namesOf(value, patterns) : parts.keys()) {
      const part = parts.get(name);
      if (part === undefined || !Object.hasOwn(value, name)) continue;
      if (!(yield [part, value[name], name])) return TOLD;
      marks?.push(name);
    }
    return undefined;
  });
}

function patternProperties(schemas: Members, schema: Schema, partOf: PartOf, patterns: Patterns): Applicator {
  const parts = Object.entries(schemas).map(
    ([source, inner]) => [patternIn(schema, 'patternProperties', source, patterns), partOf(inner)] as const,
  );
  return forMembers(function* (value, { marks }) {
    for (const name of namesOf(value, patterns))
      for (const [pattern, part] of parts) {
        if (!pattern.test(name)) continue;
        if (!(yield [part, value[name], name])) return TOLD;
        marks?.push(name);
      }
    return undefined;
  });
}

function additionalProperties(inner: unknown, schema: Schema, partOf: PartOf, patterns: Patterns): Applicator {
  const part = partOf(inner);
  const names = new Set(Object.keys(Object.hasOwn(schema, 'properties') ? (schema.properties as object) : {}));
  const sources = Object.hasOwn(schema, 'patternProperties') ? Object.keys(schema.patternProperties as object) : [];
  const listed = sources.map(source => patternIn(schema, 'patternProperties', source, patterns));
  return forMembers(function* (value, { marks }) {
    for (const name of namesOf(value, patterns)) {
      if (names.has(name) || listed.some(pattern => pattern.test(name))) continue;
      if (inner === false) return 'must NOT have additional properties';
      if (!(yield [part, value[name], name])) return TOLD;
      marks?.push(name);
    }
    return undefined;
  });
}

function propertyNames(schema: unknown, _: Schema, partOf: PartOf, patterns: Patterns): Applicator {
  const part = partOf(schema);
  return forMembers(function* (value) {
    for (const name of namesOf(value, patterns)) if (!(yield [part, name, name])) return 'property name must be valid';
    return undefined;
  });
}

/** Also for `dependencies`, whose schemas mean the same. */
function dependentSchemas(schemas: Members, _: Schema, partOf: PartOf, { spend }: Patterns): Applicator {
  const parts = Object.entries(schemas)
    .filter(([, schema]) => !Array.isArray(schema))
    .map(([name, schema]) => [name, partOf(schema)] as const);
  return forMembers(function* (value) {
    spend(parts.length);
    for (const [name, part] of parts) if (Object.hasOwn(value, name) && !(yield [part, value])) return TOLD;
    return undefined;
  });
}

function allOf(schemas: Items, _: Schema, partOf: PartOf): Applicator {
  const parts = schemas.map(partOf);
  return function* (value) {
    for (const part of parts) if (!(yield [part, value])) return TOLD;
    return undefined;
  };
}

function anyOf(schemas: Items, _: Schema, partOf: PartOf): Applicator {
  const parts = schemas.map(partOf);
  return function* (value, { marks }) {
    let fits = false;
    for (const part of parts) {
      if (!(yield [part, value])) continue;
      fits = true;
      if (marks === undefined) break;
    }
    return fits ? undefined : 'must match a schema in anyOf';
  };
}

function oneOf(schemas: Items, _: Schema, partOf: PartOf): Applicator {
  const parts = schemas.map(partOf);
  return function* (value) {
    let count = 0;
    for (const part of parts) if ((yield [part, value]) && ++count > 1) break;
    return count === 1 ? undefined : 'must match exactly one schema in oneOf';
  };
}

function not(schema: unknown, _: Schema, partOf: PartOf): Applicator {
  const part = partOf(schema);
  return function* (value) {
    return (yield [part, value]) ? 'must NOT be valid' : undefined;
  };
}

function conditional(schema: unknown, siblings: Schema, partOf: PartOf): Applicator {
  const part = partOf(schema);
  const [then, otherwise] = (['then', 'else'] as const).map(name =>
    Object.hasOwn(siblings, name) ? partOf(siblings[name]) : undefined,
  );
  return function* (value) {
    const fits = yield [part, value];
    const next = fits ? then : otherwise;
    return next === undefined || (yield [next, value]) ? undefined : `must match "${fits ? 'then' : 'else'}" schema`;
  };
}

function unevaluatedItems(schema: unknown, _: Schema, partOf: PartOf, { spend }: Patterns): Applicator {
  const part = partOf(schema);
  return forItems(function* (value, { marks = [], since }) {
    spend(marks.length - since + value.length);
    const seen = new Set(marks.slice(since));
    for (const [index, item] of value.entries()) {
      if (seen.has(index)) continue;
      if (schema === false) return 'must NOT have unevaluated items';
      if (!(yield [part, item, index])) return TOLD;
      marks.push(index);
    }
    return undefined;
  });
}

function unevaluatedProperties(schema: unknown, _: Schema, partOf: PartOf, patterns: Patterns): Applicator {
  const part = partOf(schema);
  return forMembers(function* (value, { marks = [], since }) {
    patterns.spend(marks.length - since);
    const seen = new Set(marks.slice(since));
    for (const name of namesOf(value, patterns)) {
      if (seen.has(name)) continue;
      if (schema === false) return 'must NOT have unevaluated properties';
      if (!(yield [part, value[name], name])) return TOLD;
      marks.push(name);
    }
    return undefined;
  });
}
