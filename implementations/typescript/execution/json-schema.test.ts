import { describe, expect, it } from 'vitest';
import { compileSchema } from './json-schema.js';

describe('the check of a schema that a document brings along', () => {
  it('says what does not fit', () => {
    const check = compileSchema({ type: 'object', properties: { a: { type: 'string' } } }, 'inputs');
    expect(check({ a: 'x' })).toBeUndefined();
    expect(check({ a: 1 })).toMatch(/a must be string/);
  });

  it('ends where references double the work at each step', () => {
    const doubling = (steps: number) => {
      const $defs: Record<string, object> = { [`x${steps}`]: { type: 'string' } };
      for (let at = 0; at < steps; at++) {
        const next = { $ref: `#/$defs/x${at + 1}` };
        $defs[`x${at}`] = { anyOf: [next, next] };
      }
      return compileSchema({ $defs, $ref: '#/$defs/x0' }, 'inputs');
    };
    expect(doubling(30)(5)).toMatch(/steps/);
    expect(doubling(10)(5)).toMatch(/string/);
    expect(doubling(10)('text')).toBeUndefined();
  });

  it('takes a list of a hundred thousand things, each checked by reference and all of them different', () => {
    const $defs = { thing: { type: 'object', properties: { a: { type: 'integer' } } } };
    const check = compileSchema(
      { $defs, type: 'array', uniqueItems: true, items: { $ref: '#/$defs/thing' } },
      'inputs',
    );
    const things = Array.from({ length: 100_000 }, (_, a) => ({ a }));
    expect(check(things)).toBeUndefined();
    expect(check([...things, { a: 0 }])).toBeTypeOf('string');
  });

  it('ends for a value that is deeper than its own recursion can go', () => {
    const $defs = { tree: { properties: { a: { $ref: '#/$defs/tree' } } } };
    const check = compileSchema({ $defs, $ref: '#/$defs/tree' }, 'inputs');
    const chain = (depth: number): object => {
      let value = {};
      for (let at = 0; at < depth; at++) value = { a: value };
      return value;
    };
    expect(check(chain(10))).toBeUndefined();
    expect(check(chain(200_000))).toMatch(/deep/);
  });
});
