import type { ErrorClass } from '../../../schemas/types.js';
import type { LedgerEntry, Observation, Program } from '../../program.js';
import { anyProgram } from '../cases.js';
import { failing, gives, scripted } from '../drawn.js';
import { programProperty } from '../program-property.js';

/** Retries are counted by node, bounded, and share one key. */
export const retries = programProperty({
  id: 'workflow/retries',
  title: 'a node is invoked as often as its error class, policy and determinism say, under one idempotency key',
  requirements: ['CF9', 'CF10', 'ID1'],
  cases: anyProgram,
  examples: [
    ...(['E1', 'E2', 'E3'] as const).map(error_class => failing('success', error_class)),
    ...(['E1', 'E2', 'E3'] as const).map(recovering),
    ...[1, 2, 3, 0].map(policed),
  ],
  control: { title: 'a network error of a deterministic action is retried three times', case: failing('always', 'E1') },
  twins: [
    {
      requirement: 'CF9',
      title: 'a ledger with one retry more',
      tamper: seen => ({ ...seen, ledger: [...seen.ledger, fifth(seen)] }),
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

/** An action that fails twice and then succeeds. */
function recovering(error_class: ErrorClass): Program {
  const program = failing('success', error_class);
  const [fails] = program.script.nodes.a ?? [];
  return fails === undefined ? program : scripted(program, { a: [fails, fails, gives(1)] });
}

/** A network error that never ends, of a node with a policy of its own. */
function policed(max_retries: number): Program {
  const program = failing('success', 'E1');
  const nodes = program.workflow.nodes.map(node =>
    node.node_id === 'a' && node.type === 'action' ? { ...node, retry_policy: { max_retries } } : node,
  );
  return { ...program, workflow: { ...program.workflow, nodes } };
}

/** The last attempt, once more. */
function fifth({ ledger }: Observation): LedgerEntry {
  const last = ledger.findLast(({ attempt }) => attempt === 4) as LedgerEntry;
  const position = Math.max(...ledger.map(({ received_at, replied_at = 0 }) => Math.max(received_at, replied_at)));
  return {
    ...last,
    execution_id: 'fifth',
    attempt: 5,
    ordinal: ledger.length + 1,
    received_at: position + 1,
    replied_at: position + 2,
  };
}

function oneMore(seen: Observation): Observation {
  if (seen.wait === undefined) return seen;
  const trace = seen.wait.trace.map(entry => (entry.attempts > 0 ? { ...entry, attempts: entry.attempts + 1 } : entry));
  return { ...seen, wait: { ...seen.wait, trace } };
}
