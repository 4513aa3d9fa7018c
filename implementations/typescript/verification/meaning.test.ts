import { describe, expect, it } from 'vitest';
import type { Action, Edge, Node, Registry, Workflow } from '../../../schemas/types.js';
import { verify, verifyTogether } from './index.js';

/** What the design says of the rules on references, contracts and failures, sentence by sentence. */

const act = (node_id: string, more: object = {}): Node =>
  ({ node_id, type: 'action', action_def: `${node_id}@^1`, ...more }) as Node;
const skill = (node_id: string, workflow_ref: string, more: object = {}): Node =>
  ({ node_id, type: 'skill', workflow_ref, ...more }) as Node;
const error = (node_id: string, handling: string, more: object = {}): Node =>
  ({ node_id, type: 'error', handling, ...more }) as Node;
const end = (node_id: string, status = 'completed', more: object = {}): Node =>
  ({ node_id, type: 'terminal', status, ...more }) as Node;
const test = (node_id: string, expression = 'inputs.yes'): Node => ({ node_id, type: 'condition', expression });
const edges = (...texts: string[]): Edge[] =>
  texts.flatMap(text => {
    const names = text.split(/ -([a-z]+)-> /);
    return names.flatMap((name, at): Edge[] =>
      at % 2 === 1 ? [{ from_node: names[at - 1] as string, to_node: names[at + 1] as string, label: name }] : [],
    );
  });
const define = (action_id: string, more: Partial<Action> = {}): Action => ({
  action_id,
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
  ...more,
});
const object = (
  properties: Record<string, unknown>,
  required: string[] = [],
  closed = true,
): Record<string, unknown> => ({
  type: 'object',
  properties,
  required,
  additionalProperties: !closed,
});
const flow = (nodes: Node[], arcs: Edge[], more: Partial<Workflow> = {}): Workflow => ({
  schema_version: '1.0',
  workflow: { name: 'w', version: '1.0.0' },
  inputs: { yes: { schema: { type: 'boolean' } } },
  actions: nodes.flatMap(node => (node.type === 'action' ? [define(node.action_def.replace(/@.*/, ''))] : [])),
  nodes,
  edges: arcs,
  ...more,
});
const EMPTY: Registry = { schema_version: '1.0', actions: [], workflows: [] };
const holding = (...workflows: Workflow[]): Registry => ({ ...EMPTY, workflows });

/** The findings as `rule pointer`, but for failures that nothing handles and joins that are not declared. */
function found(document: Workflow, registry: Registry = EMPTY): string[] {
  return verify(document, registry)
    .findings.filter(({ rule }) => rule !== 'S15' && rule !== 'S6')
    .map(({ rule, pointer }) => `${rule} ${pointer}`);
}
function told(document: Workflow, registry: Registry = EMPTY): { message: string; help: string }[] {
  return verify(document, registry)
    .findings.filter(({ rule }) => rule !== 'S15' && rule !== 'S6')
    .map(({ message, help }) => ({ message, help }));
}
const line = (...nodes: Node[]): Edge[] =>
  nodes.slice(1).map((node, at) => ({
    from_node: (nodes[at] as Node).node_id,
    to_node: node.node_id,
    label: 'success',
  }));
const chain = (nodes: Node[], more: Partial<Workflow> = {}): Workflow => flow(nodes, line(...nodes), more);

