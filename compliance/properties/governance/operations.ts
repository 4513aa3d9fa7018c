import { allDoors, DOORS, doorScenes, HOUSE } from '../../generators/scenes/doors.js';
import { granted, registered, scene, started } from '../../generators/scenes.js';
import { OWNER } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Act, Played, Scene } from '../../scene.js';
import { contrastLast, examineScene, judgeScene } from './scene-checks.js';

const RESOLVE: Act = { do: 'resolve', approver: 'clerk', label: 'doubtful', node_id: 'doubt-1' };
const KEYS = ['governance:grant', 'governance:write', 'approval:grant', 'execution:execute', 'audit:read'];
const MORE = ['execution:cancel', 'execution:undo', 'state:read', 'recovery:resolve'];
const RESUME: Act = { do: 'resume', agent_id: 'clerk', label: 'failed' };
const READ: Act = { do: 'records', agent_id: 'clerk', how: 'query' };

/** The clerk holds these permissions and does this last. */
function clerk(keys: readonly string[], ...acts: readonly Act[]): Scene {
  return scene([...HOUSE, ...keys.map(key => granted('clerk', key)), ...acts]);
}

/** Each operation is for those who hold the permission in its row, and nothing is for those who are not known. */
export const operations = caseProperty<Scene, Played>({
  id: 'governance/operations',
  title: 'every operation asks for its permission; what has no row is refused, and everything to who is not known',
  kind: 'message',
  requirements: ['DI1', 'DI3', 'AI1', 'PR5'],
  capabilities: ['governance', 'audit', 'state', 'recovery'],
  cases: doorScenes,
  weight: 0.5,
  examples: [
    allDoors('clerk', [...KEYS, ...MORE]),
    allDoors('clerk'),
    allDoors('stranger'),
    allDoors('blank'),
    scene([...HOUSE, registered('blank'), granted('blank', 'governance:grant'), ...lost('blank')]),
    clerk([], started('keep', { agent_id: 'clerk' }), READ, { ...READ, how: 'export' }),
    clerk([], started('keep', { agent_id: 'clerk' }), { ...READ, how: 'export' }),
    clerk(['execution:execute'], RESUME, { ...RESUME, agent_id: 'agent' }),
  ],
  control: { title: 'who holds recovery:resolve decides what is in doubt', case: clerk(['recovery:resolve'], RESOLVE) },
  twins: [
    {
      requirement: 'DI1',
      title: 'without the permission the verdict is refused',
      case: clerk([], RESOLVE),
      contrast: contrastLast('done', 'denied'),
    },
    {
      requirement: 'AI1',
      title: 'of an agent that has become UNKNOWN it is refused, whatever it holds',
      case: clerk(['recovery:resolve'], registered('clerk', 'UNKNOWN'), RESOLVE),
      contrast: contrastLast('done', 'denied SECURITY_BREACH'),
    },
    {
      requirement: 'DI3',
      title: 'an agent that may register others, and registers itself',
      case: clerk(['governance:grant'], {
        do: 'register',
        agent: { agent_id: 'clerk', trust: 'TRUSTED' },
        by: 'clerk',
      }),
      contrast: contrastLast('done', 'denied'),
    },
    {
      requirement: 'PR5',
      title: 'an agent without any grant reads its own records',
      case: clerk([], started('keep', { agent_id: 'clerk' }), READ),
      contrast: contrastLast('done', 'done'),
    },
  ],
  examine: examineScene,
  judge: judgeScene,
});

/** What an agent granted before it became UNKNOWN it does not take back. */
function lost(by: string): readonly Act[] {
  const mine = { permission_id: 'mine', granted_by: by };
  return [
    granted('clerk', 'governance:grant', mine),
    registered(by, 'UNKNOWN', OWNER),
    { do: 'revoke', permission_id: 'mine', by },
    ...DOORS.slice(0, 2).map((door, at) => door(by, at)),
  ];
}
