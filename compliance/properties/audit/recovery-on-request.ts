import type { AuditRecord, RecoveryReport } from '../../../schemas/types.js';
import { type Dialogue, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import type { Check } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame, unlessServed, withResult } from '../dialogue-property.js';
import { STORY_SCRIPT, told } from '../stories.js';

interface Asked {
  readonly story: 'doubt' | 'steps';
  readonly dry_run: boolean;
  /** Whether the runtime was killed in the middle of an action before. */
  readonly killed?: true;
}

const HANG: readonly Turn[] = [
  told('hangs'),
  { do: 'hear', invocations: 3 },
  { do: 'kill' },
  { do: 'open', as: 'later' },
];

/** Recovery runs whenever it is asked for, and says how things stand. */
export const recoveryOnRequest = dialogueProperty<Asked>({
  id: 'audit/recovery-on-request',
  title: 'recovery runs at every opening and when it is asked for, and tells what is in doubt',
  kind: 'kill',
  requirements: ['CR1'],
  capabilities: ['audit', 'recovery'],
  examples: [
    { story: 'doubt', dry_run: true },
    { story: 'steps', dry_run: false, killed: true },
  ],
  control: { title: 'asked for while an execution is in doubt', case: { story: 'doubt', dry_run: false } },
  twins: [
    {
      requirement: 'CR1',
      title: 'where nothing is in doubt it says so',
      case: { story: 'steps', dry_run: false },
      contrast: (control, twin) => {
        const level = (spoken: Spoken) => resultOf<RecoveryReport>(spoken, 'report')?.level;
        const observed = { control: level(control), twin: level(twin) };
        return unlessSame(
          'the report did not depend on what there is',
          { control: 'FAILED', twin: 'COMPLETE' },
          observed,
        );
      },
    },
    {
      requirement: 'CR1',
      title: 'a report that says nothing of the doubt',
      tamper: spoken =>
        withResult<RecoveryReport>(spoken, 'report', report => ({ ...report, level: 'COMPLETE', in_doubt: [] })),
    },
  ],
  dialogue: ({ story, dry_run, killed }): Dialogue => ({
    script: STORY_SCRIPT,
    turns: [
      told(story),
      ...(killed === true ? HANG : []),
      { do: 'ask', method: 'recovery/run', params: { dry_run }, as: 'report' },
    ],
  }),
  judge: judgeReport,
});

function judgeReport({ killed, dry_run }: Asked, spoken: Spoken): readonly Check[] {
  const { log } = spoken;
  if (log === undefined) return [];
  const doubts = log.filter(({ record_type, status }) => record_type === 'action' && status === 'in_doubt');
  const expected = {
    level: doubts.length > 0 ? 'FAILED' : 'COMPLETE',
    in_doubt: doubts.map(({ execution_id }) => execution_id),
    decisions: [],
  };
  const report = resultOf<RecoveryReport>(spoken, 'report');
  const observed = report && {
    level: report.level,
    in_doubt: report.in_doubt.map(one =>
      typeof one === 'string' ? one : (one as { execution_id: string }).execution_id,
    ),
    decisions: report.decisions,
  };
  const off =
    unlessServed(spoken, 'report') ?? unlessSame('the report is not about what the log holds', expected, observed);
  return [check('CR1', off), ...(killed === true && !dry_run ? [check('CR1', unlessOpened(log, spoken))] : [])];
}

/** What is wrong unless the opening after the kill decided what was interrupted, before anything else was recorded. */
function unlessOpened(log: readonly AuditRecord[], spoken: Spoken) {
  const later = log.filter(({ incarnation }) => incarnation > 1);
  const interrupted = log.find(({ node_id, status }) => node_id === 'h1' && status === 'pending');
  const at = later.findIndex(({ record_type }) => record_type === 'recovery');
  const before = later.slice(0, at < 0 ? later.length : at).filter(({ record_type }) => record_type !== 'gate');
  const told = resultOf<{ recovery: RecoveryReport | null }>(spoken, 'later')?.recovery?.decisions ?? [];
  return unlessSame(
    'the opening did not decide first what was interrupted',
    { decided: interrupted?.execution_id, before: 0, told: [interrupted?.execution_id] },
    { decided: later[at]?.execution_id, before: before.length, told: told.map(({ execution_id }) => execution_id) },
  );
}
