import * as fc from 'fast-check';
import type { AuditRecord, State, StateChange, WorkflowWaitResult } from '../../../schemas/types.js';
import { type Ask, type Dialogue, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { applyChanges, type Fold, versionsHold } from '../../model/state.js';
import { DEFAULT_AGENT, OWNER, type Program } from '../../program.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame, withResult } from '../dialogue-property.js';
import { draw } from '../drawn.js';

/** Lists of changes, each by an execution of its own: one after the other, or all at one time. */
interface Writes {
  readonly lists: readonly (readonly StateChange[])[];
  readonly at_once?: true;
}

const put = (key: string, value: unknown, expected_version?: number): StateChange =>
  ({ key, op: 'put', value, ...(expected_version === undefined ? {} : { expected_version }) }) as StateChange;
const gone = (key: string): StateChange => ({ key, op: 'delete' });

const change: fc.Arbitrary<StateChange> = fc
  .record({
    key: fc.constantFrom('a', 'b', 'a/b', '__proto__', 'é😀'),
    op: fc.constantFrom('put', 'put', 'put', 'delete'),
    value: fc.constantFrom<unknown[]>(1, null, 'x', { b: [1] }),
    expected_version: fc.option(fc.constantFrom(0, 0, 1, 2), { nil: undefined }),
  })
  .map(({ op, value, expected_version, key }) => {
    const base = op === 'put' ? { key, op, value } : { key, op };
    return (expected_version === undefined ? base : { ...base, expected_version }) as StateChange;
  });

const lists = fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 7 });

/** A key has one entry, which counts its writes, whoever writes at the same time. */
export const changes = dialogueProperty<Writes>({
  id: 'state/changes',
  title: 'a key has one entry with the number of its writes, and writes at one time come out as in some order',
  requirements: ['I1', 'SP3'],
  capabilities: ['audit', 'state'],
  cases: fc.oneof(
    lists.map((drawn): Writes => ({ lists: drawn })),
    lists.map((drawn): Writes => ({ lists: drawn, at_once: true })),
  ),
  weight: 0.25,
  examples: [
    { lists: [[put('k', 1, 0)], [gone('k')], [put('k', 2, 0)], [put('k', 3, 2)], [put('k', 4, 0), put('m', 1)]] },
    {
      lists: Array.from({ length: 8 }, (_, index) => [put('counter', index), put(`own${index}`, index)]),
      at_once: true,
    },
  ],
  control: {
    title: 'eight creations of one key at one time, one of which takes place',
    case: { lists: Array.from({ length: 8 }, (_, index) => [put('k', index, 0)]), at_once: true },
  },
  twins: [
    {
      requirement: 'I1',
      title: 'eight writes that expect nothing all take place',
      case: { lists: Array.from({ length: 8 }, (_, index) => [put('k', index)]), at_once: true },
      contrast: (control, twin) =>
        unlessSame(
          'what was expected made no difference',
          { control: 1, twin: 8 },
          { control: versionOf(control), twin: versionOf(twin) },
        ),
    },
    {
      requirement: 'SP3',
      title: 'a State in which one of the writes is not counted',
      tamper: spoken =>
        withResult<{ state: State }>(spoken, 'state', ({ state, ...rest }) => ({
          ...rest,
          state: { ...state, k: { ...state.k, version: 7 } },
        })),
    },
  ],
  dialogue: ({ lists: wanted, at_once }): Dialogue => {
    const programs = wanted.map((list, index) => programOf(list, index));
    const starts = programs.map(
      ({ workflow }, index): Ask => ({
        do: 'ask',
        method: 'workflow/start',
        params: { workflow, inputs: {}, agent_id: DEFAULT_AGENT },
        as: `start ${index}`,
      }),
    );
    const waits = programs.map(
      (_program, index): Turn => ({
        do: 'ask',
        method: 'workflow/wait',
        params: { execution_id: { $: `start ${index}/execution_id` }, budget_ms: 4000 },
        as: `wait ${index}`,
      }),
    );
    return {
      script: { nodes: Object.assign({}, ...programs.map(({ script }) => script.nodes)) },
      turns: [
        ...(at_once === true
          ? [{ do: 'together', asks: starts } as const, ...waits]
          : starts.flatMap((start, index): Turn[] => [start, waits[index] as Turn])),
        { do: 'ask', method: 'state/get', params: { agent_id: OWNER }, as: 'state' },
      ],
    };
  },
  judge: judgeWrites,
});

function programOf(list: readonly StateChange[], index: number): Program {
  const name = `n${index}`;
  return draw({
    edges: [`${name} success done`],
    script: { [name]: [{ reply: { outputs: {}, state_changes: [...list] } }] },
  });
}

function versionOf(spoken: Spoken): number | undefined {
  return resultOf<{ state: State }>(spoken, 'state')?.state.k?.version;
}

function judgeWrites({ lists: wanted, at_once }: Writes, spoken: Spoken): readonly Check[] {
  const state = resultOf<{ state: State }>(spoken, 'state')?.state;
  if (state === undefined || spoken.log === undefined) return [];
  const fold: Fold = new Map();
  const wrong: { requirement: string; failure: Failure }[] = [];
  for (const record of spoken.log.filter(isEnd)) {
    const list = wanted[Number(record.node_id?.slice(1))] ?? [];
    const holds = versionsHold(fold, list);
    const committed = record.status === 'committed';
    if (committed) applyChanges(fold, list, record.execution_id);
    if (committed === holds || (at_once === true && !committed)) continue;
    const creates = list.some(({ expected_version }) => expected_version === 0);
    const message = committed
      ? 'a list of changes was applied that conflicts'
      : 'a list of changes that fits was refused';
    const failure = {
      message,
      expected: holds ? 'committed' : 'conflict',
      observed: list,
      node_id: record.node_id ?? '',
    };
    wrong.push({ requirement: creates ? 'I1' : 'SP3', failure });
  }
  const outcomes = wanted.map((_list, index) => resultOf<WorkflowWaitResult>(spoken, `wait ${index}`)?.status);
  const done = spoken.log.filter(isEnd).length === wanted.length && outcomes.every(status => status !== undefined);
  if (!done) return [];
  const differs = unlessSame(
    'State is not what the writes make in the order of their records',
    Object.fromEntries(fold),
    state,
  );
  const created = wanted.flat().some(({ expected_version }) => expected_version === 0);
  const find = (requirement: string) => wrong.find(one => one.requirement === requirement)?.failure;
  return [
    ...(created ? [check('I1', find('I1'))] : []),
    ...(at_once === true ? [check('SP3', find('SP3') ?? differs)] : [check('I1', find('SP3') ?? differs)]),
  ];
}

function isEnd({ record_type, status }: AuditRecord): boolean {
  return record_type === 'action' && (status === 'committed' || status === 'failed');
}
