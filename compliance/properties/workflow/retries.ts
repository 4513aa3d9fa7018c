import type { Observation } from '../../program.js';
import { anyProgram } from '../cases.js';
import { failing } from '../drawn.js';
import { programProperty } from '../program-property.js';

/** Retries are counted by node, bounded, and share one key. */
export const retries = programProperty({
  id: 'workflow/retries',
  title: 'a node is invoked as often as its error class, policy and determinism say, under one idempotency key',
  requirements: ['CF9', 'CF10', 'ID1'],
  cases: anyProgram,
  control: { title: 'a network error of a deterministic action is retried three times', case: failing('always', 'E1') },
  twins: [
    {
      requirement: 'CF9',
      title: 'a ledger without the last retry',
      tamper: seen => ({ ...seen, ledger: seen.ledger.filter(({ attempt }) => attempt !== 4) }),
    },
    { requirement: 'CF10', title: 'a trace with one attempt more', tamper: oneMore },
    {
      requirement: 'ID1',
      title: 'a ledger in which a retry has another key',
      tamper: seen => ({
        ...seen,
        ledger: seen.ledger.map(entry => (entry.attempt === 2 ? { ...entry, idempotency_key: 'other' } : entry)),
      }),
    },
  ],
});

function oneMore(seen: Observation): Observation {
  if (seen.wait === undefined) return seen;
  const trace = seen.wait.trace.map(entry => (entry.attempts > 0 ? { ...entry, attempts: entry.attempts + 1 } : entry));
  return { ...seen, wait: { ...seen.wait, trace } };
}
