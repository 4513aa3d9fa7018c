import { graphProgram } from '../cases.js';
import { diamond, FAILS } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastOutcome } from '../seen.js';

/** A fan-out follows each of its taken edges. */
export const fanOut = programProperty({
  id: 'workflow/fan-out',
  title: 'every taken edge of a fan-out is followed, whatever becomes of its siblings',
  requirements: ['CF3'],
  cases: graphProgram,
  control: {
    title: 'both branches of a split are executed, although one fails',
    case: diamond('OR', { quick: [FAILS] }),
  },
  twins: [
    {
      requirement: 'CF3',
      title: 'the node before the split fails, so no branch is executed',
      case: diamond('OR', { quick: [FAILS], a: [FAILS] }),
      contrast: contrastOutcome('slow', ['success'], ['skipped']),
    },
  ],
});
