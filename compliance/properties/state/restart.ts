import type { State } from '../../../schemas/types.js';
import { type Ask, type Dialogue, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { oneAction } from '../../generators/approaches.js';
import { DEFAULT_AGENT, OWNER } from '../../program.js';
import type { Check } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessAnsweredAlike, unlessSame, withAnswer } from '../dialogue-property.js';
import { STORIES, STORY_SCRIPT, told } from '../stories.js';

/** How the runtime is stopped between two rounds of the same reads. */
interface Restart {
  readonly by: 'kill' | 'close';
}

const KEPT = { ...oneAction({}), workflow: { name: 'kept', version: '1.0.0' } };

const READS: Readonly<Record<string, Pick<Ask, 'method' | 'params'>>> = {
  state: { method: 'state/get', params: { agent_id: OWNER } },
  latest: { method: 'audit/query', params: { agent_id: OWNER, latest: true } },
  'as agent': { method: 'audit/query', params: { agent_id: DEFAULT_AGENT, record_type: 'action' } },
  undone: { method: 'workflow/wait', params: { execution_id: { $: 'undone/execution_id' }, budget_ms: 0 } },
  failed: { method: 'workflow/wait', params: { execution_id: { $: 'fails/execution_id' }, budget_ms: 0 } },
  'same key': {
    method: 'workflow/start',
    params: { workflow: STORIES.steps.workflow, inputs: {}, agent_id: DEFAULT_AGENT, request_key: 'once' },
  },
};

/** What is asked after everything that only reads, since it is recorded. */
const RECORDED: Readonly<Record<string, Pick<Ask, 'method' | 'params'>>> = {
  registry: { method: 'registry/remove', params: { workflows: ['unknown@1.0.0'] } },
  'known definition': { method: 'registry/put', params: { actions: [], workflows: [KEPT] } },
  'other definition': {
    method: 'registry/put',
    params: { actions: [], workflows: [{ ...KEPT, inputs: { to: { schema: { type: 'number' } } } }] },
  },
};

/** The keys that the stories write, deleted ones included. */
const KEYS = ['gone', 'out/n1', 'out/n2', 'shared', 'é/😀'];

const names = Object.keys({ ...READS, ...RECORDED });

/** A restart changes no answer. */
export const restart = dialogueProperty<Restart>({
  id: 'state/restart',
  title: 'what was answered before a restart is answered after it',
  kind: 'kill',
  requirements: ['SP1'],
  capabilities: ['audit', 'state'],
  examples: [{ by: 'close' }],
  control: {
    title: 'State, the log, instances, request keys and definitions before and after a kill',
    case: { by: 'kill' },
  },
  twins: [
    {
      requirement: 'SP1',
      title: 'an empty State after the restart',
      tamper: spoken => withAnswer(spoken, 'state later', { result: { state: {}, sequence: 1 } }),
    },
  ],
  dialogue: ({ by }): Dialogue => ({
    script: STORY_SCRIPT,
    turns: [
      { do: 'ask', method: 'registry/put', params: { actions: [], workflows: [KEPT] } },
      told('steps', { request_key: 'once' }),
      told('undone'),
      told('fails'),
      told('writes'),
      ...round('before'),
      { do: by },
      { do: 'open' },
      ...round('later'),
    ],
  }),
  judge: (_value, spoken) => judgeRounds(spoken),
});

function round(name: string): readonly Turn[] {
  return Object.entries({ ...READS, ...RECORDED }).map(([read, ask]) => ({ do: 'ask', ...ask, as: `${read} ${name}` }));
}

function judgeRounds(spoken: Spoken): readonly Check[] {
  if (spoken.answers['state later'] === undefined) return [];
  const keys = Object.keys(resultOf<{ state: State }>(spoken, 'state before')?.state ?? {}).sort();
  const known = unlessSame('what was written is not there', KEYS, keys);
  if (known !== undefined) return [check('SP1', known)];
  return names.map(name =>
    check(
      'SP1',
      unlessAnsweredAlike(
        `after the restart '${name}' is answered otherwise`,
        spoken,
        `${name} before`,
        `${name} later`,
      ),
    ),
  );
}
