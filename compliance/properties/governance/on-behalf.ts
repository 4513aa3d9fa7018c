import type { AuditRecord } from '../../../schemas/types.js';
import { doneScenes, PAIR } from '../../generators/scenes/done.js';
import { AGENT, confirmed, scene, started } from '../../generators/scenes.js';
import { OWNER } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Act, Played, Scene } from '../../scene.js';
import { examineScene, judgeSceneWith } from './scene-checks.js';

const UNDO: Act = { do: 'undo', agent_id: AGENT, label: 'kept', node_id: 'keep-1' };
const RESOLVE: Act = { do: 'resolve', approver: OWNER, label: 'doubtful', node_id: 'doubt-1' };
const EVERYTHING: readonly Act[] = [
  started('round'),
  started('back'),
  started('keep', { label: 'kept' }),
  UNDO,
  ...confirmed('doubt', OWNER, { label: 'doubtful' }),
  RESOLVE,
];

/** Whatever happens in an instance happens on behalf of one agent, and behind its gates. */
export const onBehalf = caseProperty<Scene, Played>({
  id: 'governance/on-behalf',
  title:
    'records of an instance, its children and its undos are of one agent, and every invocation is behind its gates',
  kind: 'message',
  requirements: ['AI2', 'CA2', 'MG1'],
  capabilities: ['governance', 'audit', 'recovery'],
  cases: doneScenes,
  weight: 0.4,
  examples: [
    scene([...PAIR, started('round', { agent_id: 'second' }), started('round'), started('back')]),
    scene([...PAIR, started('fail', { label: 'f' }), { do: 'resume', agent_id: AGENT, label: 'f', as: 'g' }]),
    scene([...PAIR, started('pay'), started('keep', { agent_id: 'stranger' }), started('round')]),
    scene([
      ...PAIR,
      started('round'),
      started('round'),
      started('pay'),
      { do: 'dry_run', workflow: 'pay', agent_id: AGENT },
    ]),
  ],
  control: {
    title: 'a skill, a compensation, an undo that is asked for, and a verdict',
    case: scene([...PAIR, ...EVERYTHING]),
  },
  twins: [
    {
      requirement: 'AI2',
      title: 'the log in which the undo is the operator’s',
      tamper: withLog(record => (record.purpose === undefined ? record : { ...record, agent_id: OWNER })),
    },
    {
      requirement: 'CA2',
      title: 'the log in which the child is another agent’s',
      tamper: withLog(record =>
        record.record_type === 'workflow' && record.parent_execution_id !== undefined
          ? { ...record, agent_id: 'second' }
          : record,
      ),
    },
    {
      requirement: 'MG1',
      title: 'a ledger with an invocation that no record tells of',
      tamper: played => ({
        ...played,
        ledger: [
          ...played.ledger,
          ...played.ledger.slice(-1).map(entry => ({ ...entry, execution_id: 'x', instance_id: 'x' })),
        ],
      }),
    },
  ],
  examine: examineScene,
  judge: judgeSceneWith(['AI2', 'CA2', 'MG1']),
});

function withLog(change: (record: AuditRecord) => AuditRecord): (played: Played) => Played {
  return played => ({ ...played, log: (played.log ?? []).map(change) });
}
