import type { Action } from '../../../schemas/types.js';
import type { Kill, Observation, Program } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Check } from '../../runner/verdict.js';
import { check, unlessSame } from '../dialogue-property.js';
import { chain, EFFECTFUL, UNDO, undoable } from '../drawn.js';
import { COMPENSATE, PROBED, wishing, withoutRollback } from './undo-programs.js';

/** An execution that is killed while it is invoked: what of its soft conditions does not hold, and how recovery ends it. */
interface Interrupted {
  readonly fails: 'precondition' | 'postcondition' | 'nothing';
  /** An action of a node, its undo on request, or the undo that recovery itself decided. */
  readonly of: 'action' | 'undo on request' | 'undo by recovery';
  /** Done again, or committed with what its probe answers; an undo by recovery is done again. */
  readonly ends: 'redone' | 'probed';
}

/** What recovery finishes is marked as what was not interrupted: its precondition was evaluated once, before the crash. */
export const degradedRecovered = caseProperty<Interrupted, Observation>({
  id: 'audit/degraded-recovered',
  title:
    'what recovery does again or commits is marked degraded where a soft condition of it did not hold, and only then',
  kind: 'kill',
  requirements: ['PR-S', 'EC2'],
  capabilities: ['audit', 'recovery'],
  examples: (['action', 'undo on request', 'undo by recovery'] as const).flatMap(of =>
    (of === 'undo by recovery' ? (['redone'] as const) : (['redone', 'probed'] as const)).flatMap(ends =>
      (['precondition', 'postcondition', 'nothing'] as const).map(fails => ({ of, ends, fails })),
    ),
  ),
  control: {
    title: 'an undo on request whose soft precondition did not hold, done again',
    case: { of: 'undo on request', ends: 'redone', fails: 'precondition' },
  },
  twins: [
    {
      requirement: 'PR-S',
      title: 'it holds, and nothing is marked',
      case: { of: 'undo on request', ends: 'redone', fails: 'nothing' },
      contrast: (control, twin) =>
        unlessSame(
          'the records of the undo',
          { control: MARKED.redone.precondition, twin: MARKED.redone.nothing },
          { control: recordsOf(control, 'undo'), twin: recordsOf(twin, 'undo') },
        ),
    },
    {
      requirement: 'EC2',
      title: 'the log in which only the first record of the undo is marked',
      tamper: seen => ({
        ...seen,
        log: (seen.log ?? []).map(record => {
          const { degraded: _none, ...rest } = record;
          return record.status === 'committed' ? rest : record;
        }),
      }),
    },
  ],
  examine: async (subject, value) => {
    const evidence = await subject.observe(programOf(value));
    return { evidence, kills: evidence.kills, violations: evidence.violations ?? [] };
  },
  inapplicable: withoutRollback,
  judge: ({ of, ends, fails }, seen): readonly Check[] => {
    const wanted = of === 'undo by recovery' ? 2 : 1;
    if (seen.kills < wanted) return [];
    const action_id = of === 'action' ? 'step' : 'undo';
    const wrong = unlessSame('the records of the execution', MARKED[ends][fails], recordsOf(seen, action_id));
    return [check('EC2', wrong), ...(fails === 'postcondition' ? [] : [check('PR-S', wrong)])];
  },
});

const MARKED: Readonly<Record<Interrupted['ends'], Readonly<Record<Interrupted['fails'], readonly string[]>>>> = {
  redone: {
    precondition: ['pending, degraded', 'failed', 'pending, degraded', 'committed, degraded'],
    postcondition: ['pending', 'failed', 'pending', 'committed, degraded'],
    nothing: ['pending', 'failed', 'pending', 'committed'],
  },
  probed: {
    precondition: ['pending, degraded', 'committed, degraded'],
    postcondition: ['pending', 'committed, degraded'],
    nothing: ['pending', 'committed'],
  },
};

function programOf({ of, ends, fails }: Interrupted): Program {
  const called = (ordinal: number): Kill => ({ at: 'invocation', ordinal, when: 'receipt' });
  const probed = ends === 'probed';
  if (of === 'undo on request') {
    const undo = { ...contractOf(fails), ...(probed ? PROBED : {}) };
    return wishing([COMPENSATE], { kills: [called(4)], undo, ...(probed ? { probe: 'ledger' } : {}) });
  }
  if (of === 'undo by recovery') {
    const program = undoable(2, [called(2), called(1)]);
    const actions = (program.workflow.actions ?? []).map(action =>
      action.action_id === UNDO.action_id ? { ...action, ...contractOf(fails) } : action,
    );
    return { ...program, workflow: { ...program.workflow, actions } };
  }
  const program = chain(
    1,
    [called(1)],
    { ...(probed ? { ...EFFECTFUL, idempotent: true } : {}), ...contractOf(fails) },
    [UNDO],
  );
  return { ...program, script: { ...program.script, probes: { n1: 'ledger' } } };
}

/** Conditions that are about nothing but what every action is given and answers, and whether they hold. */
function contractOf(fails: Interrupted['fails']): Partial<Action> {
  return {
    preconditions: [{ id: 'given', kind: 'soft', expression: fails === 'precondition' ? '1 > 2' : '1 < 2' }],
    postconditions: [
      {
        id: 'answered',
        kind: 'soft',
        expression: fails === 'postcondition' ? 'has(result.never)' : '!has(result.never)',
      },
    ],
  };
}

/** The records of the executions of an action, in their order, without the mark of what was undone. */
function recordsOf({ log = [] }: Observation, action_id: string): readonly string[] {
  return log
    .filter(record => record.record_type === 'action' && record.action_id === action_id)
    .map(({ status, degraded }) => (degraded === true ? `${status}, degraded` : status));
}
