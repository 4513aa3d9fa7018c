import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArsError } from '../error.js';
import { keep as workflow } from '../keep.fixture.js';
import { OWNER, Runtime } from '../runtime.js';
import { openDatabase } from './driver.js';
import { openImporter } from './importer.js';
import { storePaths } from './paths.js';
import { openReader } from './store.js';

const folder = mkdtempSync(join(tmpdir(), 'ars-damage-'));
const sound = join(folder, 'sound');
const source = storePaths(sound).database;
const KINDS = ['resolved', 'workflow', 'agent', 'permission', 'policy', 'index_entry', 'job'] as const;
/** The tables that a writer reads by itself, at its opening or amid its steps. */
const OF_WRITERS = ['documents', 'executions', 'head', 'state'];
/** What reconstruction does without. */
const UNNOTICED = ['snapshots.text'];

beforeAll(async () => {
  const put = () => ({ outputs: {}, state_changes: [{ key: 'k', op: 'put' as const, value: 'v' }] });
  const runtime = await Runtime.open({ workspace: sound, actions: { put }, schedule: false });
  await runtime.putRegistry({ workflows: [workflow] });
  await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
  await runtime.grant({ domain: 'execution', actions: ['execute'], granted_to: 'ada', granted_by: OWNER });
  await runtime.putPolicy({ policy_id: 'p', version: '1.0.0', level: 1, effect: 'allow' }, OWNER);
  await runtime.putIndexEntry({ entry_id: 'e', kind: 'workflow', target: 'keep@1.0.0' }, OWNER);
  const at = '2099-01-01T00:00:00.000Z';
  await runtime.putJob({ job_id: 'j', workflow_id: 'keep@1.0.0', agent_id: 'ada', at }, OWNER);
  await runtime.wait(await runtime.start({ workflow, inputs: {}, agent_id: 'ada', request_key: 'r' }), 10_000);
  await runtime.takeSnapshot();
  await runtime.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

type Attempt = <T>(work: () => T | Promise<T>) => Promise<T | undefined>;

/** What was refused, by its code, of all that is done with a damaged copy of the database. */
async function refused(
  damage: (database: string) => void,
  ...uses: ((attempt: Attempt, damaged: string) => Promise<void>)[]
) {
  const damaged = mkdtempSync(join(folder, 'damaged-'));
  const { database } = storePaths(damaged);
  mkdirSync(dirname(database), { recursive: true });
  copyFileSync(source, database);
  damage(database);
  const told: string[] = [];
  const attempt: Attempt = async work => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ArsError)) throw error;
      told.push(error.code);
      return undefined;
    }
  };
  for (const use of uses) await use(attempt, damaged);
  return told;
}

async function read(attempt: Attempt, damaged: string): Promise<void> {
  const reader = await attempt(() => openReader(damaged));
  if (reader !== undefined) {
    for (const query of [
      {},
      { status: 'committed' },
      { incomplete: true },
      { from: '2020-01-01T00:00:00.000Z' },
    ] as const)
      await attempt(() => [...reader.records(query)]);
    await attempt(() => [...reader.lines()]);
    await attempt(() => [...reader.records({ status: 'workflow_started' })].map(r => reader.latest(r.execution_id)));
    await attempt(() => [...reader.writesBefore('k', 99)]);
    await attempt(() => reader.requested('ada', 'r'));
    await attempt(() => [reader.state(), reader.state(['k'])]);
    await attempt(() => [...reader.snapshots(99)]);
    for (const kind of KINDS)
      await attempt(() => [...reader.documents(kind)].map(({ id }) => reader.document(kind, id)));
    await attempt(() => {
      const fault = reader.derivedFault();
      if (fault !== undefined) throw new ArsError('log_corrupt', fault.table);
    });
    reader.close();
  }
}

async function write(attempt: Attempt, damaged: string): Promise<void> {
  await attempt(async () => {
    const runtime = await Runtime.open({ workspace: damaged, schedule: false });
    await attempt(() => runtime.start({ workflow_id: 'keep@1.0.0', inputs: {}, agent_id: 'ada', dry_run: true }));
    await attempt(() => runtime.takeSnapshot());
    await runtime.close();
  });
  await attempt(() => {
    const importer = openImporter(damaged);
    try {
      for (const _ of importer.lines) importer.hasDocument('resolved', 'x');
    } finally {
      importer.close();
    }
  });
}

/** The columns of the store that hold texts. */
function textColumns(): [table: string, column: string][] {
  const db = openDatabase(source);
  const columns = db
    .prepare(
      `SELECT t.name AS tab, c.name AS col FROM sqlite_schema t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND c.type = 'TEXT' ORDER BY 1, 2`,
    )
    .all()
    .map(({ tab, col }): [string, string] => [String(tab), String(col)]);
  db.close();
  return columns;
}

describe('a damaged database', () => {
  it('is told of with a code wherever a text of it is no UTF-8 any more', async () => {
    expect(await refused(() => undefined, read, write)).toEqual([]);
    const unnoticed: string[] = [];
    const columns = textColumns();
    for (const [table, column] of columns) {
      const damage = (database: string) => {
        const db = openDatabase(database);
        db.exec('DROP TRIGGER records_stay; DROP TRIGGER snapshots_stay');
        db.exec(
          `UPDATE ${table} SET ${column} = CAST(substr(CAST(${column} AS BLOB), 1, 1) || x'ff' || substr(CAST(${column} AS BLOB), 2) AS TEXT)
            WHERE ${column} = (SELECT max(${column}) FROM ${table})`,
        );
        db.close();
      };
      const told = await refused(damage, read, ...(OF_WRITERS.includes(table) ? [write] : []));
      if (told.length === 0) unnoticed.push(`${table}.${column}`);
    }
    expect(columns.length).toBeGreaterThan(25);
    expect(unnoticed).toEqual(UNNOTICED);
  });

  it('is told of as damage where a sequence is beyond every number', async () => {
    for (const place of ['9e999', '9223372036854775807']) {
      const damage = (database: string) => {
        const db = openDatabase(database);
        db.exec(`CREATE TABLE other AS SELECT * FROM records; DROP TABLE records; ALTER TABLE other RENAME TO records;
          UPDATE records SET sequence = ${place} WHERE sequence = (SELECT max(sequence) FROM records)`);
        db.close();
      };
      expect(new Set(await refused(damage, read, write))).toEqual(new Set(['log_corrupt']));
    }
  });

  it('is told of with a code, or not, whichever bytes of it are others', async () => {
    const bytes = readFileSync(source);
    const places = [...bytes.keys()].filter(at => bytes[at] !== 0);
    const flips = fc.array(fc.tuple(fc.constantFrom(...places), fc.constantFrom(0xff, 0x80, 0xc3, 0x01, 0x7f)), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(flips, async changes => {
        const changed = Buffer.from(bytes);
        for (const [at, byte] of changes) changed[at] = byte;
        await refused(database => writeFileSync(database, changed), read);
      }),
      { numRuns: 40 },
    );
  });
});
