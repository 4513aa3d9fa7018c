import { type ExecutionStatus, type LifecycleView, STATUS_TYPES } from '../audit/lifecycle.js';
import type { RecordFacts } from '../audit/linked-record.js';
import { type SqlDatabase, textOf } from './driver.js';
import { soundText } from './read.js';

/** What the writer of a store knows of executions: of those in the tail by heart, of others from the tables. */
export interface Statuses {
  readonly view: LifecycleView;
  /** Takes note of the next record. */
  add(facts: RecordFacts): void;
  /** Forgets what the tables know now. */
  settle(): void;
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
  const recent = new Map<string, ExecutionStatus>();
  const recentlyResolved = new Set<string>();
  // Names of executions mostly grow with time: one that is beyond all is new, without a look into the tables.
  const last = db
    .prepare(
      'SELECT CAST(e.execution_id AS BLOB) AS execution_id FROM executions e ORDER BY e.execution_id DESC LIMIT 1',
    )
    .get();
  let greatest = last === undefined ? '' : soundText(last.execution_id);
  return {
    view: {
      status(execution_id) {
        const known = recent.get(execution_id);
        if (known !== undefined || execution_id > greatest) {
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
      if (execution_id > greatest) {
        greatest = execution_id;
      }
      if (STATUS_TYPES.has(record_type)) {
        recent.set(execution_id, { record_type, status: facts.status });
      } else if (record_type === 'approval' && facts.status === 'resolved') {
        recentlyResolved.add(execution_id);
      }
    },
    settle() {
      recent.clear();
      recentlyResolved.clear();
    },
  };
}
