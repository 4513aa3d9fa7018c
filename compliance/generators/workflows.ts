import * as fc from 'fast-check';
import type { Program } from '../program.js';
import { type Block, type BlockOptions, series } from './blocks.js';
import { Builder, type Surroundings } from './build.js';
import { oddValues } from './odd.js';
import type { InputPlan } from './steps.js';

/** What surrounds the blocks of a program: names, inputs, the last terminal. */
export const surroundings: fc.Arbitrary<Surroundings> = fc.record({
  end: fc.constantFrom('completed', 'completed', 'completed', 'compensated', 'failed'),
  names: fc.oneof(fc.constant(0), fc.nat(40)),
  flag: fc.boolean(),
  number: fc.integer({ min: -3, max: 3 }),
  word: fc.constantFrom('x', 'y', 'z', '', 'default', 'toString'),
  any: fc.oneof(oddValues, fc.constantFrom<unknown[]>(true, 'x')),
  explicitStart: fc.boolean(),
  inRegistry: fc.boolean(),
  outputs: fc.array(
    fc.record<InputPlan>({
      kind: fc.constantFrom('literal', 'reference', 'built'),
      pick: fc.nat(63),
      value: oddValues,
    }),
    { maxLength: 2 },
  ),
  max_parallel: fc.constantFrom(undefined, 1, 2, 4),
});

/** The program of a series of blocks in its surroundings. */
export function programOf(blocks: readonly Block[], world: Surroundings): Program {
  const builder = new Builder(world);
  const end = builder.series(blocks, { ports: [], join: 'OR' });
  if (end.ports.length > 0) builder.terminal(world.end, end);
  return builder.program(world.explicitStart ? builder.nodes[0]?.node_id : undefined);
}

/**
 * Programs whose workflows are valid by construction and whose runs the model determines, without kills. They shrink to
 * fewer blocks, simpler steps and plain names.
 */
export function programs(options: BlockOptions = {}): fc.Arbitrary<Program> {
  return fc.tuple(series(options), surroundings).map(([blocks, world]) => programOf(blocks, world));
}
