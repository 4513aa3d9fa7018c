import { describe, expect, it } from 'vitest';
import type { Action, Edge, Node, Safety, Workflow } from '../../../schemas/types.js';
import { verify } from './index.js';
import { define as action } from './meaning.fixture.js';

/** A chain of actions, each handled by an error node that fails; more nodes and edges as given. */
function chain(actions: readonly Action[], more: { nodes?: Node[]; edges?: Edge[]; handled?: boolean } = {}): Workflow {
  const ids = actions.map(({ action_id }) => action_id).filter(id => !id.startsWith('un-'));
  const nodes: Node[] = ids.map(id => ({ node_id: id, type: 'action', action_def: `${id}@^1` }));
  const next = (at: number): string => ids[at + 1] ?? 'done';
  const edges: Edge[] = ids.map((id, at) => ({ from_node: id, to_node: next(at), label: 'success' }));
  if (more.handled !== false) {
    for (const id of ids) edges.push({ from_node: id, to_node: 'refused', label: 'failure' });
    nodes.push({ node_id: 'refused', type: 'error', handling: 'fail', join_type: 'OR' });
  }
  nodes.push({ node_id: 'done', type: 'terminal', status: 'completed' });
  return {
    schema_version: '1.0',
    workflow: { name: 'w', version: '1.0.0' },
    actions: [...actions],
    nodes: [...nodes, ...(more.nodes ?? [])],
    edges: [...edges, ...(more.edges ?? [])],
  };
}

function safety(workflow: unknown, registry?: Parameters<typeof verify>[1]): Safety {
  return verify(workflow, registry).safety as Safety;
}

const levels = ({ level, at_least, nodes }: Safety): string =>
  [
    level === at_least ? level : `${level} ≥ ${at_least}`,
    ...nodes.map(
      node => `${node.node_id} ${node.level} ${node.reasons.map(r => `${r.requirement} ${r.action}`).join(' ')}`,
    ),
  ].join(' | ');

describe('the level', () => {
  const one = (more: Partial<Action>, ...others: Action[]): string =>
    levels(safety(chain([action('a', more), ...others])));

  it('follows from what actions declare', () => {
    expect(one({})).toBe('SAFE');
    expect(one({ determinism: 'non_deterministic' })).toBe('CONDITIONALLY_SAFE | a CONDITIONALLY_SAFE RS1 a@1.0.0');
    const remote = { side_effects: ['remote_server'], rollback: 'compensatable', compensation: 'un-a@1' } as const;
    expect(one({ ...remote, side_effects: ['remote_server'] }, action('un-a'))).toBe(
      'CONDITIONALLY_SAFE | a CONDITIONALLY_SAFE RS2 a@1.0.0',
    );
    expect(one({ rollback: 'compensatable' })).toBe('RISKY | a RISKY RS4 a@1.0.0');
    expect(one({ side_effects: ['external_service'] })).toBe('RISKY | a RISKY RS3 a@1.0.0');
    expect(one({ rollback: 'irreversible' })).toBe('IRREVERSIBLE | a IRREVERSIBLE RS5 a@1.0.0');
  });

  it('is the highest of what undoes, too, and names the action that gives it', () => {
    const revert = action('un-a', { side_effects: ['external_service'], revert: 'a@1' });
    expect(one({ revert: 'un-a@1' }, revert)).toBe('RISKY | a RISKY RS3 un-a@1.0.0');
    expect(
      one({ rollback: 'irreversible', compensation: 'un-a@1' }, action('un-a', { rollback: 'compensatable' })),
    ).toBe('IRREVERSIBLE | a IRREVERSIBLE RS5 a@1.0.0');
    const report = safety(chain([action('a', { revert: 'un-a@1' }), revert]));
    expect(report.nodes[0]?.reasons[0]?.message).toContain('undoing leads to it');
  });

  it('is the highest of everything in a skill, whatever the skills refer to', () => {
    const inner: Workflow = chain([action('x', { rollback: 'irreversible', side_effects: ['repository'] })]);
    const registry = {
      schema_version: '1.0' as const,
      actions: [],
      workflows: [
        { ...inner, workflow: { name: 'inner', version: '1.2.0' } },
        withSkill('outer', 'inner@^1'),
        withSkill('loop', 'loop@^1'),
      ],
    };
    expect(levels(safety(withSkill('w', 'outer@^1'), registry))).toBe('IRREVERSIBLE | s IRREVERSIBLE RS5 x@1.0.0');
    expect(levels(safety(withSkill('w', 'loop@^1'), registry))).toBe('SAFE');
  });

  it('is never SAFE where something is not known', () => {
    const missing = chain([action('a', { revert: 'un-a@1', side_effects: ['filesystem'] })]);
    const report = verify(missing);
    expect(report.safety_level).toBeUndefined();
    expect(report.safety).toMatchObject({ level: 'UNKNOWN', at_least: 'SAFE', nodes: [{ unknown: 'un-a@1' }] });
    expect(safety(withSkill('w', 'gone@^1')).level).toBe('UNKNOWN');
    expect(safety(undefined).level).toBe('UNKNOWN');
    const irreversible = chain([action('a', { rollback: 'irreversible' }), action('b', { revert: 'un-b@1' })]);
    expect(levels(safety(irreversible))).toMatch(/^IRREVERSIBLE \| a IRREVERSIBLE .* \| b UNKNOWN/);
  });

  it('is that of the failed node where a node retries', () => {
    const workflow = chain([action('a', { determinism: 'conditionally_deterministic', rollback: 'compensatable' })], {
      handled: false,
      nodes: [{ node_id: 'again', type: 'error', handling: 'retry' }],
      edges: [
        { from_node: 'a', to_node: 'again', label: 'failure' },
        { from_node: 'again', to_node: 'done', label: 'success' },
      ],
    });
    expect(safety(workflow).nodes.map(({ node_id }) => node_id)).toEqual(['a', 'again']);
  });
});

