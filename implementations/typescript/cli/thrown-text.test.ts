import { expect, it } from 'vitest';
import { thrownText } from './thrown-text.js';

it('whatever was thrown has a text', () => {
  expect(thrownText(new Error('late'))).toMatch(/^Error: late\n {4}at /);
  expect(thrownText(undefined)).toBe('undefined');
  expect(thrownText(Symbol('late'))).toBe('Symbol(late)');
  expect(thrownText(Object.create(null))).toBe('what was thrown cannot be read');
});
