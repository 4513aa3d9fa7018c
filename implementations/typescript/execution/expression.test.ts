import { celEnv, parse as parseCel, plan } from '@bufbuild/cel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArsError } from '../error.js';
import { type Bindings, compileExpression } from './expression.js';

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ArsError) return error.code;
    throw error;
  }
  return 'no error';
}
const value = (source: string, bindings: Bindings = {}): unknown => compileExpression(source).evaluate(bindings);

describe('compileExpression', () => {
  it('compares a number of a document with an integer literal', () => {
    const inputs = { n: 4 };
    expect(value('inputs.n > 3', { inputs })).toBe(true);
    expect(value('inputs.n == 4', { inputs })).toBe(true);
    expect(value('inputs.n + 1.0 == 5.0', { inputs })).toBe(true);
  });

  it('takes lists and maps of several types, as CEL does', () => {
    const inputs = { n: 4 };
    expect(value('[inputs.n, 2.0].exists(i, i > 3.0)', { inputs })).toBe(true);
    expect(value('["a", 1, true].size() == 3 && {"a": 1, "b": "x"}.b == "x"')).toBe(true);
  });

  it.each([
    ['1 == 1.0 && 1.0 == 1 && 1 != 1.5 && 1u == 1 && 1u == 1.0', true],
    ['size(inputs.l) == 2.0', true],
    ['null == 1 || "a" == null', false],
    ['string(timestamp("2026-03-01T12:00:00Z"))', '2026-03-01T12:00:00Z'],
    ['string(duration("90s"))', '90s'],
    ['string(type(1))', 'int'],
    ['int(timestamp("1970-01-01T00:01:00Z")) + int(duration("90s"))', 150],
    ['timestamp(timestamp(0)) == timestamp(0) && duration(duration(5)) == duration("5s")', true],
    ['timestamp("2026-03-01T00:00:00Z").getDayOfYear()', 59],
    ['1u + 2u', 3],
    ['-9223372036854775808 < -9223372036854775807', true],
    ['{-1: "a", 1: "b"}[-1]', 'a'],
  ])('takes the types that the chapters name: %s', (source, expected) => {
    expect(value(source, { inputs: { l: [1, 2] } })).toBe(expected);
  });

  it.each([
    ['', 'a'],
    ['a', 'ab'],
    ['\uffff', '\u{1f600}'],
    ['\u{1f600}', '\u{1f601}'],
    ['\u{1f600}', '\u{1f600}a'],
    ['a\ue000', 'a\u{10000}'],
  ])('orders strings by code points: %j before %j', (a, b) => {
    const inputs = { a, b };
    expect(value('inputs.a < inputs.b && inputs.a <= inputs.b && inputs.b > inputs.a', { inputs })).toBe(true);
    expect(value('inputs.b <= inputs.a || inputs.a >= inputs.b || inputs.a < inputs.a', { inputs })).toBe(false);
    expect(value('inputs.a <= inputs.a && inputs.a >= inputs.a', { inputs })).toBe(true);
  });

  it('says how to write arithmetic on a number of a document', () => {
    const run = (): unknown => value('inputs.n + 1', { inputs: { n: 4 } });
    expect(codeOf(run)).toBe('expression_failed');
    expect(run).toThrow(/1\.0/);
  });

  it('counts code points in size()', () => {
    expect(value('size(inputs.s)', { inputs: { s: 'a😀' } })).toBe(2);
  });

  it.each([
    ['true', 'boolean'],
    ['"a"', 'string'],
    ['inputs.a', 'unknown'],
    ['1', 'other'],
    ['inputs.a > 1', 'boolean'],
    ['inputs.a ? "x" : "y"', 'string'],
  ])('knows that %s is %s', (source, type) => {
    expect(compileExpression(source).type).toBe(type);
  });

  it('lists what is read and what is asked for', () => {
    const expression = compileExpression('has(nodes.a.outputs.x) && nodes["b-c"].outputs.l.exists(v, v == inputs.n)');
    expect(expression.guarded).toEqual([['nodes', 'a', 'outputs', 'x']]);
    expect([...expression.references].sort()).toEqual([
      ['inputs', 'n'],
      ['nodes', 'a', 'outputs', 'x'],
      ['nodes', 'b-c', 'outputs', 'l'],
    ]);
  });

  it('says which path an expression is, where it is nothing else', () => {
    expect(compileExpression('inputs.order["express"]').whole).toEqual(['inputs', 'order', 'express']);
    expect(compileExpression('!inputs.express').whole).toBeUndefined();
    expect(compileExpression('inputs.list[inputs.at]').whole).toBeUndefined();
  });

  it.each([
    ['1 +', 3],
    ['true && "a".matches("b")', 8],
    ['inputs.l.all(a, inputs.l.all(b, inputs.l.all(c, true)))', 32],
    ['unknown_name', 0],
    ['1 + "a"', 0],
    ['foo(1)', 0],
    ['"a".trim() == "a"', 0],
    ['cel.bind(x, 1, x)', 0],
    ['google.protobuf', 0],
    ['{"constructor": 1}', 1],
    ['{"a": 1, "a": 2}', 9],
    ['timestamp("2024-01-01T00:00:00Z").getHours("Europe/Paris")', 0],
    ['9223372036854775808', 0],
    ['', 0],
    ['('.repeat(2000) + ')'.repeat(2000), 64],
    [`${'1+'.repeat(3000)}1`, 4096],
  ])('refuses %s', (source, offset) => {
    let caught: unknown;
    try {
      compileExpression(source);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(ArsError);
    const { code, details } = caught as ArsError;
    expect(code).toBe('expression_invalid');
    expect(details.offset).toBe(offset);
    expect(details.message).toEqual(expect.any(String));
  });

  it('gives a key that JavaScript knows no other meaning', () => {
    const inputs = JSON.parse('{"constructor": 1, "__proto__": {"polluted": true}, "a": {}}');
    expect(value('inputs.constructor == 1', { inputs })).toBe(true);
    expect(value('inputs["__proto__"].polluted', { inputs })).toBe(true);
    for (const source of ['inputs.a.constructor', 'inputs.a.toString', 'inputs.a.__proto__', 'inputs.missing']) {
      expect(codeOf(() => value(source, { inputs }))).toBe('expression_failed');
    }
  });

  it('makes an error of an unbound variable and of a value that is no scalar', () => {
    expect(codeOf(() => value('result.ok'))).toBe('expression_failed');
    expect(codeOf(() => value('inputs.l', { inputs: { l: [] } }))).toBe('expression_failed');
  });

  it('stops an evaluation that does too much', () => {
    const inputs = { l: Array.from({ length: 3000 }, (_, index) => index) };
    expect(codeOf(() => value('inputs.l.all(a, inputs.l.all(b, b >= 0))', { inputs }))).toBe('expression_failed');
    expect(codeOf(() => value('inputs.l.all(a, a in inputs.l) || true', { inputs }))).toBe('expression_failed');
    expect(value('inputs.l.all(a, a < size(inputs.l))', { inputs })).toBe(true);
    expect(value('true', { inputs })).toBe(true);
  });

  it('fails, and does no more, on values nested deeper than the stack', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    expect(codeOf(() => value('size(inputs.deep) == 1', { inputs: { deep } }))).toBe('expression_failed');
    expect(value('inputs.n == 1', { inputs: { deep, n: 1 } })).toBe(true);
  });

  it('never throws anything but an ArsError', () => {
    const token = fc.constantFrom(
      'inputs',
      '.',
      'a',
      '(',
      ')',
      '[',
      ']',
      '1',
      '"s"',
      '+',
      '==',
      '&&',
      '?',
      ':',
      'size',
      'has',
      ',',
      '{',
      '}',
      'all',
      '-',
      '!',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), fc.jsonValue(), (tokens, a) => {
        const code = codeOf(() => value(tokens.join(''), { inputs: { a } }));
        expect(['no error', 'expression_invalid', 'expression_failed']).toContain(code);
      }),
    );
  });

  it('agrees with a second implementation of CEL', () => {
    const environment = celEnv();
    const number = fc.constantFrom('inputs.n', 'inputs.m', '1', '2.0', '-3', 'size(inputs.s)');
    const text = fc.constantFrom('inputs.s', '"b"', '"abc"');
    const comparison = fc.tuple(number, fc.constantFrom('<', '<=', '>', '>='), number).map(parts => parts.join(' '));
    const test = fc.oneof(
      comparison,
      fc.tuple(text, fc.constantFrom('contains', 'startsWith', 'endsWith'), text).map(([a, f, b]) => `${a}.${f}(${b})`),
      fc.constantFrom(
        'has(inputs.n)',
        'has(inputs.none)',
        'inputs.none',
        'inputs.l.exists(x, x > 1.0)',
        'inputs.l.all(x, x > 1.0)',
      ),
    );
    const { tree } = fc.letrec<{ tree: string }>(tie => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        test,
        fc.tuple(tie('tree'), fc.constantFrom('&&', '||'), tie('tree')).map(([a, op, b]) => `(${a} ${op} ${b})`),
        tie('tree').map(a => `!(${a})`),
        fc.tuple(tie('tree'), tie('tree'), tie('tree')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      ),
    }));
    const inputs = fc.record({
      n: fc.integer({ min: -3, max: 3 }),
      m: fc.double({ min: -3, max: 3, noNaN: true }),
      s: fc.constantFrom('', 'b', 'abc'),
      l: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(tree, inputs, (source, bound) => {
        const other = plan(environment, parseCel(source))({ inputs: { ...bound } as never });
        let mine: unknown = 'error';
        try {
          mine = value(source, { inputs: bound });
        } catch (error) {
          expect((error as ArsError).code).toBe('expression_failed');
        }
        expect(mine).toBe(typeof other === 'boolean' ? other : 'error');
      }),
    );
  });
});
