import * as fc from 'fast-check';
import type { Action, ActionInvokeResult, ErrorClass, StateChange } from '../../../schemas/types.js';
import type { Behaviour, Program } from '../../program.js';
import { draw } from '../drawn.js';

/** How an expression comes out: true, false, an error, or a value that is no boolean. */
export type Comes = 'true' | 'false' | 'error' | 'text';

export interface Condition {
  readonly kind: 'hard' | 'soft';
  readonly comes: Comes;
}

/** One attempt, step by step: what its contract demands and what comes of it. */
export interface AttemptPlan {
  readonly inputs_fit: boolean;
  readonly preconditions: readonly Condition[];
  readonly success?: Comes;
  readonly exit_code?: number;
  readonly outputs_fit: boolean;
  readonly postconditions: readonly Condition[];
  readonly mapping: 'none' | 'good' | 'bad';
  readonly version: 'none' | 'right' | 'wrong';
}

/** What the steps of chapter 5 make of an attempt. */
export interface Expected {
  readonly invoked: boolean;
  readonly end: 'committed' | 'failed';
  readonly error_class?: ErrorClass;
  readonly conflict: boolean;
  readonly degraded: { readonly pending: boolean; readonly committed: boolean };
  /** Whether it is the success condition, declared or not, that did not hold. */
  readonly unsuccessful: boolean;
}

/** An attempt in which everything holds. */
export const GOOD: AttemptPlan = {
  inputs_fit: true,
  preconditions: [],
  outputs_fit: true,
  postconditions: [],
  mapping: 'none',
  version: 'none',
};

const mostly = <T>(usual: T, ...others: readonly T[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...(others as [T, ...T[]])) },
  );

const conditions = fc.array(
  fc.record({
    kind: fc.constantFrom('hard' as const, 'soft' as const),
    comes: mostly<Comes>('true', 'false', 'error', 'text'),
  }),
  { maxLength: 3 },
);

/** Attempts in which one thing or several go wrong, or none. */
export const attempts: fc.Arbitrary<AttemptPlan> = fc
  .record({
    inputs_fit: mostly(true, true, true, false),
    preconditions: conditions,
    success: mostly<Comes | undefined>(undefined, 'true', 'false', 'error', 'text'),
    exit_code: mostly<number | undefined>(undefined, 0, 1, -1),
    outputs_fit: mostly(true, false),
    postconditions: conditions,
    mapping: mostly<AttemptPlan['mapping']>('none', 'good', 'bad'),
    version: mostly<AttemptPlan['version']>('none', 'right', 'wrong'),
  })
  .map(plan => Object.fromEntries(Object.entries(plan).filter(([, value]) => value !== undefined)) as never);

/** What the order of an attempt makes of it. */
export function expectedOf(plan: AttemptPlan): Expected {
  const before = plan.inputs_fit && !stops(plan.preconditions);
  const pending = before && isDegraded(plan.preconditions);
  const degraded = { pending, committed: false };
  const failed = (error_class: ErrorClass, more: Partial<Expected> = {}): Expected => ({
    ...{ invoked: true, end: 'failed', error_class, conflict: false, degraded, unsuccessful: false },
    ...more,
  });
  if (!before) return failed('E4', { invoked: false, degraded: { pending: false, committed: false } });
  if (plan.success === undefined ? (plan.exit_code ?? 0) !== 0 : plan.success !== 'true')
    return failed('E3', { unsuccessful: true });
  if (!plan.outputs_fit || stops(plan.postconditions) || plan.mapping === 'bad') return failed('E4');
  if (plan.version === 'wrong') return failed('E4', { conflict: true });
  const committed = pending || isDegraded(plan.postconditions);
  return { invoked: true, end: 'committed', conflict: false, degraded: { pending, committed }, unsuccessful: false };
}

/** The attempt as a workflow of one node; `name` is that of the node and of the key that it writes. */
export function attemptProgram(plan: AttemptPlan, name: string): Program {
  const drawn = draw({
    edges: [`${name} success done`],
    nodes: {
      [name]: {
        input_mapping: { n: 1, s: 'text' },
        ...(plan.mapping === 'none'
          ? {}
          : { output_mapping: { m: plan.mapping === 'good' ? '${result.n}' : '${result.nothing}' } }),
      },
    },
    script: { [name]: [behaviourOf(plan, name)] },
    action: contractOf(plan),
  });
  return drawn;
}

function behaviourOf({ outputs_fit, exit_code, version }: AttemptPlan, key: string): Behaviour {
  const change = { key, op: 'put', value: key, expected_version: version === 'right' ? 0 : 3 } as StateChange;
  const reply: ActionInvokeResult = {
    outputs: { n: outputs_fit ? 1 : 'one', s: 'text' },
    ...(exit_code === undefined ? {} : { exit_code }),
    ...(version === 'none' ? {} : { state_changes: [change] }),
  };
  return { reply };
}

function contractOf({ inputs_fit, preconditions, success, postconditions }: AttemptPlan): Partial<Action> {
  const typed = (type: string) => ({ type: 'object', properties: { n: { type } }, required: ['n'] });
  return {
    input_schema: typed(inputs_fit ? 'number' : 'string'),
    output_schema: typed('number'),
    preconditions: expressed(preconditions, 'inputs'),
    postconditions: expressed(postconditions, 'result'),
    ...(success === undefined ? {} : { success_condition: expression(success, 'result') }),
  };
}

function expressed(list: readonly Condition[], variable: string): NonNullable<Action['preconditions']> {
  return list.map(({ kind, comes }, index) => ({ id: `c${index}`, kind, expression: expression(comes, variable) }));
}

function expression(comes: Comes, variable: string): string {
  if (comes === 'true') return `${variable}.s == 'text'`;
  if (comes === 'false') return `${variable}.s == 'other'`;
  return comes === 'error' ? `${variable}.nothing == 1.0` : `${variable}.s`;
}

/** Whether a hard condition does not hold. */
export function stops(list: readonly Condition[]): boolean {
  return list.some(({ kind, comes }) => kind === 'hard' && comes !== 'true');
}

function isDegraded(list: readonly Condition[]): boolean {
  return list.some(({ kind, comes }) => kind === 'soft' && comes !== 'true');
}