describe('S7', () => {
  const using = (action_def: string, ...actions: Action[]): Workflow =>
    chain([act('a', { action_def }), end('done')], { actions });

  it('says which versions there are, in their order, and how to refer to the last', () => {
    const actions = ['1.9.0', '1.10.0', '1.2.0'].map(version => define('fetch', { version }));
    expect(told(using('fetch@^2', ...actions))).toEqual([
      {
        message:
          'The action "fetch@^2" of node "a" does not exist: there are the versions "1.2.0", "1.9.0" and "1.10.0"',
        help: 'Refer to a version that exists, for example "fetch@^1.10.0", or register one that fits.',
      },
    ]);
  });

  it('asks whether a like name was meant, and lists a few that there are', () => {
    expect(told(using('fetsh@^1', define('fetch'), define('store')))[0]?.help).toBe('Did you mean "fetch"?');
    expect(told(using('other@^1', define('fetch'), define('store')))[0]?.help).toContain(
      'There are "fetch" and "store"',
    );
  });

  it('asks without a registry too, where the document has a like name', () => {
    const { rules } = verify(using('fetsh@^1', define('fetch')));
    expect(rules.find(({ rule }) => rule === 'S7')?.reason).toBe(
      'no registry was given in which "fetsh@^1" could be; for "fetsh@^1": Did you mean "fetch"?',
    );
  });

  it('knows pre-releases and what is no range', () => {
    const early = define('fetch', { version: '2.0.0-beta.1' });
    expect(told(using('fetch@>=1', early))[0]?.help).toContain('write "fetch@2.0.0-beta.1"');
    expect(told(using('fetch@latest', define('fetch')))[0]?.message).toContain('"latest" is no range of versions');
  });

  it('looks at reverts, compensations and compensate_refs, once for each reference', () => {
    const actions = [
      define('a', { side_effects: ['memory'], revert: 'gone@^1' }),
      define('b', { side_effects: ['memory'], revert: 'gone@^1' }),
      define('c', { side_effects: ['memory'], rollback: 'compensatable', compensation: 'lost@^1' }),
      define('unused', { side_effects: ['memory'], revert: 'nowhere@^1' }),
    ];
    const nodes = [
      act('a'),
      act('b'),
      act('c'),
      error('undo', 'compensate', { compensate_ref: 'none@^1' }),
      end('done'),
    ];
    const arcs = [...line(act('a'), act('b'), act('c'), end('done')), ...edges('a -failure-> undo -success-> done')];
    expect(found(flow(nodes, arcs, { actions }))).toEqual([
      'S7 /actions/0/revert',
      'S7 /actions/2/compensation',
      'S7 /nodes/3/compensate_ref',
    ]);
  });
});

describe('S5 on definitions', () => {
  it('makes a finding of a definition that the registry holds twice in different ways, where it is used', () => {
    const document = chain([act('a'), skill('s', 'sub@^1'), end('done')], { actions: [] });
    const sub = chain([end('done')], { workflow: { name: 'sub', version: '1.0.0' }, inputs: {} });
    const other = { ...sub, outputs: { x: 1 } };
    const twice = { ...EMPTY, actions: [define('a'), define('a', { idempotent: true })], workflows: [sub, other] };
    expect(found(document, twice)).toEqual(['S5 /nodes/0/action_def', 'S5 /nodes/1/workflow_ref']);
    const same = { ...EMPTY, actions: [define('a'), define('a')], workflows: [sub, { ...sub }] };
    expect(found(document, same)).toEqual([]);
    const unused = {
      ...EMPTY,
      actions: [define('a'), define('b'), define('b', { idempotent: true })],
      workflows: [sub],
    };
    expect(found(document, unused)).toEqual([]);
  });

  it('makes a finding of each further document of one name and version', () => {
    const one = chain([end('done')]);
    const reports = verifyTogether([one, { ...one, outputs: { x: 1 } }, one], EMPTY);
    expect(reports.map(({ findings }) => findings.map(({ rule, pointer }) => `${rule} ${pointer}`))).toEqual([
      [],
      ['S5 /workflow/name'],
      ['S5 /workflow/name'],
    ]);
  });
});

describe('S5 on edges to error nodes', () => {
  it('offers the label failure only where the node goes on by another edge', () => {
    const helpOf = (...more: string[]): string | undefined =>
      told(
        flow(
          [act('a'), error('undo', 'rollback'), error('stop', 'fail'), end('done')],
          edges('a -success-> done', 'a -failure-> undo -success-> stop', ...more),
        ),
      ).find(({ message }) => message.includes('leads to an error node'))?.help;
    expect(helpOf()).not.toContain('or label it failure');
    expect(helpOf('undo -always-> done')).toContain('or label it failure');
  });
});

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

