import { describe, expect, it } from 'vitest';
import type { Action, Workflow } from '../../../schemas/types.js';
import { verify, verifyTogether } from './index.js';
import { act, chain, define, EMPTY, end, found, holding, object, skill, told } from './meaning.fixture.js';

describe('S12, S13 and S14', () => {
  const sub = (more: Partial<Workflow> = {}, version = '1.0.0'): Workflow =>
    chain([act('a'), end('done')], {
      workflow: { name: 'sub', version },
      inputs: { n: { schema: { type: 'number' } }, o: { schema: {}, required: false }, d: { schema: {}, default: 1 } },
      outputs: { total: '${inputs.n}', text: 'x${inputs.n}' },
      ...more,
    });
  const calling = (more: object, reader?: object, action: Partial<Action> = {}): Workflow =>
    chain([skill('s', 'sub@^1', more), ...(reader === undefined ? [] : [act('r', reader)]), end('done')], {
      actions: [define('r', action)],
    });
  const fits = { input_mapping: { n: 1 } };

  it('name what is near', () => {
    const document = chain([skill('s', 'sup@^1'), end('done')]);
    expect(found(document, holding(sub()))).toEqual(['S12 /nodes/0/workflow_ref']);
    expect(told(document, holding(sub()))[0]?.help).toBe('Did you mean "sub"?');
    const later = chain([skill('s', 'sub@^2', fits), end('done')]);
    expect(found(later, holding(sub()))).toEqual(['S13 /nodes/0/workflow_ref']);
    expect(told(later, holding(sub()))[0]?.message).toContain('there is the version "1.0.0"');
  });

  it('judge the interface at the version that is meant', () => {
    expect(found(calling(fits), holding(sub()))).toEqual([]);
    expect(found(calling({}), holding(sub()))).toEqual(['S13 /nodes/0']);
    expect(found(calling({}), holding(sub(), sub({ inputs: {}, outputs: {} }, '1.1.0')))).toEqual([]);
    expect(found(calling({ input_mapping: { n: 1, x: 2 } }), holding(sub()))).toEqual(['S13 /nodes/0/input_mapping/x']);
    expect(found(calling({ input_mapping: { n: 'one' } }), holding(sub()))).toEqual(['S13 /nodes/0/input_mapping/n']);
    const mapped = { ...fits, output_mapping: { t: '${result.total}', u: '${result.sum}' } };
    expect(found(calling(mapped), holding(sub()))).toEqual(['S13 /nodes/0/output_mapping/u']);
  });

  it('follow the types of a skill’s outputs to their readers', () => {
    const takes = { input_schema: object({ x: { type: 'number' } }) };
    const read = (path: string): string[] =>
      found(calling(fits, { input_mapping: { x: path } }, takes), holding(sub()));
    expect(read('${nodes.s.outputs.total}')).toEqual([]);
    expect(read('${nodes.s.outputs.text}')).toEqual(['S8 /nodes/1/input_mapping/x']);
    expect(read('${nodes.s.outputs.none}')).toEqual(['S8 /nodes/1/input_mapping/x']);
    expect(read('${nodes.s.outputs.total.deep}')).toEqual(['S8 /nodes/1/input_mapping/x']);
  });

  it('name the cycle, through the registry and through other documents', () => {
    const named = (name: string, ...uses: string[]): Workflow =>
      chain([...uses.map((use, at) => skill(`s${at}`, `${use}@^1`)), end('done')], {
        workflow: { name, version: '1.0.0' },
      });
    const message = (document: Workflow, ...others: Workflow[]): string[] =>
      verify(document, holding(...others)).findings.flatMap(finding =>
        finding.rule === 'S14' ? [finding.message] : [],
      );
    expect(message(named('a', 'a'))).toEqual([
      'The skill "s0" makes the workflow contain itself: "a@1.0.0" → "a@1.0.0"',
    ]);
    expect(message(named('a', 'b'), named('b', 'c'), named('c', 'a'))).toEqual([
      'The skill "s0" makes the workflow contain itself: "a@1.0.0" → "b@1.0.0" → "c@1.0.0" → "a@1.0.0"',
    ]);
    expect(message(named('a', 'b'), named('b', 'c'), named('c', 'b'))).toEqual([
      'The skill "s0" leads to a workflow that contains itself: "b@1.0.0" → "c@1.0.0" → "b@1.0.0"',
    ]);
    expect(message(named('a', 'b', 'c'), named('b', 'c'), named('c'))).toEqual([]);
    const together = verifyTogether([named('a', 'b'), named('b', 'a')], EMPTY);
    expect(together.map(({ findings }) => findings.filter(({ rule }) => rule === 'S14').length)).toEqual([1, 1]);
  });
});
