import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validate } from '../../schemas/index.js';
import { DEFECTS, type Defect, type Planted, planted } from './defects.js';
import { naiveDefects } from './testing/naive.js';

/** What the naive check says of a defect that it can see; the others need types, AND joins or error nodes. */
const NAIVE: Readonly<Record<string, readonly string[]>> = {
  cycle: ['S1 cycle'],
  'self-loop': ['S1 cycle'],
  'unreachable node': ['S2 unreachable'],
  'dead end': ['S3 dead end', 'S3 no success edge'],
  'failure edge only': ['S3 dead end', 'S3 no success edge'],
  'two starts': ['S4 start', 'S2 unreachable'],
  'start that does not exist': ['S4 start', 'S2 unreachable'],
  'start with an in-edge': ['S4 start', 'S2 unreachable', 'S6 join undeclared'],
  'empty graph': ['S4 start'],
  'unknown label of an action': ['S5 bad label'],
  'duplicate edge': ['S5 duplicate edge', 'S5 undeclared fan-out'],
  'edge to nowhere': ['S5 dangling edge'],
  'edge from nowhere': ['S5 dangling edge'],
  'undeclared fan-out': ['S5 undeclared fan-out'],
  'undeclared fan-out of success and always': ['S5 undeclared fan-out'],
  'string condition without default': ['S5 default'],
  'boolean condition with one label': ['S5 condition labels', 'S5 default'],
  'duplicate node_id': ['S5 duplicate node_id'],
  'terminal with an out-edge': ['S5 terminal with out-edge'],
  'join without join_type': ['S6 join undeclared'],
};

describe('planted defects', () => {
  it('cover S1 to S6 under names of their own', () => {
    expect(new Set(DEFECTS.map(({ rule }) => rule))).toEqual(new Set(['S1', 'S2', 'S3', 'S4', 'S5', 'S6']));
    expect(new Set(DEFECTS.map(({ name }) => name)).size).toBe(DEFECTS.length);
  });

  it('are in documents that fit the schema, and are there, and nothing else is', () => {
    fc.assert(
      fc.property(planted(), ({ program, defect }) => {
        expect(validate('workflow', program.workflow)).toEqual([]);
        const found = naiveDefects(program.workflow);
        const visible = NAIVE[defect.name];
        if (visible !== undefined) expect(found).toContain(visible[0]);
        expect(
          found.filter(
            text => !(visible ?? ['S3 dead end', 'S3 no success edge', 'S5 undeclared fan-out']).includes(text),
          ),
        ).toEqual([]);
      }),
      { numRuns: 600, seed: 3 },
    );
  });

  it('name nodes and edges that exist', () => {
    fc.assert(
      fc.property(planted(), ({ program, defect }) => {
        const { nodes, edges } = program.workflow;
        if (defect.node_id !== undefined) expect(nodes.some(({ node_id }) => node_id === defect.node_id)).toBe(true);
        if (defect.edge !== undefined) expect(edges).toContainEqual(defect.edge);
      }),
      { numRuns: 300, seed: 4 },
    );
  });

  it('shrink to the bare defect', () => {
    for (const rule of ['S1', 'S2', 'S3', 'S4', 'S5', 'S6'] satisfies Defect['rule'][]) {
      const [smallest] =
        fc.check(
          fc.property(planted(rule), (_: Planted) => false),
          { seed: 5 },
        ).counterexample ?? [];
      expect(smallest?.program.workflow.nodes.length).toBeLessThanOrEqual(9);
    }
  });
});