describe('S9', () => {
  it('says what number of retries is allowed', () => {
    const helpFor = (more: Partial<Action>): string | undefined =>
      told(chain([act('a', { retry_policy: { max_retries: 9 } }), end('done')], { actions: [define('a', more)] })).find(
        ({ message }) => message.includes('retried'),
      )?.help;
    expect(helpFor({ rollback: 'irreversible', side_effects: ['remote_server'] })).toBe('Set max_retries to 0.');
    expect(helpFor({})).toContain('at most 3');
  });

  const retried = (
    determinism: Action['determinism'],
    policy: number | undefined,
    attempts: number | undefined,
    more: Partial<Action> = {},
  ): string[] => {
    const retry_policy = policy === undefined ? {} : { retry_policy: { max_retries: policy } };
    const nodes = [
      act('a', { ...retry_policy, irreversible: 'acknowledged' }),
      ...(attempts === undefined ? [] : [error('again', 'retry', attempts === 0 ? {} : { max_attempts: attempts })]),
      end('done'),
      end('over'),
    ];
    const arcs = edges('a -success-> done', ...(attempts === undefined ? [] : ['a -failure-> again -success-> over']));
    const actions = [define('a', { determinism, ...more })];
    return found(flow(nodes, arcs, { actions })).filter(finding => finding.startsWith('S9'));
  };

  it('sums policy and error node, an error node counting 1', () => {
    expect(retried('deterministic', 3, undefined)).toEqual([]);
    expect(retried('deterministic', 4, undefined)).toHaveLength(1);
    expect(retried('deterministic', 2, 0)).toEqual([]);
    expect(retried('deterministic', 3, 0)).toHaveLength(1);
    expect(retried('conditionally_deterministic', undefined, 2)).toEqual([]);
    expect(retried('conditionally_deterministic', 1, 2)).toHaveLength(1);
    expect(retried('non_deterministic', undefined, 0)).toHaveLength(1);
    expect(retried('non_deterministic', 0, undefined)).toEqual([]);
  });

  it('names a retry of an irreversible action, but not the defaults', () => {
    const irreversible: Partial<Action> = { rollback: 'irreversible', side_effects: ['external_service'] };
    expect(retried('deterministic', 1, undefined, irreversible)).toHaveLength(1);
    expect(retried('deterministic', undefined, 0, irreversible)).toHaveLength(1);
    expect(retried('deterministic', undefined, undefined, irreversible)).toEqual([]);
    expect(retried('deterministic', 0, undefined, irreversible)).toEqual([]);
  });

  it('takes a skill for the worst of its content, through skills', () => {
    const inner = chain([act('a'), end('done')], {
      workflow: { name: 'inner', version: '1.0.0' },
      inputs: {},
      actions: [define('a', { determinism: 'non_deterministic' })],
    });
    const outer = chain([skill('i', 'inner@^1'), end('done')], {
      workflow: { name: 'outer', version: '1.0.0' },
      inputs: {},
    });
    const nodes = [skill('s', 'outer@^1'), error('again', 'retry'), end('done'), end('over')];
    const document = flow(nodes, edges('s -success-> done', 's -failure-> again -success-> over'));
    expect(found(document, holding(inner, outer))).toEqual(['S9 /nodes/1']);
  });
});

describe('S10 and S11', () => {
  const judged = (more: Partial<Action>): string[] => {
    const undo = define('undo', { side_effects: ['memory'], rollback: 'compensatable' });
    const action = define('a', more);
    if ('side_effects' in more && more.side_effects === undefined) delete action.side_effects;
    return found(chain([act('a', { irreversible: 'acknowledged' }), end('done')], { actions: [action, undo] }));
  };

  it('hold IH1 to IH4 and ask for a revert', () => {
    expect(judged({})).toEqual([]);
    expect(judged({ rollback: 'compensatable' })).toEqual(['S10 /actions/0/rollback']);
    expect(judged({ rollback: 'irreversible' })).toEqual(['S10 /actions/0/rollback']);
    expect(judged({ modifies_existing: true })).toEqual(['S10 /actions/0/modifies_existing']);
    expect(judged({ side_effects: ['memory'], revert: 'undo@^1', modifies_existing: true })).toHaveLength(1);
    expect(judged({ side_effects: ['memory'] })).toEqual(['S10 /actions/0/rollback']);
    expect(judged({ side_effects: ['memory'], revert: 'undo@^1' })).toEqual([]);
    expect(judged({ side_effects: ['remote_server'], revert: 'undo@^1' })).toEqual(['S10 /actions/0/rollback']);
    expect(judged({ side_effects: ['external_service'], rollback: 'compensatable' })).toHaveLength(1);
    expect(judged({ side_effects: ['external_service'], rollback: 'irreversible' })).toEqual([]);
  });

  it('name what is not declared, and what contradicts', () => {
    expect(judged({ side_effects: undefined as never })).toEqual(['S11 /actions/0']);
    expect(judged({ revert: 'undo@^1' })).toEqual(['S11 /actions/0/revert']);
    expect(judged({ compensation: 'undo@^1' })).toEqual(['S11 /actions/0/compensation']);
    expect(judged({ idempotent: false })).toEqual(['S11 /actions/0/idempotent']);
    expect(judged({ rollback: 'compensatable', compensation: 'undo@^1' })).toEqual(['S10 /actions/0/rollback']);
    expect(judged({ rollback: 'compensatable', side_effects: undefined as never })).toEqual([
      'S10 /actions/0/rollback',
    ]);
  });
});

