import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../../../schemas/types.js';
import { ArsError } from '../../error.js';
import { compileExpression } from '../../execution/expression.js';
import { verify } from '../index.js';

const SCHEMAS = {
  s: { type: 'string' },
  n: { type: 'integer' },
  b: { type: 'boolean' },
  z: { type: 'null' },
  m: { type: ['string', 'null'] },
  l: { type: 'array', items: { type: 'object', properties: { p: { type: 'string' } }, additionalProperties: false } },
  k: { type: 'array', items: { type: 'number' } },
  o: { type: 'object', properties: { a: { type: 'string' }, c: { type: 'boolean' } }, additionalProperties: false },
  u: {},
};

/** What S8 says of a condition over inputs of these types. */
function told(expression: string): string[] {
  const document: Workflow = {
    schema_version: '1.0',
    workflow: { name: 'typed', version: '1.0.0' },
    inputs: Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, { schema }])),
    nodes: [
      { node_id: 'check', type: 'condition', expression },
      { node_id: 'one', type: 'terminal', status: 'completed' },
      { node_id: 'other', type: 'terminal', status: 'completed' },
    ],
    edges: [
      { from_node: 'check', to_node: 'one', label: 'true' },
      { from_node: 'check', to_node: 'other', label: 'default' },
    ],
  };
  return verify(document).findings.flatMap(({ rule, message }) => (rule === 'S8' ? [message] : []));
}

describe('types in expressions', () => {
  it.each([
    ['inputs.s == 3', 'The types of "inputs.s == 3" do not fit: "inputs.s" is a string and "3" is a number'],
    ['inputs.n > "3"', '"inputs.n" is a number and "3" is a string'],
    ['inputs.n + 1 > 2', '"inputs.n" is a double and "1" is an int'],
    ['inputs.n + 1 == 2.0', '"inputs.n" is a double and "1" is an int'],
    ['size(inputs.s) + 1.0 == 2.0', "'+' does not mix double and int"],
    ['inputs.n % 2 == 0', '"inputs.n" is a double and "2" is an int'],
    ['size(inputs.n) > 1', 'size takes'],
    ['inputs.n.size() > 1', 'size takes'],
    ['inputs.s && true', '"inputs.s" is a string, and && takes a boolean'],
    ['!inputs.n', '"inputs.n" is a number, and ! takes a boolean'],
    ['-inputs.s == "a"', '- takes a number'],
    ['inputs.s ? true : false', '? takes a boolean'],
    ['inputs.n.startsWith("a")', 'startsWith takes a string'],
    ['inputs.s.contains(inputs.n)', 'contains takes a string'],
    ['inputs.s.exists(c, true)', 'exists goes through an array or an object'],
    ['inputs.k.all(x, x)', 'all takes a boolean'],
    ['inputs.l.exists(x, x.q == "a")', '"x.q" leads to nothing'],
    ['inputs.l.exists(x, x.p == 1)', '"x.p" is a string and "1" is a number'],
    ['inputs.k[inputs.s] == 1', 'an array has no member named by a string'],
    ['inputs.s[inputs.n] == "a"', 'which has no members'],
    ['"a" in inputs.s', '"inputs.s" is a string'],
    ['inputs.m > 3', '"inputs.m" is a string or null'],
    ['inputs.o == 1', 'an object'],
    ['timestamp(inputs.n) > timestamp("2024-01-01T00:00:00Z")', 'a double'],
    ['inputs.n + 1.0', 'never gives a boolean or a string'],
    ['inputs.b ? inputs.n : 1.0', 'never gives a boolean or a string'],
    ['inputs.o', 'never gives a boolean or a string'],
  ])('finds what is wrong with %s', (expression, part) => {
    expect(told(expression)).toEqual([expect.stringContaining(part)]);
  });

  it.each([
    'inputs.s == "a"',
    'inputs.n == 3 && inputs.n > 2 && 4 >= inputs.n',
    'inputs.n + 1.0 > 2.0',
    'int(inputs.n) % 2 == 0',
    'inputs.s == null || inputs.z == inputs.s',
    'inputs.m == "a"',
    'inputs.m.startsWith("a")',
    'inputs.u == 3 && inputs.u == "a" && size(inputs.u) > 1 && inputs.u',
    'dyn(inputs.s) == 3',
    'has(inputs.o.a) && inputs.o.a.contains("x")',
    'inputs.o["a"] == "x"',
    'inputs.o[inputs.s] == "x"',
    'inputs.k[inputs.n] == 1',
    'inputs.k[0] == 1 && inputs.k.size() == size(inputs.s)',
    'inputs.l.exists(x, x.p == "a") && inputs.k.all(x, x > 1)',
    'inputs.o.exists(key, key == "a")',
    'inputs.k.map(x, x + 1.0) == [2.0]',
    'inputs.l.filter(x, has(x.p)).size() > 0',
    'inputs.b ? inputs.s : "no"',
    'inputs.n in inputs.k || "a" in inputs.o',
    'inputs.b < true',
    'string(inputs.n) == "1"',
    'type(inputs.n) == double',
    'timestamp(inputs.s) < timestamp("2024-01-01T00:00:00Z") + duration("1s")',
    'inputs.s',
    'error.error_class == "E1" || context.x > 3',
  ])('finds nothing wrong with %s', expression => {
    expect(told(expression).filter(message => !message.includes('error'))).toEqual([]);
  });
});

