import * as fc from 'fast-check';
import type { AuditQueryResult, AuditRecord } from '../../../schemas/types.js';
import { type Dialogue, type Quoted, resultOf, type Spoken, type Turn } from '../../dialogue.js';
import { type Conditions, selected } from '../../history/query.js';
import { OWNER } from '../../program.js';
import type { Twin } from '../../runner/case-property.js';
import type { Check } from '../../runner/verdict.js';
import { check, dialogueProperty, unlessSame, unlessServed, withResult } from '../dialogue-property.js';
import { STORY_SCRIPT, told } from '../stories.js';

/** A query; identifiers and times are named by the place, from 0, of the record that has them. */
interface Query {
  readonly execution_id?: number;
  readonly context_id?: number;
  readonly from?: number;
  readonly until?: number;
  readonly status?: AuditRecord['status'];
  readonly record_type?: AuditRecord['record_type'];
  readonly latest?: true;
  readonly incomplete?: true;
  readonly limit?: number;
}

/** Some queries over one history. */
interface Queries {
  readonly queries: readonly Query[];
  /** Whether an action is under way while they are asked. */
  readonly under_way?: true;
}

const STATUSES = [
  ...['pending', 'committed', 'failed', 'in_doubt', 'compensated', 'allowed', 'simulated'],
  ...['workflow_started', 'workflow_completed', 'workflow_failed', 'success', 'rolled_back'],
] as AuditRecord['status'][];
const TYPES = [
  'action',
  'workflow',
  'terminal',
  'error',
  'gate',
  'recovery',
  'dry_run',
] as AuditRecord['record_type'][];

/** How many records the history has at the least. */
const RECORDS = 36;

function sometimes<T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(values, { nil: undefined, freq: 2 });
}

const query: fc.Arbitrary<Query> = fc
  .record({
    execution_id: sometimes(fc.nat(RECORDS - 1)),
    context_id: sometimes(fc.nat(RECORDS - 1)),
    from: sometimes(fc.nat(RECORDS - 1)),
    until: sometimes(fc.nat(RECORDS - 1)),
    status: sometimes(fc.constantFrom(...STATUSES)),
    record_type: sometimes(fc.constantFrom(...TYPES)),
    latest: sometimes(fc.constant(true as const)),
    incomplete: sometimes(fc.constant(true as const)),
    limit: sometimes(fc.integer({ min: 1, max: 7 })),
  })
  .map(conditions => Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined)));

const EACH: readonly Query[] = [
  {},
  ...[4, 9, 17, 25].map(execution_id => ({ execution_id })),
  { context_id: 9 },
  { from: 8 },
  { until: 20 },
  { from: 8, until: 20, limit: 3 },
  ...STATUSES.map(status => ({ status })),
  { latest: true },
  { latest: true, record_type: 'workflow', limit: 1 },
  { latest: true, status: 'pending' },
  { incomplete: true },
  { incomplete: true, status: 'in_doubt' },
];

/** Queries give what they ask for. */
export const queries = dialogueProperty<Queries>({
  id: 'audit/queries',
  title: 'a query gives exactly the records that fit it, in the order of the log, page after page',
  requirements: ['AQ1', 'AQ2', 'AQ3', 'AQ4', 'AQ5'],
  capabilities: ['audit'],
  cases: fc.array(query, { minLength: 4, maxLength: 12 }).map(drawn => ({ queries: drawn })),
  weight: 0.25,
  control: {
    title: 'each condition over a log with a failure, an undo, a doubt and an action under way',
    case: { queries: EACH, under_way: true },
  },
  twins: [
    lost('AQ1', { execution_id: 9 }),
    lost('AQ2', { from: 8 }),
    lost('AQ3', { status: 'committed' }),
    lost('AQ4', { latest: true }),
    lost('AQ5', { incomplete: true }),
    {
      requirement: 'AQ5',
      title: 'an answer with an execution too much that has ended',
      tamper: spoken =>
        withRecords(spoken, { incomplete: true }, records => [...(logOf(spoken) ?? []).slice(-1), ...records]),
    },
  ],
  dialogue: ({ queries: asked, under_way }): Dialogue => ({
    script: STORY_SCRIPT,
    turns: [
      ...(['steps', 'undone', 'doubt', 'fails'] as const).map(name => told(name)),
      ...(under_way === true ? [told('hangs'), { do: 'hear', invocations: INVOCATIONS } as const] : []),
      { do: 'read', as: 'log' },
      ...asked.map((one, index): Turn => ask(one, String(index))),
    ],
  }),
  judge: ({ queries: asked }, spoken) => {
    const log = logOf(spoken);
    return log === undefined ? [] : asked.flatMap((one, index) => judgeQuery(one, String(index), log, spoken));
  },
});