describe('S16', () => {
  const gap: Partial<Action> = { side_effects: ['remote_server'], rollback: 'compensatable' };
  const compensated = (nodes: Node[], arcs: Edge[], actions: Action[], registry: Registry = EMPTY): string[] =>
    found(flow(nodes, arcs, { actions }), registry).filter(finding => finding.startsWith('S16'));

  it('leaves out descendants, exclusive branches, the failed action itself, and nodes with a compensate_ref', () => {
    const nodes = (more: object = {}): Node[] => [
      act('p', { fan_out: 'parallel' }),
      act('beside'),
      test('c'),
      act('left'),
      act('right'),
      error('undo', 'compensate', more),
      act('after'),
      end('done', 'completed', { join_type: 'OR' }),
    ];
    const arcs = edges(
      'p -success-> beside -success-> done',
      'p -success-> c -true-> left -success-> done',
      'c -false-> right -success-> done',
      'left -failure-> undo -success-> after -success-> done',
    );
    const lacking = (...ids: string[]): Action[] =>
      ['p', 'beside', 'left', 'right', 'after'].map(id => define(id, ids.includes(id) ? gap : {}));
    expect(compensated(nodes(), arcs, lacking('p'))).toEqual(['S16 /nodes/5']);
    expect(compensated(nodes(), arcs, lacking('beside'))).toEqual(['S16 /nodes/5']);
    expect(compensated(nodes(), arcs, lacking('p', 'beside'))).toEqual(['S16 /nodes/5', 'S16 /nodes/5']);
    expect(compensated(nodes(), arcs, lacking('left', 'right', 'after'))).toEqual([]);
    const action = [...lacking('p'), define('fix')];
    expect(compensated(nodes({ compensate_ref: 'fix@^1' }), arcs, action)).toEqual([]);
    const final = [...lacking('p'), define('fix', { rollback: 'irreversible', side_effects: ['external_service'] })];
    expect(compensated(nodes({ compensate_ref: 'fix@^1' }), arcs, final)).toEqual(['S16 /nodes/5/compensate_ref']);
  });

  it('says so where it can neither exclude a pair nor bear it out', () => {
    const both = ['tt', 'tf', 'ft', 'ff'];
    const nodes = [
      act('p', { fan_out: 'parallel' }),
      test('one'),
      test('two', '!inputs.yes'),
      ...['one-true', 'one-false', 'two-true', 'two-false'].map(id => act(id, { fan_out: 'parallel' })),
      ...both.map(id => act(id, { join_type: 'AND' })),
      act('book', { join_type: 'OR' }),
      act('booked'),
      act('pay', { join_type: 'OR' }),
      act('paid'),
      error('undo', 'compensate'),
      end('done', 'completed', { join_type: 'OR' }),
      end('undone', 'compensated'),
    ];
    const name = { t: 'true', f: 'false' };
    const arcs = edges(
      'p -success-> one',
      'p -success-> two',
      ...['one', 'two'].flatMap(of => [`${of} -true-> ${of}-true`, `${of} -false-> ${of}-false`]),
      ...both.flatMap(id => [
        `one-${name[id[0] as 't' | 'f']} -success-> ${id}`,
        `two-${name[id[1] as 't' | 'f']} -success-> ${id}`,
        `${id} -success-> ${id[0] === id[1] ? 'book' : 'pay'}`,
      ]),
      'book -success-> booked -success-> done',
      'pay -success-> paid -success-> done',
      'paid -failure-> undo -success-> undone',
    );
    const actions = nodes.flatMap(({ node_id, type }) =>
      type === 'action' ? [define(node_id, node_id === 'booked' ? gap : {})] : [],
    );
    const { findings, rules } = verify(flow(nodes, arcs, { actions }), EMPTY);
    expect(findings.filter(({ rule }) => rule === 'S16')).toEqual([]);
    const told = rules.find(({ rule }) => rule === 'S16');
    expect(told).toMatchObject({ status: 'not_evaluated', reason: expect.stringMatching(/^of some error nodes/) });
  });

  it('counts the content of a failed skill, and of skills in it', () => {
    const inner = chain([act('x'), end('done')], {
      workflow: { name: 'inner', version: '1.0.0' },
      inputs: {},
      actions: [define('x', gap)],
    });
    const outer = chain([skill('i', 'inner@^1'), end('done')], {
      workflow: { name: 'outer', version: '1.0.0' },
      inputs: {},
    });
    const nodes = [skill('s', 'outer@^1'), error('undo', 'compensate'), end('done'), end('undone', 'compensated')];
    const arcs = edges('s -success-> done', 's -failure-> undo -success-> undone');
    expect(compensated(nodes, arcs, [], holding(inner, outer))).toEqual(['S16 /nodes/1']);
    expect(found(flow(nodes, arcs, { actions: [] }), holding(inner, outer))).toEqual(['S16 /nodes/1']);
  });

  it('wants a compensation that is given what it takes and is not irreversible', () => {
    const nodes = [act('a'), act('b'), error('undo', 'compensate'), end('done'), end('undone', 'compensated')];
    const arcs = edges('a -success-> b -success-> done', 'b -failure-> undo -success-> undone');
    const by = (fix: Partial<Action>): string[] =>
      compensated(nodes, arcs, [define('a', { ...gap, compensation: 'fix@^1' }), define('b'), define('fix', fix)]);
    const wants = (...names: string[]): Partial<Action> => ({ input_schema: { type: 'object', required: names } });
    expect(by({})).toEqual([]);
    expect(by(wants('execution_id', 'idempotency_key', 'inputs', 'outputs'))).toEqual([]);
    expect(by(wants('booking'))).toEqual(['S16 /nodes/2']);
    expect(by({ input_schema: object({ inputs: {} }) })).toEqual(['S16 /nodes/2']);
    expect(by({ rollback: 'irreversible', side_effects: ['external_service'] })).toEqual(['S16 /nodes/2']);
  });

  it('tells branches apart that parted long before', () => {
    const count = 150;
    const name = (at: number): string => `a${String(at).padStart(3, '0')}`;
    const at = Array.from({ length: count }, (_, index) => index);
    const nodes = [
      ...at.map(index => act(name(index))),
      ...at.map(index => error(`undo-${name(index)}`, 'compensate')),
      end('done'),
      end('undone', 'compensated', { join_type: 'OR' }),
    ];
    const arcs = edges(
      ...at.map(index => `${name(index)} -success-> ${index === count - 1 ? 'done' : name(index + 1)}`),
      ...at.map(index => `${name(index)} -failure-> undo-${name(index)} -success-> undone`),
    );
    const lacking = (index: number): Action[] => at.map(other => define(name(other), other === index ? gap : {}));
    expect(compensated(nodes, arcs, lacking(count - 1))).toEqual([]);
    expect(compensated(nodes, arcs, lacking(0))).toHaveLength(count - 1);
  });
});

