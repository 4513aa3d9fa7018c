import type { AuditRecord, State, WorkflowWaitResult } from '../../../schemas/types.js';
import { type Dialogue, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { OWNER } from '../../program.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame, withResult } from '../dialogue-property.js';
import { chain, writing } from '../drawn.js';

/** How a runtime that has told something is stopped. */
interface Stop {
  readonly by: 'kill' | 'close';
  /** Whether State is asked for before. */
  readonly asked?: true;
}

/** Two actions that each write a key; the second takes its time, so that things can be asked while it is under way. */
const STEPS = chain(2);
const SCRIPT = {
  nodes: { ...STEPS.script.nodes, n2: [{ ...writing('n2'), delay_ms: 120 }] },
};

const WAIT: Turn = {
  do: 'ask',
  method: 'workflow/wait',
  params: { execution_id: { $: 'start/execution_id' }, budget_ms: 3000 },
  as: 'end',
};
const STATE = (as: string): Turn => ({ do: 'ask', method: 'state/get', params: { agent_id: OWNER }, as });
const LOOK = (as: string): Turn => ({ ...WAIT, params: { ...WAIT.params, budget_ms: 0 }, as }) as Turn;

/** What was told is true, is durable, and stays so. */
export const told = dialogueProperty<Stop>({
  id: 'audit/told',
  title: 'what a runtime has told as done is durable, is seen by every later read, and is not withdrawn',
  kind: 'kill',
  requirements: ['PC3', 'PC4', 'CI1', 'CI3'],
  capabilities: ['audit', 'state'],
  examples: [{ by: 'kill' }, { by: 'close', asked: true }],
  control: { title: 'killed as soon as the end was told', case: { by: 'kill', asked: true } },
  twins: [
    {
      requirement: 'PC3',
      title: 'a log without the commit that was told',
      tamper: spoken => ({ ...spoken, log: (spoken.log ?? []).filter(({ status }) => status !== 'committed') }),
    },
    {
      requirement: 'PC4',
      title: 'a log during the second action that has nothing of the first one',
      tamper: spoken => withResult<Reading>(spoken, 'read during', reading => ({ ...reading, records: [] })),
    },
    {
      requirement: 'CI1',
      title: 'an instance that has failed after the restart',
      tamper: spoken =>
        withResult<WorkflowWaitResult>(spoken, 'end later', result => ({ ...result, status: 'failed' })),
    },
    {
      requirement: 'CI3',
      title: 'a read during the second action that does not see what the first one wrote',
      tamper: spoken => withResult<{ state: State }>(spoken, 'state during', result => ({ ...result, state: {} })),
    },
  ],
  dialogue: ({ by, asked }): Dialogue => ({
    script: SCRIPT,
    turns: [
      { do: 'run', program: STEPS, unfollowed: true, as: 'start' },
      { do: 'hear', invocations: 2 },
      LOOK('during'),
      STATE('state during'),
      { do: 'read', as: 'read during' },
      WAIT,
      ...(asked === true ? [STATE('state after')] : []),
      { do: by },
      { do: 'open' },
      LOOK('end later'),
      STATE('state later'),
    ],
  }),
  judge: (_stop, spoken) => judgeTold(spoken),
});

function judgeTold(spoken: Spoken): readonly Check[] {
  const during = resultOf<WorkflowWaitResult>(spoken, 'during');
  const end = resultOf<WorkflowWaitResult>(spoken, 'end');
  if (end === undefined || spoken.log === undefined) return [];
  const log = spoken.log;
  const committed = (node_id: string) => log.some(record => isCommit(record) && record.node_id === node_id);
  const done = end.trace.filter(({ outcome, node_id }) => outcome === 'success' && /^n[12]$/.test(node_id));
  const ended = log.some(({ status }) => status === 'workflow_completed');
  const told = { nodes: done.map(({ node_id }) => node_id), ended: end.status === 'completed' };
  const durable = { nodes: told.nodes.filter(committed), ended: told.ended && ended };
  const later = resultOf<WorkflowWaitResult>(spoken, 'end later');
  const withdrawn = log.filter(({ record_type, status }) => record_type === 'action' && status === 'failed');
  const kept = { status: end.status, outputs: end.outputs ?? null, commits: 2, failed: 0 };
  const found = {
    status: later?.status,
    outputs: later?.outputs ?? null,
    commits: log.filter(isCommit).length,
    failed: withdrawn.length,
  };
  const early = during?.trace.some(({ node_id, outcome }) => node_id === 'n1' && outcome === 'success') === true;
  return [
    check('PC4', unlessRecorded(spoken, log)),
    check('PC3', unlessSame('what was told as ended is not in the log', told, durable)),
    check('CI1', unlessSame('what was told did not stay so', kept, found)),
    ...(early ? [check('CI3', unlessKeys(spoken, 'state during', ['out/n1']))] : []),
    ...(spoken.answers['state after'] === undefined
      ? []
      : [check('CI3', unlessKeys(spoken, 'state after', ['out/n1', 'out/n2']))]),
    check('CI3', unlessKeys(spoken, 'state later', ['out/n1', 'out/n2'])),
  ];
}

/** What is wrong unless the first action was readable in the log, with its outputs, while the second was under way. */
function unlessRecorded(spoken: Spoken, log: readonly AuditRecord[]): Failure | undefined {
  const outputsIn = (records: readonly AuditRecord[] = []) =>
    records.find(record => isCommit(record) && record.node_id === 'n1')?.outputs ?? null;
  const during = resultOf<Reading>(spoken, 'read during')?.records;
  return unlessSame(
    'what follows an execution started before its outputs could be read',
    outputsIn(log),
    outputsIn(during),
  );
}

interface Reading {
  readonly records: readonly AuditRecord[];
}

function isCommit({ record_type, status }: AuditRecord): boolean {
  return record_type === 'action' && status === 'committed';
}

/** What is wrong unless a read gives at least these keys. */
function unlessKeys(spoken: Spoken, name: string, keys: readonly string[]) {
  const state = resultOf<{ state: State }>(spoken, name)?.state ?? {};
  const seen = keys.filter(key => Object.hasOwn(state, key));
  return unlessSame(`'${name}' does not see what was committed before`, keys, seen);
}