/** How many invocations there are once the last action is under way. */
const INVOCATIONS = 9;

function ask({ execution_id, context_id, from, until, ...plain }: Query, name: string): Turn {
  const quote = (place: number | undefined, field: string): Quoted | undefined =>
    place === undefined ? undefined : { $: `log/records/${place}/${field}` };
  const quoted = {
    execution_id: quote(execution_id, 'execution_id'),
    context_id: quote(context_id, 'context_id'),
    from: quote(from, 'timestamp'),
    until: quote(until, 'timestamp'),
  };
  const given = Object.entries(quoted).filter(([, value]) => value !== undefined);
  return {
    do: 'ask',
    as: name,
    method: 'audit/query',
    params: { agent_id: OWNER, ...plain, ...Object.fromEntries(given) },
    paged: true,
  };
}

function conditionsOf({ limit: _limit, ...query }: Query, log: readonly AuditRecord[]): Conditions {
  const { execution_id, context_id, from, until, ...plain } = query;
  const at = (place: number | undefined) => (place === undefined ? undefined : log[place]);
  const quoted = {
    execution_id: at(execution_id)?.execution_id,
    context_id: at(context_id)?.context_id,
    from: at(from)?.timestamp,
    until: at(until)?.timestamp,
  };
  return { ...plain, ...Object.fromEntries(Object.entries(quoted).filter(([, value]) => value !== undefined)) };
}

/** The requirement of each condition; where several are combined, each of them is exercised. */
function requirementsOf(query: Query): readonly string[] {
  const found = [
    query.execution_id !== undefined && 'AQ1',
    (query.from !== undefined || query.until !== undefined) && 'AQ2',
    query.status !== undefined && 'AQ3',
    query.latest === true && 'AQ4',
    query.incomplete === true && 'AQ5',
  ].filter(id => id !== false);
  return found.length > 0 ? found : ['AQ1', 'AQ2', 'AQ3', 'AQ4', 'AQ5'];
}

function judgeQuery(query: Query, name: string, log: readonly AuditRecord[], spoken: Spoken): readonly Check[] {
  const pages = resultOf<{ pages: readonly AuditQueryResult[] }>(spoken, name)?.pages;
  const expected = selected(log, conditionsOf(query, log)).map(({ sequence }) => sequence);
  const observed = pages?.flatMap(({ records }) => records.map(({ sequence }) => sequence));
  const failure =
    unlessServed(spoken, name) ?? unlessSame(`other records than ${JSON.stringify(query)} selects`, expected, observed);
  return requirementsOf(query).map(requirement => check(requirement, failure));
}

function logOf(spoken: Spoken): readonly AuditRecord[] | undefined {
  return resultOf<{ records: readonly AuditRecord[] }>(spoken, 'log')?.records;
}

/** A twin in which the answer to one query of the control has lost its last record. */
function lost(requirement: string, query: Query): Twin<Queries, Spoken> {
  return {
    requirement,
    title: `an answer to ${JSON.stringify(query)} without its last record`,
    tamper: spoken => withRecords(spoken, query, records => records.slice(0, -1)),
  };
}

function withRecords(
  spoken: Spoken,
  query: Query,
  change: (records: AuditQueryResult['records']) => AuditQueryResult['records'],
): Spoken {
  const name = String(EACH.findIndex(one => JSON.stringify(one) === JSON.stringify(query)));
  return withResult<{ pages: readonly AuditQueryResult[] }>(spoken, name, ({ pages }) => ({
    pages: [{ records: change(pages.flatMap(({ records }) => records)) }],
  }));
}
