import type { WorkflowWaitResult } from '../../../schemas/types.js';
import { type Dialogue, refusalOf, resultOf, type Spoken } from '../../dialogue.js';
import { act, line, skill, step, workflow } from '../../generators/pairs/pair.js';
import { DEFAULT_AGENT, OWNER } from '../../program.js';
import type { Failure } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessRefused, unlessSame, unlessServed, withResult } from '../dialogue-property.js';
import { gives } from '../drawn.js';

/** What becomes of the registry while an instance is under way. */
interface Change {
  readonly killed?: true;
}

const PART = (node_id: string, version: string) => workflow('part', line([step(node_id, 'second@1')]), version);
const WHOLE = workflow('whole', line([step('a', 'first@^1'), step('b', 'second@^1'), skill('s', 'part@^1')]));
const OTHER = workflow('whole', line([step('a', 'first@^1'), step('other', 'first@^1')]));

/** An instance runs on what it was started with. */
export const definitions = dialogueProperty<Change>({
  id: 'workflow/definitions',
  title: 'an instance runs to its end on the definitions that it was started with, whatever becomes of the registry',
  requirements: ['WF1', 'EB1', 'I6'],
  capabilities: [],
  examples: [{ killed: true }],
  control: { title: 'newer versions come and those that are used go while the first action runs', case: {} },
  twins: [
    {
      requirement: 'EB1',
      title: 'a ledger with the newer version of the second action',
      tamper: spoken => ({
        ...spoken,
        ledger: spoken.ledger.map(entry => (entry.node_id === 'b' ? { ...entry, version: '1.1.0' } : entry)),
      }),
    },
    {
      requirement: 'WF1',
      title: 'a trace with a node that came later',
      tamper: spoken =>
        withResult<WorkflowWaitResult>(spoken, 'wait', wait => ({
          ...wait,
          trace: [...wait.trace, { node_id: 'other', outcome: 'success', attempts: 1 }],
        })),
    },
    {
      requirement: 'I6',
      title: 'an instance that fails once its definitions are gone',
      tamper: spoken => withResult<WorkflowWaitResult>(spoken, 'wait', wait => ({ ...wait, status: 'failed' })),
    },
  ],
  dialogue: ({ killed }): Dialogue => ({
    script: {
      nodes: Object.fromEntries(
        ['a', 'b', 'c', 'changed', 'other'].map(id => [id, [{ ...gives(id), delay_ms: id === 'a' ? 250 : 0 }]]),
      ),
    },
    setting: { registry: { actions: [act('first'), act('second')], workflows: [PART('c', '1.0.0'), WHOLE] } },
    turns: [
      {
        do: 'ask',
        method: 'workflow/start',
        params: { workflow_id: 'whole@1.0.0', inputs: {}, agent_id: DEFAULT_AGENT },
        as: 'start',
      },
      { do: 'hear', invocations: 1 },
      {
        do: 'ask',
        method: 'registry/put',
        params: { actions: [act('second', { version: '1.1.0' })], workflows: [PART('changed', '1.1.0')] },
        as: 'newer',
      },
      {
        do: 'ask',
        method: 'registry/remove',
        params: { actions: ['second@1.0.0'], workflows: ['whole@1.0.0', 'part@1.0.0'] },
        as: 'gone',
      },
      { do: 'ask', method: 'registry/put', params: { workflows: [OTHER] }, as: 'other' },
      ...(killed === true ? ([{ do: 'kill' }, { do: 'open' }] as const) : []),
      {
        do: 'ask',
        method: 'workflow/wait',
        params: { execution_id: { $: 'start/execution_id' }, budget_ms: 4000 },
        as: 'wait',
      },
    ],
  }),
  inapplicable: spoken => (refusalOf(spoken, 'start') === 'unsupported' ? 'skill nodes' : undefined),
  judge: (_change, spoken) => {
    const unserved = unlessServed(spoken, 'start') ?? unlessServed(spoken, 'wait');
    if (unserved !== undefined) return ['WF1', 'EB1', 'I6'].map(requirement => check(requirement, unserved));
    return [check('WF1', sameNodes(spoken)), check('EB1', sameVersions(spoken)), check('I6', available(spoken))];
  },
});

function waited(spoken: Spoken): WorkflowWaitResult | undefined {
  return resultOf<WorkflowWaitResult>(spoken, 'wait');
}

