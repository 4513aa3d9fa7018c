import * as fc from 'fast-check';
import type { Action, ErrorClass, ProbeAnswer, SideEffect } from '../../schemas/types.js';
import { oddValues } from './odd.js';

/** What an action node is to do, before it is known where in a workflow it stands. */
export interface StepPlan {
  readonly contract: ContractPlan;
  readonly course: CoursePlan;
  readonly state: StatePlan;
  readonly inputs: readonly InputPlan[];
  readonly value: unknown;
  /** How the node's outputs are made of the result. */
  readonly mapped: 'whole' | 'some' | 'none';
  /** The label of the edge by which the step is left. */
  readonly leave: 'success' | 'always';
  readonly max_retries: number | undefined;
}

/** A contract that satisfies IH1–IH4 and S10. */
export interface ContractPlan {
  readonly kind: 'pure' | 'rollbackable' | 'compensatable' | 'gap' | 'irreversible';
  readonly determinism: Action['determinism'];
  readonly idempotent: boolean;
  readonly domains: readonly SideEffect[];
  readonly modifies_existing: boolean;
  readonly probe: 'none' | 'ledger' | ProbeAnswer['verdict'];
  /** Whether the undo action succeeds. */
  readonly undo: 'good' | 'bad' | 'wants outputs';
}

/** How the invocations of a node go. */
export type CoursePlan =
  | { readonly kind: 'succeed'; readonly delay_ms: number }
  | {
      readonly kind: 'fail';
      readonly times: number;
      readonly error_class: ErrorClass;
      readonly effect: 'none' | 'unknown';
      /** With effect unknown: whether the ledger counts an effect all the same. */
      readonly applied: boolean;
    }
  | { readonly kind: 'hang' }
  | { readonly kind: 'huge' }
  | {
      readonly kind: 'refused';
      readonly by: 'schema' | 'postcondition' | 'success condition' | 'exit code' | 'output mapping';
    }
  | { readonly kind: 'blocked'; readonly by: 'precondition' | 'precondition in error' | 'input schema' }
  | { readonly kind: 'degraded'; readonly by: 'precondition' | 'postcondition' };

/** What a step writes to State. `next` writes the key of the step before it, and expects the version that it left. */
export type StatePlan = 'nothing' | 'own' | 'created' | 'twice' | 'deleted' | 'conflict' | 'shared' | 'next';

/** One input of a step. `pick` chooses among what can be named at its place. */
export interface InputPlan {
  readonly kind: 'literal' | 'reference' | 'built' | 'default' | 'input' | 'context' | 'missing';
  readonly pick: number;
  readonly value: unknown;
}

const LOCAL: readonly SideEffect[] = ['filesystem', 'repository', 'memory', 'scheduler'];

function contractOf(
  kind: ContractPlan['kind'],
  domains: fc.Arbitrary<readonly SideEffect[]>,
  modifies_existing: fc.Arbitrary<boolean>,
): fc.Arbitrary<ContractPlan> {
  return fc.record({
    kind: fc.constant(kind),
    determinism: fc.constantFrom('deterministic', 'conditionally_deterministic', 'non_deterministic'),
    idempotent: fc.boolean(),
    domains,
    modifies_existing,
    probe:
      kind === 'pure'
        ? fc.constant('none')
        : fc.constantFrom('none', 'ledger', 'ledger', 'absent', 'partial', 'unknown', 'applied'),
    undo: fc.constantFrom('good', 'good', 'good', 'bad', 'wants outputs'),
  });
}

const never = fc.constant(false);
const some = (from: readonly SideEffect[]) => fc.subarray([...from], { minLength: 1, maxLength: 2 });
const withService = some([...LOCAL, 'remote_server']).map((domains): readonly SideEffect[] => [
  ...domains,
  'external_service',
]);

