import { anyProgram } from '../cases.js';
import { choice, gatedJoin } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastOutcome } from '../seen.js';

/** Nothing hangs: every node is executed or skipped, and the terminals that were reached give the status. */
export const resolution = programProperty({
  id: 'workflow/resolution',
  title: 'an instance ends with every node resolved or skipped, in the status of its worst terminal',
  requirements: ['CF8', 'TN2'],
  cases: anyProgram,
  examples: [choice(true), choice(false)],
  control: { title: 'a dead edge skips the join and what follows it, and the instance ends', case: gatedJoin(false) },
  twins: ['CF8', 'TN2'].map(requirement => ({
    requirement,
    title: 'where the edge is taken nothing behind the join is skipped',
    case: gatedJoin(true),
    contrast: contrastOutcome('done', ['skipped'], ['completed']),
  })),
});
