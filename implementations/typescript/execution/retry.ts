import type { Determinism, ErrorClass, RetryPolicy } from '../../../schemas/types.js';

/** Retries after an error of a class where no policy asks for fewer. */
export const DEFAULT_RETRIES: Readonly<Record<ErrorClass, number>> = { E0: 1, E1: 3, E2: 0, E3: 0, E4: 0, E5: 0 };

/** The most retries that an action of a determinism gets, whatever a policy asks for. */
export const RETRY_BOUND: Readonly<Record<Determinism, number>> = {
  deterministic: 3,
  conditionally_deterministic: 2,
  non_deterministic: 0,
};

/** The part of a node and its action that retries depend on. */
export interface RetryTerms {
  readonly determinism: Determinism;
  readonly policy?: RetryPolicy;
  /** The number of the last attempt that an error node may make; neither class nor policy count then. */
  readonly last?: number;
}

/**
 * How many retries an error of this class allows in all: the smallest of the class's default, the policy and the bound.
 *
 * @requirement CF9
 */
export function retriesAllowed(error_class: ErrorClass, terms: RetryTerms): number {
  return Math.min(
    DEFAULT_RETRIES[error_class],
    terms.policy?.max_retries ?? Number.POSITIVE_INFINITY,
    RETRY_BOUND[terms.determinism],
  );
}

/** Whether the invocation with this number (from 1) may be followed by another one after an error of this class. */
export function mayRetry(attempt: number, error_class: ErrorClass, terms: RetryTerms): boolean {
  if (terms.last !== undefined) return attempt < terms.last;
  return attempt - 1 < retriesAllowed(error_class, terms);
}

/** The wait in milliseconds before the retry with this number, from 1. */
export function backoffMs(retry: number, policy: RetryPolicy | undefined): number {
  const first = policy?.backoff_ms ?? 0;
  if (first === 0) return 0;
  const wait = first * (policy?.backoff_factor ?? 1) ** (retry - 1);
  return Math.min(Math.floor(wait), policy?.max_backoff_ms ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
}
