import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../../schemas/types.js';
import { verify } from './index.js';

const EMPTY = { schema_version: '1.0' as const, actions: [], workflows: [] };
type Node = Workflow['nodes'][number];

/** What a report says of the nodes and edges in the order that is given, and in the other. */
function bothWays(workflow: Workflow) {
  const { nodes, edges } = workflow;
  const orders = [workflow, { ...workflow, nodes: [...nodes].reverse(), edges: [...edges].reverse() }];
  return orders.map(document => {
    const { findings, rules } = verify(document, EMPTY);
    return { told: findings.map(({ rule, message, help }) => `${rule} ${message} ${help}`).sort(), rules };
  });
}

describe('a report does not depend on the order of the document', () => {
  it('where a join has so many in-edges that not all of them are compared', () => {
    const sides = Array.from({ length: 8 }, (_, at) => `side-${at}`);
    const pass = (node_id: string): Node => ({ node_id, type: 'condition', expression: "'on'" });
    const [one, other] = bothWays({
      schema_version: '1.0',
      workflow: { name: 'many', version: '1.0.0' },
      inputs: { n: { schema: { type: 'number' } } },
      nodes: [
        { node_id: 'check', type: 'condition', expression: 'inputs.n > 1' },
        ...['yes', 'no', ...sides].map(pass),
        { node_id: 'done', type: 'terminal', status: 'completed' },
      ],
      edges: [
        { from_node: 'check', to_node: 'yes', label: 'true' },
        { from_node: 'check', to_node: 'no', label: 'false' },
        ...['yes', 'no', ...sides].map(from_node => ({ from_node, to_node: 'done', label: 'default' })),
      ],
    });
    expect(one?.told).toContainEqual(expect.stringMatching(/^S6 .* 10 in-edges/));
    expect(other).toEqual(one);
  });

  it('where a node that is read shares its name with one of which less is known', () => {
    const [one, other] = bothWays({
      schema_version: '1.0',
      workflow: { name: 'twins', version: '1.0.0' },
      actions: [
        {
          action_id: 'act',
          version: '1.0.0',
          determinism: 'deterministic',
          rollback: 'rollbackable',
          side_effects: [],
        },
      ],
      nodes: [
        { node_id: 'a', type: 'action', action_def: 'act@^1' },
        { node_id: 'a', type: 'skill', workflow_ref: 'nobody@^1' },
        { node_id: 'lost', type: 'skill', workflow_ref: 'nobody@^1' },
        { node_id: 'check', type: 'condition', expression: 'nodes.a.outputs.v' },
        { node_id: 'done', type: 'terminal', status: 'completed' },
        { node_id: 'other', type: 'terminal', status: 'completed' },
      ],
      edges: [
        { from_node: 'a', to_node: 'lost', label: 'success' },
        { from_node: 'lost', to_node: 'check', label: 'success' },
        { from_node: 'check', to_node: 'done', label: 'true' },
        { from_node: 'check', to_node: 'other', label: 'false' },
      ],
    });
    expect(one?.told).toContainEqual(expect.stringMatching(/^S5 /));
    expect(other).toEqual(one);
  });
});
