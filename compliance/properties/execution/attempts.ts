import * as fc from 'fast-check';
import type { AuditRecord } from '../../../schemas/types.js';
import { type Dialogue, resultOf, type Spoken } from '../../dialogue.js';
import type { Twin } from '../../runner/case-property.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame } from '../dialogue-property.js';
import {
  type AttemptPlan,
  attemptProgram,
  type Comes,
  attempts as drawn,
  expectedOf,
  GOOD,
  stops,
} from './attempt-plan.js';

/** Attempts of one workspace, one after the other. */
type Plans = readonly AttemptPlan[];

const REQUIREMENTS = ['EC2', 'PR-H', 'PR-S', 'PC1'] as const;

const HARD: AttemptPlan = { ...GOOD, preconditions: [{ kind: 'hard', comes: 'false' }] };
const SOFT: AttemptPlan = { ...GOOD, preconditions: [{ kind: 'soft', comes: 'false' }] };
const UNSUCCESSFUL: AttemptPlan = { ...GOOD, success: 'false', outputs_fit: false };
const MISFIT: AttemptPlan = { ...GOOD, outputs_fit: false, version: 'wrong' };

const COMES: readonly Comes[] = ['error', 'text'];

/** The steps of an attempt are taken in their order, and the first that fails is the last. */
export const attempts = dialogueProperty<Plans>({
  id: 'execution/attempts',
  title: 'the parts of a contract are checked in order, and each has the effect that the chapter gives it',
  requirements: REQUIREMENTS,
  capabilities: ['audit'],
  cases: fc.array(drawn, { minLength: 3, maxLength: 6 }),
  weight: 0.4,
  examples: [
    COMES.flatMap((comes): AttemptPlan[] => [
      { ...GOOD, preconditions: [{ kind: 'hard', comes }] },
      { ...GOOD, preconditions: [{ kind: 'soft', comes }], postconditions: [{ kind: 'soft', comes }] },
      { ...GOOD, success: comes, exit_code: 0 },
      { ...GOOD, postconditions: [{ kind: 'hard', comes }], version: 'wrong' },
    ]),
    [
      { ...SOFT, inputs_fit: false },
      { ...GOOD, preconditions: [...SOFT.preconditions, ...HARD.preconditions] },
      { ...GOOD, success: 'true', exit_code: 1 },
      { ...GOOD, exit_code: 1 },
      { ...GOOD, exit_code: 1, version: 'wrong' },
      { ...GOOD, mapping: 'bad', version: 'wrong' },
      { ...GOOD, mapping: 'good', version: 'right' },
      { ...GOOD, version: 'wrong' },
    ],
  ],
  control: {
    title:
      'a hard and a soft precondition, a success condition and an output schema that do not hold, and one that fits',
    case: [HARD, SOFT, UNSUCCESSFUL, MISFIT, GOOD],
  },
  twins: [
    {
      requirement: 'EC2',
      title: 'the output schema holds, so the version is compared, and conflicts',
      case: [HARD, SOFT, UNSUCCESSFUL, { ...MISFIT, outputs_fit: true }, GOOD],
      contrast: contrastAt(3, { error_class: 'E4', conflict: false }, { error_class: 'E4', conflict: true }),
    },
    {
      requirement: 'PR-H',
      title: 'the hard precondition holds, so the action is invoked',
      case: [{ ...HARD, preconditions: [{ kind: 'hard', comes: 'true' }] }, SOFT, UNSUCCESSFUL, MISFIT, GOOD],
      contrast: contrastAt(0, { invoked: false }, { invoked: true }),
    },
    {
      requirement: 'PR-S',
      title: 'the soft precondition holds, so nothing is degraded',
      case: [HARD, { ...SOFT, preconditions: [{ kind: 'soft', comes: 'true' }] }, UNSUCCESSFUL, MISFIT, GOOD],
      contrast: contrastAt(1, { pending: true, committed: true }, { pending: false, committed: false }),
    },
    {
      requirement: 'PC1',
      title: 'the success condition holds, so that what failed with E3 fails with E4 by its outputs',
      case: [HARD, SOFT, { ...UNSUCCESSFUL, success: 'true' }, MISFIT, GOOD],
      contrast: contrastAt(2, { error_class: 'E3' }, { error_class: 'E4' }),
    },
  ],
  dialogue: (plans): Dialogue => {
    const programs = plans.map((plan, index) => attemptProgram(plan, nameOf(index)));
    return {
      script: { nodes: Object.assign({}, ...programs.map(({ script }) => script.nodes)) },
      turns: programs.map((program, index) => ({ do: 'run', program, as: nameOf(index) })),
    };
  },
  judge: (plans, spoken) => plans.flatMap((plan, index) => judgeAttempt(plan, nameOf(index), spoken)),
});

function nameOf(index: number): string {
  return `n${index}`;
}

/** How an attempt came out, in the terms in which twins differ. */
interface Outcome {
  readonly invoked: boolean;
  readonly end: string | undefined;
  readonly error_class: string | undefined;
  readonly conflict: boolean;
  readonly pending: boolean;
  readonly committed: boolean;
}

function outcomeOf({ ledger, log = [] }: Spoken, name: string): Outcome {
  const records = log.filter(({ record_type, node_id }) => record_type === 'action' && node_id === name);
  const last = records.at(-1);
  const isDegraded = (status: AuditRecord['status']) =>
    records.some(record => record.status === status && record.degraded === true);
  return {
    invoked: ledger.some(({ node_id }) => node_id === name),
    end: records.map(({ status }) => status).join(', '),
    error_class: last?.error_class,
    conflict: last?.error_detail === 'conflict',
    pending: isDegraded('pending'),
    committed: isDegraded('committed'),
  };
}

function judgeAttempt(plan: AttemptPlan, name: string, spoken: Spoken): readonly Check[] {
  if (resultOf(spoken, name) === undefined) return [];
  const { invoked, end, error_class, conflict, degraded, unsuccessful } = expectedOf(plan);
  const expected: Outcome = {
    invoked,
    end: invoked ? `pending, ${end}` : end,
    error_class,
    conflict,
    ...degraded,
  };
  const observed = outcomeOf(spoken, name);
  const off = unlessSame(`'${name}' did not go by the steps of an attempt`, expected, observed);
  const wrong: Failure | undefined = off === undefined ? undefined : { ...off, node_id: name };
  const blocked = plan.inputs_fit && stops(plan.preconditions);
  const [marked, shown] = [expected, observed].map(({ pending, committed }) => [pending, committed]);
  return [
    check('EC2', wrong),
    ...(blocked ? [check('PR-H', observed.invoked || observed.end !== 'failed' ? wrong : undefined)] : []),
    ...(degraded.pending
      ? [check('PR-S', !observed.invoked || JSON.stringify(marked) !== JSON.stringify(shown) ? wrong : undefined)]
      : []),
    ...(unsuccessful ? [check('PC1', observed.end?.includes('committed') === true ? wrong : undefined)] : []),
  ];
}

function contrastAt(
  index: number,
  control: Partial<Outcome>,
  twin: Partial<Outcome>,
): Extract<Twin<Plans, Spoken>, { case: Plans }>['contrast'] {
  return (first, second) => {
    const pick = (spoken: Spoken, wanted: Partial<Outcome>) => {
      const outcome = outcomeOf(spoken, nameOf(index));
      return Object.fromEntries(Object.keys(wanted).map(key => [key, outcome[key as keyof Outcome]]));
    };
    const observed = { control: pick(first, control), twin: pick(second, twin) };
    return unlessSame('the attempt did not come out as the one changed field demands', { control, twin }, observed);
  };
}
