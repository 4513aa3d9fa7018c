import { expect, it } from 'vitest';
import { compareNaturally } from './rule.js';

it('names are in the order of the numbers in them', () => {
  const names = ['', '1', '2', '9', '010', '10', '012', 'a', 'a-9-b', 'a-10-a', 'a-10-b', 'a10', 'b'];
  expect(names.toReversed().sort(compareNaturally)).toEqual(names);
});
