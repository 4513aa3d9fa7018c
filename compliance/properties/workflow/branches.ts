import type { WorkflowWaitResult } from '../../../schemas/types.js';
import { refusalOf, resultOf, type Spoken } from '../../dialogue.js';
import { act, end, error, graph, step } from '../../generators/pairs/pair.js';
import { given } from '../../generators/pairs/setting.js';
import { check, dialogueProperty, unlessSame } from '../dialogue-property.js';
import { FAILS, gives } from '../drawn.js';
import { entryOf, running } from './values.js';

const TRY = { actions: [act('try')] };

/** How the quick branch of a fan-out ends. */
interface Quick {
  readonly end: 'completed' | 'failed' | 'compensated';
}

/** A terminal ends its own path. */
export const otherBranches = dialogueProperty<Quick>({
  id: 'workflow/other-branches',
  title: 'a terminal stops and skips no other node',
  requirements: ['TN3'],
  examples: [{ end: 'completed' }, { end: 'compensated' }],
  control: { title: 'a quick branch that ends as failed beside a slow one of two actions', case: { end: 'failed' } },
  twins: [
    {
      requirement: 'TN3',
      title: 'a trace in which the slow branch was skipped',
      tamper: spoken => skippedIn(spoken, 'c'),
    },
  ],
  dialogue: ({ end: status }) =>
    running(
      {
        workflow: given(
          graph(
            [step('a', 'try@1', { fan_out: 'parallel' }), end('over', status), step('b', 'try@1'), step('c', 'try@1')],
            [
              'a success over',
              'a success b',
              'a failure refused',
              'b success c',
              'b failure refused',
              'c success done',
              'c failure refused',
            ],
            TRY,
          ),
        ).workflow,
        inputs: {},
      },
      { a: [gives(1)], b: [{ ...gives(2), delay_ms: 60 }], c: [gives(3)] },
    ),
  judge: ({ end: status }, spoken) => {
    const seen = ['over', 'b', 'c', 'done'].map(id => entryOf(spoken, id)?.outcome);
    const wanted = [status, 'success', 'success', 'completed'];
    const invoked = spoken.ledger.map(({ node_id }) => node_id).sort();
    return [
      check(
        'TN3',
        unlessSame('how the branches were resolved', wanted, seen) ??
          unlessSame('what was invoked', ['a', 'b', 'c'], invoked),
      ),
    ];
  },
});

/** How the branch beside the slow one fails. */
interface Failing {
  readonly by: 'action' | 'error node' | 'E5';
}

/** What is marked failed drains. */
export const draining = dialogueProperty<Failing>({
  id: 'workflow/draining',
  title: 'an instance that is marked failed goes on with its other branches until nothing is left',
  requirements: ['FB4'],
  examples: [{ by: 'error node' }, { by: 'E5' }],
  control: { title: 'an action whose failure nothing handles, beside a branch of two actions', case: { by: 'action' } },
  twins: [
    {
      requirement: 'FB4',
      title: 'a trace in which the other branch was skipped',
      tamper: spoken => skippedIn(spoken, 'c'),
    },
  ],
  dialogue: ({ by }) =>
    running(
      {
        workflow: given(
          graph(
            [
              step('a', 'try@1', { fan_out: 'parallel' }),
              step('x', 'try@1'),
              step('b', 'try@1'),
              step('c', 'try@1'),
              ...(by === 'error node' ? [error('lost', 'fail')] : []),
              end('far'),
            ],
            [
              'a success x',
              'a success b',
              'x success far',
              ...(by === 'error node' ? ['x failure lost'] : []),
              'b success c',
              'c success done',
            ],
            TRY,
          ),
        ).workflow,
        inputs: {},
      },
      {
        a: [gives(1)],
        x: [by === 'E5' ? { reply: { error: { error_class: 'E5', detail: 'scripted', effect: 'none' } } } : FAILS],
        b: [{ ...gives(2), delay_ms: 120 }],
        c: [gives(3)],
      },
    ),
  judge: (_failing, spoken) => {
    const { wait } = resultOf<{ wait?: WorkflowWaitResult }>(spoken, 'run') ?? {};
    const seen = [wait?.status, ...['x', 'b', 'c', 'done', 'far'].map(id => entryOf(spoken, id)?.outcome)];
    const wanted = ['failed', 'failure', 'success', 'success', 'completed', 'skipped'];
    return [check('FB4', unlessSame('how the instance and its branches ended', wanted, seen))];
  },
});

/** Who retries. */
interface Retrying {
  readonly by: 'policy' | 'error node';
}

/** Every retry is an execution of its own. */
export const retryIds = dialogueProperty<Retrying>({
  id: 'workflow/retry-ids',
  title: 'each retry has an execution_id of its own, and they share an idempotency key',
  requirements: ['CF11'],
  examples: [{ by: 'error node' }],
  control: { title: 'an action that fails twice and is retried by its policy', case: { by: 'policy' } },
  twins: [
    {
      requirement: 'CF11',
      title: 'a ledger in which the retries have the first identifier',
      tamper: spoken => ({
        ...spoken,
        ledger: spoken.ledger.map(entry => ({ ...entry, execution_id: spoken.ledger[0]?.execution_id ?? '' })),
      }),
    },
  ],
  dialogue: ({ by }) => {
    const fails = { reply: { error: { error_class: 'E1', detail: 'scripted', effect: 'none' } } } as const;
    const retry_policy = { max_retries: by === 'policy' ? 2 : 0 };
    return running(
      {
        workflow: given(
          graph(
            [step('a', 'try@1', { retry_policy }), error('again', 'retry', { max_attempts: by === 'policy' ? 1 : 2 })],
            ['a success done', 'a failure again', 'again success done', 'again failure refused'],
            TRY,
          ),
        ).workflow,
        inputs: {},
      },
      { a: [fails, fails, gives(1)] },
    );
  },
  inapplicable: spoken => (refusalOf(spoken, 'run') === 'unsupported' ? 'error nodes' : undefined),
  judge: (_retrying, spoken) => {
    const invoked = spoken.ledger.filter(({ node_id, kind }) => node_id === 'a' && kind === 'invoke');
    const ids = new Set(invoked.map(({ execution_id }) => execution_id)).size;
    return [check('CF11', unlessSame('attempts, and identifiers of executions', [3, 3], [invoked.length, ids]))];
  },
});

function skippedIn(spoken: Spoken, node_id: string): Spoken {
  const run = resultOf<{ wait: WorkflowWaitResult }>(spoken, 'run');
  if (run === undefined) return spoken;
  const trace = run.wait.trace.map(entry => (entry.node_id === node_id ? { ...entry, outcome: 'skipped' } : entry));
  return { ...spoken, answers: { ...spoken.answers, run: [{ result: { ...run, wait: { ...run.wait, trace } } }] } };
}
