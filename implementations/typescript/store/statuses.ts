import { type ExecutionStatus, type LifecycleView, STATUS_TYPES } from '../audit/lifecycle.js';
import type { RecordFacts } from '../audit/linked-record.js';
import { type SqlDatabase, textOf } from './driver.js';
import { soundText } from './read.js';

/** What the writer of a store knows of executions: of the newest by heart, of others from the tables. */
export interface Statuses {
  readonly view: LifecycleView;
  /** Takes note of the next record. */
  add(facts: RecordFacts): void;
  /** The tables know all that was added. Forgets what they knew the last time. */
  settle(): void;
}

/** What was added between two settlings. */
interface Generation {
  readonly statuses: Map<string, ExecutionStatus>;
  greatest: string;
}

/** The statuses of a store whose tail is empty. */
export function openStatuses(db: SqlDatabase): Statuses {
  const status = db.prepare(
    'SELECT CAST(record_type AS BLOB) AS record_type, CAST(status AS BLOB) AS status FROM executions WHERE execution_id = ?',
  );
  const resolved = db.prepare(
    `SELECT 1 AS found FROM records_execution i CROSS JOIN records r ON r.sequence = i.sequence
      WHERE i.execution_id = ? AND r.record_type = 'approval' AND r.status = 'resolved' LIMIT 1`,
  );
  const recentlyResolved = new Set<string>();
  // Names of executions grow by and by: one that is beyond all that were forgotten, and not known, is new, without a look
  // into the tables.
  let recent: Generation = { statuses: new Map(), greatest: '' };
  let older: Generation = { statuses: new Map(), greatest: '' };
  const last = db
    .prepare(
      'SELECT CAST(e.execution_id AS BLOB) AS execution_id FROM executions e ORDER BY e.execution_id DESC LIMIT 1',
    )
    .get();
  let forgotten = last === undefined ? '' : soundText(last.execution_id);
  return {
    view: {
      status(execution_id) {
        const known = recent.statuses.get(execution_id) ?? older.statuses.get(execution_id);
        if (known !== undefined || execution_id > forgotten) {
          return known;
        }
        const row = status.get(execution_id);
        if (row === undefined) return undefined;
        const stated = { record_type: textOf(row.record_type), status: textOf(row.status) } as ExecutionStatus;
        return STATUS_TYPES.has(stated.record_type) ? stated : undefined;
      },
      isResolved: execution_id => recentlyResolved.has(execution_id) || resolved.get(execution_id) !== undefined,
    },
    add(facts) {
      const { record_type, execution_id } = facts;
      if (execution_id > recent.greatest) {
        recent.greatest = execution_id;
      }
      if (STATUS_TYPES.has(record_type)) {
        recent.statuses.set(execution_id, { record_type, status: facts.status });
      } else if (record_type === 'approval' && facts.status === 'resolved') {
        recentlyResolved.add(execution_id);
      }
    },
    settle() {
      if (older.greatest > forgotten) {
        forgotten = older.greatest;
      }
      older = recent;
      recent = { statuses: new Map(), greatest: '' };
      recentlyResolved.clear();
    },
  };
}
