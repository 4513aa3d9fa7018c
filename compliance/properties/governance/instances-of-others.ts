import * as fc from 'fast-check';
import { AGENT, granted, PAST, registered, revoked, scene, started, WORKER } from '../../generators/scenes.js';
import { OWNER } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Act, Played, Scene } from '../../scene.js';
import { contrastLast, examineScene, judgeScene } from './scene-checks.js';

/** An agent with a running instance and an ended one, and another agent that may start things as well. */
const RUNNING: readonly Act[] = [
  ...WORKER,
  registered('second'),
  granted('second', 'execution:execute'),
  started('keep', { label: 'kept' }),
  started('wait', { label: 'waiting' }),
];

const cancel = (agent_id: string): Act => ({ do: 'cancel', agent_id, label: 'waiting' });
const undo = (agent_id: string): Act => ({ do: 'undo', agent_id, label: 'kept', node_id: 'keep-1' });
const FINISH: Act = { do: 'finish', label: 'waiting' };

const permitted = fc
  .record({
    to: fc.constantFrom('second', 'second', AGENT),
    what: fc.constantFrom('execution:cancel', 'execution:cancel', 'execution:undo', 'execution:undo', 'audit:read'),
    scope: fc.constantFrom('*', 'wait', 'w*', 'keep', 'k*', 'elsewhere'),
    end: fc.constantFrom('stays', 'stays', 'stays', 'lapses', 'revoked'),
  })
  .map(({ to, what, scope, end }) => (at: number): readonly Act[] => {
    const permission_id = `r${at}`;
    const more = { scope, permission_id, ...(end === 'lapses' ? { valid_until: PAST } : {}) };
    return [granted(to, what, more), ...(end === 'revoked' ? [revoked(permission_id)] : [])];
  });

const meddling = fc
  .tuple(fc.constantFrom(cancel, undo), fc.constantFrom('second', 'second', OWNER, 'stranger', AGENT))
  .map(([what, by]) => what(by));

const scenes: fc.Arbitrary<Scene> = fc
  .record({
    permits: fc.array(permitted, { maxLength: 4 }),
    // What another agent asks for while it still can make a difference.
    first: fc.constantFrom(cancel('second'), cancel('second'), undo('second')),
    acts: fc.array(meddling, { minLength: 1, maxLength: 4 }),
  })
  .map(({ permits, first, acts }) =>
    scene([...RUNNING, ...permits.flatMap((permit, at) => permit(at)), first, ...acts, FINISH]),
  );

const MAY_CANCEL = granted('second', 'execution:cancel', { scope: 'wait' });
const MAY_UNDO = granted(AGENT, 'execution:undo');

/** Who is not the agent of an instance ends it with permission only, and undoes nothing in it. */
export const instancesOfOthers = caseProperty<Scene, Played>({
  id: 'governance/instances-of-others',
  title: 'the instance of another agent is cancelled with execution:cancel for its workflow, and undone by nobody else',
  kind: 'message',
  requirements: ['CA1', 'CA3'],
  capabilities: ['governance', 'audit', 'recovery'],
  cases: scenes,
  weight: 0.4,
  examples: [
    scene([...RUNNING, cancel('second'), FINISH]),
    scene([...RUNNING, MAY_CANCEL, cancel('second'), FINISH]),
    scene([...RUNNING, granted('second', 'execution:undo'), cancel('second'), undo('second'), FINISH]),
    scene([...RUNNING, MAY_CANCEL, undo('second'), undo(OWNER), cancel('second'), FINISH]),
    scene([
      ...RUNNING,
      granted('second', 'execution:cancel', { scope: 'w*', permission_id: 'w' }),
      revoked('w'),
      cancel('second'),
      FINISH,
    ]),
    scene([...RUNNING, granted('second', 'execution:undo'), undo('second'), undo(OWNER), MAY_UNDO, undo(AGENT)]),
  ],
  control: {
    title: 'with the permission for its workflow it is cancelled, and its own agent has it undone',
    case: scene([...RUNNING, MAY_UNDO, undo(AGENT), MAY_CANCEL, cancel('second')]),
  },
  twins: [
    {
      requirement: 'CA1',
      title: 'with the permission for another workflow it is not',
      case: scene([
        ...RUNNING,
        MAY_UNDO,
        undo(AGENT),
        granted('second', 'execution:cancel', { scope: 'keep' }),
        cancel('second'),
      ]),
      contrast: contrastLast('done', 'denied'),
    },
    {
      requirement: 'CA3',
      title: 'another agent with execution:undo for everything has nothing undone',
      case: scene([...RUNNING, granted('second', 'execution:undo'), undo('second')]),
      contrast: contrastLast('done', 'denied'),
    },
  ],
  examine: examineScene,
  inapplicable: ({ seen }) => {
    const unsupported = seen.some(({ replies }) =>
      replies.some(reply => 'error' in reply && reply.error.kind === 'unsupported'),
    );
    return unsupported ? 'undoing on request' : undefined;
  },
  judge: judgeScene,
});
