import type { Colors } from '../code-frame.js';
import type { Outcome } from '../judged.js';
import type { PathBase } from './source-uri.js';

/** What a reader wants of the output. */
export interface FormatOptions {
  readonly colors: Colors;
  /** Whether a long list is told in full. */
  readonly all: boolean;
  /** Whether only errors are told. */
  readonly quiet: boolean;
  readonly paths: PathBase;
  /** How many columns the window has; absent where the output goes to none. */
  readonly columns?: number;
  /** The version of the verifier. */
  readonly version: string;
}

/** Gives an outcome piece by piece, in an order in which the pieces can be written as they come. */
export type Format = (outcome: Outcome, options: FormatOptions) => Iterable<string>;
