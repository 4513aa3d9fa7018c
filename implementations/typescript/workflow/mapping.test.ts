import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArsError } from '../error.js';
import { compileMapping, type Scope } from './mapping.js';

const scope: Scope = {
  inputs: { n: 4, s: 'text', list: [{ a: 1 }, 2], none: null, obj: { b: 2, a: [1.5, 'x'] } },
  context: { region: 'eu' },
  nodes: id => ({ fetch: { body: { ok: true } }, 'a/b~c': { x: 1 } })[id],
  result: { total: 7 },
  error: { error_class: 'E1', error_detail: 'timeout', node_id: 'fetch' },
};
const evaluate = (value: unknown): unknown => compileMapping(value).evaluate(scope);
function failure(run: () => unknown): { code: string; details: Readonly<Record<string, unknown>> } {
  try {
    run();
  } catch (error) {
    if (error instanceof ArsError) return { code: error.code, details: error.details };
    throw error;
  }
  throw new Error('nothing was thrown');
}

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: mappings are written like this */
describe('compileMapping', () => {
  it.each([
    ['${inputs.n}', 4],
    ['${ inputs.obj }', { b: 2, a: [1.5, 'x'] }],
    ['${inputs.list.0.a}', 1],
    ['${inputs.none}', null],
    ['${nodes.fetch.outputs.body.ok}', true],
    ['${nodes.fetch.outputs}', { body: { ok: true } }],
    ['${nodes.a/b~c.outputs.x}', 1],
    ['${context.region}', 'eu'],
    ['${result.total}', 7],
    ['${error.error_class}', 'E1'],
    ['n=${inputs.n}, ${inputs.obj}!', 'n=4, {"a":[1.5,"x"],"b":2}!'],
    ['${inputs.n}${inputs.s}', '4text'],
    ['$${inputs.n}', '${inputs.n}'],
    ['$$${inputs.n}', '$${inputs.n}'],
    ['cost: $5 {x}', 'cost: $5 {x}'],
    ['a $${ b ${inputs.n}', 'a ${ b 4'],
    ['${inputs.missing ?? inputs.n}', 4],
    ['${inputs.missing??"}"}', '}'],
    ['${inputs.missing ?? {"a": ["}", {}]} }', { a: ['}', {}] }],
    ['${inputs.missing ?? -1.5e3}', -1500],
    ['${inputs.missing ?? null}', null],
    ['${nodes.other.outputs.x ?? false}', false],
    ['${inputs.none ?? 1}', null],
    ['${inputs.n ?? 1}', 4],
    ['${\t\r\ninputs.s\n}', 'text'],
    ['${inputs.missing\n??\ttrue\r}', true],
    ['${inputs.s\u00a0 ?? 5}', 5],
    [3, 3],
    [
      { a: ['${inputs.n}', { b: 'x' }], c: null },
      { a: [4, { b: 'x' }], c: null },
    ],
  ])('evaluates %j', (value, expected) => {
    expect(evaluate(value)).toEqual(expected);
  });

  it.each([
    ['${}', 2],
    ['${inputs..a}', 9],
    ['${inputs.}', 9],
    ['${inputs.a', 10],
    ['a ${other.x}', 4],
    ['${nodes.a}', 2],
    ['${nodes.a.result}', 2],
    ['${inputs.a b}', 11],
    ['${inputs.a ?? }', 14],
    ['${inputs.a ?? nope}', 14],
    ['${inputs.a ?? {"x"}}', 14],
    ['${inputs.a ?? 1 ?? 2}', 16],
    ['${inputs.${x}}', 9],
  ])('refuses %j', (text, offset) => {
    const { code, details } = failure(() => compileMapping({ 'k/1': [text] }));
    expect(code).toBe('mapping_invalid');
    expect(details).toMatchObject({ offset, pointer: '/k~11/0', message: expect.any(String) });
  });

  it.each([
    '${inputs.missing}',
    '${inputs.s.length}',
    '${inputs.list.length}',
    '${inputs.list.00}',
    '${inputs.constructor}',
    '${inputs.__proto__}',
    '${nodes.other.outputs.x}',
    '${inputs.a ?? inputs.b}',
  ])('fails where %s leads to nothing', text => {
    const { code, details } = failure(() => evaluate([`x ${text}`]));
    expect(code).toBe('mapping_failed');
    expect(details.pointer).toBe('/0');
  });

  it('lists its references', () => {
    const { references } = compileMapping({ a: 'x ${inputs.n} ${inputs.m ?? context.region}', b: '${inputs.k ?? 1}' });
    expect(references).toEqual([
      { path: ['inputs', 'n'], pointer: '/a', offset: 2, hasDefault: false },
      { path: ['inputs', 'm'], pointer: '/a', offset: 14, hasDefault: true },
      { path: ['context', 'region'], pointer: '/a', offset: 14, hasDefault: false },
      { path: ['inputs', 'k'], pointer: '/b', offset: 0, hasDefault: true },
    ]);
  });

  it('leaves every value without a placeholder as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        fc.pre(!JSON.stringify(value).includes('${'));
        expect(evaluate(value)).toEqual(value);
        expect(evaluate([value, '${inputs.n}'])).toEqual([value, 4]);
      }),
    );
  });

  it('keeps a key that JavaScript knows as a plain key', () => {
    const value = evaluate(JSON.parse('{"__proto__": {"a": "${inputs.n}"}, "constructor": 1}')) as object;
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":4},"constructor":1}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('takes values nested deeper than the stack', () => {
    let value: unknown = '${inputs.n}';
    for (let depth = 0; depth < 100_000; depth++) value = [value];
    let result = evaluate(value);
    while (Array.isArray(result)) [result] = result;
    expect(result).toBe(4);
  });

  it('throws nothing but an ArsError', () => {
    const token = fc.constantFrom('$', '{', '}', 'inputs', '.', 'n', '??', ' ', '"', '1', '[', ']', '\\', 'nodes');
    fc.assert(
      fc.property(fc.array(token, { maxLength: 14 }), tokens => {
        try {
          evaluate(tokens.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(ArsError);
          expect(['mapping_invalid', 'mapping_failed']).toContain((error as ArsError).code);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: mappings are written like this */