/** All kinds of contracts that the table of chapter 5 allows. */
export const contracts: fc.Arbitrary<ContractPlan> = fc.oneof(
  { withCrossShrink: true },
  { weight: 4, arbitrary: contractOf('pure', fc.constant([]), never) },
  { weight: 2, arbitrary: contractOf('rollbackable', some(LOCAL), never) },
  { weight: 2, arbitrary: contractOf('compensatable', some([...LOCAL, 'remote_server']), fc.boolean()) },
  { weight: 1, arbitrary: contractOf('gap', some([...LOCAL, 'remote_server']), fc.boolean()) },
  { weight: 1, arbitrary: contractOf('irreversible', some([...LOCAL, 'remote_server']), fc.boolean()) },
  { weight: 1, arbitrary: contractOf('irreversible', withService, fc.boolean()) },
);

const succeeding: fc.Arbitrary<CoursePlan> = fc.record({
  kind: fc.constant('succeed' as const),
  delay_ms: fc.constantFrom(0, 0, 0, 2, 15),
});

/** E5 is a fault of the definition, found before anything has happened; the others may have had an effect. */
const failing: fc.Arbitrary<CoursePlan> = fc.oneof(
  fc.record({
    kind: fc.constant('fail' as const),
    times: fc.constantFrom(9, 1, 2, 3),
    error_class: fc.constantFrom<ErrorClass[]>('E2', 'E0', 'E1', 'E3', 'E4'),
    effect: fc.constantFrom<('none' | 'unknown')[]>('none', 'unknown'),
    applied: fc.boolean(),
  }),
  fc.constant<CoursePlan>({ kind: 'fail', times: 9, error_class: 'E5', effect: 'none', applied: false }),
);

/** Courses of a node; `calm` ones all succeed at the first invocation. */
function courses(calm: boolean): fc.Arbitrary<CoursePlan> {
  if (calm) return succeeding;
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 12, arbitrary: succeeding },
    { weight: 5, arbitrary: failing },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('refused' as const),
        by: fc.constantFrom('schema', 'postcondition', 'success condition', 'exit code', 'output mapping'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('blocked' as const),
        by: fc.constantFrom('precondition', 'precondition in error', 'input schema'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('degraded' as const),
        by: fc.constantFrom('precondition', 'postcondition'),
      }),
    },
    { weight: 1, arbitrary: fc.constant<CoursePlan>({ kind: 'huge' }) },
    { weight: 1, arbitrary: fc.constant<CoursePlan>({ kind: 'hang' }) },
  );
}

const inputs: fc.Arbitrary<InputPlan> = fc.record({
  kind: fc.constantFrom('literal', 'reference', 'reference', 'built', 'default', 'input', 'context'),
  pick: fc.nat(63),
  value: oddValues,
});

const missing: fc.Arbitrary<InputPlan> = fc.record({
  kind: fc.constant('missing' as const),
  pick: fc.nat(63),
  value: fc.constant(0),
});

/** What action nodes are to do; `calm` ones succeed at once and meet no conflict. */
export function steps(calm: boolean): fc.Arbitrary<StepPlan> {
  const input = calm ? inputs : fc.oneof({ weight: 12, arbitrary: inputs }, { weight: 1, arbitrary: missing });
  const states: StatePlan[] = ['nothing', 'nothing', 'own', 'created', 'twice', 'deleted', 'shared', 'next'];
  return fc.record({
    contract: contracts,
    course: courses(calm),
    state: fc.constantFrom(...states, ...(calm ? [] : (['conflict'] as const))),
    inputs: fc.array(input, { maxLength: 3 }),
    value: oddValues,
    mapped: fc.constantFrom('whole', 'whole', 'some', 'none'),
    leave: fc.constantFrom('success', 'success', 'success', 'always'),
    max_retries: fc.constantFrom(undefined, undefined, 0, 1, 2, 3),
  });
}

/** A step that does nothing and succeeds. */
export const PLAIN_STEP: StepPlan = {
  contract: {
    kind: 'pure',
    determinism: 'deterministic',
    idempotent: true,
    domains: [],
    modifies_existing: false,
    probe: 'none',
    undo: 'good',
  },
  course: { kind: 'succeed', delay_ms: 0 },
  state: 'nothing',
  inputs: [],
  value: 0,
  mapped: 'whole',
  leave: 'success',
  max_retries: undefined,
};
