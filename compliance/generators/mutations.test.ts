import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLog } from '../history/check-log.js';
import { type DrawnRecord, logOf, STARTED, textOf } from '../history/sample.js';
import { mutate, mutations } from './mutations.js';

function run(length: number, agent_id: string): string {
  const drawn = Array.from({ length }, (_, n): DrawnRecord[] => [
    {
      record_type: 'action',
      status: 'pending',
      execution_id: `e${n}`,
      node_id: `n${n}`,
      inputs: { v: 'é', n: 10 + n },
    },
    { record_type: 'action', status: 'committed', execution_id: `e${n}`, node_id: `n${n}`, outputs: { list: [1, 2] } },
  ]).flat();
  return textOf(logOf([...STARTED, ...drawn].map(record => ({ ...record, agent_id }))));
}

describe('log mutations', () => {
  it('are always noticed by the checker', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5 }), mutations, (length, mutation) => {
        const text = run(length, 'agent');
        const changed = mutate(text, mutation, run(length, 'another'));
        if (changed === undefined) return;
        seen.add(mutation.kind);
        expect(changed).not.toBe(text);
        expect(checkLog(changed).length).toBeGreaterThan(0);
      }),
      { numRuns: 2000, seed: 8 },
    );
    expect(seen.size).toBe(7);
  });

  it('leave what was not changed without a complaint', () => {
    for (let length = 0; length < 6; length += 1) expect(checkLog(run(length, 'agent'))).toEqual([]);
  });
});
