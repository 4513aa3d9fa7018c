import type { RetryPolicy, WorkflowWaitResult } from '../../../schemas/types.js';
import { type Dialogue, resultOf, type Spoken } from '../../dialogue.js';
import type { Program } from '../../program.js';
import type { Failure } from '../../runner/verdict.js';
import { dialogueProperty, unlessSame } from '../dialogue-property.js';
import { draw, gives } from '../drawn.js';
import { failsWith } from './handled-programs.js';

/** How long the retries wait, in milliseconds and by what factor; without its maximum one of them waits for an hour. */
type Waits = Required<Omit<RetryPolicy, 'max_retries'>>;

const ATTEMPTS = 4;
const HOUR_MS = 3_600_000;
const GROWING: Waits = { backoff_ms: 5, backoff_factor: 1000, max_backoff_ms: 8 };

/**
 * The wait before a retry is cut to the maximum of the policy, which shows in the retry being made at all: what is judged
 * is milliseconds against an hour.
 */
export const longestWait = dialogueProperty<Waits>({
  id: 'workflow/longest-wait',
  title: 'a retry waits no longer than the maximum of its policy, however large the first wait and the factor are',
  requirements: ['AN2'],
  examples: [{ backoff_ms: HOUR_MS, backoff_factor: 1, max_backoff_ms: 5 }],
  control: { title: 'a wait that grows a thousandfold from retry to retry, and a maximum', case: GROWING },
  twins: [
    {
      requirement: 'AN2',
      title: 'a ledger without the last attempt, and a node that is still waiting for it',
      tamper: spoken => ({
        ...spoken,
        answers: { ...spoken.answers, later: [{ result: { status: 'running', trace: [] } }] },
        ledger: spoken.ledger.slice(0, ATTEMPTS - 1),
      }),
    },
  ],
  dialogue: (waits): Dialogue => {
    const { workflow, inputs, script } = retriedAfter(waits);
    const execution_id = { $: 'run/execution_id' };
    return {
      script,
      turns: [
        { do: 'run', program: { workflow, inputs }, as: 'run' },
        { do: 'ask', method: 'workflow/wait', params: { execution_id, budget_ms: 4000 }, as: 'later' },
      ],
    };
  },
  judge: (_waits, spoken) => {
    const wait = resultOf<WorkflowWaitResult>(spoken, 'later');
    const failure = wait === undefined ? undefined : faultOf(wait, spoken);
    const reached = wait !== undefined && (wait.status !== 'running' || failure !== undefined);
    return [{ requirement: 'AN2', reached, ...(failure === undefined ? {} : { failure }) }];
  },
});

/** What is wrong with where the instance stands. One that is on its way still, on a slow machine, is not. */
function faultOf({ status, trace }: WorkflowWaitResult, { ledger }: Spoken): Failure | undefined {
  const attempts = ledger.length;
  const idle = ledger.every(({ replied_at }) => replied_at !== undefined);
  if (status === 'running' && (!idle || attempts >= ATTEMPTS)) return undefined;
  const entry = trace.find(({ node_id }) => node_id === 'a');
  return unlessSame(
    'how the node was resolved whose retries wait for some milliseconds',
    { outcome: 'success', attempts: ATTEMPTS },
    { outcome: entry?.outcome ?? 'not yet', attempts: entry?.attempts ?? attempts },
  );
}

/** Gives an action that is refused by the network until its last retry. */
function retriedAfter(waits: Waits): Program {
  const refused = failsWith('E1');
  return draw({
    edges: ['a success done'],
    nodes: { a: { retry_policy: { max_retries: ATTEMPTS - 1, ...waits } } },
    script: { a: [refused, refused, refused, gives(1)] },
  });
}
