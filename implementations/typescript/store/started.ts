import type { RecordStatus } from '../../../schemas/types.js';
import type { SqlDatabase, SqlValue } from './driver.js';
import { rollBack } from './driver.js';
import { INDEXED_LAYOUT, layoutOf } from './layout.js';
import { soundText } from './read.js';

/** Which instances to find; all conditions given hold together. */
export interface StartedQuery {
  /** Only those without a parent. */
  readonly root?: boolean;
  /** Only those that ended with this status; null: those that have not ended. */
  readonly ended?: RecordStatus | null;
  /** Only those with these ids, or none of those with them. */
  readonly ids?: { readonly are: boolean; readonly among: Iterable<string> };
  /** Only those that started then or later, or before. */
  readonly from?: string;
  readonly until?: string;
  /** Only those of this agent. */
  readonly agent_id?: string;
  /** Only those of this workflow, as name or name@version. */
  readonly workflow?: string;
  /** At most so many, the latest; all where absent. */
  readonly limit?: number;
}

/** The ids of the instances that were found, the latest first, and how many there are in all. */
export interface StartedFound {
  readonly ids: readonly string[];
  readonly count: number;
}

/** More rows than a table has: what no limit is to SQLite. */
const MOST_ROWS = Number.MAX_SAFE_INTEGER;
const KEPT = '(SELECT sequence FROM head)';
/** What the tail says of instances that ended. */
const ENDED_LATE = `SELECT execution_id FROM records WHERE sequence > ${KEPT} AND record_type = 'workflow'`;
const ENDED = '(SELECT e.status FROM executions e WHERE e.execution_id = r.execution_id AND e.sequence > r.sequence)';
const WORKFLOW = `json_extract(r.text, '$.workflow_id')`;

/**
 * The instances that a query asks for, by the index of statuses and the columns of their starts; of a log that is as it
 * stands at one instant, also beside its writer. The texts of records are looked at only for what no column says.
 */
export function findStarted(db: SqlDatabase, query: StartedQuery): StartedFound {
  const { limit = Number.POSITIVE_INFINITY } = query;
  const { page, count, values } = startedText(query, layoutOf(db) >= INDEXED_LAYOUT);
  db.exec('BEGIN');
  try {
    const ids = db
      .prepare(page)
      .all(...values, ...values, Math.min(limit, MOST_ROWS))
      .map(row => soundText(row.execution_id));
    if (ids.length < limit) return { ids, count: ids.length };
    return { ids, count: Number(db.prepare(count).get(...values, ...values)?.count) };
  } finally {
    rollBack(db);
  }
}

/** The statements of a query, each of which takes its values twice: for what the index knows and for the tail. */
export function startedText(
  query: StartedQuery,
  indexed: boolean,
): { readonly page: string; readonly count: string; readonly values: readonly SqlValue[] } {
  const conditions = [...conditionsOf(query)];
  const wanted = conditions.map(({ sql }) => ` AND ${sql}`).join('');
  const known = indexed
    ? `records_status i CROSS JOIN records r ON r.sequence = i.sequence WHERE i.status = 'workflow_started'${wanted}`
    : `records r WHERE r.status = 'workflow_started'${wanted}`;
  const order = indexed ? 'i.sequence' : 'r.sequence';
  const tail = `records r WHERE r.sequence > ${KEPT} AND r.record_type = 'workflow' AND +r.status = 'workflow_started'${wanted}`;
  const columns = 'CAST(r.execution_id AS BLOB) AS execution_id';
  return {
    page: `SELECT ${order} AS sequence, ${columns} FROM ${known} UNION ALL SELECT r.sequence, ${columns} FROM ${tail} ORDER BY sequence DESC LIMIT ?`,
    count: `SELECT (SELECT count(*) FROM ${known}) + (SELECT count(*) FROM ${tail}) AS count`,
    values: conditions.flatMap(({ values }) => values),
  };
}

/** A condition on the start r of an instance. A text that is damaged fits whatever is asked, so that who reads it tells. */
interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

function* conditionsOf({ root, ended, ids, from, until, agent_id, workflow }: StartedQuery): Generator<Condition> {
  if (root === true) yield { sql: 'r.parent_execution_id IS NULL', values: [] };
  if (from !== undefined) yield { sql: 'r.timestamp >= ?', values: [from] };
  if (until !== undefined) yield { sql: 'r.timestamp < ?', values: [until] };
  if (ids !== undefined)
    yield {
      sql: `r.execution_id ${ids.are ? '' : 'NOT '}IN (SELECT value FROM json_each(?))`,
      values: [JSON.stringify([...ids.among])],
    };
  if (ended === null)
    yield {
      sql: `${ENDED} IS NULL AND r.execution_id NOT IN (${ENDED_LATE} AND status <> 'workflow_started')`,
      values: [],
    };
  else if (ended !== undefined)
    yield {
      sql: `(${ENDED} = ? OR r.execution_id IN (${ENDED_LATE} AND status = ?))`,
      values: [ended, ended],
    };
  const damaged = 'NOT json_valid(r.text)';
  if (agent_id !== undefined)
    yield { sql: `(${damaged} OR json_extract(r.text, '$.agent_id') = ?)`, values: [agent_id] };
  if (workflow !== undefined)
    yield {
      sql: `(${damaged} OR ${WORKFLOW} = ? OR substr(${WORKFLOW}, 1, length(?)) = ?)`,
      values: [workflow, `${workflow}@`, `${workflow}@`],
    };
}
