import type { RecoveryReport } from '../../../schemas/types.js';
import { type Dialogue, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { OWNER } from '../../program.js';
import type { Check } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame, withResult } from '../dialogue-property.js';
import { draw } from '../drawn.js';

/** When the snapshots are taken: before the first action, during it, during the second, or never. */
interface Snapshots {
  readonly at: readonly ('start' | 'first' | 'second')[];
}

const hanging = (id: string) =>
  draw({ edges: [`${id} success done`], script: { [id]: [{}, { reply: { outputs: {} } }] } });
const FIRST = hanging('first');
const SECOND = hanging('second');

/** Recovery looks at what a snapshot left open, and at everything after it. */
export const interruptedSinceSnapshot = dialogueProperty<Snapshots>({
  id: 'audit/interrupted-since-snapshot',
  title: 'recovery decides what was interrupted before and after the last snapshot',
  kind: 'kill',
  requirements: ['CR2'],
  capabilities: ['audit', 'state', 'recovery'],
  examples: [{ at: ['start', 'second'] }],
  control: { title: 'a snapshot between two actions that are both under way', case: { at: ['first'] } },
  twins: [
    {
      requirement: 'CR2',
      title: 'a report about the second of the two only',
      tamper: spoken =>
        withResult<{ recovery: RecoveryReport }>(spoken, 'later', ({ recovery }) => ({
          recovery: { ...recovery, decisions: recovery.decisions.slice(1) },
        })),
    },
  ],
  dialogue: ({ at }): Dialogue => ({
    script: { nodes: { ...FIRST.script.nodes, ...SECOND.script.nodes } },
    turns: [
      ...snapshot(at, 'start'),
      { do: 'run', program: FIRST, unfollowed: true },
      { do: 'hear', invocations: 1 },
      ...snapshot(at, 'first'),
      { do: 'run', program: SECOND, unfollowed: true },
      { do: 'hear', invocations: 2 },
      ...snapshot(at, 'second'),
      { do: 'kill' },
      { do: 'open', as: 'later' },
      { do: 'hear', invocations: 4 },
    ],
  }),
  judge: judgeReport,
});

function snapshot(at: Snapshots['at'], when: Snapshots['at'][number]): readonly Turn[] {
  return at.includes(when)
    ? [{ do: 'ask', method: 'state/snapshot', params: { agent_id: OWNER }, as: `snapshot ${when}` }]
    : [];
}

function judgeReport({ at }: Snapshots, spoken: Spoken): readonly Check[] {
  const taken = at.every(when => resultOf(spoken, `snapshot ${when}`) !== undefined);
  const pending = (spoken.log ?? []).filter(({ status, incarnation }) => status === 'pending' && incarnation === 1);
  if (!taken || pending.length < 2) return [];
  const report = resultOf<{ recovery: RecoveryReport | null }>(spoken, 'later')?.recovery;
  const expected = pending.map(({ execution_id }) => execution_id);
  const observed = report?.decisions.map(({ execution_id }) => execution_id);
  return [check('CR2', unlessSame('recovery did not look at everything that was open', expected, observed))];
}
