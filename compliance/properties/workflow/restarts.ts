import type { TraceEntry, WorkflowWaitResult } from '../../../schemas/types.js';
import { type Dialogue, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { act, graph, line, step } from '../../generators/pairs/pair.js';
import { given } from '../../generators/pairs/setting.js';
import { DEFAULT_AGENT } from '../../program.js';
import type { Failure } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame, unlessServed, withResult } from '../dialogue-property.js';
import { gives } from '../drawn.js';

/** What a condition chooses by, before and after a kill. */
interface Chosen {
  readonly word: string;
}

const CHOICE = given(
  graph(
    [
      step('a', 'try@1'),
      { node_id: 'ask', type: 'condition', expression: 'nodes.a.outputs.value' },
      step('left', 'try@1'),
      step('right', 'try@1'),
    ],
    [
      'a success ask',
      'a failure refused',
      'ask left left',
      'ask default right',
      'left success done',
      'left failure refused',
      'right success done',
      'right failure refused',
    ],
    { actions: [act('try', { idempotent: true })] },
  ),
).workflow;

function wait(as: string, budget_ms: number): Turn {
  return { do: 'ask', method: 'workflow/wait', params: { execution_id: { $: 'start/execution_id' }, budget_ms }, as };
}

/** After a restart an instance stands where its log says. */
export const restarts = dialogueProperty<Chosen>({
  id: 'workflow/restarts',
  title:
    'killed behind a condition an instance stands where it stood, takes the same branch, and is read the same when it has ended',
  requirements: ['CN4', 'WF2'],
  examples: [{ word: 'right' }],
  control: { title: 'killed in the branch that the outputs of an action chose', case: { word: 'left' } },
  twins: [
    {
      requirement: 'CN4',
      title: 'a trace after the restart with the other choice',
      tamper: spoken =>
        retold(spoken, 'after', entry => (entry.node_id === 'ask' ? { ...entry, outcome: 'default' } : entry)),
    },
    {
      requirement: 'WF2',
      title: 'an ended instance that is read otherwise after the restart',
      tamper: spoken => retold(spoken, 'again', entry => ({ ...entry, attempts: entry.attempts + 1 })),
    },
  ],
  dialogue: ({ word }): Dialogue => ({
    script: { nodes: { a: [gives(word)], left: [{}, gives(1)], right: [{}, gives(2)] } },
    turns: [
      { do: 'run', program: { workflow: CHOICE, inputs: {} }, as: 'start', unfollowed: true },
      { do: 'hear', invocations: 2 },
      wait('before', 0),
      { do: 'kill' },
      { do: 'open' },
      wait('after', 4000),
      { do: 'kill' },
      { do: 'open' },
      wait('again', 0),
    ],
  }),
  judge: ({ word }, spoken) => {
    const unserved = ['before', 'after', 'again'].map(name => unlessServed(spoken, name)).find(Boolean);
    if (unserved !== undefined) return [check('CN4', unserved), check('WF2', unserved)];
    return [check('CN4', sameChoice(spoken, word)), check('WF2', sameStanding(spoken))];
  },
});

function traceOf(spoken: Spoken, name: string): readonly TraceEntry[] {
  const trace = resultOf<WorkflowWaitResult>(spoken, name)?.trace ?? [];
  return [...trace].sort((a, b) => (a.node_id < b.node_id ? -1 : 1));
}

function sameChoice(spoken: Spoken, word: string): Failure | undefined {
  const [label, branch] = word === 'left' ? ['left', 'left'] : ['default', 'right'];
  const outcome = (name: string) => traceOf(spoken, name).find(({ node_id }) => node_id === 'ask')?.outcome;
  const invoked = [...new Set(spoken.ledger.map(({ node_id }) => node_id))];
  return (
    unlessSame('what the condition gave before and after', [label, label], [outcome('before'), outcome('after')]) ??
    unlessSame('what was invoked', ['a', branch], invoked)
  );
}

