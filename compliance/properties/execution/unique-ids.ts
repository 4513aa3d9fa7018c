import { crashTwin } from '../audit/crash-twins.js';
import { killedProgram } from '../cases.js';
import { chain } from '../drawn.js';
import { programProperty } from '../program-property.js';

/** No execution id is used twice in a workspace's life. */
export const uniqueIds = programProperty({
  id: 'execution/unique-ids',
  title: 'execution ids are unique across restarts',
  kind: 'kill',
  requirements: ['EX1'],
  capabilities: ['audit'],
  cases: killedProgram,
  weight: 0.15,
  control: {
    title: 'executions before and after a restart have different ids',
    case: chain(3, [{ at: 'invocation', ordinal: 2, when: 'receipt' }]),
  },
  twins: [crashTwin('EX1')],
});
