import { describe, expect, it } from 'vitest';
import { isTooLarge, MAX_VALUE_SIZE } from './size.js';

describe('the size of a value', () => {
  it('counts strings, keys and what occurs again', () => {
    const half = 'x'.repeat(MAX_VALUE_SIZE / 2);
    expect(isTooLarge([half])).toBe(false);
    expect(isTooLarge([half, half])).toBe(true);
    expect(isTooLarge({ [half]: half })).toBe(true);
  });

  it('is known early of a value that doubles at each level', () => {
    let value: unknown = 'x';
    for (let at = 0; at < 60; at++) value = { a: value, b: value };
    expect(isTooLarge(value)).toBe(true);
  });
});
