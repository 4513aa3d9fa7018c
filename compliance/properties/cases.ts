import * as fc from 'fast-check';
import { killed, schedules } from '../generators/kills.js';
import { givingPrograms, joinPrograms, programs } from '../generators/workflows.js';
import type { Kill, Program } from '../program.js';

/** Any program that is valid by construction, undisturbed. */
export const anyProgram: fc.Arbitrary<Program> = programs();

/** Programs of which nothing but the graph decides. */
const calmProgram: fc.Arbitrary<Program> = programs({ calm: true });

/** Programs for what is about the graph: most of them run to their end. */
export const graphProgram: fc.Arbitrary<Program> = fc.oneof(
  { weight: 3, arbitrary: calmProgram },
  { weight: 1, arbitrary: anyProgram },
);

/** Programs for what is about joins: half of them begin with one of this type. */
export function joinProgram(join: 'AND' | 'OR'): fc.Arbitrary<Program> {
  return fc.oneof({ withCrossShrink: true }, graphProgram, joinPrograms(join, { calm: true }));
}

/** Programs for what is about values: half of them give outputs. */
export const valueProgram: fc.Arbitrary<Program> = fc.oneof(
  { withCrossShrink: true },
  graphProgram,
  givingPrograms({ calm: true }),
);

/** Programs that are killed at the n-th passing of a place; n is mostly low enough to be reached. */
export function killedAt(kills: (n: number) => readonly Kill[]): fc.Arbitrary<Program> {
  return fc.tuple(calmProgram, fc.nat(999)).map(([program, pick]) => {
    const actions = program.workflow.nodes.filter(({ type }) => type === 'action').length;
    return { ...program, kills: kills(1 + (pick % Math.max(1, actions))) };
  });
}

/** Programs of any kind that are killed at any instant, up to three times, in recovery too. */
export const killedProgram: fc.Arbitrary<Program> = killed(anyProgram, schedules({ points: true }));

/** Programs with actions of every class that are killed inside one of them. */
export const interruptedProgram: fc.Arbitrary<Program> = fc
  .tuple(anyProgram, fc.nat(999), fc.constantFrom('receipt' as const, 'reply' as const))
  .map(([program, pick, when]) => {
    const actions = program.workflow.nodes.filter(({ type }) => type === 'action').length;
    return { ...program, kills: [{ at: 'invocation', ordinal: 1 + (pick % Math.max(1, actions)), when }] };
  });
