import type { AuditRecord, Permission, SchedulerJob } from '../../../schemas/types.js';
import type { Dialogue, Spoken, Turn } from '../../dialogue.js';
import { act, line, step, workflow } from '../../generators/pairs/pair.js';
import { DEFAULT_AGENT, OWNER } from '../../program.js';
import type { Check, Failure } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame, unlessServed } from '../dialogue-property.js';
import { gives } from '../drawn.js';

/** When jobs are due. */
interface Day {
  /** A time that is long over: due times are told in seconds from here. */
  readonly begin: string;
}

/** The agent without a permission, and its job. */
const SHUT = 'shut';

/** What a job is to start, and at which of its due times it does; the runtime is down from 21 to the end of all of them. */
interface Planned {
  readonly workflow: 'echo' | 'removed';
  readonly agent_id: string;
  readonly times: { readonly at: number } | { readonly from: number; readonly every: number; readonly until: number };
  readonly expected: readonly number[];
}

const TENS = { from: 10, every: 10, until: 40 } as const;

const JOBS: Readonly<Record<string, Planned>> = {
  seen: { workflow: 'echo', agent_id: DEFAULT_AGENT, times: TENS, expected: [10, 20, 30] },
  once: { workflow: 'echo', agent_id: DEFAULT_AGENT, times: { at: 25 }, expected: [25] },
  missed: { workflow: 'echo', agent_id: DEFAULT_AGENT, times: { from: 22, every: 1, until: 27 }, expected: [26] },
  // Its workflow is removed after 10.
  idle: { workflow: 'removed', agent_id: DEFAULT_AGENT, times: TENS, expected: [10] },
  [SHUT]: { workflow: 'echo', agent_id: SHUT, times: TENS, expected: [] },
};

/** How many due times of the job that is denied come, or are made up for. */
const DENIED = 3;

const INPUTS = { word: 'due' };
const CONTEXT = { by: 'job' };
const PARTS = line([step('a', 'echo@1')], { inputs: { word: { schema: { type: 'string' } } } });
const PERMISSION: Permission = {
  domain: 'execution',
  actions: ['execute'],
  granted_to: DEFAULT_AGENT,
  granted_by: OWNER,
};

function timeAt({ begin }: Day, seconds: number): string {
  return new Date(Date.parse(begin) + seconds * 1000).toISOString();
}

function keyOf(job_id: string, day: Day, seconds: number): string {
  return `${job_id}/${timeAt(day, seconds)}`;
}

function jobOf(job_id: string, { workflow: name, agent_id, times }: Planned, day: Day): SchedulerJob {
  const time = (seconds: number) => timeAt(day, seconds);
  const job = { job_id, workflow_id: `${name}@1.0.0`, agent_id, inputs: INPUTS, context: CONTEXT };
  return 'at' in times
    ? { ...job, at: time(times.at) }
    : { ...job, from: time(times.from), every_ms: times.every * 1000, until: time(times.until) };
}

const CONTROL: Day = { begin: '2001-01-01T00:00:00.000Z' };

