import type { AuditRecord, StateChange, WorkflowWaitResult } from '../../../schemas/types.js';
import { type Dialogue, resultOf, type Spoken } from '../../dialogue.js';
import { OWNER } from '../../program.js';
import type { Check } from '../../runner/verdict.js';
import { dialogueProperty, unlessSame } from '../dialogue-property.js';
import { draw } from '../drawn.js';

/** The limits of one attempt, and how long the host takes, in milliseconds; absent is none, and never an answer. */
interface Limits {
  readonly contract?: number;
  readonly caller?: number;
  readonly answers_after?: number;
}

/** A limit that runs out soon, one that does not, and answers well on either side of the first. */
const SHORT = 60;
const LONG = 20_000;
const LATE = 160;

/** An attempt that is not answered in time has failed, its host is told so, and an answer that comes later changes nothing. */
export const timeLimits = dialogueProperty<Limits>({
  id: 'execution/time-limits',
  title: 'an attempt whose limit has passed fails with E3, its answer is called off, and a late one changes nothing',
  requirements: ['EC3'],
  capabilities: ['audit', 'state'],
  examples: [
    { contract: SHORT, caller: LONG, answers_after: LATE },
    { contract: LONG, caller: SHORT },
  ],
  control: { title: 'an answer after the limit of the contract', case: { contract: SHORT, answers_after: LATE } },
  twins: [
    {
      requirement: 'EC3',
      title: 'the same answer within a longer limit is taken',
      case: { contract: LONG, answers_after: LATE },
      contrast: (control, twin) =>
        unlessSame(
          'the limit did not decide',
          { control: 'failure', twin: 'success' },
          { control: outcomeOf(control), twin: outcomeOf(twin) },
        ),
    },
    {
      requirement: 'EC3',
      title: 'what was heard of the runtime, without the word that the answer is not wanted any more',
      tamper: spoken => ({ ...spoken, cancelled: [] }),
    },
  ],
  dialogue: ({ contract, caller, answers_after }): Dialogue => {
    const change = { key: 'late', op: 'put', value: 1 } as unknown as StateChange;
    const reply = { outputs: {}, state_changes: [change] };
    const behaviour = answers_after === undefined ? {} : { reply, delay_ms: answers_after };
    const program = draw({
      edges: ['a success done'],
      nodes: { a: caller === undefined ? {} : { timeout_ms: caller } },
      script: { a: [behaviour] },
      action: contract === undefined ? {} : { timeout_ms: contract },
    });
    return {
      script: program.script,
      turns: [
        { do: 'run', program, as: 'run' },
        { do: 'read', as: 'at the end' },
        ...(answers_after === undefined ? [] : [{ do: 'hear', invocations: 1, replied: true } as const]),
        // What a runtime does about a late answer it has done when it answers something that came after it.
        { do: 'ask', method: 'state/get', params: { agent_id: OWNER }, as: 'state' },
        { do: 'read', as: 'later' },
      ],
    };
  },
  judge: (limits, spoken) => judgeLimits(limits, spoken),
});

function judgeLimits(
  { contract = LONG, caller = LONG, answers_after = LONG }: Limits,
  spoken: Spoken,
): readonly Check[] {
  const run = resultOf<{ wait?: WorkflowWaitResult }>(spoken, 'run');
  const text = (name: string) => resultOf<{ text: string }>(spoken, name)?.text;
  if (run === undefined || text('later') === undefined) return [];
  const passes = answers_after > Math.min(contract, caller);
  const records = (spoken.log ?? []).filter(({ record_type }) => record_type === 'action') as readonly AuditRecord[];
  const observed = {
    outcome: outcomeOf(spoken),
    records: records.map(({ status, error_class }) => [status, error_class ?? '']),
    keys: Object.keys(resultOf<{ state: object }>(spoken, 'state')?.state ?? {}),
    changed_later: text('later') !== text('at the end'),
    called_off: passes && records.every(({ execution_id }) => spoken.cancelled.includes(execution_id)),
  };
  const expected = {
    outcome: passes ? 'failure' : 'success',
    records: [['pending', ''], passes ? ['failed', 'E3'] : ['committed', '']],
    keys: passes ? [] : ['late'],
    changed_later: false,
    called_off: passes,
  };
  const failure = unlessSame('the limit of time was not kept', expected, observed);
  return [{ requirement: 'EC3', reached: passes, ...(failure === undefined ? {} : { failure }) }];
}

function outcomeOf(spoken: Spoken): string | undefined {
  return resultOf<{ wait?: WorkflowWaitResult }>(spoken, 'run')?.wait?.trace.find(({ node_id }) => node_id === 'a')
    ?.outcome;
}
