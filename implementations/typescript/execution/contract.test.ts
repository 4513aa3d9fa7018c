import { describe, expect, it } from 'vitest';
import type { Action, ActionResult } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { checkAfter, checkBefore, compileContract } from './contract.js';

const base: Action = { action_id: 'a', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable' };
const input = { inputs: { n: 1 }, context: { who: 'ada' } };

function checkedBefore(more: Partial<Action>, inputs: Record<string, unknown> = { n: 1 }) {
  return checkBefore(compileContract({ ...base, ...more }), { ...input, inputs });
}

function checkedAfter(more: Partial<Action>, result: Partial<ActionResult> = {}) {
  return checkAfter(compileContract({ ...base, ...more }), input, { outputs: { n: 2 }, ...result });
}

const failing = (error_class: string) => ({ ok: false, error: { error_class } });

describe('before the invocation', () => {
  it('the inputs must fit', () => {
    expect(checkedBefore({ input_schema: { required: ['m'] } })).toMatchObject(failing('E4'));
    expect(checkedBefore({ input_schema: { required: ['n'] } })).toEqual({ ok: true, degraded: false });
  });

  it.each(['false', 'inputs.missing', "'text'", 'inputs.n == 2'])('a hard precondition %s forbids it', expression => {
    const result = checkedBefore({ preconditions: [{ id: 'p', kind: 'hard', expression }] });
    expect(result).toMatchObject({ ok: false, error: { error_class: 'E4', effect: 'none' } });
  });

  it.each(['false', 'inputs.missing', "'text'"])('a soft precondition %s only degrades', expression => {
    expect(checkedBefore({ preconditions: [{ id: 'p', kind: 'soft', expression }] })).toEqual({
      ok: true,
      degraded: true,
    });
  });

  it('preconditions see inputs and context', () => {
    const expression = "inputs.n == 1.0 && context.who == 'ada'";
    expect(checkedBefore({ preconditions: [{ id: 'p', kind: 'hard', expression }] }).ok).toBe(true);
  });
});

describe('after the answer', () => {
  it('a success condition decides first, and alone', () => {
    expect(checkedAfter({ success_condition: 'false', output_schema: { required: ['x'] } })).toMatchObject(
      failing('E3'),
    );
    expect(checkedAfter({ success_condition: 'exit_code == 3' }, { exit_code: 3 }).ok).toBe(true);
    expect(checkedAfter({ success_condition: 'exit_code == 3' })).toMatchObject(failing('E3'));
  });

  it('without one the exit code must be 0, where there is one', () => {
    expect(checkedAfter({}, { exit_code: 1 })).toMatchObject(failing('E3'));
    expect(checkedAfter({}, { exit_code: 0 }).ok).toBe(true);
    expect(checkedAfter({}).ok).toBe(true);
  });

  it('the outputs must fit and have a canonical form', () => {
    expect(checkedAfter({ output_schema: { properties: { n: { type: 'string' } } } })).toMatchObject(failing('E4'));
    expect(checkedAfter({}, { outputs: { n: Number.NaN } })).toMatchObject(failing('E4'));
    expect(checkedAfter({}, { evidence: (() => 1) as never })).toMatchObject(failing('E4'));
  });

  it('a hard postcondition fails it, a soft one degrades', () => {
    const rule = (kind: 'hard' | 'soft', expression: string) => ({ postconditions: [{ id: 'p', kind, expression }] });
    expect(checkedAfter(rule('hard', 'result.n == 3'))).toMatchObject({
      ok: false,
      error: { error_class: 'E4', effect: 'unknown' },
    });
    expect(checkedAfter(rule('soft', 'result.n == 3'))).toEqual({ ok: true, degraded: true });
    expect(checkedAfter(rule('hard', 'result.n == 2'))).toEqual({ ok: true, degraded: false });
  });
});

describe('a contract that cannot be used', () => {
  it.each([
    [{ input_schema: { type: 'nonsense' } }, 'invalid_document'],
    [{ output_schema: { $ref: 'https://example.com/other' } }, 'invalid_document'],
    [{ success_condition: '1 +' }, 'expression_invalid'],
    [{ preconditions: [{ id: 'p', kind: 'hard', expression: 'matches(' }] }, 'expression_invalid'],
  ] as [Partial<Action>, string][])('%o is refused with %s', (more, code) => {
    let thrown: unknown;
    try {
      compileContract({ ...base, ...more });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ArsError);
    expect((thrown as ArsError).code).toBe(code);
  });

  it('does not spoil another contract with the same schema identifier', () => {
    const schema = { $id: 'urn:x:y', required: ['n'] };
    expect(checkedBefore({ input_schema: schema }).ok).toBe(true);
    expect(checkedBefore({ input_schema: { ...schema, required: ['m'] } }).ok).toBe(false);
  });
});
