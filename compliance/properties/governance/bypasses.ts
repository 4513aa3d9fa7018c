import type { AuditRecord } from '../../../schemas/types.js';
import { doneScenes, PAIR } from '../../generators/scenes/done.js';
import { AGENT, confirmed, scene, started } from '../../generators/scenes.js';
import { OWNER } from '../../program.js';
import { caseProperty } from '../../runner/case-property.js';
import type { Played, Scene } from '../../scene.js';
import { examineScene, judgeSceneWith } from './scene-checks.js';

type Change = (log: readonly AuditRecord[]) => readonly AuditRecord[];

const CONFIRMED: Scene = scene([
  ...PAIR,
  started('round'),
  started('pay'),
  ...confirmed('pay', OWNER, { label: 'paid' }),
  started('fail', { label: 'failed' }),
  { do: 'resume', agent_id: AGENT, label: 'failed', as: 'again' },
]);

const isPaid = ({ confirmation_id, status }: AuditRecord) =>
  confirmation_id !== undefined && status === 'workflow_started';

/** What the log has to look like so that its check finds nothing, and what that check finds. */
const BYPASSES: readonly (readonly [string, Change])[] = [
  ['without the record of a gate', log => log.filter(({ gate }) => gate !== 'execution')],
  ['in which the start comes before its gates', log => [...log].sort((a, b) => Number(isGate(a)) - Number(isGate(b)))],
  ['in which nobody granted the confirmation', log => log.filter(({ record_type }) => record_type !== 'approval')],
  [
    'in which one confirmation serves twice',
    log => log.flatMap(record => (isPaid(record) ? [record, ...again(record, log)] : [record])),
  ],
  [
    'in which a denied instance starts',
    log => [...log, ...log.filter(isPaid).map(record => ({ ...record, execution_id: deniedIn(log) }))],
  ],
];

/** A log in which something started past the gates shows it. */
export const bypasses = caseProperty<Scene, Played>({
  id: 'governance/bypasses',
  title: 'by the log alone no instance started past the gates, and where one did the check says so',
  kind: 'message',
  requirements: ['EG5'],
  capabilities: ['governance', 'audit'],
  cases: doneScenes,
  weight: 0.2,
  examples: [
    scene([...PAIR, ...confirmed('doubt', OWNER)]),
    scene([...PAIR, started('keep', { agent_id: 'stranger' }), started('pay'), started('keep')]),
    scene([...PAIR, started('back'), started('round', { agent_id: 'second' })]),
  ],
  control: { title: 'starts allowed, denied and confirmed, with a skill and a resumption', case: CONFIRMED },
  twins: BYPASSES.map(([title, change]) => ({
    requirement: 'EG5',
    title: `the log ${title}`,
    tamper: played => ({ ...played, log: change(played.log ?? []) }),
  })),
  examine: examineScene,
  judge: judgeSceneWith(['EG5']),
});

function isGate({ record_type }: AuditRecord): boolean {
  return record_type === 'gate';
}

function again(started: AuditRecord, log: readonly AuditRecord[]): readonly AuditRecord[] {
  const gates = log.filter(record => isGate(record) && record.execution_id === started.execution_id);
  return [...gates, started].map(record => ({ ...record, execution_id: 'again', context_id: 'again' }));
}

function deniedIn(log: readonly AuditRecord[]): string {
  return log.find(record => isGate(record) && record.status === 'denied')?.execution_id ?? '';
}
