import { type Ask, type Dialogue, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { DEFAULT_AGENT, OWNER } from '../../program.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame, withResult } from '../dialogue-property.js';
import { STORY_SCRIPT, told } from '../stories.js';

/** What is done between two readings of the log, by name. */
interface Between {
  readonly deeds: readonly (keyof typeof DEEDS)[];
}

const ASK = (method: Ask['method'], params: Ask['params']): Turn => ({ do: 'ask', method, params });

/** Everything that comes near the log, requests that are refused among it. */
const DEEDS = {
  close: [{ do: 'close' }, { do: 'open' }],
  run: [told('steps', { as: 'more' })],
  'run with undo': [told('undone', { as: 'more undone' })],
  query: [ASK('audit/query', { agent_id: OWNER, latest: true })],
  'query as agent': [ASK('audit/query', { agent_id: DEFAULT_AGENT, incomplete: true })],
  'verify another log': [ASK('audit/verify', { text: '{"sequence":1}\n' })],
  'verify own log': [ASK('audit/verify', { text: { $: 'first/text' } })],
  'verify nothing': [ASK('audit/verify', { text: '' })],
  recover: [ASK('recovery/run', {})],
  'recover dry': [ASK('recovery/run', { dry_run: true })],
  'resolve what is not in doubt': [
    ASK('recovery/resolve', { execution_id: { $: 'steps/execution_id' }, verdict: 'absent', approver: OWNER }),
  ],
  'roll back an instance': [
    ASK('execution/rollback', {
      execution_id: { $: 'steps/execution_id' },
      evidence: { why: 'no action' },
      agent_id: DEFAULT_AGENT,
    }),
  ],
  cancel: [ASK('workflow/cancel', { execution_id: { $: 'steps/execution_id' }, agent_id: DEFAULT_AGENT })],
  resume: [ASK('workflow/resume', { execution_id: { $: 'steps/execution_id' }, agent_id: DEFAULT_AGENT })],
  'remove nothing': [ASK('registry/remove', { workflows: ['nothing@1.0.0'] })],
  snapshot: [ASK('state/snapshot', { agent_id: OWNER })],
  kill: [{ do: 'kill' }, { do: 'open' }],
  'run after all': [told('fails', { as: 'last' })],
  forget: [ASK('governance/register_agent', { agent: { agent_id: DEFAULT_AGENT, trust: 'UNTRUSTED' }, by: OWNER })],
} as const satisfies Readonly<Record<string, readonly Turn[]>>;

const ALL = Object.keys(DEEDS) as (keyof typeof DEEDS)[];

/** Whatever is asked for, a log only grows at its end. */
export const doors = dialogueProperty<Between>({
  id: 'audit/doors',
  title: 'whatever is asked for and refused, closed and killed, the log is what it was, with records behind it',
  kind: 'kill',
  requirements: ['I3', 'AW1', 'SP2'],
  capabilities: ['audit'],
  control: { title: 'everything that comes near the log, one after the other', case: { deeds: ALL } },
  twins: [
    {
      requirement: 'I3',
      title: 'a later reading in which a record is missing',
      tamper: spoken => withReading(spoken, lines => lines.toSpliced(3, 1)),
    },
    {
      requirement: 'AW1',
      title: 'a reading after a query with a record of another log in it',
      tamper: spoken => withReading(spoken, lines => lines.toSpliced(3, 1, '{"sequence":4}\n')),
    },
    {
      requirement: 'SP2',
      title: 'a later reading in which a dry run has become another record',
      tamper: spoken => withReading(spoken, lines => lines.map(line => line.replace('"simulated"', '"allowed"'))),
    },
  ],
  dialogue: ({ deeds }): Dialogue => ({
    script: STORY_SCRIPT,
    turns: [
      told('steps'),
      told('undone'),
      { do: 'read', as: 'first' },
      ...deeds.flatMap((deed): Turn[] => [...DEEDS[deed], { do: 'read', as: `after ${deed}` }]),
    ],
  }),
  judge: judgeReadings,
});

const INTERFACES: readonly string[] = ALL.filter(name => name.startsWith('query') || name.startsWith('verify'));

function judgeReadings({ deeds }: Between, spoken: Spoken): readonly Check[] {
  const checks: Check[] = [];
  let before = resultOf<{ text: string }>(spoken, 'first')?.text;
  if (before === undefined) return [];
  const first: string = before;
  for (const deed of deeds) {
    const after = resultOf<{ text: string }>(spoken, `after ${deed}`)?.text;
    if (after === undefined) continue;
    const failure: Failure | undefined = unlessSame(
      `after '${deed}' the log is not what it was before`,
      before,
      after.slice(0, before?.length ?? 0),
    );
    checks.push(check('I3', failure));
    // What only reads appends nothing either; what is refused may have passed a gate, which has a record.
    const grown =
      after === before
        ? undefined
        : { message: `'${deed}' made the log longer`, observed: after.slice(before?.length) };
    if (INTERFACES.includes(deed)) checks.push(check('AW1', failure ?? grown));
    checks.push(
      check(
        'SP2',
        unlessSame(`after '${deed}' a record changed`, dryRuns(first), dryRuns(after.slice(0, first.length))),
      ),
    );
    before = after;
  }
  return checks;
}

/** The records of dry runs and of actions, line by line. */
function dryRuns(text: string): readonly string[] {
  return text
    .split('\n')
    .filter(line => line.includes('"record_type":"dry_run"') || line.includes('"record_type":"action"'));
}

function withReading(spoken: Spoken, change: (lines: readonly string[]) => readonly string[]): Spoken {
  return withResult<{ text: string }>(spoken, 'after verify another log', ({ text }) => ({
    text: change(text.split(/(?<=\n)/)).join(''),
  }));
}
