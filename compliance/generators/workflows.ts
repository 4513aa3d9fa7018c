import * as fc from 'fast-check';
import type { Program } from '../program.js';
import { type Block, type BlockOptions, type FanArm, series, WHOLE } from './blocks.js';
import { Builder, type Surroundings } from './build.js';
import { oddValues } from './odd.js';
import { type InputPlan, PLAIN_STEP } from './steps.js';

const output = fc.record<InputPlan>({
  kind: fc.constantFrom('literal', 'reference', 'built'),
  pick: fc.nat(63),
  value: oddValues,
});

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
  outputs: fc.array(output, { maxLength: 2 }),
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

/** Programs like those of {@link programs} that give outputs where they complete, as most of them do. */
export function givingPrograms(options: BlockOptions = {}): fc.Arbitrary<Program> {
  return fc
    .tuple(series(options), surroundings, output)
    .map(([blocks, world, first]) =>
      programOf(blocks, { ...world, end: 'completed', outputs: [first, ...world.outputs] }),
    );
}

/** Programs like those of {@link programs} that begin with a fan-out into a join of this type. */
export function joinPrograms(join: 'AND' | 'OR', options: BlockOptions = {}): fc.Arbitrary<Program> {
  const label = fc.constantFrom<('success' | 'always')[]>('success', 'success', 'always');
  const arm = fc.record({ blocks: series({ ...options, length: 1 }), label });
  const arms = fc.array(arm, { minLength: 2, maxLength: 3 });
  return fc.tuple(arms, series({ ...options, length: 2 }), surroundings).map(([drawn, blocks, world]) => {
    const fan: Block = { kind: 'fan', whole: WHOLE, head: PLAIN_STEP, arms: drawn, join };
    return programOf([fan, ...blocks], world);
  });
}

/** Programs like those of {@link programs} that end in a fan-out whose arms each have a terminal of their own. */
export function partingPrograms(options: BlockOptions = {}): fc.Arbitrary<Program> {
  const arm = fc.record<FanArm>({
    blocks: series({ ...options, length: 1 }),
    label: fc.constantFrom('success', 'success', 'always'),
    end: fc.constantFrom('completed', 'failed', 'compensated'),
  });
  const arms = fc.array(arm, { minLength: 2, maxLength: 3 });
  const before = fc.array(series({ ...options, length: 1 }), { maxLength: 1 }).map(some => some.flat());
  return fc.tuple(arms, before, surroundings).map(([drawn, blocks, world]) => {
    const fan: Block = { kind: 'fan', whole: WHOLE, head: PLAIN_STEP, arms: drawn, join: 'AND' };
    return programOf([...blocks, fan], world);
  });
}
