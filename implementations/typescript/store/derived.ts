import type { AuditRecord } from '../../../schemas/types.js';
import { canonicalize } from '../state/canonical.js';
import { foldState, type StateRecord } from '../state/state.js';
import { rollBack, type SqlDatabase, type SqlRow, textOf } from './driver.js';
import { columnsOfIndexes, frequentValues, INDEXED_LAYOUT, layoutOf } from './layout.js';
import { STATING } from './query.js';
import { nextPlace, parseRecord, readHead } from './read.js';

/** Where what a store keeps beside its records, to answer quickly, is not what they say. */
export interface DerivedFault {
  /** The table that says something else; `database` where its file is damaged. */
  readonly table: string;
  /** The record about which it does, where one is known. */
  readonly sequence?: number;
}

const COLUMNS = ['record_type', 'status', 'timestamp', 'execution_id', 'context_id', 'parent_execution_id'] as const;
const PAGE_ROWS = 64;

/**
 * The first fault of the tables that follow from the records: their columns, the indexes, what is known of executions, of
 * writes and of requests, and State; undefined where there is none. The records are taken as they are.
 *
 * It looks at one instant of the store, also beside its writer. In a store of an earlier layout it looks at nothing that
 * the next writer makes anew.
 */
export function derivedFault(db: SqlDatabase): DerivedFault | undefined {
  db.exec('BEGIN');
  try {
    if (db.prepare('PRAGMA integrity_check(1)').get()?.integrity_check !== 'ok') return { table: 'database' };
    const [state, fault] = followRecords(db);
    const found = fault ?? stateFault(db, state);
    if (found !== undefined || layoutOf(db) < INDEXED_LAYOUT) return found;
    const { kept } = readHead(db);
    return indexFault(db, kept.sequence) ?? executionFault(db, kept.sequence);
  } finally {
    rollBack(db);
  }
}

/** Goes through the records once: gives the State that they lead to, and the first fault of what is written with each. */
function followRecords(db: SqlDatabase): [state: ReturnType<typeof foldState>, fault: DerivedFault | undefined] {
  const writes = layoutOf(db) < INDEXED_LAYOUT ? undefined : openWritesCheck(db);
  let fault: DerivedFault | undefined;
  const records = function* (): Generator<StateRecord> {
    for (const [row, record] of storedRecords(db)) {
      const { sequence } = record;
      if (row.sequence !== sequence || COLUMNS.some(column => row[column] !== (record[column] ?? null)))
        fault ??= { table: 'records', sequence: Number(row.sequence) };
      fault ??= writes?.accept(record);
      yield record;
    }
  };
  const state = foldState(records());
  return [state, fault ?? writes?.end()];
}

/** Compares record by record what is known of writes, and in the end what is known of requests. */
function openWritesCheck(db: SqlDatabase) {
  const write = db.prepare('SELECT 1 AS found FROM writes WHERE key = ? AND sequence = ?');
  const request = db.prepare(
    'SELECT 1 AS found FROM requests WHERE agent_id = ? AND request_key = ? AND execution_id = ?',
  );
  const requests = new Map<string, Pick<AuditRecord, 'agent_id' | 'request_key' | 'execution_id' | 'sequence'>>();
  let count = 0;
  return {
    accept(record: AuditRecord): DerivedFault | undefined {
      const { status, sequence, agent_id, request_key, execution_id, state_changes = [] } = record;
      if (status === 'workflow_started' && request_key !== undefined)
        requests.set(canonicalize([agent_id, request_key]), { agent_id, request_key, execution_id, sequence });
      if (status !== 'committed') return undefined;
      const keys = new Set(state_changes.map(({ key }) => canonicalize(key)));
      count += keys.size;
      const isKnown = [...keys].every(key => write.get(key, sequence) !== undefined);
      return isKnown ? undefined : { table: 'writes', sequence };
    },
    end(): DerivedFault | undefined {
      if (rowsOf(db, 'writes') !== count) return { table: 'writes' };
      for (const { agent_id, request_key, execution_id, sequence } of requests.values())
        if (request.get(agent_id, canonicalize(request_key), execution_id) === undefined)
          return { table: 'requests', sequence };
      return rowsOf(db, 'requests') === requests.size ? undefined : { table: 'requests' };
    },
  };
}

