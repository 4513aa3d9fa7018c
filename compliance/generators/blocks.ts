import * as fc from 'fast-check';
import { type StepPlan, steps } from './steps.js';

/** What a condition looks at. `pick` chooses among what can be named at its place. */
export interface ConditionPlan {
  readonly kind: 'flag' | 'number' | 'word' | 'error' | 'any';
  readonly pick: number;
  readonly boundary: number;
}

/** How an arm of a choice ends: in the join, or in a terminal of its own. */
export type ArmEnd = 'join' | 'completed' | 'failed' | 'compensated';

export interface Arm {
  readonly blocks: readonly Block[];
  readonly end: ArmEnd;
}

/** An arm of a fan-out. One that ends in a terminal of its own stands in the last block of a program only. */
export interface FanArm {
  readonly blocks: readonly Block[];
  readonly label: 'success' | 'always';
  /** Absent means the join. */
  readonly end?: ArmEnd;
}

/**
 * A choice or fan-out whose `whole` is smaller than this is replaced by a part of itself: that lets a structure that a
 * failure does not need shrink away around the part that it does need.
 */
export const WHOLE = 4;

/** What stands in the place of a block: the block itself, or a part of it. */
export function unfold(block: Block): readonly Block[] {
  if (block.kind === 'step' || block.whole >= WHOLE) return [block];
  const parts = block.arms.map(arm => arm.blocks);
  const head: readonly Block[] = block.kind === 'fan' ? [{ kind: 'step', step: block.head }] : [];
  if (block.whole === 3) return [...head, ...parts.flat()];
  if (block.whole === 2 && head.length > 0) return head;
  const part = parts[block.whole] ?? [];
  return part.length > 0 ? part : (parts[0] ?? []);
}

/** A piece of a workflow with one way in. Series, choices and fan-outs nest to any depth. */
export type Block =
  | { readonly kind: 'step'; readonly step: StepPlan }
  | {
      readonly kind: 'choice';
      readonly whole: number;
      readonly condition: ConditionPlan;
      readonly arms: readonly [Arm, Arm, ...Arm[]];
    }
  | {
      readonly kind: 'fan';
      readonly whole: number;
      readonly head: StepPlan;
      readonly arms: readonly FanArm[];
      readonly join: 'AND' | 'OR';
    };

export interface BlockOptions {
  /** Steps succeed at once, so that nothing but the graph decides. */
  readonly calm?: boolean;
  /** No OR join of parallel branches, which verification warns of. */
  readonly withoutOrFans?: boolean;
  /** How large a series gets; absent means 4. */
  readonly length?: number;
}

/** Series of blocks. They shrink to fewer and simpler blocks. */
export function series(options: BlockOptions = {}): fc.Arbitrary<readonly Block[]> {
  const calm = options.calm === true;
  const length = options.length ?? 4;
  const step = steps(calm);
  const condition: fc.Arbitrary<ConditionPlan> = fc.record({
    kind: calm
      ? fc.constantFrom('flag', 'number', 'word')
      : fc.constantFrom('flag', 'flag', 'number', 'number', 'word', 'word', 'any', 'error'),
    pick: fc.nat(63),
    boundary: fc.integer({ min: -1, max: 3 }),
  });
  const end = fc.constantFrom<ArmEnd[]>('join', 'join', 'join', 'completed', 'failed', 'compensated');
  const label = fc.constantFrom<('success' | 'always')[]>('success', 'success', 'success', 'always');
  const join = options.withoutOrFans ? fc.constant('AND' as const) : fc.constantFrom('AND' as const, 'OR' as const);
  const tied = fc.letrec<{ block: Block; some: readonly Block[]; any: readonly Block[] }>(tie => ({
    some: fc.array(tie('block'), { minLength: 1, maxLength: length, depthIdentifier: 'blocks' }),
    any: fc.array(tie('block'), { maxLength: length, depthIdentifier: 'blocks' }),
    block: fc.oneof(
      { withCrossShrink: true, depthIdentifier: 'blocks', depthSize: 'small', maxDepth: 3 },
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('step' as const), step }) },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('choice' as const),
          whole: fc.nat(40),
          condition,
          arms: fc
            .tuple(
              fc.record({ blocks: tie('some'), end: fc.constant<ArmEnd>('join') }),
              fc.record({ blocks: tie('any'), end }),
              fc.option(fc.record({ blocks: tie('some'), end }), { nil: undefined }),
            )
            .map(([a, b, c]): readonly [Arm, Arm, ...Arm[]] => (c === undefined ? [a, b] : [a, b, c])),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('fan' as const),
          whole: fc.nat(40),
          head: step,
          arms: fc.array(fc.record({ blocks: tie('some'), label }), { minLength: 2, maxLength: 3 }),
          join,
        }),
      },
    ),
  }));
  return tied.some;
}
