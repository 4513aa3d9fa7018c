import { graphProgram } from '../cases.js';
import { choice } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastOutcome } from '../seen.js';

/** A resolved node takes the edges of its outcome and no others. */
export const branch = programProperty({
  id: 'workflow/branch',
  title: 'exactly the out-edges with the label of the outcome are taken',
  requirements: ['CF2'],
  cases: graphProgram,
  control: { title: 'where the flag is true, the left action is executed', case: choice(true) },
  twins: [
    {
      requirement: 'CF2',
      title: 'where the flag is false, the left action is skipped',
      case: choice(false),
      contrast: contrastOutcome('left', ['success'], ['skipped']),
    },
  ],
});
