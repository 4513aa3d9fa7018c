import { describe, expect, it } from 'vitest';
import type { Node, Workflow } from '../../../schemas/types.js';
import { verify } from './index.js';
import { act, chain, define, EMPTY, edges, end, error, flow, found, object, test, told } from './meaning.fixture.js';

describe('S8', () => {
  const output = object({ v: { type: 'string' } });
  const reading = (path: string, first: object, more: Partial<Workflow> = {}): string[] =>
    found(
      chain([act('a', first), act('b', { input_mapping: { x: path } }), end('done')], {
        actions: [define('a', { output_schema: output }), define('b')],
        ...more,
      }),
    );

  it('takes an absent output_mapping as the whole result, and {} as no outputs', () => {
    expect(reading('${nodes.a.outputs.v}', {})).toEqual([]);
    expect(reading('${nodes.a.outputs.w}', {})).toEqual(['S8 /nodes/1/input_mapping/x']);
    expect(reading('${nodes.a.outputs.v}', { output_mapping: {} })).toEqual(['S8 /nodes/1/input_mapping/x']);
    expect(reading('${nodes.a.outputs.w}', { output_mapping: { w: '${result.v}' } })).toEqual([]);
    expect(reading('${nodes.a.outputs.w}', { output_mapping: { w: '${result.u}' } })).toEqual([
      'S8 /nodes/0/output_mapping/w',
    ]);
  });

  it('knows a name that the schema does not list only where additionalProperties is false', () => {
    const actions = [define('a', { output_schema: object({ v: {} }, [], false) }), define('b')];
    expect(reading('${nodes.a.outputs.w}', {}, { actions })).toEqual([]);
  });

  it('gives a node that retries the outputs of the failed one', () => {
    const nodes = [
      act('a', { output_mapping: { w: '${result.v}' } }),
      error('again', 'retry'),
      act('b', { input_mapping: { x: '${nodes.again.outputs.w}' } }),
      act('c', { input_mapping: { x: '${nodes.again.outputs.v}' } }),
      act('d', { input_mapping: { x: '${nodes.a.outputs.w}' } }),
      end('done'),
      end('over'),
    ];
    const arcs = edges(
      'a -success-> done',
      'a -failure-> again -success-> b -success-> c -success-> d -success-> over',
    );
    const actions = ['a', 'b', 'c', 'd'].map(id => define(id, id === 'a' ? { output_schema: output } : {}));
    expect(found(flow(nodes, arcs, { actions }))).toEqual([
      'S8 /nodes/3/input_mapping/x',
      'S8 /nodes/4/input_mapping/x',
    ]);
  });

  it('finds commits certain through AND joins and not through OR joins, and takes a default for certainty', () => {
    const join = (join_type: string, path: string): string[] => {
      const nodes = [
        act('s', { fan_out: 'parallel' }),
        act('a'),
        act('b'),
        error('no', 'fail'),
        act('j', { join_type, input_mapping: { x: path } }),
        end('done'),
      ];
      const arcs = edges(
        's -success-> a -success-> j -success-> done',
        's -success-> b -success-> j',
        'a -failure-> no',
        'b -failure-> no',
      );
      return found(flow(nodes, arcs));
    };
    expect(join('AND', '${nodes.a.outputs.v}')).toEqual([]);
    expect(join('OR', '${nodes.a.outputs.v}')).toEqual(['S8 /nodes/4/input_mapping/x']);
    expect(join('OR', '${nodes.a.outputs.v ?? null}')).toEqual([]);
    expect(join('OR', '${nodes.a.outputs.v ?? nodes.b.outputs.v}')).toEqual([]);
    expect(join('OR', '${nodes.s.outputs.v}')).toEqual([]);
    expect(join('AND', '${nodes.done.outputs.v}')).toEqual(['S8 /nodes/4/input_mapping/x']);
    expect(join('AND', '${nodes.j.outputs.v}')).toEqual(['S8 /nodes/4/input_mapping/x']);
  });

  it('offers a default of the type that is taken, and to wait for all branches only where that can be', () => {
    const helpOf = (schema: object, x = '${nodes.a.outputs.v}', forks = false): string => {
      const first = forks ? act('s', { fan_out: 'parallel' }) : test('s');
      const nodes = [first, act('a'), act('b'), act('j', { input_mapping: { x } }), end('done')];
      const [left, right] = forks ? ['success', 'success'] : ['true', 'false'];
      const arcs = edges(`s -${left}-> a -success-> j -success-> done`, `s -${right}-> b -success-> j`);
      const actions = [...['s', 'a', 'b'].map(id => define(id)), define('j', { input_schema: object({ x: schema }) })];
      const { findings } = verify(flow(nodes, arcs, { actions }), EMPTY);
      const told = findings.filter(({ rule }) => rule === 'S8' || rule === 'S6').map(({ help }) => help);
      expect(told.map(help => help.includes('AND'))).toEqual([forks, forks]);
      return / \?\? (.*?)\}(,|\.$)/.exec(told.join('\n'))?.[1] ?? '';
    };
    const schemas = [{ type: 'string' }, { type: ['integer', 'null'] }, { type: 'number' }, { enum: ['post', 'boat'] }];
    expect(schemas.map(schema => helpOf(schema))).toEqual(['""', 'null', '0', '"post"']);
    expect([{ type: 'string', minLength: 1 }, {}].map(schema => helpOf(schema))).toEqual(['…', 'null']);
    expect(helpOf({ type: 'string' }, 'to ${nodes.a.outputs.v}')).toBe('""');
    expect(helpOf({ type: 'boolean' }, undefined, true)).toBe('false');
  });

  it('says how the text of a default is quoted', () => {
    const nodes = [act('a', { input_mapping: { x: "${inputs.yes ?? 'none'}" } }), end('done')];
    expect(told(chain(nodes))[0]?.help).toContain('Write ?? "text"');
  });

  it('lets has() stand for a default, and asks for it where an input is optional', () => {
    const choosing = (expression: string): string[] =>
      found(
        flow([test('c', expression), end('x'), end('y')], edges('c -true-> x', 'c -false-> y'), {
          inputs: { n: { schema: { type: 'number' }, required: false }, m: { schema: { type: 'number' }, default: 1 } },
        }),
      );
    expect(choosing('inputs.n > 1')).toEqual(['S8 /nodes/0/expression']);
    expect(choosing('has(inputs.n) && inputs.n > 1')).toEqual([]);
    expect(choosing('inputs.m > 1')).toEqual([]);
    const mapping = (x: string): string[] =>
      reading(x, {}, { inputs: { n: { schema: {}, required: false }, m: { schema: {} } } });
    expect(mapping('${inputs.n}')).toEqual(['S8 /nodes/1/input_mapping/x']);
    expect(mapping('${inputs.n ?? 3}')).toEqual([]);
    expect(mapping('${inputs.n ?? inputs.m}')).toEqual([]);
    expect(mapping('${inputs.n ?? inputs.n}')).toEqual(['S8 /nodes/1/input_mapping/x']);
  });

  it('wants outputs to be definite at every completed terminal, or a default', () => {
    const outputs = (mapping: string, status = 'completed'): string[] =>
      found(
        flow([test('c'), act('a'), end('x'), end('y', status)], edges('c -true-> a -success-> x', 'c -false-> y'), {
          outputs: { o: mapping },
        }),
      );
    expect(outputs('${nodes.a.outputs.v}')).toEqual(['S8 /outputs/o']);
    expect(outputs('${nodes.a.outputs.v}', 'failed')).toEqual([]);
    expect(outputs('${nodes.a.outputs.v ?? null}')).toEqual([]);
    expect(outputs('${error.node_id}')).toEqual(['S8 /outputs/o']);
  });

  it('lets error be read in an error node and in the nodes that one dominates', () => {
    const nodes = (x: string): Node[] => [
      act('a'),
      error('e', 'compensate'),
      act('b', { input_mapping: { x } }),
      act('c', { join_type: 'OR', input_mapping: { x } }),
      end('done'),
    ];
    const arcs = edges('a -failure-> e -success-> b -success-> c -success-> done', 'a -success-> c');
    expect(found(flow(nodes('${error.error_class}'), arcs))).toEqual(['S8 /nodes/3/input_mapping/x']);
    expect(found(flow(nodes('${error.reason}'), arcs))).toEqual([
      'S8 /nodes/2/input_mapping/x',
      'S8 /nodes/3/input_mapping/x',
    ]);
  });

  it('maps what an action requires, nothing that it does not take, and plain types that fit', () => {
    const input_schema = object({ number: { type: 'number' }, s: { type: 'string' } }, ['number']);
    const given = (input_mapping: object): string[] =>
      found(
        chain([act('a', { input_mapping }), end('done')], {
          actions: [define('a', { input_schema })],
          inputs: { k: { schema: { type: 'integer' } }, t: { schema: { type: 'string' } }, u: {} },
        }),
      );
    expect(given({ number: 1 })).toEqual([]);
    expect(given({})).toEqual(['S8 /nodes/0/input_mapping']);
    expect(given({ number: 1, m: 2 })).toEqual(['S8 /nodes/0/input_mapping/m']);
    expect(given({ numbr: 1 })).toEqual(['S8 /nodes/0/input_mapping/numbr']);
    expect(given({ number: '${inputs.k}', s: '${inputs.t}' })).toEqual([]);
    expect(given({ number: '${inputs.t}' })).toEqual(['S8 /nodes/0/input_mapping/number']);
    expect(given({ number: '${inputs.u}' })).toEqual([]);
    expect(given({ number: '${inputs.k}', s: 1 })).toEqual(['S8 /nodes/0/input_mapping/s']);
    expect(given({ number: 'x${inputs.k}' })).toEqual(['S8 /nodes/0/input_mapping/number']);
    expect(given({ number: '${inputs.t ?? "none"}' })).toEqual(['S8 /nodes/0/input_mapping/number']);
    expect(given({ number: '${inputs.t ?? 1}' })).toEqual([]);
  });

  it('makes a finding of each text that cannot be read, and of each path in the others', () => {
    const input_mapping = { a: '${nodes', b: ['${inputs.none}', { c: '${x}' }], d: '${inputs.yes}' };
    expect(found(chain([act('a', { input_mapping }), end('done')]))).toEqual([
      'S8 /nodes/0/input_mapping/a',
      'S8 /nodes/0/input_mapping/b/0',
      'S8 /nodes/0/input_mapping/b/1/c',
    ]);
  });

  it('counts the parts of an expression that do not fit', () => {
    const document = flow(
      [test('c', 'inputs.n > "a" && size(inputs.n) == 1'), end('x'), end('y')],
      edges('c -true-> x', 'c -false-> y'),
      { inputs: { n: { schema: { type: 'number' } } } },
    );
    expect(told(document)).toHaveLength(1);
    expect(told(document)[0]?.help).toContain('One more part of the expression does not fit either.');
  });

  it('tells a fraction from an integer', () => {
    const actions = [define('a', { input_schema: object({ n: { type: 'integer' } }) })];
    const given = (n: number): string[] => found(chain([act('a', { input_mapping: { n } }), end('done')], { actions }));
    expect(given(2)).toEqual([]);
    expect(given(2.5)).toEqual(['S8 /nodes/0/input_mapping/n']);
    const inputs = { n: { schema: { type: 'integer' }, default: 2.5 } };
    expect(found(chain([end('done')], { inputs }))).toEqual(['S8 /inputs/n/default']);
  });

  it('refuses a default of another type than the schema of the input', () => {
    const inputs = {
      n: { schema: { type: 'number' }, default: 'x' },
      m: { schema: { type: ['number', 'null'] }, default: null },
    };
    expect(found(chain([end('done')], { inputs }))).toEqual(['S8 /inputs/n/default']);
  });

  it('judges the conditions of used definitions, in the document and in the registry', () => {
    const wrong = define('a', {
      input_schema: object({ n: { type: 'number' } }),
      preconditions: [{ id: 'p', kind: 'hard', expression: 'inputs.n == "a"' }],
      postconditions: [{ id: 'q', kind: 'hard', expression: 'inputs.m == 1' }],
      success_condition: 'exit_code',
    });
    const document = chain([act('a'), end('done')], { actions: [] });
    expect(found({ ...document, actions: [wrong, define('b', { success_condition: '1' })] })).toEqual([
      'S8 /actions/0/postconditions/0/expression',
      'S8 /actions/0/preconditions/0/expression',
    ]);
    expect(told(document, { ...EMPTY, actions: [wrong] }).map(({ message }) => message.slice(0, 58))).toEqual([
      'In the postcondition of the action "a@1.0.0" in the regist',
      'In the precondition of the action "a@1.0.0" in the registr',
    ]);
  });
});
