import type { Workflow } from '../../../schemas/types.js';
import { type Dialogue, refusalOf, type Spoken } from '../../dialogue.js';
import { act, choose, error, graph, line, type Parts, skill, step } from '../../generators/pairs/pair.js';
import { given } from '../../generators/pairs/setting.js';
import { refusalText } from '../../model/refusal.js';
import { DEFAULT_AGENT } from '../../program.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { check, dialogueProperty } from '../dialogue-property.js';
import { gives } from '../drawn.js';

const TRY = { actions: [act('try')] };
const made = (compensation: string) =>
  act('made', { rollback: 'compensatable', side_effects: ['repository'], compensation });
const done = ['do success done', 'do failure refused'];

/** Documents that are not to be started, by what is wrong, and the requirement that each breaks; the first ones are sound. */
const KINDS: Readonly<Record<string, readonly [requirement: 'WII4' | 'WII5', parts: Parts]>> = {
  'all there': ['WII4', line([step('do', 'try@1')], TRY)],
  'a node that does not exist': [
    'WII4',
    graph(
      [choose('ask', 'context.yes == true'), step('do', 'try@1')],
      ['ask true do', 'ask false nowhere', ...done],
      TRY,
    ),
  ],
  'an action that does not exist': ['WII4', line([step('do', 'try@1'), step('more', 'nowhere@1')], TRY)],
  'a version that does not exist': ['WII4', line([step('do', 'try@1'), step('more', 'try@2')], TRY)],
  'a workflow that does not exist': ['WII4', line([step('do', 'try@1'), skill('more', 'nowhere@1')], TRY)],
  'a compensation that does not exist': [
    'WII4',
    line([step('do', 'try@1'), step('more', 'made@1')], { actions: [act('try'), made('nowhere@1')] }),
  ],
  'a compensate_ref that does not exist': [
    'WII4',
    graph(
      [step('do', 'try@1'), error('amend', 'compensate', { compensate_ref: 'nowhere@1' })],
      ['do success done', 'do failure amend', 'amend success stop', 'amend failure refused'],
      TRY,
    ),
  ],
  'every path ends': ['WII5', line([step('do', 'try@1'), step('more', 'try@1')], TRY)],
  'an action at the end': [
    'WII5',
    graph([step('do', 'try@1'), step('more', 'try@1')], ['do success more', 'do failure refused'], TRY),
  ],
  'a failure edge at the end': [
    'WII5',
    graph(
      [step('do', 'try@1'), step('more', 'try@1')],
      ['do success more', 'do failure refused', 'more failure refused'],
      TRY,
    ),
  ],
  'an error node that retries at the end': [
    'WII5',
    graph([step('do', 'try@1'), error('again', 'retry')], ['do success done', 'do failure again'], TRY),
  ],
  'a condition at the end': [
    'WII5',
    graph([step('do', 'try@1'), choose('ask', 'context.yes == true')], ['do success ask', 'do failure refused'], TRY),
  ],
};

const SOUND: ReadonlySet<string> = new Set(['all there', 'every path ends']);

/** One of the kinds, by its name. */
interface Case {
  readonly kind: string;
}

/** What leads to nothing never starts. */
export const refusedGraphs = dialogueProperty<Case>({
  id: 'workflow/refused-graphs',
  title: 'a workflow with a reference or a path that leads to nothing does not start, and nothing of it is executed',
  requirements: ['WII4', 'WII5'],
  examples: Object.keys(KINDS).map(kind => ({ kind })),
  control: { title: 'an action that does not exist', case: { kind: 'an action that does not exist' } },
  twins: [
    {
      requirement: 'WII4',
      title: 'with all that it refers to it starts',
      case: { kind: 'all there' },
      contrast: (control, twin) => unlessStarts(control, twin),
    },
    {
      requirement: 'WII5',
      title: 'with an end to every path it starts',
      case: { kind: 'every path ends' },
      contrast: (control, twin) => unlessStarts(control, twin),
    },
  ],
  dialogue: ({ kind }): Dialogue => ({
    script: { nodes: { do: [gives(1)], more: [gives(2)] } },
    turns: [
      {
        do: 'ask',
        method: 'workflow/start',
        params: { workflow: documentOf(kind), inputs: {}, agent_id: DEFAULT_AGENT, context: { yes: true } },
        as: 'start',
      },
      { do: 'ask', method: 'workflow/wait', params: { execution_id: { $: 'start/execution_id' }, budget_ms: 4000 } },
    ],
  }),
  judge: ({ kind }, spoken) => [judge(kind, spoken)],
});

function documentOf(kind: string): Workflow {
  const [, parts] = KINDS[kind] ?? (KINDS['all there'] as readonly ['WII4', Parts]);
  return given(parts).workflow;
}

function judge(kind: string, spoken: Spoken): Check {
  const [requirement] = KINDS[kind] ?? ['WII4'];
  const refusal = refusalOf(spoken, 'start');
  if (SOUND.has(kind)) return check(requirement, refusal !== undefined && refusedSound(kind, spoken));
  const failure: Failure = {
    message: `the workflow with ${kind} was started`,
    expected: 'a refused workflow/start, and no action/invoke',
    observed: observedStart(spoken),
  };
  return check(requirement, (refusal === undefined || spoken.ledger.length > 0) && failure);
}

/** What is wrong where the sound workflow does not start, or the one that refers to nothing starts as well. */
function unlessStarts(control: Spoken, twin: Spoken): Failure | undefined {
  const started = (spoken: Spoken) => refusalOf(spoken, 'start') === undefined && spoken.ledger.length > 0;
  if (!started(twin)) return refusedSound('all there, or an end to every path', twin);
  if (!started(control)) return undefined;
  return {
    message: 'the workflow with an action that does not exist was started, as the sound one was',
    expected: 'a refused workflow/start, and no action/invoke',
    observed: observedStart(control),
  };
}

function refusedSound(what: string, spoken: Spoken): Failure {
  return {
    message: `a sound workflow (${what}) was refused, or nothing of it was invoked`,
    expected: 'a started instance, and an action/invoke',
    observed: observedStart(spoken),
  };
}

function observedStart(spoken: Spoken) {
  const [said] = spoken.answers.start ?? [];
  const start = said !== undefined && 'error' in said ? refusalText(said.error) : 'started';
  return { start, invocations: spoken.ledger.length };
}
