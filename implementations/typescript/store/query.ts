import { STATUS_TYPES } from '../audit/lifecycle.js';
import type { RecordQuery } from '../audit/log.js';
import type { SqlValue } from './driver.js';
import { isIndexed, RECORD_INDEXES } from './layout.js';

/** The statement of a page of a query, and its parameters for an open interval of sequences and the size of the page. */
export interface QueryText {
  readonly sql: string;
  readonly values: (after: number, until: number, size: number) => readonly SqlValue[];
}

type Column = keyof typeof RECORD_INDEXES;

/** The record types that state a status, as a list of SQL. */
export const STATING = [...STATUS_TYPES].map(type => `'${type}'`).join(', ');
/** Columns by the index that serves a query best; the others are only compared. */
const COLUMNS = Object.keys(RECORD_INDEXES) as Column[];
/** Columns that so many records have the same value in that the open executions are fewer. */
const BROAD: ReadonlySet<Column> = new Set(['record_type', 'status']);
const KEPT = '(SELECT sequence FROM head)';
const OPEN = `record_type = 'action' AND status IN ('pending', 'in_doubt')`;
/** What the tail states of executions. */
const STATED = `(SELECT execution_id FROM records WHERE sequence > ${KEPT} AND record_type IN (${STATING}))`;
const MENTIONED = `(SELECT execution_id FROM records WHERE sequence > ${KEPT})`;

/** Whether a record r that the indexes know is the latest of its execution. */
const LATEST = `EXISTS (SELECT 1 FROM executions e WHERE e.execution_id = r.execution_id AND e.sequence = r.sequence)
  AND r.execution_id NOT IN ${STATED} AND (r.record_type IN (${STATING}) OR r.execution_id NOT IN ${MENTIONED})`;

/** Whether a record r of the tail is. */
const LATEST_OF_TAIL = `CASE WHEN r.record_type IN (${STATING})
  THEN NOT EXISTS (SELECT 1 FROM records l WHERE l.sequence > r.sequence AND l.execution_id = r.execution_id
    AND l.record_type IN (${STATING}))
  ELSE NOT EXISTS (SELECT 1 FROM records l WHERE l.sequence > ${KEPT} AND l.execution_id = r.execution_id
      AND (l.sequence > r.sequence OR l.record_type IN (${STATING})))
    AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.execution_id = r.execution_id AND e.record_type IN (${STATING})) END`;

/**
 * The statement of a page of a query: over what the indexes know and over the tail, or, in a store of an earlier layout,
 * over the records with its own indexes.
 */
export function queryText(query: RecordQuery, indexed: boolean): QueryText {
  const given = COLUMNS.filter(column => query[column] !== undefined);
  if (!indexed) return onePart(query, given, LATEST_BEFORE, INCOMPLETE_BEFORE);
  if (given.length === 0 && query.latest !== true && query.incomplete !== true) return onePart(query, given, '', '');
  const known = knownPart(query, given);
  const equal = given.map(column => query[column] as SqlValue);
  const tail = `SELECT r.sequence AS sequence, CAST(r.text AS BLOB) AS text FROM records r
    WHERE r.sequence > max(?, ${KEPT}) AND r.sequence < ?${given.map(column => ` AND r.${column} = ?`).join('')}${
      query.incomplete === true ? ` AND r.${OPEN.replace('status', 'r.status')}` : ''
    }${query.latest === true || query.incomplete === true ? ` AND ${LATEST_OF_TAIL}` : ''}`;
  return {
    sql: `${known.sql} UNION ALL ${tail} ORDER BY sequence LIMIT ?`,
    values: (after, until, size) => [...known.values(after, until), after, until, ...equal, size],
  };
}

function knownPart(
  query: RecordQuery,
  given: readonly Column[],
): { readonly sql: string; readonly values: (after: number, until: number) => readonly SqlValue[] } {
  const incomplete = query.incomplete === true;
  const open = incomplete && given.every(column => BROAD.has(column));
  const first = open ? undefined : given.find(column => isIndexed(column, query[column]));
  const others = given.filter(column => column !== first);
  const compared = others.map(column => ` AND r.${column} = ?`).join('');
  const equal = others.map(column => query[column] as SqlValue);
  const latest = query.latest === true ? ` AND ${LATEST}` : '';
  if (first !== undefined) {
    const unfinished = incomplete ? ` AND r.${OPEN.replace('status', 'r.status')} AND ${LATEST}` : '';
    const index = RECORD_INDEXES[first];
    return {
      sql: `SELECT ${index}.sequence AS sequence, CAST(r.text AS BLOB) AS text FROM ${index} CROSS JOIN records r ON r.sequence = ${index}.sequence
        WHERE ${index}.${first} = ? AND ${index}.sequence > ? AND ${index}.sequence < ?${compared}${latest}${unfinished}`,
      values: (after, until) => [query[first] as SqlValue, after, until, ...equal],
    };
  }
  if (incomplete)
    return {
      sql: `SELECT e.sequence AS sequence, CAST(r.text AS BLOB) AS text FROM executions e CROSS JOIN records r ON r.sequence = e.sequence
        WHERE e.${OPEN.replace('status', 'e.status')} AND e.sequence > ? AND e.sequence < ? AND e.execution_id NOT IN ${STATED}${compared}`,
      values: (after, until) => [after, until, ...equal],
    };
  return {
    sql: `SELECT r.sequence AS sequence, CAST(r.text AS BLOB) AS text FROM records r
      WHERE r.sequence > ? AND r.sequence < ? AND r.sequence <= ${KEPT}${compared}${latest}`,
    values: (after, until) => [after, until, ...equal],
  };
}

const LATEST_BEFORE =
  ' AND EXISTS (SELECT 1 FROM executions e WHERE e.execution_id = records.execution_id AND e.sequence = records.sequence)';
const INCOMPLETE_BEFORE = ` AND sequence IN (SELECT sequence FROM executions WHERE ${OPEN})`;

function onePart(query: RecordQuery, given: readonly Column[], latest: string, incomplete: string): QueryText {
  const equal = given.map(column => query[column] as SqlValue);
  const conditions = given.map((column, at) => ` AND ${at === 0 ? '' : '+'}${column} = ?`).join('');
  const more = `${query.latest === true ? latest : ''}${query.incomplete === true ? incomplete : ''}`;
  return {
    sql: `SELECT sequence, CAST(text AS BLOB) AS text FROM records WHERE sequence > ? AND sequence < ?${conditions}${more} ORDER BY sequence LIMIT ?`,
    values: (after, until, size) => [after, until, ...equal, size],
  };
}
