import { validate } from '../../schemas/index.js';
import type { SchemaTypes } from '../../schemas/types.js';
import { ArsError } from './error.js';
import { canonicalize } from './state/canonical.js';

/** A copy of the parameters, without members that are undefined. Throws `invalid_document` where they miss their schema. */
export function checked<Name extends keyof SchemaTypes>(name: Name, params: unknown): SchemaTypes[Name] {
  const value = copy(withoutUndefined(params ?? {}));
  const defect = validate(name, value)[0];
  if (defect === undefined) return value as SchemaTypes[Name];
  const { message, pointer } = defect;
  throw new ArsError('invalid_document', message, { details: { pointer } });
}

function withoutUndefined(params: unknown): unknown {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return params;
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}

/** The value as its canonical form says it, so that nothing its owner changes later reaches an instance. */
export function copy<T>(value: T): T {
  return JSON.parse(canonicalOf(value)) as T;
}

/** The canonical form of a value that somebody gave. Throws `not_canonical`. */
export function canonicalOf(value: unknown): string {
  try {
    return canonicalize(value);
  } catch (cause) {
    if (cause instanceof ArsError) throw cause;
    throw new ArsError('not_canonical', 'The value cannot be read: looking at it throws.', { cause });
  }
}
