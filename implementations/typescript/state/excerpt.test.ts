import { expect, it } from 'vitest';
import { excerpt } from './excerpt.js';

it('gives a short text as it is, and of a long one both ends', () => {
  expect(excerpt('abcdefghij', 10)).toBe('abcdefghij');
  expect(excerpt('abcdefghijk', 9)).toBe('abc … ijk');
  expect(() => encodeURIComponent(excerpt('😀'.repeat(10), 9))).not.toThrow();
});
