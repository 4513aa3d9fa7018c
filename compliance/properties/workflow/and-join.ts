import { joinProgram } from '../cases.js';
import { diamond, gatedJoin } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastOutcome } from '../seen.js';

/** An AND join executes with all its in-edges or not at all. */
export const andJoin = programProperty({
  id: 'workflow/and-join',
  title: 'an AND join executes if all in-edges are taken and is skipped if one is dead',
  requirements: ['CF4'],
  cases: joinProgram('AND'),
  examples: [diamond('AND')],
  control: { title: 'both in-edges are taken, so the join is executed', case: gatedJoin(true) },
  twins: [
    {
      requirement: 'CF4',
      title: 'the flag makes one in-edge dead, so the join is skipped',
      case: gatedJoin(false),
      contrast: contrastOutcome('join', ['success'], ['skipped']),
    },
  ],
});
