import { array, assert as check, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileExpression } from '../execution/expression.js';
import { PlainCondition } from './plain-condition.js';
import { INPUTS } from './plain-reference.js';

interface Taken {
  readonly references: string[][];
  readonly operands: string[];
}

/** What is read of a plain condition; undefined of other texts. */
function take(text: string): Taken | undefined {
  const references: string[][] = [];
  const operands: string[] = [];
  const isPlain = new PlainCondition().every(text, (path, isOrdered, operand) => {
    references.push(path.root === INPUTS ? ['inputs', path.name] : ['nodes', path.node_id, 'outputs', path.name]);
    operands.push(`${isOrdered ? 'ordered' : 'equal'} ${operand}`);
    return true;
  });
  return isPlain ? { references, operands } : undefined;
}

describe('a plain condition', () => {
  it.each([
    ['inputs.amount > 100', [['inputs', 'amount']], ['ordered number']],
    [`nodes["a-b"].outputs.x == 'yes'`, [['nodes', 'a-b', 'outputs', 'x']], ['equal string']],
    [
      'nodes.a.outputs.x != null || inputs.b==true',
      [
        ['nodes', 'a', 'outputs', 'x'],
        ['inputs', 'b'],
      ],
      ['equal null', 'equal boolean'],
    ],
  ])('is %s', (text, references, operands) => {
    expect(take(text)).toEqual({ references, operands });
  });

  it.each([
    'inputs.amount',
    'inputs.in == 1',
    'inputs.a > null',
    'inputs.a == 1 + 1',
    'inputs.a == 1.0.0',
    'inputs.a == 99999999999999999999',
    'inputs.a == "\\n"',
    'inputs.a.b == 1',
    'nodes.a-b.outputs.x == 1',
    'nodes.a.x == 1',
    'inputs.a == 1 &&',
    'inputs.a == 1 == true',
    'inputs.a == trueish',
  ])('is not %s', text => {
    expect(take(text)).toBeUndefined();
  });

  it('is compiled to a boolean that reads the same paths', () => {
    const part = constantFrom(
      ...[
        'inputs',
        'nodes',
        '.',
        'a',
        'b1',
        'in',
        'null',
        'true',
        'outputs',
        '["x-1"]',
        "['y']",
        '[0]',
        ' ',
        '\n',
        '//',
      ],
      ...['==', '!=', '<', '<=', '>', '>=', '&&', '||', '!', '(', ')', '1', '2.5', '-', '"s"', "'s'", '"\\', 'u', 'e3'],
      ...['inputs.a', 'nodes.a.outputs.b', 'nodes["x-1"].outputs.b', ' == ', ' > ', ' && ', 'inputs.a > 1', '007'],
    );
    let plain = 0;
    check(
      property(array(part, { minLength: 1, maxLength: 9 }), parts => {
        const text = parts.join('');
        const taken = take(text);
        if (taken === undefined) return;
        plain++;
        const { type, references, guarded } = compileExpression(text);
        expect({ type, references, guarded }).toEqual({ type: 'boolean', references: taken.references, guarded: [] });
      }),
      { numRuns: 20_000 },
    );
    expect(plain).toBeGreaterThan(20);
  });
});
