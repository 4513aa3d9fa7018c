import { isValid } from '../../schemas/index.js';
import type { SchemaTypes } from '../../schemas/types.js';
import { ArsError } from './error.js';

/** The stored document. Throws `log_corrupt` where it does not fit its schema. */
export function intact<Name extends keyof SchemaTypes>(name: Name, id: string, value: unknown): SchemaTypes[Name] {
  if (isValid(name, value)) return value as SchemaTypes[Name];
  throw new ArsError('log_corrupt', `The stored ${name} '${id}' does not fit its schema; put it anew.`, {
    details: { name, id },
  });
}
