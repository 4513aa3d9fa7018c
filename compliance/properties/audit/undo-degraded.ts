import type { Action } from '../../../schemas/types.js';
import type { Observation } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Check } from '../../runner/verdict.js';
import { check, unlessSame } from '../dialogue-property.js';
import { COMPENSATE, wishing, withoutRollback } from './undo-programs.js';

/** What of the soft conditions of a compensation does not hold; it is given the outputs of its original, and answers `{}`. */
interface Softness {
  readonly fails: 'precondition' | 'postcondition' | 'nothing';
}

/** An undo is an execution with a contract of its own, and its records say what the contract came to. */
export const undoDegraded = caseProperty<Softness, Observation>({
  id: 'audit/undo-degraded',
  title: 'the records of an undo whose soft condition does not hold are marked degraded, and only these',
  kind: 'program',
  requirements: ['PR-S', 'EC2'],
  capabilities: ['audit', 'recovery'],
  examples: [{ fails: 'postcondition' }],
  control: { title: 'a soft precondition of the compensation does not hold', case: { fails: 'precondition' } },
  twins: [
    {
      requirement: 'PR-S',
      title: 'it holds, and nothing is marked',
      case: { fails: 'nothing' },
      contrast: (control, twin) =>
        unlessSame(
          'the records of the undo',
          { control: MARKED.precondition, twin: MARKED.nothing },
          { control: recordsOf(control), twin: recordsOf(twin) },
        ),
    },
    {
      requirement: 'EC2',
      title: 'the log in which the commit of the undo is not marked',
      tamper: seen => ({
        ...seen,
        log: (seen.log ?? []).map(record => {
          const { degraded: _none, ...rest } = record;
          return record.status === 'committed' ? rest : record;
        }),
      }),
    },
  ],
  examine: async (subject, { fails }) => {
    const evidence = await subject.observe(wishing([COMPENSATE], { undo: contractOf(fails) }));
    return { evidence, kills: 0, violations: evidence.violations ?? [] };
  },
  inapplicable: withoutRollback,
  judge: ({ fails }, seen): readonly Check[] => {
    if (seen.ledger.every(({ action_id }) => action_id !== 'undo')) return [];
    const wrong = unlessSame('the records of the undo', MARKED[fails], recordsOf(seen));
    return [check('EC2', wrong), ...(fails === 'postcondition' ? [] : [check('PR-S', wrong)])];
  },
});

const MARKED: Readonly<Record<Softness['fails'], readonly string[]>> = {
  precondition: ['pending, degraded', 'committed, degraded'],
  postcondition: ['pending', 'committed, degraded'],
  nothing: ['pending', 'committed'],
};

function contractOf(fails: Softness['fails']): Partial<Action> {
  const given = fails === 'precondition' ? 'inputs.outputs.value != 1.0' : 'inputs.outputs.value == 1.0';
  const answered = fails === 'postcondition' ? 'has(result.done)' : '!has(result.done)';
  return {
    preconditions: [{ id: 'given', kind: 'soft', expression: given }],
    postconditions: [{ id: 'answered', kind: 'soft', expression: answered }],
  };
}

/** The records of the undo, in their order. */
function recordsOf({ log = [] }: Observation): readonly string[] {
  return log
    .filter(({ record_type, purpose }) => record_type === 'action' && purpose === 'compensate')
    .map(({ status, degraded }) => (degraded === true ? `${status}, degraded` : status));
}
