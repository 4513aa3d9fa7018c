import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXECUTION } from '../audit/drafts.fixture.js';
import type { RecordDraft } from '../audit/log.js';
import { digestText } from '../state/canonical.js';
import { type DerivedFault, derivedFault } from './derived.js';
import { openDatabase, type SqlDatabase } from './driver.js';
import { columnsOfIndexes, frequentValues } from './layout.js';
import { storePaths } from './paths.js';
import { openReader, openStore } from './store.js';

const folder = mkdtempSync(join(tmpdir(), 'ars-derived-'));
const started: RecordDraft = {
  record_type: 'workflow',
  execution_id: 'root',
  context_id: 'root',
  agent_id: 'agent',
  status: 'workflow_started',
  request_key: 'once',
  workflow_id: 'w@1.0.0',
  inputs: {},
  context: {},
  resolved_digest: digestText('r'),
  inputs_digest: digestText('i'),
};
const trust: RecordDraft = {
  record_type: 'trust',
  execution_id: 't',
  context_id: 't',
  agent_id: 'agent',
  status: 'changed',
  trust_after: 'TRUSTED',
};
let db: SqlDatabase;

beforeAll(async () => {
  const store = openStore({ workspace_dir: folder, clock: () => 0 });
  const state_changes = [
    { key: 'k', op: 'put' as const, value: 1 },
    { key: 'gone', op: 'put' as const, value: 1 },
    { key: 'gone', op: 'delete' as const },
  ];
  await store.append({ records: [started, trust] });
  await store.append({
    records: [
      { ...EXECUTION, execution_id: 'e1', status: 'pending', inputs: {} },
      { ...EXECUTION, execution_id: 'e1', status: 'committed', outputs: {}, state_changes },
    ],
  });
  await store.append({ records: [{ ...EXECUTION, execution_id: 'e2', status: 'pending', inputs: {} }, trust] });
  const lagging = openReader(folder);
  expect(lagging.derivedFault()).toBeUndefined();
  lagging.close();
  await store.close();
  db = openDatabase(storePaths(folder).database);
  db.exec('DROP TRIGGER records_stay');
});
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

/** What is found after a change of the tables, which is taken back. */
function foundAfter(change: string): DerivedFault | undefined {
  db.exec(change);
  try {
    return derivedFault(db);
  } finally {
    const taken = TAKEN_BACK.get(change);
    if (taken !== undefined) db.exec(taken);
  }
}

const INSERT_ALL = (column: Parameters<typeof frequentValues>[0], table: string): string =>
  `DELETE FROM ${table}; INSERT INTO ${table} SELECT ${column}, sequence FROM records
    WHERE ${column} IS NOT NULL AND ${column} NOT IN (${frequentValues(column)})`;
/** Each change, its table, and what takes it back. */
const CHANGES: readonly (readonly [change: string, table: string, back: string])[] = [
  ...columnsOfIndexes().flatMap(([column, table]) => {
    const known = frequentValues(column) === '' ? 3 : 6;
    return [
      [`DELETE FROM ${table} WHERE sequence = ${known}`, table, INSERT_ALL(column, table)],
      [`INSERT INTO ${table} VALUES ('e9', 3)`, table, INSERT_ALL(column, table)],
    ] as const;
  }),
  [
    `UPDATE records SET status = 'failed' WHERE sequence = 5`,
    'records',
    `UPDATE records SET status = 'pending' WHERE sequence = 5`,
  ],
  [
    `UPDATE executions SET status = 'committed' WHERE execution_id = 'e2'`,
    'executions',
    `UPDATE executions SET status = 'pending' WHERE execution_id = 'e2'`,
  ],
  [
    `UPDATE executions SET sequence = 3, status = 'pending' WHERE execution_id = 'e1'`,
    'executions',
    `UPDATE executions SET sequence = 4, status = 'committed' WHERE execution_id = 'e1'`,
  ],
  [
    `UPDATE executions SET sequence = 2 WHERE execution_id = 't'`,
    'executions',
    `UPDATE executions SET sequence = 6 WHERE execution_id = 't'`,
  ],
  [
    `DELETE FROM executions WHERE execution_id = 't'`,
    'executions',
    `INSERT INTO executions VALUES ('t', 'trust', 'changed', 6)`,
  ],
  [`UPDATE state SET value = '2' WHERE key = '"k"'`, 'state', `UPDATE state SET value = '1' WHERE key = '"k"'`],
  [`INSERT INTO state VALUES ('"x"', '2', 1, 'e1')`, 'state', `DELETE FROM state WHERE key = '"x"'`],
  [`DELETE FROM writes WHERE key = '"k"'`, 'writes', `INSERT INTO writes VALUES ('"k"', 4)`],
  [`INSERT INTO writes VALUES ('"k"', 3)`, 'writes', `DELETE FROM writes WHERE sequence = 3`],
  [`UPDATE requests SET execution_id = 'e1'`, 'requests', `UPDATE requests SET execution_id = 'root'`],
  [
    `INSERT INTO requests VALUES ('agent', '"two"', 'e1')`,
    'requests',
    `DELETE FROM requests WHERE request_key = '"two"'`,
  ],
];
const TAKEN_BACK = new Map(CHANGES.map(([change, , back]) => [change, back]));

describe('what is kept beside the records', () => {
  it.each(CHANGES)('%s is found', (change, table) => {
    expect(derivedFault(db)).toBeUndefined();
    expect(foundAfter(change)).toMatchObject({ table });
    expect(derivedFault(db)).toBeUndefined();
  });
});

it('is told of a damaged text, which is no UTF-8, and does not end the process', () => {
  db.exec(
    `UPDATE records SET text = CAST(CAST(replace(text, '"agent"', '"ag') AS BLOB) || x'ff' || '"' AS TEXT) WHERE sequence = 3`,
  );
  const reader = openReader(folder);
  try {
    expect([...reader.lines()]).toHaveLength(6);
    expect(() => [...reader.records()]).toThrow(expect.objectContaining({ code: 'log_corrupt' }));
    expect(() => [...reader.records({ execution_id: 'e1' })]).toThrow(expect.objectContaining({ code: 'log_corrupt' }));
    expect(() => reader.derivedFault()).toThrow(expect.objectContaining({ code: 'log_corrupt' }));
  } finally {
    reader.close();
  }
});
