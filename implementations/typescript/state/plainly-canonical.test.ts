import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArsError } from '../error.js';
import { canonicalize } from './canonical.js';
import { isPlainlyCanonical } from './plainly-canonical.js';

/** Whether the text is the canonical form of its value, by making that. */
function isCanonical(text: string): boolean {
  try {
    return canonicalize(JSON.parse(text)) === text;
  } catch (error) {
    if (error instanceof ArsError) return false;
    throw error;
  }
}

const number = fc.oneof(
  fc.integer({ min: -2000, max: 2000 }),
  fc.constantFrom(0, 100, 1000, 0.5, 0.1, 0.01, 1e-7, 1e21, 1.5e22, 2 ** 53, 0.1 + 0.2, 123456789012345, 1e15 + 1),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { value: json } = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    number,
    fc.constantFrom(null, true, false, '', 'ä', '10', '9', '\u{1f600}', 'a\nb', '"', '\\', '\ud800'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'aa', '10', '9', 'ä', '__proto__', ''), tie('value'), { maxKeys: 4 }),
  ),
}));

/** Other spellings of a number, some of them of another one. */
const SPELLINGS = [
  '0',
  '-0',
  '1e2',
  '1E2',
  '1e3',
  '100',
  '1.0',
  '1e-2',
  '0.01',
  '1e21',
  '15e-1',
  '9007199254740993',
  '10e210',
];

describe('isPlainlyCanonical', () => {
  it('says so of no text that is not canonical, whatever was changed in it', () => {
    const edit = fc.record({
      at: fc.nat(),
      cut: fc.nat(3),
      put: fc.oneof(fc.constantFrom('', ' ', ',', '0', 'e', '"a":1,', '\\u0061', 'ä'), fc.constantFrom(...SPELLINGS)),
    });
    fc.assert(
      fc.property(json, fc.array(edit, { maxLength: 2 }), (value, edits) => {
        let text = JSON.stringify(value);
        for (const { at, cut, put } of edits) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + put + text.slice(place + cut);
        }
        let parsed: unknown;
        try {
          parsed = JSON.parse(text);
        } catch {
          return;
        }
        if (isPlainlyCanonical(text, parsed)) expect(isCanonical(text), text).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(
    SPELLINGS.flatMap(number => [number, `[${number}]`, `{"a":${number}}`, `[ ${number}]`, `{"b":${number},"a":1}`]),
  )('says so of %s only where it is', text => {
    expect(isPlainlyCanonical(text, JSON.parse(text)) && !isCanonical(text)).toBe(false);
  });

  it.each([
    '{"a":1,"b":[true,false,null,"x",{}],"c":{"d":-1.5}}',
    '[]',
    '{}',
    '[[],{},""]',
    '"ä"',
    '12345',
    '{"a":"😀"}',
  ])('says so of what a log is made of: %s', text => {
    expect([isCanonical(text), isPlainlyCanonical(text, JSON.parse(text))]).toEqual([true, true]);
  });

  it('says nothing of escapes, of numbers with a shorter spelling, and of members out of order', () => {
    for (const text of ['"\\n"', '100', '0.01', '{"b":1,"a":2}', '{"10":2,"9":1}', '{"a":1,"0":1}', '"\ud800"'])
      expect(isPlainlyCanonical(text, JSON.parse(text))).toBe(false);
  });
});