describe('S17', () => {
  const final: Partial<Action> = { rollback: 'irreversible', side_effects: ['external_service'] };
  const marked = { irreversible: 'acknowledged' };
  const judged = (nodes: Node[], arcs: Edge[], ...ids: string[]): string[] =>
    found(flow(nodes, arcs, { actions: ['a', 'b'].map(id => define(id, ids.includes(id) ? final : {})) }));

  it('asks for the mark, and names what can fail later', () => {
    expect(judged([act('a'), end('done')], edges('a -success-> done'), 'a')).toEqual(['S17 /nodes/0']);
    expect(judged([act('a', marked), end('done')], edges('a -success-> done'), 'a')).toEqual([]);
    expect(judged([act('a', marked), act('b'), end('done')], edges('a -success-> b -success-> done'), 'a')).toEqual([
      'S17 /nodes/0',
    ]);
    expect(judged([act('b'), act('a', marked), end('done')], edges('b -success-> a -success-> done'), 'a')).toEqual([]);
    expect(judged([act('a', marked), end('bad', 'failed')], edges('a -success-> bad'), 'a')).toEqual(['S17 /nodes/0']);
  });

  it('does not count its own failure edge, nor parallel branches', () => {
    const nodes = [
      act('b', { fan_out: 'parallel' }),
      act('a', marked),
      error('e', 'compensate'),
      end('done'),
      end('x'),
      end('y'),
    ];
    const arcs = edges('b -success-> a -success-> done', 'b -success-> x', 'a -failure-> e -success-> y');
    expect(judged(nodes, arcs, 'a')).toEqual([]);
  });

  it('names a skill with something irreversible in it', () => {
    const sub = chain([act('a', marked), end('done')], {
      workflow: { name: 'sub', version: '1.0.0' },
      inputs: {},
      actions: [define('a', final)],
    });
    expect(found(chain([skill('s', 'sub@^1'), end('done')]), holding(sub))).toEqual(['S17 /nodes/0']);
    expect(found(chain([skill('s', 'sub@^1', marked), end('done')]), holding(sub))).toEqual([]);
  });
});
