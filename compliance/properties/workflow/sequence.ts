import { graphProgram } from '../cases.js';
import { chain, FAILS, scripted } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastOutcome } from '../seen.js';

/** A node starts after the predecessor whose edge it follows, with what that gave. */
export const sequence = programProperty({
  id: 'workflow/sequence',
  title: 'a node starts only after its predecessor has resolved and its outputs are there',
  requirements: ['CF1', 'PC4'],
  cases: graphProgram,
  control: { title: 'in a chain of three all are executed, one after the other', case: chain(3) },
  twins: ['CF1', 'PC4'].map(requirement => ({
    requirement,
    title: 'the first fails, so the second is skipped',
    case: scripted(chain(3), { n1: [FAILS] }),
    contrast: contrastOutcome('n2', ['success'], ['skipped']),
  })),
});