function sameStanding(spoken: Spoken): Failure | undefined {
  const before = traceOf(spoken, 'before');
  const after = traceOf(spoken, 'after');
  const kept = after.filter(({ node_id }) => before.some(entry => entry.node_id === node_id));
  const [ended, again] = ['after', 'again'].map(name => resultOf<WorkflowWaitResult>(spoken, name)?.status);
  return (
    unlessSame('what was resolved before the restart', before, kept) ??
    unlessSame('the trace of the ended instance', after, traceOf(spoken, 'again')) ??
    unlessSame('how it ended', ['completed', 'completed'], [ended, again]) ??
    (again !== undefined && after.length === 0
      ? { message: 'it completed and tells of no node', expected: 'a trace', observed: after }
      : undefined)
  );
}

function retold(spoken: Spoken, name: string, change: (entry: TraceEntry) => TraceEntry): Spoken {
  return withResult<WorkflowWaitResult>(spoken, name, result => ({ ...result, trace: result.trace.map(change) }));
}

/** How a start with a key is repeated. */
interface Repeated {
  readonly key: string;
  readonly killed?: true;
}

const STEPS = given(line([step('a', 'try@1'), step('b', 'try@1')], { actions: [act('try')] })).workflow;

/** One key, one instance. */
export const requestKeys = dialogueProperty<Repeated>({
  id: 'workflow/request-keys',
  title: 'a start with a key that was used gives the instance of that key and starts nothing',
  requirements: ['IR4'],
  examples: [{ key: 'k', killed: true }, { key: ' ' }],
  control: { title: 'four starts at one time and one when the instance has ended', case: { key: 'once' } },
  twins: [
    {
      requirement: 'IR4',
      title: 'answers with another instance',
      tamper: spoken => withResult<object>(spoken, 'later', () => ({ execution_id: 'another' })),
    },
    {
      requirement: 'IR4',
      title: 'with another key there is another instance',
      case: { key: 'other' },
      contrast: (_control, twin) => {
        const [one, other] = ['later', 'other-key'].map(
          name => resultOf<{ execution_id: string }>(twin, name)?.execution_id,
        );
        if (one !== undefined && other !== undefined && one !== other) return undefined;
        return { message: 'another key gave the same instance, or none', expected: 'another', observed: [one, other] };
      },
    },
  ],
  dialogue: ({ key, killed }): Dialogue => {
    const start = (as: string, request_key: string, times: number): Turn => ({
      do: 'ask',
      method: 'workflow/start',
      params: { workflow: STEPS, inputs: {}, agent_id: DEFAULT_AGENT, request_key },
      times,
      as,
    });
    return {
      script: { nodes: { a: [gives(1)], b: [gives(2)] } },
      turns: [
        start('start', key, 4),
        wait('ended', 4000),
        ...(killed === true ? ([{ do: 'kill' }, { do: 'open' }] as const) : []),
        start('later', key, 1),
        start('other-key', `${key}+`, 1),
        {
          do: 'ask',
          method: 'workflow/wait',
          params: { execution_id: { $: 'other-key/execution_id' }, budget_ms: 4000 },
        },
      ],
    };
  },
  judge: (_repeated, spoken) => {
    const said = [...(spoken.answers.start ?? []), ...(spoken.answers.later ?? [])];
    const ids = said.map(one =>
      'result' in one ? (one.result as { execution_id?: string }).execution_id : one.error.kind,
    );
    const [first] = ids;
    const invoked = spoken.ledger.filter(({ instance_id }) => instance_id === first).length;
    const all = spoken.ledger.length;
    return [
      check(
        'IR4',
        unlessSame(
          'the instances of one key',
          ids.map(() => first),
          ids,
        ) ??
          (typeof first === 'string' && spoken.ledger.every(({ instance_id }) => instance_id !== undefined)
            ? unlessSame('invocations of the instance, and of all of them', [2, 4], [invoked, all])
            : unlessSame('invocations of both keys', 4, all)),
      ),
    ];
  },
});
