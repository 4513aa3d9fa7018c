import type { RecordType } from '../../../schemas/types.js';
import type { SqlRow, SqlStatement } from './driver.js';
import { soundText } from './read.js';

/** Something that has records of its own, and where it belongs. */
export interface Named {
  readonly execution_id: string;
  readonly record_type: RecordType;
  readonly context_id: string;
  readonly parent_execution_id?: string;
}

const PAGE_ROWS = 256;
/** Above whatever goes on after a beginning. */
const ABOVE = '\u{10ffff}';
const COLUMNS = ['record_type', 'context_id', 'parent_execution_id']
  .map(column => `CAST(r.${column} AS BLOB) AS ${column}`)
  .join(', ');

/**
 * What has an execution_id that begins so, once each: by a range of what is known of executions, in the order of the ids,
 * and then what only the tail tells of, which is looked through. What has that very id comes first.
 */
export function* namedFrom(prepared: (sql: string) => SqlStatement, beginning: string): Generator<Named> {
  const until = `${beginning}${ABOVE}`;
  const tail = new Map<string, Named>();
  const late = prepared(
    `SELECT CAST(r.execution_id AS BLOB) AS execution_id, ${COLUMNS} FROM records r
      WHERE r.sequence > (SELECT sequence FROM head) AND r.execution_id >= ? AND r.execution_id < ?`,
  );
  for (const row of late.all(beginning, until)) {
    const found = namedIn(row);
    tail.set(found.execution_id, telling(tail.get(found.execution_id), found));
  }
  const page = prepared(
    `SELECT CAST(e.execution_id AS BLOB) AS execution_id, ${COLUMNS} FROM executions e
      CROSS JOIN records r ON r.sequence = e.sequence WHERE e.execution_id > ? AND e.execution_id < ? ORDER BY e.execution_id LIMIT ?`,
  );
  const first = prepared(
    `SELECT CAST(e.execution_id AS BLOB) AS execution_id, ${COLUMNS} FROM executions e
      CROSS JOIN records r ON r.sequence = e.sequence WHERE e.execution_id = ?`,
  );
  const whole = first.get(beginning);
  const own = tail.get(beginning);
  if (whole === undefined && own !== undefined) {
    yield own;
    tail.delete(beginning);
  }
  let rows = whole === undefined ? [] : [whole];
  let last = beginning;
  do {
    for (const row of rows) {
      const found = namedIn(row);
      yield telling(tail.get(found.execution_id), found);
      tail.delete(found.execution_id);
      last = found.execution_id;
    }
    rows = page.all(last, until, PAGE_ROWS);
  } while (rows.length > 0);
  yield* tail.values();
}

function namedIn({ execution_id, record_type, context_id, parent_execution_id = null }: SqlRow): Named {
  return {
    execution_id: soundText(execution_id),
    record_type: soundText(record_type) as RecordType,
    context_id: soundText(context_id),
    ...(parent_execution_id === null ? {} : { parent_execution_id: soundText(parent_execution_id) }),
  };
}

/** Of two records of one execution the one that says what it is: gates and approvals accompany it. */
function telling(one: Named | undefined, other: Named): Named {
  const says = ({ record_type }: Named) => (record_type === 'workflow' ? 2 : record_type === 'action' ? 1 : 0);
  return one !== undefined && says(one) > says(other) ? one : other;
}
