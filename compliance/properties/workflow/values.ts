import type { AuditRecord, TraceEntry, WorkflowWaitResult } from '../../../schemas/types.js';
import { type Dialogue, resultOf, type Spoken } from '../../dialogue.js';
import { act, graph, line, step } from '../../generators/pairs/pair.js';
import { given } from '../../generators/pairs/setting.js';
import type { Program } from '../../program.js';
import type { Failure } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessRefused, unlessSame, unlessServed } from '../dialogue-property.js';
import { gives } from '../drawn.js';

/** Inputs of one node that can be made or not, and fit or not. */
interface Inputs {
  readonly inputs: 'right' | 'missing' | 'unfit';
}

/** Inputs that are none never reach an action. */
export const unfitInputs = dialogueProperty<Inputs>({
  id: 'workflow/unfit-inputs',
  title:
    'inputs that cannot be made, or miss the schema of the action, fail its node with E4 and without an invocation',
  requirements: ['AN3'],
  examples: [{ inputs: 'unfit' }],
  control: { title: 'a path that leads to nothing when it is read', case: { inputs: 'missing' } },
  twins: [
    {
      requirement: 'AN3',
      title: 'inputs that are there and fit reach the action',
      case: { inputs: 'right' },
      contrast: (control, twin) =>
        unlessSame(
          'how often the action was invoked',
          { control: 0, twin: 1 },
          { control: control.ledger.length, twin: twin.ledger.length },
        ),
    },
    {
      requirement: 'AN3',
      title: 'a ledger with an invocation',
      tamper: spoken => ({ ...spoken, ledger: [{ ...ENTRY }] }),
    },
  ],
  dialogue: ({ inputs }): Dialogue => {
    const input_mapping = { x: inputs === 'missing' ? '${inputs.any.no.such}' : '${inputs.any}' };
    const input_schema = { type: 'object', properties: { x: { type: 'string' } } };
    const workflow = given(
      line([step('a', 'try@1', { input_mapping })], { inputs: { any: {} }, actions: [act('try', { input_schema })] }),
    ).workflow;
    const any = inputs === 'right' ? 'text' : inputs === 'unfit' ? 5 : { some: 1 };
    return running({ workflow, inputs: { any } }, { a: [gives(1)] });
  },
  judge: ({ inputs }, spoken) => [
    check('AN3', inputs === 'right' ? unlessServed(spoken, 'run') : neverInvoked(spoken)),
  ],
});

const ENTRY: Spoken['ledger'][number] = {
  kind: 'invoke',
  incarnation: 1,
  ordinal: 1,
  execution_id: 'e',
  idempotency_key: 'k',
  action_id: 'try',
  version: '1.0.0',
  node_id: 'a',
  inputs: {},
  effect: false,
  received_at: 1,
};

function neverInvoked(spoken: Spoken): Failure | undefined {
  const records = (spoken.log ?? []).filter(({ record_type, node_id }) => record_type === 'action' && node_id === 'a');
  const told = records.map(({ status, error_class }: AuditRecord) => `${status} ${error_class}`);
  return (
    unlessSame('the action was invoked', 0, spoken.ledger.length) ??
    unlessSame('how the node was resolved', { outcome: 'failure', attempts: 0 }, entryOf(spoken, 'a')) ??
    (spoken.log === undefined ? undefined : unlessSame('what was recorded of the node', ['failed E4'], told))
  );
}

/** Limits of time of a node and of its action, in milliseconds; the action takes longer than the smaller one, or not. */
interface Limits {
  readonly node: number;
  readonly action: number;
}

const LONG = 60_000;
const SHORT = 60;