function stateFault(db: SqlDatabase, state: ReturnType<typeof foldState>): DerivedFault | undefined {
  const stored = db.prepare('SELECT 1 AS found FROM state WHERE key = ? AND value IS ? AND version = ? AND writer = ?');
  for (const [key, { value, version, writer }] of state) {
    const text = value === undefined ? null : canonicalize(value);
    if (stored.get(canonicalize(key), text, version, writer) === undefined) return { table: 'state' };
  }
  return rowsOf(db, 'state') === state.size ? undefined : { table: 'state' };
}

/** Compares each index with the column that it is of; what it has beyond that is never asked for. */
function indexFault(db: SqlDatabase, kept: number): DerivedFault | undefined {
  for (const [column, table] of columnsOfIndexes()) {
    const found = db
      .prepare(
        `SELECT r.sequence AS sequence FROM records r WHERE r.sequence <= ? AND r.${column} IS NOT NULL
          AND r.${column} NOT IN (${frequentValues(column)})
          AND NOT EXISTS (SELECT 1 FROM ${table} i WHERE i.${column} = r.${column} AND i.sequence = r.sequence)
        UNION ALL SELECT CAST(i.sequence AS INTEGER) FROM ${table} i LEFT JOIN records r ON r.sequence = i.sequence
          WHERE r.${column} IS NOT i.${column} OR i.sequence > ? LIMIT 1`,
      )
      .get(kept, kept);
    if (found !== undefined) return { table, sequence: Number(found.sequence) };
  }
  return undefined;
}

/** Compares what is known of each execution with its records, which the index of executions leads to. */
function executionFault(db: SqlDatabase, kept: number): DerivedFault | undefined {
  const found = db
    .prepare(
      `SELECT CAST(e.sequence AS INTEGER) AS sequence FROM executions e LEFT JOIN records r ON r.sequence = e.sequence
        WHERE r.execution_id IS NOT e.execution_id OR r.record_type IS NOT e.record_type OR r.status IS NOT e.status
        OR e.sequence > ? OR EXISTS (SELECT 1 FROM records_execution i CROSS JOIN records l ON l.sequence = i.sequence
          WHERE i.execution_id = e.execution_id AND CASE WHEN e.record_type IN (${STATING})
            THEN i.sequence > e.sequence AND l.record_type IN (${STATING})
            ELSE i.sequence > e.sequence OR l.record_type IN (${STATING}) END)
      UNION ALL SELECT CAST(i.sequence AS INTEGER) FROM records_execution i
        WHERE NOT EXISTS (SELECT 1 FROM executions e WHERE e.execution_id = i.execution_id) LIMIT 1`,
    )
    .get(kept);
  return found && { table: 'executions', sequence: Number(found.sequence) };
}

function* storedRecords(db: SqlDatabase): Generator<[row: SqlRow, record: AuditRecord]> {
  const columns = [...COLUMNS, 'text'].map(column => `CAST(${column} AS BLOB) AS ${column}`).join(', ');
  const page = db.prepare(`SELECT sequence, ${columns} FROM records WHERE sequence > ? ORDER BY sequence LIMIT ?`);
  let last = 0;
  for (let found = page.all(last, PAGE_ROWS); found.length > 0; found = page.all(last, PAGE_ROWS)) {
    for (const { sequence = 0, text, ...row } of found) {
      const texts = Object.entries(row).map(([column, value]) => [column, value === null ? null : textOf(value)]);
      yield [{ ...Object.fromEntries(texts), sequence }, parseRecord(textOf(text))];
    }
    last = nextPlace(found, last);
  }
}

function rowsOf(db: SqlDatabase, table: string): number {
  return Number(db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows);
}
