import { expect, it } from 'vitest';
import { findProperty } from '../properties/index.js';
import type { Outcome } from '../runner/run.js';
import { slowestText } from './slowest.js';

it('names the slowest first, and no more than asked for', () => {
  const outcomes = [
    ['workflow/sequence', 90, 1],
    ['workflow/branch', 12_340, 5],
    ['workflow/nodes', 1_000, 2],
  ].map(([id, elapsed_ms, cases]) => ({ definition: findProperty(id as string), elapsed_ms, cases }) as Outcome);
  expect(slowestText(outcomes, 2).split('\n')).toEqual([
    'What took longest, of 3 properties:',
    '   12.3 s  workflow/branch (5 cases)',
    '    1.0 s  workflow/nodes (2 cases)',
    '',
  ]);
});
