import { describe, expect, it } from 'vitest';
import type { Action, Node, Registry } from '../../../schemas/types.js';
import { verify, verifyTogether } from './index.js';

const action = (action_id: string, more: Partial<Action> = {}): Action => ({
  action_id,
  version: '1.2.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
  ...more,
});
const registryOf = (...actions: Action[]): Registry => ({ schema_version: '1.0', actions, workflows: [] });
function findings(refs: readonly string[], registry?: Registry, actions: Action[] = []): [string, string, string][] {
  const nodes: Node[] = refs.map((action_def, at) => ({ node_id: `n${at}`, type: 'action', action_def }));
  nodes.push({ node_id: 'done', type: 'terminal', status: 'completed' });
  const edges = refs.map((_, at) => ({
    from_node: `n${at}`,
    to_node: at + 1 === refs.length ? 'done' : `n${at + 1}`,
    label: 'success',
  }));
  const report = verify(
    { schema_version: '1.0', workflow: { name: 'w', version: '1.0.0' }, actions, nodes, edges },
    registry,
  );
  return report.findings
    .filter(({ rule }) => rule === 'S7')
    .map(({ rule, pointer, message }) => [rule, pointer, message]);
}

describe('S7', () => {
  it('finds actions in the workflow and in the registry, by range', () => {
    expect(findings(['own@^1.1', 'other@~1.2.0', 'other@*'], registryOf(action('other')), [action('own')])).toEqual([]);
    expect(findings(['own@^1'], undefined, [action('own')])).toEqual([]);
  });

  it('names a missing definition once, with the versions that there are', () => {
    const found = findings(['gone@^1', 'a@^2', 'gone@^1'], registryOf(action('a')));
    expect(found.map(([rule, pointer]) => [rule, pointer])).toEqual([
      ['S7', '/nodes/0/action_def'],
      ['S7', '/nodes/1/action_def'],
    ]);
    expect(found[1]?.[2]).toContain('"1.2.0"');
  });

  it('leaves open what may mean an ill-formed action, which is the one defect', () => {
    const broken = (more: object): Action =>
      ({ ...action('a'), determinism: 'detrministic', ...more }) as unknown as Action;
    const rulesOf = (refs: readonly string[], actions: Action[]): string[] =>
      findings(refs, registryOf(action('other')), actions).map(([, pointer]) => pointer);
    expect(rulesOf(['a@^1'], [broken({})])).toEqual([]);
    expect(rulesOf(['a@^1'], [broken({ version: 1 })])).toEqual([]);
    expect(rulesOf(['a@^1'], [broken({ action_id: undefined })])).toEqual([]);
    expect(rulesOf(['a@^2'], [action('a'), broken({ version: '2.0.0' })])).toEqual([]);
    expect(rulesOf(['a@^3', 'b@^1'], [broken({})])).toEqual(['/nodes/0/action_def', '/nodes/1/action_def']);
    expect(rulesOf(['a@^1'], { a: action('a') } as unknown as Action[])).toEqual([]);
  });

  it('follows reverts and compensations of what is used, and of nothing else', () => {
    const registry = registryOf(
      action('a', { revert: 'undo@^1' }),
      action('undo', { compensation: 'gone@^1' }),
      action('idle', { revert: 'none@^1' }),
    );
    expect(findings(['a@1'], registry).map(([rule, pointer]) => [rule, pointer])).toEqual([
      ['S7', '/nodes/0/action_def'],
    ]);
    const own = [action('idle'), action('a', { revert: 'gone@^1' })];
    expect(findings(['a@1'], registryOf(), own).map(([, pointer]) => pointer)).toEqual(['/actions/1/revert']);
    const loop = registryOf(action('a', { revert: 'b@^1' }), action('b', { revert: 'a@^1' }));
    expect(findings(['a@^1'], loop)).toEqual([]);
  });

  it('names the first node that leads to a reference, in whatever order the nodes come', () => {
    const registry = registryOf(
      action('a', { revert: 'b@^1', compensation: 'c@^1' }),
      action('b', { revert: 'c@^1' }),
      action('c', { revert: 'gone@^1' }),
    );
    const nodeOf = (references: readonly string[]): unknown =>
      verify(
        {
          schema_version: '1.0',
          workflow: { name: 'w', version: '1.0.0', start: 'n1' },
          nodes: references.map(reference => ({
            node_id: `n${reference[0] === 'a' ? 1 : reference[0] === 'b' ? 2 : 3}`,
            type: 'action',
            action_def: reference,
            fan_out: 'parallel',
          })),
          edges: [
            { from_node: 'n1', to_node: 'n2', label: 'success' },
            { from_node: 'n1', to_node: 'n3', label: 'success' },
          ],
        },
        registry,
      ).findings.find(({ rule }) => rule === 'S7')?.node_id;
    expect(['a@^1 b@^1 c@^1', 'c@^1 b@^1 a@^1', 'b@^1 c@^1 a@^1'].map(text => nodeOf(text.split(' ')))).toEqual([
      'n1',
      'n1',
      'n1',
    ]);
  });

  it('is not evaluated where a registry could know the action', () => {
    const nodes = [
      { node_id: 'a', type: 'action', action_def: 'x@^1' },
      { node_id: 'done', type: 'terminal', status: 'completed' },
    ];
    const edges = [{ from_node: 'a', to_node: 'done', label: 'success' }];
    const { rules } = verify({ schema_version: '1.0', workflow: { name: 'w', version: '1.0.0' }, nodes, edges });
    expect(rules.find(rule => rule.rule === 'S7')).toMatchObject({
      status: 'not_evaluated',
      reason: expect.stringContaining('x@^1'),
    });
  });

  it('needs no registry where the name is defined and no version fits', () => {
    const own = [action('hotel.cancel'), action('hotel.book', { compensation: 'hotel.cancel@^3' })];
    expect(findings(['hotel.book@^1'], undefined, own)).toEqual([
      ['S7', '/actions/1/compensation', expect.stringContaining('"hotel.cancel@^3"')],
    ]);
    expect(findings(['hotel.cancel@^2', 'elsewhere@^1'], undefined, own).map(([, pointer]) => pointer)).toEqual([
      '/nodes/0/action_def',
    ]);
    expect(findings(['hotel.cancel@^1'], undefined, own)).toEqual([]);
  });
});

