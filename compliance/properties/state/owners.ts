import type { State } from '../../../schemas/types.js';
import { type Dialogue, resultOf, type Spoken, type Tree, type Turn } from '../../dialogue.js';
import { oneAction } from '../../generators/approaches.js';
import { DEFAULT_AGENT, OWNER } from '../../program.js';
import type { Check } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame, withResult } from '../dialogue-property.js';
import { STORY_SCRIPT, told } from '../stories.js';

/** Whether an execution is among what is done. */
interface Deeds {
  readonly executes?: true;
}

const WORKFLOW = { ...oneAction({}), workflow: { name: 'owned', version: '1.0.0' } };
const START = { workflow: WORKFLOW, inputs: {}, agent_id: DEFAULT_AGENT };

/** Requests to every component, none of which executes anything. */
const REQUESTS: readonly Turn[] = [
  { do: 'ask', method: 'registry/put', params: { actions: [], workflows: [WORKFLOW] } },
  { do: 'ask', method: 'registry/remove', params: { actions: [], workflows: ['owned@1.0.0'] } },
  {
    do: 'ask',
    method: 'governance/register_agent',
    params: { agent: { agent_id: 'other', trust: 'TRUSTED' }, by: OWNER },
  },
  {
    do: 'ask',
    method: 'governance/grant',
    params: { permission: { domain: 'state', actions: ['read'], granted_to: 'other', granted_by: OWNER } },
  },
  { do: 'ask', method: 'governance/check', params: START },
  { do: 'ask', method: 'workflow/start', params: { ...START, dry_run: true } },
  { do: 'ask', method: 'workflow/verify', params: { workflow: WORKFLOW } },
  { do: 'ask', method: 'recovery/run', params: {} },
  { do: 'ask', method: 'state/snapshot', params: { agent_id: OWNER } },
  { do: 'ask', method: 'audit/query', params: { agent_id: OWNER, latest: true } },
];

/** State is written by commits, and the manifest by whoever made the workspace. */
export const owners = dialogueProperty<Deeds>({
  id: 'state/owners',
  title: 'nothing but a commit writes State or evidence, and nothing at all the manifest',
  requirements: ['SO3'],
  capabilities: ['audit', 'state', 'governance'],
  control: { title: 'requests to every component but one that executes', case: {} },
  twins: [
    {
      requirement: 'SO3',
      title: 'with an execution among them State is written',
      case: { executes: true },
      contrast: (control, twin) =>
        unlessSame(
          'an execution made no difference',
          { control: 2, twin: 4 },
          { control: keysOf(control), twin: keysOf(twin) },
        ),
    },
    {
      requirement: 'SO3',
      title: 'another manifest afterwards',
      tamper: spoken =>
        withResult<Tree>(spoken, 'folder after', tree => ({
          ...tree,
          'workspace.json': { kind: 'file', digest: 'another' },
        })),
    },
  ],
  dialogue: ({ executes }): Dialogue => ({
    script: STORY_SCRIPT,
    turns: [
      told('writes'),
      { do: 'look', as: 'folder before' },
      ...REQUESTS,
      ...(executes === true ? [told('steps')] : []),
      { do: 'close' },
      { do: 'open' },
      { do: 'look', as: 'folder after' },
      { do: 'ask', method: 'state/get', params: { agent_id: OWNER }, as: 'state' },
    ],
  }),
  judge: ({ executes }, spoken) => judgeOwners(executes === true, spoken),
});

function judgeOwners(executes: boolean, spoken: Spoken): readonly Check[] {
  const { log } = spoken;
  if (log === undefined || resultOf(spoken, 'state') === undefined) return [];
  const manifest = (name: string) => resultOf<Tree>(spoken, name)?.['workspace.json']?.digest;
  const others = log.filter(
    ({ record_type, status, state_changes, evidence, evidence_ref }) =>
      (state_changes !== undefined && !(record_type === 'action' && status === 'committed')) ||
      ((evidence ?? evidence_ref) !== undefined && record_type !== 'action'),
  );
  return [
    check('SO3', unlessSame('the manifest was written again', manifest('folder before'), manifest('folder after'))),
    check('SO3', unlessSame('a record that is no commit writes', [], others)),
    check('SO3', unlessSame('State was written by no execution', executes ? 4 : 2, keysOf(spoken))),
  ];
}

/** How many keys have a value. */
function keysOf(spoken: Spoken): number {
  const entries = Object.values(resultOf<{ state: State }>(spoken, 'state')?.state ?? {});
  return entries.filter(entry => Object.hasOwn(entry, 'value')).length;
}
