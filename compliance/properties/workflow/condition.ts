import { graphProgram } from '../cases.js';
import { choice } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastOutcome } from '../seen.js';

/** A condition takes the label of its value. */
export const condition = programProperty({
  id: 'workflow/condition',
  title: 'a condition resolves with the label that fits the value of its expression',
  requirements: ['CN1'],
  cases: graphProgram,
  control: { title: 'a true flag takes the label true', case: choice(true) },
  twins: [
    {
      requirement: 'CN1',
      title: 'a false flag takes the label false',
      case: choice(false),
      contrast: contrastOutcome('choose', ['true'], ['false']),
    },
  ],
});
