import canonicalize from 'canonicalize';
import type { StateChange } from '../../../schemas/types.js';
import { type Ask, type Dialogue, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { oneAction } from '../../generators/approaches.js';
import { digest } from '../../history/chain.js';
import { DEFAULT_AGENT, OWNER } from '../../program.js';
import type { Check } from '../../runner/verdict.js';
import {
  check,
  dialogueProperty,
  unlessAnsweredAlike,
  unlessSame,
  withAnswer,
  withResult,
} from '../dialogue-property.js';
import { draw } from '../drawn.js';
import { STORY_SCRIPT, told } from '../stories.js';

/** Which reads are made, each twice in a row. */
interface Reads {
  readonly reads: readonly (keyof typeof READS)[];
  /** A request that is no read, made between the first and the second reading of the log. */
  readonly writes?: true;
}

const LARGE = 'large '.repeat(2000);
const SHOWN = draw({
  edges: ['shows success done'],
  script: {
    shows: [
      {
        reply: {
          outputs: {},
          evidence: LARGE,
          state_changes: [{ key: 'shown', op: 'put', value: [1] } as unknown as StateChange],
        },
      },
    ],
  },
});

const READS = {
  state: { method: 'state/get', params: { agent_id: OWNER } },
  key: { method: 'state/get', params: { agent_id: OWNER, keys: ['shown', 'unknown'] } },
  page: { method: 'audit/query', params: { agent_id: OWNER, limit: 5 } },
  latest: { method: 'audit/query', params: { agent_id: OWNER, latest: true } },
  'as agent': { method: 'audit/query', params: { agent_id: DEFAULT_AGENT, status: 'committed' } },
  export: { method: 'audit/export', params: { agent_id: OWNER } },
  verify: { method: 'audit/verify', params: { text: { $: 'first/text' } } },
  evidence: {
    method: 'evidence/get',
    params: { reference: digest(canonicalize(LARGE) ?? ''), agent_id: OWNER },
  },
  recovery: { method: 'recovery/run', params: { dry_run: true } },
  wait: { method: 'workflow/wait', params: { execution_id: { $: 'undone/execution_id' }, budget_ms: 0 } },
  report: { method: 'workflow/verify', params: { workflow: oneAction({}) } },
  gate: { method: 'governance/check', params: { workflow: oneAction({}), inputs: {}, agent_id: DEFAULT_AGENT } },
  reconstruct: { method: 'state/reconstruct', params: { sequence: 9, agent_id: OWNER } },
} as const satisfies Readonly<Record<string, Pick<Ask, 'method' | 'params'>>>;

const ALL = Object.keys(READS) as (keyof typeof READS)[];

/** Reading changes nothing, and gives the same answer again. */
export const reads = dialogueProperty<Reads>({
  id: 'execution/reads',
  title: 'reading the log, State, evidence and reports changes none of them',
  requirements: ['ID2'],
  capabilities: ['audit', 'state'],
  control: { title: 'every read that there is, twice', case: { reads: ALL } },
  twins: [
    {
      requirement: 'ID2',
      title: 'a start in place of the reads changes the log',
      case: { reads: [], writes: true },
      contrast: (control, twin) =>
        unlessSame(
          'the log did not stay as it was, or did although something was started',
          { control: 'the same', twin: 'longer' },
          { control: growth(control), twin: growth(twin) },
        ),
    },
    {
      requirement: 'ID2',
      title: 'the second reading of State gives another answer',
      tamper: spoken => withAnswer(spoken, 'state again', { result: { state: {}, sequence: 1 } }),
    },
    {
      requirement: 'ID2',
      title: 'a log in which a digit has changed meanwhile',
      tamper: spoken =>
        withResult<{ text: string }>(spoken, 'second', ({ text }) => ({
          text: text.replace(/"sequence":2/, '"sequence":3'),
        })),
    },
  ],
  dialogue: ({ reads: wanted, writes }): Dialogue => ({
    script: { ...STORY_SCRIPT, nodes: { ...STORY_SCRIPT.nodes, ...SHOWN.script.nodes } },
    turns: [
      told('steps'),
      told('undone'),
      { do: 'run', program: SHOWN },
      { do: 'read', as: 'first' },
      { do: 'ask', ...READS.state, as: 'state before' },
      ...wanted.flatMap((name): Turn[] => [
        { do: 'ask', ...READS[name], as: name },
        { do: 'ask', ...READS[name], as: `${name} again` },
      ]),
      ...(writes === true ? [told('steps', { as: 'more' })] : []),
      { do: 'read', as: 'second' },
      { do: 'ask', ...READS.state, as: 'state after' },
    ],
  }),
  judge: ({ reads: wanted, writes }, spoken) => (writes === true ? [quiet(spoken)] : judgeReads(wanted, spoken)),
});

function judgeReads(wanted: readonly string[], spoken: Spoken): readonly Check[] {
  const changed =
    unlessAnsweredAlike('a read changed the log', spoken, 'first', 'second') ??
    unlessAnsweredAlike('a read changed State', spoken, 'state before', 'state after');
  return [
    check('ID2', changed),
    ...wanted.map(name =>
      check('ID2', unlessAnsweredAlike(`'${name}' gave another answer the second time`, spoken, name, `${name} again`)),
    ),
  ];
}

/** What is written changes what is read, which is all that this case has to show. */
function quiet(spoken: Spoken): Check {
  return { requirement: 'ID2', reached: resultOf(spoken, 'more') !== undefined };
}

function growth(spoken: Spoken): string {
  const [first, second] = ['first', 'second'].map(name => resultOf<{ text: string }>(spoken, name)?.text ?? '');
  if (first === second) return 'the same';
  return second?.startsWith(first ?? '') === true ? 'longer' : 'changed';
}
