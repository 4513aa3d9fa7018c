import { describe, expect, it } from 'vitest';
import type { Registry, Workflow } from '../../../schemas/types.js';
import { verify } from './index.js';

const registry: Registry = {
  schema_version: '1.0',
  actions: [
    { action_id: 'pure', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable', side_effects: [] },
  ],
};

/** A sound workflow with a node of every type, a fan-out, a join, a retry and reads of outputs. */
function sound(start?: string): Workflow {
  const act = (node_id: string, more: object = {}) =>
    ({ node_id, type: 'action', action_def: 'pure@^1', ...more }) as Workflow['nodes'][number];
  return {
    schema_version: '1.0',
    workflow: { name: 'order', version: '1.0.0', ...(start === undefined ? {} : { start }) },
    inputs: { flag: { schema: { type: 'boolean' } }, kind: { schema: { type: 'string' } } },
    nodes: [
      act('fetch', { fan_out: 'parallel' }),
      act('left', { input_mapping: { x: '${nodes.fetch.outputs.x}' } }),
      act('right'),
      act('merge', {
        join_type: 'AND',
        input_mapping: { x: '${nodes.left.outputs.x}', y: '${nodes.right.outputs.y}' },
      }),
      { node_id: 'again', type: 'error', handling: 'retry' },
      { node_id: 'check', type: 'condition', join_type: 'OR', expression: 'inputs.flag' },
      { node_id: 'which', type: 'condition', expression: 'inputs.kind' },
      { node_id: 'done', type: 'terminal', status: 'completed', join_type: 'OR' },
      { node_id: 'other', type: 'terminal', status: 'completed' },
      { node_id: 'failed', type: 'error', handling: 'fail', join_type: 'OR' },
    ],
    edges: [
      { from_node: 'fetch', to_node: 'left', label: 'success' },
      { from_node: 'fetch', to_node: 'right', label: 'success' },
      { from_node: 'fetch', to_node: 'failed', label: 'failure' },
      { from_node: 'left', to_node: 'merge', label: 'success' },
      { from_node: 'left', to_node: 'failed', label: 'failure' },
      { from_node: 'right', to_node: 'merge', label: 'success' },
      { from_node: 'right', to_node: 'failed', label: 'failure' },
      { from_node: 'merge', to_node: 'check', label: 'success' },
      { from_node: 'merge', to_node: 'again', label: 'failure' },
      { from_node: 'again', to_node: 'check', label: 'success' },
      { from_node: 'again', to_node: 'failed', label: 'failure' },
      { from_node: 'check', to_node: 'which', label: 'true' },
      { from_node: 'check', to_node: 'done', label: 'false' },
      { from_node: 'which', to_node: 'done', label: 'paper' },
      { from_node: 'which', to_node: 'other', label: 'default' },
    ],
  };
}

function found(workflow: Workflow): string[] {
  return verify(workflow, registry).findings.map(({ rule, pointer }) => `${rule} ${pointer}`);
}

describe.each([
  ['without a named start', undefined],
  ['with one', 'fetch'],
])('a misspelling is one finding, %s', (_, start) => {
  it('of a sound workflow', () => expect(found(sound(start))).toEqual([]));

  it.each(['from_node', 'to_node'] as const)('of the %s of any edge', end => {
    for (const [at] of sound(start).edges.entries()) {
      const workflow = sound(start);
      const edge = workflow.edges[at] as Workflow['edges'][number];
      edge[end] = `${edge[end]}x`;
      expect(found(workflow), `${edge.from_node} to ${edge.to_node}`).toEqual([`S5 /edges/${at}/${end}`]);
    }
  });

  it('of any node_id, also where outputs are read', () => {
    for (const [at] of sound(start).nodes.entries()) {
      if (at === 0 && start !== undefined) continue;
      const workflow = sound(start);
      const node = workflow.nodes[at] as Workflow['nodes'][number];
      node.node_id = `${node.node_id}x`;
      const rules = verify(workflow, registry).findings.map(({ rule }) => rule);
      expect(rules, node.node_id).toEqual(['S5']);
    }
  });

  it('of any label', () => {
    for (const [at, { from_node }] of sound(start).edges.entries()) {
      if (from_node === 'which') continue;
      const workflow = sound(start);
      (workflow.edges[at] as Workflow['edges'][number]).label += 'x';
      expect(found(workflow), `edge ${at}`).toEqual([`S5 /edges/${at}/label`]);
    }
  });
});

describe('an edge that stands twice', () => {
  it.each(['from_node', 'to_node'] as const)('is a finding beside that of a missing %s', end => {
    for (const [at] of sound().edges.entries()) {
      const workflow = sound();
      const edge = workflow.edges[at] as Workflow['edges'][number];
      edge[end] = 'nowhere';
      const twin = workflow.edges.push({ ...edge }) - 1;
      expect(found(workflow).sort(), `edge ${at}`).toEqual([`S5 /edges/${at}/${end}`, `S5 /edges/${twin}`].sort());
    }
  });

  it('is none where the missing sources differ', () => {
    const workflow = sound();
    const edge = { to_node: 'left', label: 'success' };
    workflow.edges.push({ ...edge, from_node: 'nowhere' }, { ...edge, from_node: 'elsewhere' });
    expect(found(workflow).filter(text => /edges.[0-9]+$/.test(text))).toEqual([]);
  });
});

describe('what an edge with a missing end may have been meant for', () => {
  it('is not evaluated, and no pass', () => {
    const status = (change: (workflow: Workflow) => void, start?: string): Record<string, string> => {
      const workflow = sound(start);
      change(workflow);
      return Object.fromEntries(verify(workflow, registry).rules.map(rule => [rule.rule, rule.status]));
    };
    const lost = (at: number, end: 'from_node' | 'to_node') => (workflow: Workflow) => {
      (workflow.edges[at] as Workflow['edges'][number])[end] = 'nowhere';
    };
    expect(status(lost(11, 'to_node'))).toMatchObject({ S2: 'pass', S3: 'pass', S4: 'not_evaluated', S5: 'fail' });
    expect(status(lost(11, 'to_node'), 'fetch')).toMatchObject({ S2: 'not_evaluated', S4: 'pass', S5: 'fail' });
    expect(status(lost(0, 'from_node'))).toMatchObject({ S3: 'pass', S5: 'fail', S15: 'pass' });
    expect(status(lost(3, 'from_node'))).toMatchObject({ S3: 'not_evaluated', S5: 'fail', S15: 'pass' });
    expect(status(lost(4, 'from_node'))).toMatchObject({ S3: 'pass', S5: 'fail', S15: 'not_evaluated' });
  });

  it('hides no defect that it cannot explain', () => {
    const workflow = sound();
    workflow.edges = workflow.edges.filter((_, at) => at !== 4 && at !== 7);
    (workflow.edges[0] as Workflow['edges'][number]).to_node = 'lefft';
    expect(found(workflow)).toEqual(['S15 /nodes/1', 'S3 /nodes/3', 'S5 /edges/0/to_node']);
  });

  it('does not hide an AND join of branches that exclude each other behind a wrong label elsewhere', () => {
    const workflow = sound();
    (workflow.nodes[5] as { join_type?: string }).join_type = 'AND';
    (workflow.edges[11] as Workflow['edges'][number]).label = 'yes';
    expect(found(workflow)).toEqual(['S2 /nodes/5', 'S5 /edges/11/label']);
  });
});

describe('what a wrong label may have been meant for', () => {
  /** A workflow whose error node reads what failed, behind an edge with a label. */
  function handled(label: string, read = '${nodes.fetch.outputs.x}') {
    const workflow = sound();
    workflow.nodes.push({
      node_id: 'told',
      type: 'error',
      handling: 'compensate',
      compensate_ref: 'pure@^1',
      input_mapping: { x: read },
    });
    workflow.edges[2] = { from_node: 'fetch', to_node: 'told', label };
    workflow.edges.push(
      { from_node: 'told', to_node: 'other', label: 'success' },
      { from_node: 'told', to_node: 'failed', label: 'failure' },
    );
    (workflow.nodes[8] as { join_type?: string }).join_type = 'OR';
    return verify(workflow, registry);
  }
  const statusOf = (report: ReturnType<typeof handled>) => report.rules.find(({ rule }) => rule === 'S8')?.status;

  it('is not evaluated, so that mending it finds nothing of a rule that had passed (VII2)', () => {
    const misspelt = handled('faillure');
    expect(misspelt.findings.map(({ rule }) => rule)).toEqual(['S5']);
    expect(statusOf(misspelt)).toBe('not_evaluated');
    expect(misspelt.safety?.zones_reason).toBeDefined();
    expect(handled('failure').findings.map(({ rule }) => rule)).toEqual(['S8']);
    expect(handled('failure').safety?.zones_reason).toBeUndefined();
  });

  it('leaves the types of what is read to be judged', () => {
    expect(handled('faillure', '${inputs.flagg}').findings.map(({ rule }) => rule)).toEqual(['S8', 'S5']);
  });
});