function sameNodes(spoken: Spoken): Failure | undefined {
  const executed = (waited(spoken)?.trace ?? [])
    .filter(({ outcome }) => outcome !== 'skipped')
    .map(({ node_id }) => node_id);
  const strange = executed.filter(id => !['a', 'b', 's', 'done', 'refused'].includes(id));
  const own = waited(spoken)?.status === 'completed' ? ['a', 'b', 's', 'done'] : [];
  const missing = own.filter(id => !executed.includes(id));
  return (
    unlessSame('nodes of another definition were executed', [], strange) ??
    unlessSame('it completed without nodes of its definition', [], missing)
  );
}

function sameVersions(spoken: Spoken): Failure | undefined {
  const { ledger } = spoken;
  if (waited(spoken)?.status === 'completed' && !ledger.some(({ node_id }) => node_id === 'b'))
    return {
      message: 'it completed, and an action that it is bound to never ran',
      expected: 'b',
      observed: ledger.length,
    };
  const strange = ledger.filter(
    ({ node_id, version }) => version !== '1.0.0' || node_id === 'changed' || node_id === 'other',
  );
  const told = strange.map(({ node_id, action_id, version }) => `${node_id}: ${action_id}@${version}`);
  return unlessSame('something ran that the instance was not bound to', [], told);
}

function available(spoken: Spoken): Failure | undefined {
  const { status, trace, error } = waited(spoken) ?? {};
  if (status === 'completed' && spoken.ledger.some(({ node_id }) => node_id === 'c')) return undefined;
  const message = 'an instance did not complete once what it refers to was removed from the registry';
  return { message, expected: 'completed', observed: { status, trace, error } };
}

/** A job, and whether its workflow is there. */
interface Job {
  readonly due: 'at' | 'every';
}

/** A job refers to a workflow that is there. */
export const jobs = dialogueProperty<Job>({
  id: 'workflow/jobs',
  title: 'a scheduled job is taken only with its workflow, and is active no more once that is gone',
  requirements: ['I7'],
  capabilities: ['components'],
  examples: [{ due: 'every' }],
  control: { title: 'a job before its workflow is there, with it, and after it has gone', case: { due: 'at' } },
  twins: [
    {
      requirement: 'I7',
      title: 'a job that is taken without its workflow',
      tamper: spoken => ({ ...spoken, answers: { ...spoken.answers, absent: [{ result: {} }] } }),
    },
    {
      requirement: 'I7',
      title: 'a job that stays active without its workflow',
      tamper: spoken => withResult<{ job: object }>(spoken, 'after', ({ job }) => ({ job: { ...job, active: true } })),
    },
  ],
  dialogue: ({ due }): Dialogue => {
    const time = '2999-01-01T00:00:00.000Z';
    const job = {
      job_id: 'nightly',
      workflow_id: 'whole@1.0.0',
      agent_id: DEFAULT_AGENT,
      ...(due === 'at' ? { at: time } : { every_ms: 1000, from: time }),
    };
    const put = { do: 'ask', method: 'schedule/put', params: { job, by: OWNER } } as const;
    const get = { do: 'ask', method: 'schedule/get', params: { job_id: 'nightly', agent_id: OWNER } } as const;
    return {
      setting: { registry: { actions: [act('first'), act('second')], workflows: [PART('c', '1.0.0')] } },
      turns: [
        { ...put, as: 'absent' },
        { do: 'ask', method: 'registry/put', params: { workflows: [WHOLE] } },
        { ...put, as: 'present' },
        { ...get, as: 'before' },
        { do: 'ask', method: 'registry/remove', params: { workflows: ['whole@1.0.0'] }, as: 'remove' },
        { ...get, as: 'after' },
      ],
    };
  },
  judge: (_job, spoken) => [
    check(
      'I7',
      unlessRefused(spoken, 'absent', 'not_found') ??
        unlessServed(spoken, 'present') ??
        isActive(spoken, 'before', true) ??
        (unlessServed(spoken, 'remove') === undefined ? isActive(spoken, 'after', false) : undefined),
    ),
  ],
});

function isActive(spoken: Spoken, name: string, wanted: boolean): Failure | undefined {
  const { job } = resultOf<{ job: { active?: boolean } }>(spoken, name) ?? {};
  if (job === undefined)
    return wanted ? { message: 'the job is not there', expected: 'a job', observed: null } : undefined;
  return unlessSame('whether the job is active', wanted, job.active !== false);
}
