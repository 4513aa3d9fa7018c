import { killedProgram } from '../cases.js';
import { chain } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { crashTwin } from './crash-twins.js';

/** What was exported once is exported again, byte for byte. */
export const appendOnly = programProperty({
  id: 'audit/append-only',
  title: 'no byte of an earlier record changes, killed at any instant and up to three times',
  kind: 'kill',
  requirements: ['AII6'],
  capabilities: ['audit'],
  cases: killedProgram,
  weight: 0.15,
  control: {
    title: 'the log after the restart begins the log at the end',
    case: chain(3, [{ at: 'invocation', ordinal: 2, when: 'receipt' }]),
  },
  twins: [crashTwin('AII6')],
});
