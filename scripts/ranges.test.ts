import fc from 'fast-check';
import { expect, test } from 'vitest';
import { satisfiesRange } from '../compliance/model/range.js';
import { highestMatch } from '../implementations/typescript/workflow/resolve.js';

const PIECES = ['1', '0', '2', '10', '01', '.', '.', 'x', '*', 'X', 'v', '-', '-rc', '-0', '+b', ' ', ' - ', '||', 'a'];
const SIGNS = ['~', '^', '<', '<=', '>', '>=', '='];
const VERSIONS = ['0.0.0', '0.0.1-0', '1.0.0', '1.2.0', '1.2.3-rc.1', '1.2.3-rc.2', '1.2.3', '2.0.0', '10.0.0'];

/** Texts that are made of what ranges are made of; one in five is a range. */
const text = fc
  .array(fc.constantFrom(...PIECES, ...SIGNS, '1.2', '1.2.3', '1.2.3-rc.1'), { maxLength: 9 })
  .map(pieces => pieces.join(''));

test('the runtime and the model, which reads ranges by the table of chapter 5, take every text for the same', () => {
  let satisfied = 0;
  fc.assert(
    fc.property(text, range => {
      const found = VERSIONS.filter(version => highestMatch([{ version }], range) !== undefined);
      satisfied += found.length;
      expect([range, VERSIONS.filter(version => satisfiesRange(version, range))]).toEqual([range, found]);
    }),
    { numRuns: 4000 },
  );
  expect(satisfied).toBeGreaterThan(1000);
});
