import { describe, expect, it } from 'vitest';
import type { Action, Workflow } from '../../../schemas/types.js';
import { verify, verifyTogether } from './index.js';
import { act, chain, define, EMPTY, edges, end, error, flow, found, line, skill, told } from './meaning.fixture.js';

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
      'no registry was given in which "fetsh@^1" could be; did you mean "fetch"?',
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