/** A job starts something at its due times, each of them once. */
export const dueTimes = dialogueProperty<Day>({
  id: 'workflow/due-times',
  title:
    'a job is started once at each due time that comes, and at the latest that was missed; a denial is not asked again',
  requirements: ['I7', 'P2', 'GF5'],
  capabilities: ['components', 'clock', 'audit', 'governance'],
  control: { title: 'due times that come, and some that pass while the runtime is down', case: CONTROL },
  twins: [
    {
      requirement: 'I7',
      title: 'a log without the instance of a due time that was missed',
      tamper: retold(record => (record.request_key === keyOf('missed', CONTROL, 26) ? [] : [record])),
    },
    {
      requirement: 'P2',
      title: 'a log with two instances of one due time',
      tamper: retold(record => (record.request_key === keyOf('seen', CONTROL, 10) ? twice(record) : [record])),
    },
    {
      requirement: 'GF5',
      title: 'a log in which each denied start was asked for twice',
      tamper: retold(record => (record.agent_id === SHUT ? twice(record) : [record])),
    },
  ],
  dialogue: (day): Dialogue => {
    const clock = (seconds: number): Turn => ({
      do: 'ask',
      method: 'clock/set',
      params: { time: timeAt(day, seconds) },
    });
    const heard = (invocations: number): Turn => ({ do: 'hear', invocations });
    const answered = (invocations: number): Turn => ({ do: 'hear', invocations, replied: true });
    return {
      script: { nodes: { a: [{ ...gives(1), delay_ms: 100 }] } },
      setting: {
        agents: [DEFAULT_AGENT, SHUT].map(agent_id => ({ agent_id, trust: 'TRUSTED' })),
        permissions: [PERMISSION],
        registry: { actions: [act('echo')], workflows: [workflow('echo', PARTS), workflow('removed', PARTS)] },
      },
      turns: [
        clock(0),
        ...Object.entries(JOBS).map(([job_id, planned]): Turn => {
          const params = { job: jobOf(job_id, planned, day), by: OWNER };
          return { do: 'ask', method: 'schedule/put', params, as: `put ${job_id}` };
        }),
        clock(9.999),
        clock(10),
        heard(2),
        { do: 'ask', method: 'registry/remove', params: { workflows: ['removed@1.0.0'] }, as: 'remove' },
        // The instances of the first due time still run; then a time that was there is there again.
        clock(20),
        heard(3),
        clock(15),
        clock(20),
        answered(3),
        { do: 'kill' },
        { do: 'open' },
        answered(6),
        { do: 'kill' },
        { do: 'open' },
        // What the opening starts by itself comes before this, or beside it.
        { do: 'run', program: { workflow: workflow('echo', PARTS), inputs: INPUTS }, as: 'last' },
      ],
    };
  },
  judge: (day, spoken) => {
    const named = [...Object.keys(JOBS).map(job_id => `put ${job_id}`), 'remove', 'last'];
    const unserved = named.map(name => unlessServed(spoken, name)).find(Boolean);
    if (unserved !== undefined) return [check('I7', unserved)];
    const started = startsOf(spoken);
    const wrong = unlessDue(started, day) ?? unlessAsPut(started);
    return [
      check('I7', wrong),
      { ...check('P2', unlessOnce(started)), reached: started.length > 0 },
      askedOnce(spoken, wrong),
    ];
  },
});

/** The starts that have a key, by their keys. */
function startsOf({ log = [] }: Spoken): readonly (AuditRecord & { request_key: string })[] {
  return log
    .flatMap(record =>
      record.status === 'workflow_started' && record.request_key !== undefined
        ? [{ ...record, request_key: record.request_key }]
        : [],
    )
    .sort((a, b) => (a.request_key < b.request_key ? -1 : 1));
}

function unlessDue(started: ReturnType<typeof startsOf>, day: Day): Failure | undefined {
  const expected = Object.entries(JOBS).flatMap(([job_id, planned]) =>
    planned.expected.map(seconds => keyOf(job_id, day, seconds)),
  );
  const observed = [...new Set(started.map(({ request_key }) => request_key))];
  return (
    unlessSame(
      'due times without an instance',
      [],
      expected.filter(key => !observed.includes(key)),
    ) ??
    unlessSame(
      'instances without a due time to be started',
      [],
      observed.filter(key => !expected.includes(key)),
    )
  );
}

function unlessAsPut(started: ReturnType<typeof startsOf>): Failure | undefined {
  const others = started.map(({ request_key, workflow_id, agent_id, inputs, context }) => {
    const planned = JOBS[request_key.slice(0, request_key.indexOf('/'))];
    const wanted = {
      workflow_id: `${planned?.workflow}@1.0.0`,
      agent_id: DEFAULT_AGENT,
      inputs: INPUTS,
      context: CONTEXT,
    };
    const seen = { workflow_id, agent_id, inputs, context };
    return unlessSame('a job started something else than was put', wanted, seen);
  });
  return others.find(Boolean);
}

function unlessOnce(started: ReturnType<typeof startsOf>): Failure | undefined {
  const keys = started.map(({ request_key }) => request_key);
  const again = keys.filter((key, place) => keys[place - 1] === key);
  return unlessSame('due times for which something was started more than once', [], again);
}

/** A job that is denied asks for each due time once: no more executions have gates than there are due times to ask for. */
function askedOnce({ log = [] }: Spoken, wrong: Failure | undefined): Check {
  const gates = log.filter(({ record_type, agent_id }) => record_type === 'gate' && agent_id === SHUT);
  const asked = new Set(gates.map(({ execution_id }) => execution_id)).size;
  // A runtime that takes other due times for its own asks for others, and not again.
  if (asked === 0 || wrong !== undefined) return { requirement: 'GF5', reached: false };
  const message = 'the denied start of a job was asked for again';
  return check('GF5', asked > DENIED && { message, expected: DENIED, observed: asked });
}

/** Gives what changes a log record by record. */
function retold(change: (record: AuditRecord) => readonly AuditRecord[]): (spoken: Spoken) => Spoken {
  return spoken => ({ ...spoken, log: spoken.log?.flatMap(change) ?? [] });
}

function twice(record: AuditRecord): readonly AuditRecord[] {
  return [record, { ...record, execution_id: `${record.execution_id}-again` }];
}
