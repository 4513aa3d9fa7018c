import { anyProgram } from '../cases.js';
import { chain } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { actionRecord, changed, failedAgain, repeated, withLog, without } from '../tamper.js';

/** The records of each execution follow the commit protocol. */
export const commits = programProperty({
  id: 'audit/commits',
  title: 'an execution is committed at most once, after pending, for one action, and stays committed',
  requirements: ['AII1', 'AII3', 'AII7', 'CLI2'],
  capabilities: ['audit'],
  cases: anyProgram,
  control: { title: 'three executions, each pending and then committed', case: chain(3) },
  twins: [
    {
      requirement: 'AII1',
      title: 'the log with a second committed record of one execution',
      tamper: seen => withLog(seen, records => repeated(records, actionRecord('committed'))),
    },
    {
      requirement: 'AII3',
      title: 'the log without the pending record of a committed execution',
      tamper: seen => withLog(seen, records => without(records, actionRecord('pending'))),
    },
    {
      requirement: 'AII7',
      title: 'the log with a committed execution that fails afterwards',
      tamper: seen => withLog(seen, records => failedAgain(records, 1)),
    },
    {
      requirement: 'CLI2',
      title: 'the log with a committed record of another action',
      tamper: seen => withLog(seen, records => changed(records, actionRecord('committed'), { action_id: 'other' })),
    },
  ],
});
