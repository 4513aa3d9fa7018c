import { graphProgram } from '../cases.js';
import { choice, gatedJoin } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastOutcome } from '../seen.js';

/** Nothing hangs: every node is executed or skipped. */
export const resolution = programProperty({
  id: 'workflow/resolution',
  title: 'an instance ends with every node resolved or skipped',
  requirements: ['CF8', 'EB4'],
  cases: graphProgram,
  examples: [choice(true), choice(false)],
  control: { title: 'a dead edge skips the join and what follows it, and the instance ends', case: gatedJoin(false) },
  twins: ['CF8', 'EB4'].map(requirement => ({
    requirement,
    title: 'where the edge is taken nothing behind the join is skipped',
    case: gatedJoin(true),
    contrast: contrastOutcome('done', ['skipped'], ['completed'], { by_trace: true }),
  })),
});