describe('against evaluation', () => {
  const leaf = fc.constantFrom(
    ...Object.keys(SCHEMAS).map(name => `inputs.${name}`),
    'inputs.l[0].p',
    'inputs.o.a',
    'inputs.k[0]',
    '1',
    '2.0',
    '"a"',
    'true',
    'size(inputs.k)',
    '[1.0]',
  );
  const operators = ['<', '<=', '>', '>=', '+', '-', '*', '/', '%', 'in'];
  const { tree } = fc.letrec<{ tree: string }>(tie => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.tuple(tie('tree'), fc.constantFrom(...operators), tie('tree')).map(([a, op, b]) => `(${a} ${op} ${b})`),
      tie('tree').map(a => `!(${a})`),
      tie('tree').map(a => `-(${a})`),
      fc
        .tuple(fc.constantFrom('size', 'string', 'int', 'double', 'bool', 'timestamp'), tie('tree'))
        .map(([name, a]) => `${name}(${a})`),
      fc
        .tuple(tie('tree'), fc.constantFrom('contains', 'startsWith'), tie('tree'))
        .map(([a, name, b]) => `(${a}).${name}(${b})`),
      fc
        .tuple(fc.constantFrom('inputs.k', 'inputs.l', 'inputs.o', 'inputs.s', 'inputs.u'), tie('tree'))
        .map(([a, b]) => `${a}.map(x, ${b})`),
      fc
        .tuple(fc.constantFrom('inputs.k', 'inputs.l', 'inputs.o'), fc.constantFrom('<', '+'), leaf)
        .map(([a, op, b]) => `${a}.map(x, x ${op} ${b})`),
      fc.tuple(fc.constantFrom('inputs.k', 'inputs.o', 'inputs.u'), tie('tree')).map(([a, b]) => `${a}[${b}]`),
    ),
  }));
  const inputs = fc.record({
    s: fc.constantFrom('a', '1', 'true'),
    n: fc.integer({ min: 0, max: 2 }),
    b: fc.boolean(),
    z: fc.constant(null),
    m: fc.constantFrom('a', null),
    l: fc.constant([{ p: 'a' }]),
    k: fc.constant([1, 2]),
    o: fc.constant({ a: 'b', c: true }),
    u: fc.constantFrom<unknown>(1, 'a', true, null, [1], { a: 1 }),
  });

  it('what does not fit fails, whatever the values are', () => {
    const counts = { misfit: 0, fit: 0 };
    fc.assert(
      fc.property(tree, inputs, (part, bound) => {
        const source = `dyn(${part}) == "x"`;
        let compiled: ReturnType<typeof compileExpression>;
        try {
          compiled = compileExpression(source);
        } catch (error) {
          expect(error).toBeInstanceOf(ArsError);
          return;
        }
        const findings = told(source);
        if (findings.length === 0) {
          counts.fit++;
          return;
        }
        counts.misfit++;
        expect(() => compiled.evaluate({ inputs: bound }), findings.join()).toThrow(ArsError);
      }),
      { numRuns: 4000 },
    );
    expect(Math.min(counts.misfit, counts.fit)).toBeGreaterThan(200);
  });
});
