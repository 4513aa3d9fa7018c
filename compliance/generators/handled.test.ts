import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validate } from '../../schemas/index.js';
import { runTree } from '../model/tree.js';
import { handledPrograms } from './handled.js';
import { naiveDefects } from './testing/naive.js';

const RUNS = { numRuns: 200, seed: 20260301 };

describe('programs with error nodes and skills', () => {
  it('fit the schemas and have sound graphs', () => {
    fc.assert(
      fc.property(handledPrograms, program => {
        for (const workflow of [program.workflow, ...(program.registry?.workflows ?? [])]) {
          expect(validate('workflow', workflow)).toEqual([]);
          // To the naive rules a terminal is the only end; here an error node with handling fail is one, too.
          expect(naiveDefects(workflow).filter(defect => defect !== 'S3 dead end')).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  it('come to the same whatever the order, and leave nothing open', () => {
    fc.assert(
      fc.property(handledPrograms, fc.nat(5), (program, turn) => {
        const tell = (pick?: (decided: number) => number) => {
          const { root, instances } = runTree(program, pick);
          const trace = [...root.resolved].map(([id, { outcome, attempts }]) => `${id} ${outcome} ${attempts}`).sort();
          return [root.status, instances.length, root.error, root.outputs, trace];
        };
        const first = tell();
        expect(['completed', 'failed', 'compensated']).toContain(first[0]);
        expect(tell(decided => turn % decided)).toEqual(first);
      }),
      RUNS,
    );
  });

  it('reach every handling with either outcome, and skills at depth two', () => {
    const seen = new Set<string>();
    for (const program of fc.sample(handledPrograms, RUNS)) {
      for (const { resolved, graph, parent } of runTree(program).instances) {
        if (parent?.parent !== undefined) seen.add('depth two');
        for (const [id, { outcome }] of resolved) {
          const node = graph.nodes.get(id);
          if (node?.type === 'error') seen.add(`${node.handling} ${outcome}`);
          if (node?.type === 'skill') seen.add(`skill ${outcome}`);
        }
      }
    }
    const wanted = ['retry', 'compensate', 'rollback', 'skill'].flatMap(name => [`${name} success`, `${name} failure`]);
    expect([...wanted, 'fail failure', 'depth two'].filter(name => !seen.has(name))).toEqual([]);
  });
});
