import type { JsonObject } from './json.js';

/** What a mapping or an expression can name. Which of the roots exist depends on where it stands. */
export interface Scope {
  readonly inputs?: JsonObject;
  readonly context?: JsonObject;
  /** The outputs of each node that has any. */
  readonly nodes?: ReadonlyMap<string, JsonObject>;
  readonly result?: JsonObject;
  readonly exit_code?: number;
  /** The failure that an error node takes up. */
  readonly error?: JsonObject;
}
