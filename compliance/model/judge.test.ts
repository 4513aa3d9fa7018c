import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { programs } from '../generators/workflows.js';
import { checkLog } from '../history/check-log.js';
import type { Observation, Program } from '../program.js';
import { judge } from './judge.js';
import { fails, sketch } from './testing/sketch.js';
import { ToyRuntime } from './testing/toy-runtime.js';
import type { Fault } from './testing/toy-world.js';

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

describe('a kill that comes with a fault of the definition', () => {
  it('leaves open whether that or the interruption is recorded', () => {
    const drawn = sketch({
      edges: ['a always b', 'b success done'],
      action: { side_effects: ['filesystem'], revert: 'undo@^1.0.0', probe: true },
      more: [
        {
          action_id: 'undo',
          version: '1.0.0',
          determinism: 'deterministic',
          rollback: 'rollbackable',
          side_effects: [],
        },
      ],
      script: { a: [fails('E5')] },
    });
    const program: Program = { ...drawn, script: { ...drawn.script, probes: { a: { verdict: 'absent' } } } };
    const seen = Array.from({ length: 12 }, (_, step) => new ToyRuntime(program, [step]).observe());
    for (const one of seen) {
      const { log: _, exports: __, state: ___, ...core } = one;
      expect([...judge(program, one), ...judge(program, core)]).toEqual([]);
    }
    const classes = seen.map(({ log = [] }) => log.find(({ status }) => status === 'failed')?.error_class);
    expect(new Set(classes)).toEqual(new Set(['E3', 'E5']));
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
