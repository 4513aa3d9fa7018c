import type { AuditRecord, WorkflowStartResult } from '../../../schemas/types.js';
import { type Dialogue, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { DEFAULT_AGENT, OWNER } from '../../program.js';
import { check, dialogueProperty, unlessSame, unlessServed, withAnswer } from '../dialogue-property.js';
import { STORIES, STORY_SCRIPT } from '../stories.js';

/** Which workflows are simulated, and whether they are run instead. */
interface Simulations {
  readonly stories: readonly (keyof typeof STORIES)[];
  readonly run?: true;
}

const ALL = Object.keys(STORIES).filter(name => name !== 'hangs' && name !== 'doubt') as (keyof typeof STORIES)[];

/** A workflow can be simulated before it was ever run. */
export const simulated = dialogueProperty<Simulations>({
  id: 'governance/simulated',
  title: 'a workflow is simulated before it is run, and nothing is invoked for that',
  requirements: ['P5'],
  capabilities: ['audit', 'governance', 'state'],
  control: { title: 'dry runs of workflows of every kind, in an empty workspace', case: { stories: ALL } },
  twins: [
    {
      requirement: 'P5',
      title: 'started without the dry run they are run',
      case: { stories: ['steps'], run: true },
      contrast: (control, twin) =>
        unlessSame(
          'the dry run made no difference',
          { control: false, twin: true },
          { control: control.ledger.length > 0, twin: twin.ledger.length > 0 },
        ),
    },
    {
      requirement: 'P5',
      title: 'a dry run that is refused',
      tamper: spoken => withAnswer(spoken, 'steps', { error: { kind: 'unsupported' } }),
    },
  ],
  dialogue: ({ stories, run }): Dialogue => ({
    script: STORY_SCRIPT,
    turns: [
      ...stories.flatMap((name): Turn[] => {
        const params = { workflow: STORIES[name].workflow, inputs: {}, agent_id: DEFAULT_AGENT };
        if (run === true) return [{ do: 'run', program: STORIES[name], as: name }];
        return [{ do: 'ask', method: 'workflow/start', params: { ...params, dry_run: true }, as: name }];
      }),
      { do: 'ask', method: 'state/get', params: { agent_id: OWNER }, as: 'state' },
    ],
  }),
  judge: ({ stories, run }, spoken) =>
    run === true ? [check('P5', undefined)] : stories.map(name => check('P5', unlessSimulated(name, spoken))),
});

function unlessSimulated(name: string, spoken: Spoken) {
  const { ledger, log = [] } = spoken;
  const { execution_id, dry_run } = resultOf<WorkflowStartResult>(spoken, name) ?? {};
  const records = log.filter(record => record.execution_id === execution_id) as readonly AuditRecord[];
  const recorded = records.filter(({ record_type }) => record_type === 'dry_run');
  const expected = { told: true, recorded: 1, invoked: 0, started: 0, keys: [] };
  const observed = {
    told: dry_run?.resolved_digest !== undefined && dry_run.resolved_digest === recorded[0]?.resolved_digest,
    recorded: recorded.length,
    invoked: ledger.length,
    started: log.filter(({ record_type }) => record_type === 'workflow').length,
    keys: Object.keys(resultOf<{ state: object }>(spoken, 'state')?.state ?? {}),
  };
  return unlessServed(spoken, name) ?? unlessSame(`'${name}' was not simulated, or more than that`, expected, observed);
}
