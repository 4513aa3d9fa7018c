import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema } from './json-schema.js';

type Schema = Readonly<Record<string, unknown>> | boolean;

const NAMES = ['a', 'b', 'c'] as const;
const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;

/** Makes schemas and values from a row of numbers, of few names and values, so that they often have to do with each other. */
class Maker {
  readonly #choices: readonly number[];
  #next = 0;

  constructor(choices: readonly number[]) {
    this.#choices = choices;
  }

  below(limit: number): number {
    return (this.#choices[this.#next++ % this.#choices.length] ?? 0) % limit;
  }

  of<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }

  list<Item>(most: number, make: () => Item): Item[] {
    return Array.from({ length: this.below(most + 1) }, make);
  }

  value(depth: number): unknown {
    const kind = this.below(depth > 0 ? 13 : 9);
    if (kind < 9) return [null, true, 0, 1, 2, 1.5, '', 'ab', '😀'][kind];
    if (kind < 11) return this.list(3, () => this.value(depth - 1));
    return Object.fromEntries(this.list(3, () => [this.of(NAMES), this.value(depth - 1)]));
  }

  schema(depth: number, references: readonly [string, ...string[]]): Schema {
    const kind = this.below(12);
    if (kind < 2) return kind === 0;
    const schema = {};
    for (let count = 1 + this.below(3); count > 0; count--)
      Object.assign(schema, depth > 0 ? this.#applied(depth - 1, references) : this.#asserted());
    return this.below(3) === 0 ? { ...schema, ...this.#asserted() } : schema;
  }

  #asserted(): object {
    const count = this.below(4);
    return this.of<object>([
      { type: this.of(TYPES) },
      { type: [...new Set([this.of(TYPES), this.of(TYPES)])] },
      { minimum: count },
      { exclusiveMaximum: count },
      { multipleOf: this.of([1, 2, 0.5]) },
      { minLength: count },
      { maxLength: count },
      { pattern: this.of(['a', '^b']) },
      { minItems: count },
      { uniqueItems: true },
      { maxProperties: count },
      { required: this.#names() },
      { dependentRequired: { a: this.#names() } },
      { const: this.value(2) },
      { enum: [this.value(2), [this.value(1)]] },
    ]);
  }

  #names(): string[] {
    return [...new Set(this.list(2, () => this.of(NAMES)))];
  }

  #applied(depth: number, references: readonly [string, ...string[]]): object {
    const inner = (): Schema => this.schema(depth, references);
    const some = (): Schema[] => [inner(), ...this.list(2, inner)];
    const named = (): object => Object.fromEntries(this.#names().map(name => [name, inner()]));
    const keyword = this.of([
      (): object => ({ [this.of(['allOf', 'anyOf', 'oneOf'])]: some() }),
      () => ({ [this.of(['not', 'items', 'additionalProperties', 'propertyNames'])]: inner() }),
      () => ({ if: inner(), [this.of(['then', 'else'])]: inner() }),
      () => ({ properties: named() }),
      () => ({ patternProperties: { [this.of(['^a', 'b|c'])]: inner() } }),
      () => ({ dependentSchemas: named() }),
      () => ({ prefixItems: some() }),
      () => ({ $ref: this.of(references) }),
      () => ({ properties: { a: { $ref: '#' } } }),
    ]);
    return keyword();
  }
}

describe('the evaluation of a schema', () => {
  // Left out is what that one does not do as the specification has it: `contains` beside `prefixItems`, `unevaluated…`.
  it('agrees with a second implementation', () => {
    let judged = 0;
    const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false });
    ajv.opts.unevaluated = false;
    const row = fc.array(fc.nat(1000), { minLength: 40, maxLength: 120 });
    fc.assert(
      fc.property(row, choices => {
        const maker = new Maker(choices);
        const part = { anyOf: [maker.schema(1, ['#/$defs/last']), maker.schema(1, ['#/$defs/last'])] };
        const $defs = { part: { ...part, $anchor: 'part' }, last: maker.schema(0, ['#/$defs/last']) };
        const schema = { allOf: [maker.schema(3, ['#part', '#/$defs/last', '#/$defs/part/anyOf/1'])], $defs };
        const check = compileSchema(schema, 'value');
        const reference = ajv.compile(schema);
        for (let count = 0; count < 6; count++) {
          const value = maker.value(3);
          expect([schema, value, check(value) === undefined]).toEqual([schema, value, reference(value)]);
          judged++;
        }
      }),
      { numRuns: 60 },
    );
    expect(judged).toBe(360);
  });

  it.each([
    [{ contains: true, prefixItems: [{}, true] }, [1], []],
    [{ contains: { type: 'number' }, minContains: 0, maxContains: 2 }, [1, 'a', 2], [1, 2, 3]],
    [{ contains: { type: 'number' }, minContains: 2 }, [1, 'a', 2], [1, 'a']],
    [{ contains: { type: 'number' }, unevaluatedItems: { type: 'string' } }, [1, 'a', 2], [1, true]],
    [{ if: { properties: { a: true } }, unevaluatedProperties: false }, { a: 1 }, { b: 1 }],
    [{ not: { not: { properties: { a: true } } }, unevaluatedProperties: false }, {}, { a: 1 }],
    [{ anyOf: [{ prefixItems: [true] }, { prefixItems: [true, true] }], unevaluatedItems: false }, [1, 2], [1, 2, 3]],
    [{ allOf: [{ properties: { a: true }, unevaluatedProperties: false }, { required: ['a'] }] }, { a: 1 }, { b: 1 }],
    [{ allOf: [{ properties: { a: true } }, { unevaluatedProperties: false }] }, {}, { a: 1 }],
    [{ additionalProperties: { type: 'number' }, unevaluatedProperties: false }, { a: 1 }, { a: 'x' }],
  ])('%j counts items, and knows what has been looked at', (schema, fits, not) => {
    const check = compileSchema(schema, 'value');
    expect(check(fits)).toBeUndefined();
    expect(check(not)).toBeTypeOf('string');
  });

  it('says where in the value what is wrong, of alternatives each', () => {
    const strict = { properties: { 'x/y': { items: { anyOf: [{ type: 'string' }, { minimum: 3 }] } } } };
    expect(compileSchema(strict, 'inputs')({ 'x/y': ['a', 2] })).toBe(
      'inputs/x~1y/1 must be string, inputs/x~1y/1 must be >= 3, inputs/x~1y/1 must match a schema in anyOf',
    );
    const many = { anyOf: Array.from({ length: 1000 }, (_, at) => ({ minimum: at })) };
    expect(compileSchema(many, 'inputs')(-1)).toMatch(/, and at least 95 more$/);
  });
});
