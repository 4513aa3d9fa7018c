import { describe, expect, it } from 'vitest';
import { ArsError } from '../error.js';
import { compileSchema } from './json-schema.js';

describe('the check of a schema that a document brings along', () => {
  it('says what does not fit', () => {
    const check = compileSchema({ type: 'object', properties: { a: { type: 'string' } } }, 'inputs');
    expect(check({ a: 'x' })).toBeUndefined();
    expect(check({ a: 1 })).toMatch(/a must be string/);
  });

  it('goes on at a reference to the schema itself, by "#" and by the name that it has', () => {
    const list = { type: 'array', items: { $ref: '#' } };
    const named = { $id: 'https://example.org/list', type: 'array', items: { $ref: 'https://example.org/list' } };
    for (const check of [list, named].map(schema => compileSchema(schema, 'inputs'))) {
      expect(check([[], [[]]])).toBeUndefined();
      expect(check([[], [1]])).toMatch(/must be array/);
    }
  });

  it('is the same whatever names other schemas have given themselves or their parts', () => {
    const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
    const part = { $defs: { a: { $id: 'https://example.org/part', type: 'number' } } };
    expect(compileSchema({ ...part, $ref: 'https://example.org/part' }, 'inputs')('x')).toMatch(/number/);
    expect(refusal({ $defs: { a: {} }, $ref: 'https://example.org/part' })).toBe('invalid_document');
    expect(refusal({ $id: DIALECT, type: 'number' })).toBe('invalid_document');
    expect(compileSchema({ $schema: DIALECT, type: 'string' }, 'inputs')(1)).toMatch(/string/);
    for (const type of ['number', 'boolean'])
      expect(compileSchema({ $id: 'https://example.org/same', type }, 'inputs')('x')).toMatch(type);
  });

  it.each(['$async', 'nullable', 'id'])('has %s for a note, and for the name of a member like any other', name => {
    const note = {
      [name]: true,
      properties: { [name]: { type: 'number', [name]: true } },
      not: { const: { [name]: 0 } },
    };
    const parts = { [name]: note };
    const check = compileSchema({ anyOf: [note], parts, $ref: `#/parts/${name}` }, 'inputs');
    expect([{ [name]: 1 }, {}].map(check)).toEqual([undefined, undefined]);
    for (const value of [null, 'x', 0]) expect(check({ [name]: value })).toBeTypeOf('string');
  });

  it.each(['toString', 'constructor', '__proto__', 'a/hasOwnProperty'])(
    'refuses a reference to %s, which nobody wrote, and takes it where it is written',
    name => {
      const $ref = `#/$defs/${name}`;
      expect(() => compileSchema({ $ref, $defs: { a: {} } }, 'inputs')).toThrow(/resolve reference/);
      const data = { const: { $ref } };
      expect(compileSchema(data, 'inputs')({ $ref })).toBeUndefined();
      const $defs = JSON.parse(`{"a":{"hasOwnProperty":{"type":"number"}},"${name}":{"type":"number"}}`) as object;
      const check = compileSchema({ $ref, $defs }, 'inputs');
      expect([check(1), check('x')]).toEqual([undefined, 'inputs must be number']);
    },
  );

  it('lets references be that nothing is judged by, and reads an encoded one as the compiler does', () => {
    const note = { $ref: '#/nowhere' };
    const number = { type: 'number' };
    const unused = {
      $defs: { a: note, b: { $id: 'b', $ref: '#/$defs/c' } },
      else: note,
      example: note,
      'x-note': note,
    };
    expect(compileSchema({ ...unused, ...number }, 'inputs')(1)).toBeUndefined();
    for (const schema of [note, { $ref: '#/$defs/100%', $defs: {} }])
      expect(() => compileSchema({ properties: { n: schema } }, 'inputs')).toThrow(/not a usable JSON Schema/);
    const { properties, $defs } = { properties: { n: { $id: '#', $ref: '#/$defs/a%2Fb' } }, $defs: { 'a/b': number } };
    expect(['x', 1].map(n => compileSchema({ properties, $defs }, 'inputs')({ n }))).toEqual([
      'inputs/n must be number',
      undefined,
    ]);
    expect(compileSchema({ $id: 'toString', ...number }, 'inputs')('x')).toBe('inputs must be number');
  });

  it('has references within a part of its own name begin there', () => {
    const inner = { $id: 'inner', properties: { m: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'number' } } };
    const check = compileSchema({ properties: { n: inner } }, 'inputs');
    expect([check({ n: { m: 1 } }), check({ n: { m: 'x' } })]).toEqual([undefined, 'inputs/n/m must be number']);
    expect(() =>
      compileSchema({ properties: { n: { $id: 'n', not: { $ref: '#/$defs/b' } } }, $defs: { b: {} } }, 'x'),
    ).toThrow();
  });

  it.each(['required', 'properties', 'dependentRequired'])(
    'has only what a value has itself for a member: %s',
    word => {
      const operand = {
        required: ['toString'],
        properties: { toString: false },
        dependentRequired: { toString: ['a'] },
      };
      const check = compileSchema({ [word]: operand[word as keyof typeof operand] }, 'inputs');
      expect(check({ toString: 1 }) === undefined).toBe(word === 'required');
      expect(check({}) === undefined).toBe(word !== 'required');
    },
  );

  it('is refused for a schema that is too large for the compiler, with what is too large', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`x${at}`, { $ref: `#/$defs/x${at + 1}`, minimum: at }]),
    );
    const schema = { $ref: '#/$defs/x0', $defs: { ...$defs, x10000: { type: 'number' } } };
    expect(() => compileSchema(schema, 'inputs')).toThrow(/references in a row/);
  });

  it('is refused for thousands of properties in a row, which is not held against the value', () => {
    const properties = Object.fromEntries(Array.from({ length: 2500 }, (_, at) => [`p${at}`, { type: 'string' }]));
    expect(() => compileSchema({ type: 'object', properties }, 'inputs')).toThrow(/too many properties/);
    const schema = { type: 'array', items: { $ref: '#/$defs/many' }, $defs: { many: { type: 'object', properties } } };
    let told: string | undefined;
    try {
      told = compileSchema(schema, 'inputs')([{}]);
    } catch (error) {
      told = String(error);
    }
    expect(told).toMatch(/too many properties/);
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

  it('is refused for a schema in memory that holds itself, be it several times', () => {
    const circular: { allOf: unknown[] } = { allOf: [] };
    circular.allOf.push(circular, circular);
    expect(() => compileSchema(circular, 'inputs')).toThrow(ArsError);
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

  it.each([
    [{ pattern: '^(a+)+$' }, (text: string) => text],
    [{ patternProperties: { '^(a|a)*$': true, '(x+x+)+y': true }, additionalProperties: false }, keyed],
    [{ propertyNames: { pattern: '^(?:[a!]+[a!]+)+b$' } }, keyed],
    [{ format: 'url' }, (text: string) => `http://${text.replaceAll('a', ':')} `],
  ])('%j is checked in the time that the text takes', (schema, put) => {
    expect(compileSchema(schema, 'inputs')(put(`${'a'.repeat(100_000)}!`))).toBeTypeOf('string');
  });

  it('a check ends whose regular expressions cost too much together', () => {
    const allOf = Array.from({ length: 40 }, (_, at) => ({ pattern: `^(?:a|[ab]{1,${at + 1}}a)*$` }));
    expect(compileSchema({ allOf }, 'inputs')('a'.repeat(300_000))).toMatch(/steps/);
    expect(compileSchema({ allOf }, 'inputs')('a'.repeat(1000))).toBeUndefined();
  });

  it('is kept for a schema that comes again, but not with more regular expressions than memory should hold', () => {
    const small = { pattern: '^a' };
    const check = compileSchema(small, 'inputs');
    expect(compileSchema(small, 'inputs')).toBe(check);
    for (let at = 0; at < 9; at++) compileSchema({ pattern: `(?:[ab${at}]|b){6600}` }, 'inputs');
    expect(compileSchema(small, 'inputs')).not.toBe(check);
  });

  it.each([
    [{ pattern: '^(a)\\1$' }, 'unsupported'],
    [{ patternProperties: { '^(?<n>a)\\k<n>$': true } }, 'unsupported'],
    [{ allOf: [{ pattern: '(?:ab){9000}' }, { pattern: '(?:ac){9000}' }, { pattern: '(?:ad){9000}' }] }, 'unsupported'],
    [{ pattern: '(' }, 'invalid_document'],
    [{ pattern: '^(?=.*[A-Z])(?<!b)\\p{L}{1,4096}$' }, undefined],
  ])('%j is taken, or refused at once', (schema, code) => {
    expect(refusal(schema)).toBe(code);
  });
});

/** The code with which a schema is refused. */
function refusal(schema: Readonly<Record<string, unknown>>): unknown {
  try {
    compileSchema(schema, 'inputs');
  } catch (error) {
    return error instanceof ArsError ? error.code : error;
  }
  return undefined;
}

function keyed(text: string): object {
  return { [text]: 1 };
}

it('tells a few problems of a value, each in brief, and counts the rest', () => {
  const schema = { anyOf: [...'abcdefghij'].map(letter => ({ type: 'object', required: [letter.repeat(900)] })) };
  const problems = compileSchema(schema, 'value')({});
  expect(problems).toMatch(/, and 6 more$/);
  expect(problems?.length).toBeLessThan(1200);
});
