import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { programs } from '../generators/workflows.js';
import { checkLog } from '../history/check-log.js';
import type { Observation, Program } from '../program.js';
import { judge } from './judge.js';
import { type Fault, ToyRuntime } from './toy-runtime.js';

const kills = fc.array(fc.nat(40), { maxLength: 3 });

function check(program: Program, seen: Observation) {
  const { ledger, state, exports = [] } = seen;
  const witness = { ledger, exports, ...(state === undefined ? {} : { state }) };
  return [...judge(program, seen), ...checkLog(exports.at(-1) ?? '', witness)];
}

describe('a runtime that does right', () => {
  it('breaks nothing, undisturbed', () => {
    fc.assert(
      fc.property(programs(), program => {
        expect(check(program, new ToyRuntime(program).observe())).toEqual([]);
      }),
      { numRuns: 200, seed: 41 },
    );
  });

  it('breaks nothing, killed anywhere', () => {
    fc.assert(
      fc.property(programs(), kills, (program, steps) => {
        expect(check(program, new ToyRuntime(program, steps).observe())).toEqual([]);
      }),
      { numRuns: 500, seed: 42 },
    );
  });

  it('breaks nothing as a runtime without a log', () => {
    fc.assert(
      fc.property(programs(), kills, (program, steps) => {
        const { log: _, exports: __, state: ___, ...core } = new ToyRuntime(program, steps).observe();
        expect(judge(program, core)).toEqual([]);
      }),
      { numRuns: 150, seed: 43 },
    );
  });
});

describe('a runtime that does wrong', () => {
  const cases: [Exclude<Fault, 'none'>, boolean, readonly string[]][] = [
    ['forgets commits', true, ['CLI3', 'IR5']],
    ['redoes anything', true, ['CRC1', 'CRC2']],
    ['invokes first', true, ['CLI1']],
    ['skips nothing', false, ['CF4']],
    ['never retries', false, ['AN2']],
    ['undoes nothing', false, ['CRC1']],
  ];
  for (const [fault, killed, requirements] of cases) {
    it(`is caught and blamed: ${fault}`, () => {
      const blamed = new Set<string>();
      const samples = fc.sample(fc.tuple(programs(), kills), { numRuns: 150, seed: 44 });
      for (const [program, steps] of samples) {
        const seen = new ToyRuntime(program, killed ? steps : [], fault).observe();
        for (const { requirement } of check(program, seen)) blamed.add(requirement);
      }
      for (const requirement of requirements) expect([...blamed]).toContain(requirement);
    });
  }
});
