import type { WorkflowStartResult } from '../../../schemas/types.js';
import type { Dialogue, Spoken, Turn } from '../../dialogue.js';
import { DEFAULT_AGENT } from '../../program.js';
import type { Check } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame } from '../dialogue-property.js';
import { chain } from '../drawn.js';

/** Under which key each of the starts asks: the first four at one time, one when they have ended, one after a restart. */
interface Keys {
  readonly keys: readonly [string, string, string];
}

const STEPS = chain(2);

/** What is asked for twice under one key is done once. */
export const carriedOutOnce = dialogueProperty<Keys>({
  id: 'workflow/carried-out-once',
  title: 'a start that is repeated under its request_key is not carried out twice',
  kind: 'kill',
  requirements: ['P2'],
  capabilities: ['audit'],
  control: {
    title: 'four starts at one time, one later and one after a kill, all under one key',
    case: { keys: ['once', 'once', 'once'] },
  },
  twins: [
    {
      requirement: 'P2',
      title: 'under a key of its own the last one is carried out',
      case: { keys: ['once', 'once', 'again'] },
      contrast: (control, twin) =>
        unlessSame(
          'the key did not decide',
          { control: 2, twin: 4 },
          { control: invocations(control), twin: invocations(twin) },
        ),
    },
    {
      requirement: 'P2',
      title: 'a ledger with every invocation twice',
      tamper: spoken => ({ ...spoken, ledger: [...spoken.ledger, ...spoken.ledger] }),
    },
  ],
  dialogue: ({ keys: [first, second, third] }): Dialogue => ({
    script: STEPS.script,
    turns: [
      start(first, 'first', 4),
      wait('first'),
      start(second, 'second'),
      { do: 'kill' },
      { do: 'open' },
      start(third, 'third'),
      wait('third'),
    ],
  }),
  judge: ({ keys: [, , third] }, spoken): readonly Check[] => {
    const ids = idsOf(spoken);
    if (ids.length < 6) return [];
    const wanted = third === 'once' ? 1 : 2;
    const starts = (spoken.log ?? []).filter(({ status }) => status === 'workflow_started').length;
    const expected = { instances: wanted, started: wanted, invocations: 2 * wanted };
    const observed = { instances: new Set(ids).size, started: starts, invocations: invocations(spoken) };
    return [check('P2', unlessSame('one request was carried out more than once, or two as one', expected, observed))];
  },
});

function start(request_key: string, as: string, times = 1): Turn {
  const params = { workflow: STEPS.workflow, inputs: {}, agent_id: DEFAULT_AGENT, request_key };
  return { do: 'ask', method: 'workflow/start', params, as, times };
}

function wait(name: string): Turn {
  const params = { execution_id: { $: `${name}/execution_id` }, budget_ms: 4000 };
  return { do: 'ask', method: 'workflow/wait', params, as: `${name} ended` };
}

function idsOf({ answers }: Spoken): readonly string[] {
  return ['first', 'second', 'third'].flatMap(name =>
    (answers[name] ?? []).flatMap(said =>
      'result' in said ? [(said.result as WorkflowStartResult).execution_id ?? ''] : [],
    ),
  );
}

function invocations({ ledger }: Spoken): number {
  return ledger.filter(({ kind }) => kind === 'invoke').length;
}
