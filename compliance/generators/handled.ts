import * as fc from 'fast-check';
import type { ErrorClass, TerminalStatus } from '../../schemas/types.js';
import type { Program } from '../program.js';
import { HandledBuilder } from './handled-build.js';
import { contracts, PLAIN_STEP, type StepPlan } from './steps.js';

/** What an error node does, and where its success leads: back to the path that it left, or to a terminal of its own. */
export interface HandlerPlan {
  readonly handling: 'retry' | 'execute' | 'rollback' | 'compensate' | 'fail';
  readonly max_attempts: number;
  /** What `execute`, a compensation by reference, does. */
  readonly step: StepPlan;
  /** Whether a step that reads the failure stands behind it. */
  readonly reads: boolean;
  readonly after: 'join' | TerminalStatus;
}

/** A workflow that a skill node runs. */
export interface SkillPlan {
  readonly pieces: readonly Piece[];
  readonly end: TerminalStatus;
  /** What becomes of the one input of the child; `unfit` cannot be evaluated. */
  readonly input: 'none' | 'given' | 'defaulted' | 'reference' | 'unfit';
}

/** A part of a workflow with one way in and one way out: a step, a skill or a split. Failures of the first two have handlers, one behind the other. */
export type Piece =
  | { readonly kind: 'step'; readonly step: StepPlan; readonly handlers: readonly HandlerPlan[] }
  | { readonly kind: 'skill'; readonly skill: SkillPlan; readonly handlers: readonly HandlerPlan[] }
  | {
      readonly kind: 'split';
      readonly head: StepPlan;
      readonly arms: readonly (readonly Piece[])[];
      readonly join: 'AND' | 'OR';
    };

const succeeds: fc.Arbitrary<StepPlan['course']> = fc.record({
  kind: fc.constant('succeed' as const),
  delay_ms: fc.constantFrom(0, 0, 0, 4),
});

/** A failure without effect, for good or a few times. */
const fails: fc.Arbitrary<StepPlan['course']> = fc.record({
  kind: fc.constant('fail' as const),
  times: fc.constantFrom(9, 1, 2, 3),
  error_class: fc.constantFrom<ErrorClass[]>('E2', 'E1', 'E0', 'E3', 'E4', 'E5'),
  effect: fc.constant('none' as const),
  applied: fc.constant(false),
});

function stepWith(course: fc.Arbitrary<StepPlan['course']>): fc.Arbitrary<StepPlan> {
  return fc
    .record({
      contract: contracts,
      course,
      state: fc.constantFrom<StepPlan['state'][]>('nothing', 'nothing', 'own', 'created'),
      kind: fc.constantFrom('literal' as const, 'reference' as const, 'context' as const),
      pick: fc.nat(63),
      max_retries: fc.constantFrom(undefined, undefined, 0, 1),
    })
    .map(({ contract, kind, pick, ...rest }) => ({
      ...rest,
      contract: contract.kind === 'gap' ? PLAIN_STEP.contract : contract,
      inputs: [{ kind, pick, value: pick }],
      value: pick,
      mapped: 'whole' as const,
      leave: 'success' as const,
    }));
}

const calmStep = stepWith(succeeds);
const anyStep = stepWith(fc.oneof({ weight: 2, arbitrary: succeeds }, { weight: 3, arbitrary: fails }));

function handlerOf(...handlings: HandlerPlan['handling'][]): fc.Arbitrary<HandlerPlan> {
  return fc.record({
    handling: fc.constantFrom(...handlings),
    max_attempts: fc.constantFrom(1, 2, 3),
    step: anyStep,
    reads: fc.boolean(),
    after: fc.constantFrom<HandlerPlan['after'][]>('join', 'compensated', 'join', 'failed', 'completed'),
  });
}

const handlers: fc.Arbitrary<readonly HandlerPlan[]> = fc.array(
  handlerOf('retry', 'rollback', 'execute', 'compensate', 'retry', 'fail'),
  { maxLength: 2 },
);

/** Series of pieces. They shrink to fewer, and a handled piece to one without handlers. */
function pieces(depth: number): fc.Arbitrary<readonly Piece[]> {
  const own: fc.WeightedArbitrary<Piece>[] = [
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('step' as const), step: calmStep, handlers: fc.constant([]) }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('step' as const), step: anyStep, handlers }) },
  ];
  if (depth === 0) return fc.array(fc.oneof({ withCrossShrink: true }, ...own), { minLength: 1, maxLength: 2 });
  const inner = pieces(depth - 1);
  const skill = fc.record({
    pieces: inner,
    end: fc.constantFrom<TerminalStatus[]>('completed', 'completed', 'completed', 'failed', 'compensated'),
    input: fc.constantFrom<SkillPlan['input'][]>('none', 'given', 'defaulted', 'reference', 'unfit'),
  });
  return fc.array(
    fc.oneof(
      { withCrossShrink: true },
      ...own,
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('skill' as const), skill, handlers }) },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('split' as const),
          head: calmStep,
          arms: fc.array(inner, { minLength: 2, maxLength: 2 }),
          join: fc.constantFrom('AND' as const, 'OR' as const),
        }),
      },
    ),
    { minLength: 1, maxLength: 3 },
  );
}

/** What surrounds the pieces of a program. */
const around = {
  end: fc.constantFrom<TerminalStatus[]>('completed', 'completed', 'compensated', 'failed'),
  names: fc.constantFrom(0, 0, 4, 6),
  max_parallel: fc.constantFrom(undefined, 1, 2, 4),
};

/**
 * Programs whose failures are handled: error nodes that retry, execute, undo and mark, and skill nodes whose workflows do
 * the same. They are valid by construction, and the model determines their runs; no result of theirs is in doubt.
 */
export const handledPrograms: fc.Arbitrary<Program> = fc
  .record({
    series: pieces(2),
    ...around,
  })
  .map(({ series, end, names, max_parallel }) => HandledBuilder.program(series, end, names, max_parallel));

/**
 * Programs like {@link handledPrograms}, half of which begin with a step that is committed and one that fails and is taken
 * up by an error node of one of these kinds.
 */
export function takenUp(...handlings: HandlerPlan['handling'][]): fc.Arbitrary<Program> {
  const failing = stepWith(fails).map(({ course, ...step }): StepPlan => {
    const isFault = course.kind === 'fail' && course.error_class === 'E5';
    return { ...step, contract: PLAIN_STEP.contract, course: isFault ? { ...course, error_class: 'E2' } : course };
  });
  const begun = fc
    .record({
      first: stepWith(succeeds),
      step: failing,
      handler: handlerOf(...handlings),
      series: fc.oneof(fc.constant([]), pieces(1)),
      ...around,
    })
    .map(({ first, step, handler, series, end, names, max_parallel }) => {
      const pieces: readonly Piece[] = [
        { kind: 'step', step: { ...first, state: 'own' }, handlers: [] },
        { kind: 'step', step: { ...step, max_retries: undefined }, handlers: [handler] },
        ...series,
      ];
      return HandledBuilder.program(pieces, end, names, max_parallel);
    });
  return fc.oneof({ withCrossShrink: true }, handledPrograms, begun);
}
