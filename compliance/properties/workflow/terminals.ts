import { graphProgram } from '../cases.js';
import { twoEnds } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastStatus } from '../seen.js';

/** The terminals that were reached give the status. */
export const terminals = programProperty({
  id: 'workflow/terminals',
  title: 'a ready terminal resolves with its status, and the worst of them is the status of the instance',
  requirements: ['TN1', 'TN2'],
  cases: graphProgram,
  examples: [twoEnds('compensated')],
  control: { title: 'of a completed and a failed terminal the failed one gives the status', case: twoEnds('failed') },
  twins: ['TN1', 'TN2'].map(requirement => ({
    requirement,
    title: 'with two completed terminals the instance is completed',
    case: twoEnds('completed'),
    contrast: contrastStatus('failed', 'completed'),
  })),
});
