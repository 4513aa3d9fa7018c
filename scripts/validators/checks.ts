import type { AnySchemaObject, ValidateFunction } from 'ajv';
import { type JsonSchema, schemaFiles } from '../../schemas/load.js';
import { compiler } from './compiler.js';
import { type Place, type Places, placeIn } from './places.js';

type Source = NonNullable<ValidateFunction['source']>;
/** A name that the code of a check uses but does not declare. */
export type FreeName = NonNullable<Source['scopeValues'][string]> extends Set<infer Name> ? Name : never;

/** A compiled check, and where the schema stands that it checks. */
export interface Check {
  readonly place: Place;
  readonly source: Source;
}

export interface Checks {
  /** Those of every file, by the file's identifier and the pointer to the schema. */
  readonly byPlace: ReadonlyMap<string, ReadonlyMap<string, Check>>;
  /** Where the schema stands that an entry without a check of its own refers to, by the entry's file and pointer. */
  readonly aliases: ReadonlyMap<string, ReadonlyMap<string, Place>>;
}

/** Compiles every file, every entry and every alternative; gives their checks and those that these call, each schema's once. */
export function compiledChecks(places: Places, alternatives: readonly JsonSchema[]): Checks {
  const ajv = compiler();
  const open = alternatives.map(schema => ajv.compile(schema as AnySchemaObject));
  const byPlace = new Map<string, Map<string, Check>>();
  const aliases = new Map<string, Map<string, Place>>();
  for (const [id, { $defs = {} }] of schemaFiles()) {
    byPlace.set(id, new Map());
    aliases.set(id, new Map());
    for (const pointer of ['', ...Object.keys($defs as object).map(entry => `/$defs/${entry}`)]) {
      const validator = ajv.getSchema(pointer === '' ? id : `${id}#${pointer}`);
      if (validator === undefined) continue;
      open.push(validator);
      const place = placeIn(places, validator.schema);
      if (place.id !== id || place.pointer !== pointer) aliases.get(id)?.set(pointer, place);
    }
  }
  // The list grows while it is gone through.
  for (const { schema, source } of open) {
    const place = placeIn(places, schema);
    const own = byPlace.get(place.id);
    if (own === undefined || source === undefined || own.has(place.pointer)) continue;
    own.set(place.pointer, { place, source });
    open.push(...freeNames(source).flatMap(name => functionBehind(name) ?? []));
  }
  return { byPlace, aliases };
}

/** The names that the code of a check uses but does not declare. */
export function freeNames({ scopeValues }: Source): FreeName[] {
  return Object.values(scopeValues).flatMap(names => [...(names ?? [])]);
}

/** The check that a name stands for: itself, or in the property `validate` of what was not compiled yet when it was used. */
export function functionBehind({ prefix, value }: FreeName): ValidateFunction | undefined {
  if (prefix === 'validate') return value?.ref as ValidateFunction;
  if (prefix === 'root' || prefix === 'wrapper')
    return (value?.ref as { readonly validate?: ValidateFunction } | undefined)?.validate;
  return undefined;
}
