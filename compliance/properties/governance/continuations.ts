import * as fc from 'fast-check';
import { AGENT, granted, policy, registered, revoked, scene, started, WORKER } from '../../generators/scenes.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Act, Played, Scene } from '../../scene.js';
import { examineScene, judgeSceneWith } from './scene-checks.js';

const REOPEN: Act = { do: 'reopen' };
const FINISH: Act = { do: 'finish', label: 'waiting' };

/** What happens between the start of an instance and a restart, and whether it may go on. */
const CHANGES: readonly (readonly Act[])[] = [
  [],
  [revoked('all')],
  [registered(AGENT, 'UNTRUSTED')],
  [registered(AGENT, 'UNKNOWN')],
  [registered(AGENT, 'CONDITIONAL')],
  [policy({ level: 3, effect: 'deny', scope: 'wait' })],
  [policy({ level: 3, effect: 'deny', scope: 'keep' })],
  [revoked('all'), granted(AGENT, 'execution:execute', { scope: 'wait*' })],
  [policy({ level: 1, effect: 'allow', condition: 'inputs.amount' })],
];

function interrupted(...changes: readonly Act[]): Scene {
  return scene([...WORKER, started('wait', { label: 'waiting' }), ...changes, REOPEN, FINISH]);
}

const scenes = fc.constantFrom(...CHANGES).map(changes => interrupted(...changes));

/** An instance goes on after a restart as far as governance still allows it. */
export const continuations = caseProperty<Scene, Played>({
  id: 'governance/continuations',
  title: 'after a kill governance is asked before an instance goes on, a denial ends it, and its gates are in the log',
  kind: 'message',
  requirements: ['GFR2', 'GF4'],
  capabilities: ['governance', 'audit'],
  cases: scenes,
  weight: 0.1,
  examples: [interrupted(registered(AGENT, 'UNTRUSTED')), interrupted(policy({ level: 0, effect: 'deny' }))],
  control: { title: 'an interrupted instance whose agent may still start it goes on', case: interrupted() },
  twins: [
    {
      requirement: 'GFR2',
      title: 'with the permission revoked in between it ends as failed',
      case: interrupted(revoked('all')),
      contrast: (control, twin) => {
        const observed = { control: lastStatus(control), twin: lastStatus(twin) };
        if (observed.control === 'completed' && observed.twin === 'failed') return undefined;
        return { message: 'the instance did not end as governance demands', observed };
      },
    },
    {
      requirement: 'GF4',
      title: 'the log without the records of the gates',
      tamper: played => ({
        ...played,
        log: (played.log ?? []).filter(({ incarnation, gate }) => incarnation > 1 || !gate),
      }),
    },
  ],
  examine: examineScene,
  judge: judgeSceneWith(['GFR2', 'GF4']),
});

function lastStatus({ seen }: Played): unknown {
  const reply = seen.at(-1)?.replies[0];
  return reply !== undefined && 'result' in reply ? reply.result.status : reply?.error.kind;
}