function withSkill(name: string, workflow_ref: string): Workflow {
  return {
    schema_version: '1.0',
    workflow: { name, version: '1.0.0' },
    nodes: [
      { node_id: 's', type: 'skill', workflow_ref },
      { node_id: 'done', type: 'terminal', status: 'completed' },
      { node_id: 'refused', type: 'error', handling: 'fail' },
    ],
    edges: [
      { from_node: 's', to_node: 'done', label: 'success' },
      { from_node: 's', to_node: 'refused', label: 'failure' },
    ],
  };
}

const reserve = action('reserve', {
  side_effects: ['remote_server'],
  rollback: 'compensatable',
  compensation: 'un-reserve@1',
});
const release = action('un-reserve', {
  side_effects: ['remote_server'],
  rollback: 'compensatable',
  compensation: 'reserve@1',
});

const zones = (workflow: Workflow, registry?: Parameters<typeof verify>[1]): string[] =>
  safety(workflow, registry).zones.map(
    ({ node_id, handling, remains }) =>
      `${node_id} ${handling}: ${remains.map(effect => `${effect.node_id} ${effect.reason}`).join(', ')}`,
  );

describe('partial-failure zones', () => {
  it('name what stays when a later node fails', () => {
    const workflow = chain([reserve, action('charge'), release]);
    expect(zones(workflow)).toEqual(['charge fail: reserve not_undone']);
    expect(safety(workflow).zones[0]?.message).toBe(
      'If "charge" fails, the effect of "reserve" stays: "refused" undoes nothing',
    );
  });

  it('leave out what an error node undoes, also after retries that fail', () => {
    const workflow = chain([reserve, action('charge'), release], {
      handled: false,
      nodes: [
        { node_id: 'again', type: 'error', handling: 'retry' },
        { node_id: 'undo', type: 'error', handling: 'rollback' },
        { node_id: 'undone', type: 'terminal', status: 'compensated' },
      ],
      edges: [
        { from_node: 'charge', to_node: 'again', label: 'failure' },
        { from_node: 'again', to_node: 'done', label: 'success' },
        { from_node: 'again', to_node: 'undo', label: 'failure' },
        { from_node: 'undo', to_node: 'undone', label: 'success' },
      ],
    });
    expect(zones(workflow)).toEqual([]);
    const sent = action('send', { side_effects: ['external_service'], rollback: 'irreversible' });
    const first: Workflow = {
      ...workflow,
      actions: [...(workflow.actions ?? []), sent],
      nodes: [...workflow.nodes, { node_id: 'send', type: 'action', action_def: 'send@^1' }],
      edges: [...workflow.edges, { from_node: 'send', to_node: 'reserve', label: 'success' }],
    };
    expect(zones(first)).toEqual(['charge undo: send irreversible', 'reserve none: send irreversible']);
  });

  it('hold a skill that fails after it did something', () => {
    const inner = { ...chain([reserve, release]), workflow: { name: 'inner', version: '1.0.0' } };
    const registry = { schema_version: '1.0' as const, actions: [], workflows: [inner] };
    expect(zones(withSkill('w', 'inner@1'), registry)).toEqual(['s fail: s not_undone']);
  });

  it('name at most eight effects, the first by name', () => {
    const many = Array.from({ length: 12 }, (_, at) => ({ ...reserve, action_id: `r${String(20 - at)}` }));
    const last = safety(chain([...many, release])).zones.find(({ node_id }) => node_id === 'r9');
    expect(last?.remains.map(({ node_id }) => node_id)).toEqual([
      'r10',
      'r11',
      'r12',
      'r13',
      'r14',
      'r15',
      'r16',
      'r17',
    ]);
    expect(last?.more).toBe(true);
  });

  it('are not looked for where the order of nodes is not clear', () => {
    const workflow = chain([reserve, action('charge'), release]);
    workflow.edges.push({ from_node: 'charge', to_node: 'reserve', label: 'success' });
    expect(safety(workflow)).toMatchObject({ zones: [], zones_reason: 'there is a cycle (S1)' });
  });
});
