import { describe, expect, it } from 'vitest';
import type { Workflow } from '../../../../schemas/types.js';
import { verify } from '../index.js';

const SCHEMAS: readonly (Record<string, unknown> | undefined)[] = [
  undefined,
  {},
  { type: 'string' },
  { type: ['object', 'null'], properties: { a: { type: 'string' } } },
  { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false },
  { type: 'object', properties: { b: { type: 'string' } }, additionalProperties: false },
  { type: 'object', properties: {}, additionalProperties: { type: 'boolean' } },
  { $ref: '#/$defs/own', $defs: { own: { type: 'object', properties: { a: { enum: ['x', null] } } } } },
];
const CONDITIONS = [
  'inputs.a == "x"',
  'inputs.a != null',
  'inputs.a > 3.0',
  'inputs.a <= "x"',
  'inputs.a == true && inputs.b == "y"',
  'nodes.act.outputs.a == 1',
];

/** How many findings S8 has of an action with a precondition. */
function findings(input_schema: Record<string, unknown> | undefined, expression: string): number {
  const document: Workflow = {
    schema_version: '1.0',
    workflow: { name: 'own', version: '1.0.0' },
    actions: [
      {
        action_id: 'act',
        version: '1.0.0',
        determinism: 'deterministic',
        rollback: 'rollbackable',
        side_effects: [],
        preconditions: [{ id: 'own', kind: 'hard', expression }],
        ...(input_schema === undefined ? {} : { input_schema }),
      },
    ],
    nodes: [
      { node_id: 'act', type: 'action', action_def: 'act@^1' },
      { node_id: 'done', type: 'terminal', status: 'completed' },
    ],
    edges: [{ from_node: 'act', to_node: 'done', label: 'always' }],
  };
  return verify(document).findings.filter(({ rule, pointer }) => rule === 'S8' && pointer.startsWith('/actions'))
    .length;
}

describe('a plain condition of a definition', () => {
  it('has the findings of the same condition in brackets, which is not plain', () => {
    const counts = { none: 0, some: 0 };
    for (const schema of SCHEMAS) {
      for (const expression of CONDITIONS) {
        const found = findings(schema, expression);
        expect([schema, expression, found]).toEqual([schema, expression, findings(schema, `(${expression})`)]);
        counts[found === 0 ? 'none' : 'some']++;
      }
    }
    expect(Math.min(counts.none, counts.some)).toBeGreaterThan(10);
  });
});
