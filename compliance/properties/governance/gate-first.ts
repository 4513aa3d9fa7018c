import { crashTwin } from '../audit/crash-twins.js';
import { anyProgram } from '../cases.js';
import { chain } from '../drawn.js';
import { programProperty } from '../program-property.js';

/** Nothing runs that governance has not allowed. */
export const gateFirst = programProperty({
  id: 'governance/gate-first',
  title: 'an allowed governance gate is in the log before each instance starts',
  requirements: ['G1'],
  capabilities: ['audit', 'governance'],
  cases: anyProgram,
  weight: 0.5,
  control: { title: 'the gate of a chain of three', case: chain(3) },
  twins: [crashTwin('G1')],
});
