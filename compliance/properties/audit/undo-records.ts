import { FAILS, gives, undone } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { actionRecord, changed, withLog } from '../tamper.js';

/** What was undone had been committed. */
export const undoRecords = programProperty({
  id: 'audit/undo-records',
  title: 'rolled_back and compensated are said of a committed execution and refer to its undo',
  requirements: ['AII2'],
  capabilities: ['audit'],
  optional: 'error nodes',
  examples: [undone(gives(2))],
  control: { title: 'an error node undoes what was committed before', case: undone(FAILS) },
  twins: [
    {
      requirement: 'AII2',
      title: 'the log in which the undo that is referred to does not exist',
      tamper: seen =>
        withLog(seen, records => changed(records, actionRecord('compensated'), { refers_to: ['elsewhere'] })),
    },
  ],
});
