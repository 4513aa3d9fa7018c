import { columnsOfIndexes, RECORD_INDEXES } from './layout.js';

const THIRD = `
  ${columnsOfIndexes()
    .map(
      ([column, table]) =>
        `DELETE FROM ${table}; INSERT INTO ${table} SELECT ${column}, sequence FROM records WHERE ${column} IS NOT NULL;`,
    )
    .join(' ')}
  PRAGMA user_version=3;`;
const SECOND = `
  ${Object.values(RECORD_INDEXES)
    .map(table => `DROP TABLE ${table};`)
    .join(' ')}
  ${Object.entries(RECORD_INDEXES)
    .map(([column, index]) => `CREATE INDEX ${index} ON records (${column});`)
    .join(' ')}
  PRAGMA user_version=2;`;
const FIRST = `${SECOND} DROP TABLE writes; DROP TABLE requests; DROP TABLE snapshots; PRAGMA user_version=1`;

/** What makes a closed store of this layout one of the first, the second and the third. */
export const EARLIER_LAYOUTS: readonly string[] = [FIRST, SECOND, THIRD];