describe('S12 and S13', () => {
  const words = (version: string): unknown => ({
    schema_version: '1.0',
    workflow: { name: 'count-words', version },
    nodes: [{ node_id: 'done', type: 'terminal', status: 'completed' }],
    edges: [],
  });
  const user = (workflow_ref: string): unknown => ({
    schema_version: '1.0',
    workflow: { name: 'user', version: '1.0.0' },
    nodes: [
      { node_id: 'count', type: 'skill', workflow_ref },
      { node_id: 'done', type: 'terminal', status: 'completed' },
    ],
    edges: [
      { from_node: 'count', to_node: 'done', label: 'success' },
      { from_node: 'count', to_node: 'done', label: 'failure' },
    ],
  });
  const statuses = (workflow_ref: string): (string | undefined)[] => {
    const [report] = verifyTogether([user(workflow_ref), words('1.2.0')]);
    return ['S12', 'S13'].map(id => report?.rules.find(({ rule }) => rule === id)?.status);
  };

  it('need no registry where a document of the name is there and its version does not fit', () => {
    expect(statuses('count-words@^2')).toEqual(['pass', 'fail']);
    expect(statuses('count-words@^1')).toEqual(['pass', 'pass']);
    expect(statuses('count-word@^1')).toEqual(['not_evaluated', 'not_evaluated']);
  });

  it('are left open where a document of the name is there and ill-formed', () => {
    const illFormed = { ...(words('1.2.0') as object), colour: 'red' };
    const statuses = (workflow_ref: string): (string | undefined)[] => {
      const [report] = verifyTogether([user(workflow_ref), illFormed], registryOf());
      return ['S12', 'S13', 'S14'].map(id => report?.rules.find(({ rule }) => rule === id)?.status);
    };
    expect(statuses('count-words@^1')).toEqual(['not_evaluated', 'not_evaluated', 'not_evaluated']);
    expect(statuses('count-words@^2')).toEqual(['fail', 'not_evaluated', 'not_evaluated']);
  });
});

describe('a condition of what nobody defined', () => {
  const deciding = (source: object, ...labels: string[]): unknown => ({
    schema_version: '1.0',
    workflow: { name: 'user', version: '1.0.0' },
    nodes: [
      { node_id: 'look', ...source },
      { node_id: 'which', type: 'condition', expression: 'nodes.look.outputs.kind' },
      { node_id: 'done', type: 'terminal', status: 'completed', join_type: 'OR' },
      { node_id: 'stop', type: 'error', handling: 'fail' },
    ],
    edges: [
      { from_node: 'look', to_node: 'which', label: 'success' },
      { from_node: 'look', to_node: 'stop', label: 'failure' },
      ...labels.map(label => ({ from_node: 'which', to_node: 'done', label })),
    ],
  });
  const action = { type: 'action', action_def: 'look@^1' };
  const skill = { type: 'skill', workflow_ref: 'look@^1' };
  const reason = (document: unknown): string | undefined =>
    verify(document).rules.find(({ rule }) => rule === 'S8')?.reason;

  it.each([
    ['words', ['small', 'default']],
    ['a boolean', ['true', 'false']],
  ])('is named where its labels are those of %s', (_, labels) => {
    expect(reason(deciding(action, ...labels))).toMatch(
      / \(S7\), nor whether the labels of "which" fit what it gives \(S5\)$/,
    );
    expect(reason(deciding(skill, ...labels))).toMatch(/^whether the labels of "which" fit .* \(S12\)$/);
  });

  it('is not where they fit whatever it gives', () => {
    expect(reason(deciding(action, 'true', 'default'))).toMatch(/ \(S7\)$/);
    expect(reason(deciding(skill, 'true', 'default'))).toBeUndefined();
  });
});
