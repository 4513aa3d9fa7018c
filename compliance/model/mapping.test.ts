import { describe, expect, it } from 'vitest';
import { evaluateExpression, holds } from './expression.js';
import { evaluateMapping } from './mapping.js';

const scope = {
  inputs: JSON.parse('{"a":{"b":[1,2]},"s":"x","n":null,"__proto__":{"p":1},"e":1e21}') as Record<string, unknown>,
  context: {},
  nodes: new Map([
    ['__proto__', { x: true }],
    ['ä–b', { y: 2 }],
    ['"q?\\', { z: 3 }],
  ]),
};

describe('mappings', () => {
  const cases: [unknown, unknown][] = [
    ['${inputs.a.b}', [1, 2]],
    ['${inputs.n}', null],
    ['<${inputs.a.b}|${inputs.s}|${inputs.n}|${inputs.e}>', '<[1,2]|x|null|1e+21>'],
    ['$${inputs.s}', '${inputs.s}'],
    ['$$ $x {}', '$$ $x {}'],
    ['', ''],
    ['${inputs.gone ?? inputs.s}', 'x'],
    ['${inputs.gone ?? {"k":"}"}}', { k: '}' }],
    ['${inputs.gone ?? null}', null],
    ['${inputs.s ?? 5}', 'x'],
    ['${inputs.a.b.1}', 2],
    ['${ nodes."q?\\.outputs.z }', 3],
    ['${nodes."q?\\.outputs.w??[1,{"}":"]"}]}!', '[1,{"}":"]"}]!'],
    ['${inputs.gone ?? nullable}', undefined],
    ['${inputs.gone ?? inputs.a.b.0}', 1],
    ['${inputs.n ?? 5}', null],
    ['${\t\r\ninputs.s\n}', 'x'],
    ['${inputs.gone\n??\ttrue\r}', true],
    ['${inputs.s\u00a0}', undefined],
    ['${nodes.__proto__.outputs.x}', true],
    ['${nodes.ä–b.outputs.y}', 2],
    ['${inputs.__proto__.p}', 1],
    [{ deep: ['${inputs.s}', 7, { x: '${nodes.ä–b.outputs}' }] }, { deep: ['x', 7, { x: { y: 2 } }] }],
  ];
  for (const [mapping, value] of cases) {
    it(JSON.stringify(mapping), () => {
      const mapped = evaluateMapping(mapping, scope);
      if (value === undefined) expect(mapped).toHaveProperty('error');
      else expect(mapped).toEqual({ value });
    });
  }

  it('have no value where a reference names nothing, inherited names included', () => {
    for (const mapping of [
      '${inputs.gone}',
      '${inputs.constructor}',
      '${nodes.no.outputs}',
      '${a',
      '${nodes.ä–b}',
      '${inputs.a.b.2}',
      '${inputs.a.b.00}',
    ]) {
      expect(evaluateMapping(mapping, scope)).toHaveProperty('error');
    }
  });
});

describe('expressions', () => {
  it('see numbers as doubles, nodes by any name, and code points', () => {
    expect(holds('nodes["__proto__"].outputs.x', scope)).toBe(true);
    expect(holds('nodes["ä–b"].outputs.y > 1', scope)).toBe(true);
    expect(holds('inputs.a.b[0] == 1.0 && inputs.n == null', scope)).toBe(true);
    expect(holds('size(inputs.s) == 2', { inputs: { s: '😀é' } })).toBe(true);
    expect(evaluateExpression('inputs.s == "x" ? "l" : "r"', scope)).toEqual({ value: 'l' });
  });

  it('take no error for false', () => {
    expect(evaluateExpression('inputs.gone == 1.0', scope)).toHaveProperty('error');
    expect(evaluateExpression('a b', scope)).toHaveProperty('error');
    expect(holds('has(inputs.gone)', scope)).toBe(false);
  });
});
