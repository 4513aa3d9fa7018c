import type * as fc from 'fast-check';
import type { Capability } from '../../schemas/types.js';
import type { Subject } from './property.js';

/** One kind of case by which two runtimes are compared. */
export interface Comparison<T, S> {
  /** What such cases are, in the plural. */
  readonly name: string;
  /** What both runtimes have to claim. */
  readonly capabilities: readonly Capability[];
  /** How many of its cases are drawn, in proportion to those of other kinds. */
  readonly weight: number;
  readonly cases: fc.Arbitrary<T>;
  see(subject: Subject, value: T): Promise<S>;
  /**
   * Gives what the case decides of what was seen, without what a runtime may choose and what time decides, where both
   * claim these capabilities; undefined where the runtime says nothing of such a case.
   */
  decisions(value: T, seen: S, shared: ReadonlySet<Capability>): unknown;
}

/** A kind of case of which only what it is called and what it needs is known. */
export type AnyComparison = Comparison<unknown, unknown>;

/** Gives a kind of case as one of many. */
export function comparison<T, S>(kind: Comparison<T, S>): AnyComparison {
  return kind as unknown as AnyComparison;
}
