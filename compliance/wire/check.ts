import { type SchemaName, validate } from '../../schemas/index.js';

/** One way in which a message does not fit its schema. */
export interface Misfit {
  /** RFC 6901 pointer into the message's params, result or error. */
  readonly pointer: string;
  readonly message: string;
}

/** The ways in which a value does not fit the schema of that name; none where it fits. */
export function misfits(schema: SchemaName, value: unknown): readonly Misfit[] {
  return validate(schema, value).map(({ pointer, message }) => ({ pointer, message }));
}
