import type { Action } from '../../../schemas/types.js';
import type { Observation } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { COMPENSATE, wishing, withoutRollback } from './undo-programs.js';

/** What the contract of a compensation demands of its answer `{}`, and whether that holds. */
interface Demand {
  readonly contract: Partial<Action>;
  readonly holds: boolean;
}

const condition = (kind: 'hard' | 'soft', expression: string) => [{ id: 'done', kind, expression }];

/** What was compensated only half does not count as compensated. */
export const compensationHeld = caseProperty<Demand, Observation>({
  id: 'audit/compensation-held',
  title: 'an original is compensated only where the success condition and hard postconditions of its compensation held',
  kind: 'program',
  requirements: ['CP2'],
  capabilities: ['audit', 'recovery'],
  examples: [
    { contract: { postconditions: condition('hard', 'has(result.done)') }, holds: false },
    { contract: { postconditions: condition('soft', 'has(result.done)') }, holds: true },
    { contract: { success_condition: 'result.done' }, holds: false },
  ],
  control: {
    title: 'the success condition does not hold',
    case: { contract: { success_condition: 'has(result.done)' }, holds: false },
  },
  twins: [
    {
      requirement: 'CP2',
      title: 'the success condition holds',
      case: { contract: { success_condition: '!has(result.done)' }, holds: true },
      contrast: (control, twin) => {
        const observed = { control: isMarked(control), twin: isMarked(twin) };
        if (!observed.control && observed.twin) return undefined;
        return { message: 'the condition made no difference', expected: { control: false, twin: true }, observed };
      },
    },
  ],
  examine: async (subject, { contract }) => {
    const evidence = await subject.observe(wishing([COMPENSATE], { undo: contract }));
    return { evidence, kills: 0, violations: evidence.violations ?? [] };
  },
  inapplicable: withoutRollback,
  judge: ({ holds }, seen): readonly Check[] => {
    const reached = seen.ledger.some(({ action_id }) => action_id === 'undo');
    const marked = isMarked(seen);
    const failure: Failure = {
      message: marked ? 'marked compensated although a condition did not hold' : 'not marked although everything held',
      expected: holds,
      observed: marked,
    };
    return [{ requirement: 'CP2', reached, ...(reached && marked !== holds ? { failure } : {}) }];
  },
});

function isMarked({ log = [] }: Observation): boolean {
  return log.some(({ record_type, status }) => record_type === 'action' && status === 'compensated');
}
