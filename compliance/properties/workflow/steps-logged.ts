import { anyProgram } from '../cases.js';
import { chain } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { actionRecord, changed, withLog, without } from '../tamper.js';

/** The log and the suite's ledger tell of the same executions. */
export const stepsLogged = programProperty({
  id: 'workflow/steps-logged',
  title: 'everything that is executed is in the log, under its instance, and nothing else is',
  requirements: ['WII2', 'WII7', 'EC1', 'AM1', 'P1'],
  capabilities: ['audit'],
  cases: anyProgram,
  control: { title: 'three invocations, three pending and three committed records', case: chain(3) },
  twins: [
    {
      requirement: 'WII2',
      title: 'the log without one pending record',
      tamper: seen => withLog(seen, records => without(records, actionRecord('pending'))),
    },
    {
      requirement: 'P1',
      title: 'the log in which another agent is said to have acted',
      tamper: seen =>
        withLog(seen, records => changed(records, actionRecord('pending'), { agent_id: 'somebody-else' })),
    },
    {
      requirement: 'WII7',
      title: 'the log with a record under an instance that was never started',
      tamper: seen =>
        withLog(seen, records => changed(records, actionRecord('pending'), { parent_execution_id: 'elsewhere' })),
    },
    {
      requirement: 'EC1',
      title: 'the log with other inputs than were sent',
      tamper: seen => withLog(seen, records => changed(records, actionRecord('pending'), { inputs: { other: 1 } })),
    },
    {
      requirement: 'AM1',
      title: 'the log without the start of the instance',
      tamper: seen => withLog(seen, records => without(records, record => record.status === 'workflow_started')),
    },
  ],
});
