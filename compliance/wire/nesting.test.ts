import { describe, expect, it } from 'vitest';
import { isDeeper } from './nesting.js';

describe('isDeeper', () => {
  it.each([
    ['[[1]]', 2, false],
    ['[[1]]', 1, true],
    ['{"a":[{"b":1}]}', 2, true],
    ['[[],[],[]]', 2, false],
    ['["[[[["]', 1, false],
    ['["\\"[[[["]', 1, false],
    ['["\\\\",[]]', 1, true],
  ])('counts the levels of %s', (text, levels, deeper) => {
    expect(isDeeper(text, levels)).toBe(deeper);
  });

  it('needs no stack', () => {
    expect(isDeeper('['.repeat(1_000_000))).toBe(true);
  });
});
