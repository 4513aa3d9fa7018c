import { graphProgram } from '../cases.js';
import { choice } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { actionRecord, changed, withLog } from '../tamper.js';

/** A condition leaves no trace but its choice. */
export const conditionPure = programProperty({
  id: 'workflow/condition-pure',
  title: 'a condition causes no invocation, no record and no state change',
  requirements: ['WII6'],
  capabilities: ['audit'],
  cases: graphProgram,
  weight: 0.5,
  control: { title: 'a choice leaves nothing in the log and the ledger', case: choice(true) },
  twins: [
    {
      requirement: 'WII6',
      title: 'the log with a record that names the condition',
      tamper: seen => withLog(seen, records => changed(records, actionRecord('pending'), { node_id: 'choose' })),
    },
  ],
});
