import type { LedgerEntry, Observation } from '../../program.js';
import { valueProgram } from '../cases.js';
import { mapped } from '../drawn.js';
import { programProperty } from '../program-property.js';

/** An action node executes its own action, once, with the inputs and outputs of its mappings. */
export const nodes = programProperty({
  id: 'workflow/nodes',
  title: 'an action node executes its own action, once, with the inputs and outputs that its mappings give',
  requirements: ['AN1', 'AN2', 'AN5', 'CF7', 'EB2', 'EB3'],
  cases: valueProgram,
  control: { title: 'two nodes whose values are passed on to the outputs of the workflow', case: mapped() },
  twins: [
    {
      requirement: 'AN1',
      title: 'a ledger in which another action was invoked',
      tamper: seen => withEntry(seen, entry => ({ ...entry, action_id: 'other' })),
    },
    {
      requirement: 'AN2',
      title: 'a trace in which a committed node failed',
      tamper: seen => traced(seen, 'b', 'failure'),
    },
    {
      requirement: 'AN5',
      title: 'a ledger in which a committed node is executed again',
      tamper: seen => ({ ...seen, ledger: [...seen.ledger, again(seen)] }),
    },
    {
      requirement: 'CF7',
      title: 'a trace in which the start was skipped',
      tamper: seen => traced(seen, 'a', 'skipped'),
    },
    {
      requirement: 'EB2',
      title: 'a ledger with other inputs than the mapping gives',
      tamper: seen => withEntry(seen, entry => ({ ...entry, inputs: { other: 1 } })),
    },
    {
      requirement: 'EB3',
      title: 'other outputs of the workflow than the mapping gives',
      tamper: seen => (seen.wait === undefined ? seen : { ...seen, wait: { ...seen.wait, outputs: { out: 'other' } } }),
    },
  ],
});

function withEntry(seen: Observation, change: (entry: LedgerEntry) => LedgerEntry): Observation {
  return { ...seen, ledger: seen.ledger.map((entry, index) => (index === 0 ? change(entry) : entry)) };
}

function traced(seen: Observation, node_id: string, outcome: string): Observation {
  if (seen.wait === undefined) return seen;
  const trace = seen.wait.trace.map(entry => (entry.node_id === node_id ? { ...entry, outcome } : entry));
  return { ...seen, wait: { ...seen.wait, trace } };
}

function again(seen: Observation): LedgerEntry {
  const first = seen.ledger[0] as LedgerEntry;
  const last = Math.max(...seen.ledger.map(({ received_at }) => received_at));
  return {
    ...first,
    execution_id: 'again',
    ordinal: seen.ledger.length + 1,
    received_at: last + 2,
    replied_at: last + 3,
  };
}
