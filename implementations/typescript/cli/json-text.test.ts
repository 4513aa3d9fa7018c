import { expect, it } from 'vitest';
import { jsonText } from './json-text.js';

const DEPTH = 50_000;

it('a value is written as JSON.stringify writes it', () => {
  const value = { a: [1, 'x', null], b: undefined, c: {} };
  expect(jsonText(value)).toBe(JSON.stringify(value));
  expect(jsonText(value, 2)).toBe(JSON.stringify(value, null, 2));
});

it('a value that is nested more deeply than the stack allows is written all the same', () => {
  let value: unknown = { 'a"b': [], c: undefined, d: 1 };
  for (let at = 0; at < DEPTH; at++) value = at % 2 === 0 ? [0, value] : { x: value, y: true };
  expect(() => JSON.stringify(value)).toThrow(RangeError);
  const text = jsonText(value, 2);
  expect(text).toContain('[0,{"a\\"b":[],"d":1}]');
  expect(text.startsWith('{"x":[0,{"x":[0,')).toBe(true);
  expect(text.endsWith(',"y":true}],"y":true}')).toBe(true);
});
