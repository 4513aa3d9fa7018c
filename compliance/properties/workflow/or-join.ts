import { graphProgram } from '../cases.js';
import { diamond, FAILS } from '../drawn.js';
import { programProperty } from '../program-property.js';
import { contrastOutcome } from '../seen.js';

/** An OR join waits for all its in-edges and executes once. */
export const orJoin = programProperty({
  id: 'workflow/or-join',
  title: 'an OR join waits until all in-edges are resolved, then executes once if one is taken',
  requirements: ['CF5', 'CF6'],
  cases: graphProgram,
  examples: [diamond('OR', { slow: [{ ...FAILS, delay_ms: 60 }] })],
  control: { title: 'the join starts after the slow branch, once', case: diamond('OR') },
  twins: ['CF5', 'CF6'].map(requirement => ({
    requirement,
    title: 'the node before the split fails, so the join is skipped',
    case: diamond('OR', { a: [FAILS] }),
    contrast: contrastOutcome('join', ['success'], ['skipped']),
  })),
});
