import { describe, expect, it } from 'vitest';
import type { Action, Edge, Node, Registry } from '../../../schemas/types.js';
import { verify } from './index.js';
import {
  act,
  chain,
  define,
  EMPTY,
  edges,
  end,
  error,
  flow,
  found,
  holding,
  object,
  skill,
  test,
  told,
} from './meaning.fixture.js';

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

describe('S6 on a node that parallel branches lead to', () => {
  /** The findings of a fan-out to b and c, both of which lead on to x. */
  const judged = (x: Node, ...arcs: string[]) => {
    const nodes = [act('a', { fan_out: 'parallel' }), act('b'), act('c'), { ...x, join_type: 'OR' } as Node];
    const ends = [{ ...end('done'), join_type: 'AND' } as Node, error('stop', 'fail'), end('undone', 'compensated')];
    const used = new Set(arcs.flatMap(text => text.split(/ -\w+-> /)));
    const there = [...nodes, ...ends.filter(({ node_id }) => used.has(node_id))];
    const document = flow(there, edges('a -success-> b', 'a -success-> c', ...arcs));
    return verify(document, EMPTY).findings.map(({ rule, pointer }) => `${rule} ${pointer}`);
  };
  const failing = ['a -failure-> x', 'b -failure-> x', 'c -failure-> x', 'b -success-> done', 'c -success-> done'];

  it.each(['rollback', 'compensate'])('says nothing of an error node with handling %s', handling => {
    expect(judged(error('x', handling), ...failing, 'x -success-> undone')).toEqual([]);
  });

  it('warns of any other', () => {
    const rest = ['a -failure-> stop', 'b -failure-> stop', 'c -failure-> stop'];
    expect(judged(end('x'), 'b -success-> x', 'c -success-> x', ...rest)).toEqual(['S6 /nodes/3']);
    const amends = { ...error('x', 'compensate'), compensate_ref: 'a@^1' } as Node;
    expect(judged(amends, ...failing, 'x -success-> undone', 'x -failure-> stop')).toEqual(['S6 /nodes/3']);
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

  it('leaves open where a label that is none may have been meant for a failure', () => {
    const nodes = [act('a', marked), act('b'), error('e', 'fail'), { ...end('done'), join_type: 'OR' } as Node];
    const report = (...arcs: string[]) =>
      verify(flow(nodes, edges(...arcs, 'b -failure-> e'), { actions: [define('a', final), define('b', {})] }), EMPTY);
    const statusOf = ({ rules }: ReturnType<typeof verify>) => rules.find(({ rule }) => rule === 'S17')?.status;
    const foundIn = ({ findings }: ReturnType<typeof verify>) => findings.map(({ rule }) => rule);
    const misspelt = report('a -success-> done', 'a -failur-> b -success-> done');
    expect([foundIn(misspelt), statusOf(misspelt)]).toEqual([['S5'], 'not_evaluated']);
    const all = report('a -success-> b -success-> done', 'a -failur-> e');
    expect([foundIn(all), statusOf(all)]).toEqual([['S17', 'S5'], 'warn']);
    const before = report('b -success-> a -success-> done', 'a -failure-> e', 'b -alway-> done');
    expect([foundIn(before), statusOf(before)]).toEqual([['S5'], 'pass']);
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
