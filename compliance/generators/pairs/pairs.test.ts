import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validate } from '../../../schemas/index.js';
import { PAIRS } from './index.js';
import { BARE, documentOf, plantings } from './setting.js';

describe('pairs of documents', () => {
  it('have names of their own and cover S7 to S17, and what of the graph goes with them', () => {
    expect(new Set(PAIRS.map(({ name, rule }) => `${rule} ${name}`)).size).toBe(PAIRS.length);
    const rules = Array.from({ length: 17 }, (_, at) => `S${at + 1}`).filter(rule => rule !== 'S4');
    expect([...new Set(PAIRS.map(({ rule }) => rule))].sort()).toEqual(rules.sort());
  });

  it('differ, and name nodes that exist', () => {
    for (const { name, rule, found } of PAIRS) {
      const [broken, sound] = [true, false].map(wrong => documentOf({ pair: name, rule, setting: BARE }, wrong));
      expect(broken).not.toEqual(sound);
      for (const { node_id } of found)
        if (node_id !== undefined) expect(broken?.workflow.nodes.map(node => node.node_id)).toContain(node_id);
    }
  });

  it('fit the schema in every setting, and no two nodes share a name', () => {
    fc.assert(
      fc.property(plantings(), fc.boolean(), (planting, broken) => {
        const { workflow, registry } = documentOf(planting, broken);
        expect(validate('workflow', workflow)).toEqual([]);
        expect(validate('registry', { schema_version: '1.0', ...registry })).toEqual([]);
        expect(new Set(workflow.nodes.map(({ node_id }) => node_id)).size).toBe(workflow.nodes.length);
      }),
      { numRuns: 200, seed: 7 },
    );
  });
});
