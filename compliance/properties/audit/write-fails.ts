import type { AuditRecord, FaultPoint, State } from '../../../schemas/types.js';
import { type Dialogue, refusalOf, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { OWNER } from '../../program.js';
import type { Check } from '../../runner/verdict.js';
import { dialogueProperty, unlessSame } from '../dialogue-property.js';
import { chain } from '../drawn.js';

/** Which write of the first action fails, as on a full disk; absent is none. */
interface Full {
  readonly point?: FaultPoint;
}

const STEPS = chain(2);
const WAIT: Turn = {
  do: 'ask',
  method: 'workflow/wait',
  params: { execution_id: { $: 'start/execution_id' }, budget_ms: 2000 },
  as: 'wait',
};

/** After a failed write nothing of the step is there, and no new work starts. */
export const writeFails = dialogueProperty<Full>({
  id: 'audit/write-fails',
  title: 'where a record cannot be made durable nothing of its step is applied, and no new work starts until a restart',
  kind: 'kill',
  requirements: ['AW4'],
  capabilities: ['audit', 'state', 'faults'],
  points: ['committing'],
  refusable: ['wait', 'more'],
  control: { title: 'the commit of the first action cannot be written', case: { point: 'committing' } },
  twins: [
    {
      requirement: 'AW4',
      title: 'where nothing fails the same work is done',
      case: {},
      contrast: (control, twin) => {
        const observed = { control: seenOf(control).more, twin: seenOf(twin).more };
        return unlessSame('a failed write made no difference', { control: 'internal', twin: 'started' }, observed);
      },
    },
    {
      requirement: 'AW4',
      title: 'a State that has what could not be recorded',
      tamper: spoken => ({
        ...spoken,
        answers: { ...spoken.answers, state: [{ result: { state: { 'out/n1': {} }, sequence: 1 } }] },
      }),
    },
  ],
  dialogue: ({ point }): Dialogue => ({
    script: STEPS.script,
    turns: [
      ...(point === undefined
        ? []
        : [{ do: 'ask', method: 'fault/arm', params: { name: point, occurrence: 1, effect: 'error' } } as const]),
      { do: 'run', program: STEPS, unfollowed: true, as: 'start' },
      WAIT,
      { do: 'run', program: STEPS, unfollowed: true, as: 'more' },
      { do: 'ask', method: 'state/get', params: { agent_id: OWNER }, as: 'state' },
      { do: 'kill' },
      { do: 'open' },
      { ...WAIT, as: 'later' },
    ],
  }),
  judge: judgeFull,
});

function seenOf(spoken: Spoken) {
  const first = (spoken.log ?? []).filter(({ incarnation }) => incarnation === 1) as readonly AuditRecord[];
  return {
    wait: refusalOf(spoken, 'wait') ?? 'answered',
    more: refusalOf(spoken, 'more') ?? 'started',
    invoked: spoken.ledger.filter(({ incarnation }) => incarnation === 1).map(({ node_id }) => node_id),
    recorded: first.filter(({ record_type }) => record_type === 'action').map(({ status }) => status),
    keys: Object.keys(resultOf<{ state: State }>(spoken, 'state')?.state ?? {}),
  };
}

function judgeFull({ point }: Full, spoken: Spoken): readonly Check[] {
  if (point === undefined || resultOf(spoken, 'start') === undefined || spoken.log === undefined)
    return [{ requirement: 'AW4', reached: false }];
  const expected = { wait: 'internal', more: 'internal', invoked: ['n1'], recorded: ['pending'], keys: [] };
  const off = unlessSame('after a write that failed something was applied, or started', expected, seenOf(spoken));
  const later = resultOf<{ status: string }>(spoken, 'later')?.status;
  const undecided = unlessSame('the next opening did not decide what was left', 'completed', later);
  const failure = off ?? undecided;
  return [{ requirement: 'AW4', reached: true, ...(failure === undefined ? {} : { failure }) }];
}
