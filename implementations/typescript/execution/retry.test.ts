import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Determinism, ErrorClass, RetryPolicy } from '../../../schemas/types.js';
import { backoffMs, DEFAULT_RETRIES, mayRetry, RETRY_BOUND, retriesAllowed } from './retry.js';

const classes = Object.keys(DEFAULT_RETRIES) as ErrorClass[];
const determinisms = Object.keys(RETRY_BOUND) as Determinism[];

describe('retries', () => {
  it('follow the class where nothing else limits them', () => {
    const allowed = classes.map(c => retriesAllowed(c, { determinism: 'deterministic' }));
    expect(allowed).toEqual([1, 3, 0, 0, 0, 0]);
  });

  it('are cut by the determinism', () => {
    expect(determinisms.map(determinism => retriesAllowed('E1', { determinism }))).toEqual([3, 2, 0]);
  });

  it('are cut, never raised, by a policy', () => {
    fc.assert(
      fc.property(fc.constantFrom(...classes), fc.constantFrom(...determinisms), fc.nat(10), (c, determinism, max) => {
        const free = retriesAllowed(c, { determinism });
        const cut = retriesAllowed(c, { determinism, policy: { max_retries: max } });
        expect(cut).toBe(Math.min(free, max));
      }),
    );
  });

  it('keep all invocations within one more than the bound, whatever the classes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...classes), { maxLength: 20 }),
        fc.constantFrom(...determinisms),
        (cs, d) => {
          let attempt = 1;
          for (const c of cs) {
            if (!mayRetry(attempt, c, { determinism: d })) break;
            attempt += 1;
          }
          expect(attempt).toBeLessThanOrEqual(1 + RETRY_BOUND[d]);
        },
      ),
    );
  });
});

describe('backoff', () => {
  it('grows by the factor up to the limit', () => {
    const policy: RetryPolicy = { max_retries: 3, backoff_ms: 10, backoff_factor: 3, max_backoff_ms: 50 };
    expect([1, 2, 3].map(k => backoffMs(k, policy))).toEqual([10, 30, 50]);
  });

  it('is nothing without a policy and stays a safe integer', () => {
    expect(backoffMs(1, undefined)).toBe(0);
    const wait = backoffMs(900, { max_retries: 1000, backoff_ms: 1, backoff_factor: 1000 });
    expect(wait).toBe(Number.MAX_SAFE_INTEGER);
  });
});