/** The smaller limit holds. */
export const limits = dialogueProperty<Limits>({
  id: 'workflow/limits',
  title: 'an attempt is ended by the smaller of the limits of its node and its action',
  requirements: ['AN4'],
  examples: [{ node: LONG, action: SHORT }],
  control: {
    title: 'a node with the smaller limit, and an action that never answers',
    case: { node: SHORT, action: LONG },
  },
  twins: [
    {
      requirement: 'AN4',
      title: 'with two large limits it succeeds',
      case: { node: LONG, action: LONG },
      contrast: (control, twin) =>
        unlessSame(
          'how the node was resolved',
          { control: 'failure', twin: 'success' },
          { control: entryOf(control, 'a')?.outcome, twin: entryOf(twin, 'a')?.outcome },
        ),
    },
  ],
  dialogue: ({ node, action }): Dialogue => {
    const workflow = given(
      line([step('a', 'try@1', { timeout_ms: node })], { actions: [act('try', { timeout_ms: action })] }),
    ).workflow;
    const answers = node === LONG && action === LONG;
    return running({ workflow, inputs: {} }, { a: [answers ? { ...gives(1), delay_ms: 2 * SHORT } : {}] });
  },
  judge: ({ node, action }, spoken) => {
    const outcome = node === LONG && action === LONG ? 'success' : 'failure';
    return [check('AN4', unlessSame('how the node was resolved', outcome, entryOf(spoken, 'a')?.outcome))];
  },
});

/** What a condition reads. */
interface Reading {
  readonly from: 'outputs' | 'inputs' | 'context' | 'state' | 'time';
}

const EXPRESSIONS: Readonly<Record<Reading['from'], string>> = {
  outputs: 'nodes.a.outputs.word',
  inputs: 'inputs.word',
  context: 'context.word',
  state: "state['word']",
  time: 'now() > 0.0',
};

/** A condition sees what is recorded. */
export const recordedValues = dialogueProperty<Reading>({
  id: 'workflow/recorded-values',
  title: 'a condition chooses by recorded inputs, context and outputs, and one that reads anything else is not started',
  requirements: ['CN2'],
  examples: (['inputs', 'context', 'state', 'time'] as const).map(from => ({ from })),
  control: {
    title: 'outputs that are not what the action gave, and a State with the same name',
    case: { from: 'outputs' },
  },
  twins: [
    {
      requirement: 'CN2',
      title: 'State is not among what it can read',
      case: { from: 'state' },
      contrast: (_control, twin) => unlessRefused(twin, 'run', 'denied', 'invalid'),
    },
  ],
  dialogue: ({ from }): Dialogue => {
    const nodes = [
      step('a', 'try@1', { output_mapping: { word: '${result.given}' } }),
      { node_id: 'ask', type: 'condition', expression: EXPRESSIONS[from] } as const,
      step('left', 'try@1'),
      step('right', 'try@1'),
    ];
    const texts = [
      'a success ask',
      'a failure refused',
      from === 'time' ? 'ask true left' : 'ask left left',
      'ask default right',
      'left success done',
      'left failure refused',
      'right success done',
      'right failure refused',
    ];
    const inputs = { word: { schema: { type: 'string' } } };
    const workflow = given(graph(nodes, texts, { inputs, actions: [act('try')] })).workflow;
    const word = 'left';
    const change = { key: 'word', op: 'put', value: 'right' } as const;
    return running(
      { workflow, inputs: { word }, context: { word } },
      {
        a: [{ reply: { outputs: { given: word, word: 'right' }, state_changes: [change] } }],
        left: [gives(1)],
        right: [gives(2)],
      },
    );
  },
  judge: ({ from }, spoken) => [
    check(
      'CN2',
      from === 'state' || from === 'time'
        ? unlessRefused(spoken, 'run', 'denied', 'invalid')
        : unlessSame('what was chosen', 'left', entryOf(spoken, 'ask')?.outcome),
    ),
  ],
});

/** Gives the dialogue that runs one workflow. */
export function running(
  program: Pick<Program, 'workflow' | 'inputs' | 'context'>,
  nodes: Program['script']['nodes'],
): Dialogue {
  return { script: { nodes }, turns: [{ do: 'run', program, as: 'run' }] };
}

/** Gives how a node of the workflow that was run was resolved. */
export function entryOf(spoken: Spoken, node_id: string): Omit<TraceEntry, 'node_id'> | undefined {
  const { wait } = resultOf<{ wait?: WorkflowWaitResult }>(spoken, 'run') ?? {};
  const entry = wait?.trace.find(one => one.node_id === node_id);
  return entry === undefined ? undefined : { outcome: entry.outcome, attempts: entry.attempts };
}
