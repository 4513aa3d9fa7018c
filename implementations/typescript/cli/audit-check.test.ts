import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../schemas/types.js';
import { listDailyFiles } from '../audit/daily-files.js';
import { snapshotOf } from '../state/snapshot.js';
import { openDatabase } from '../store/driver.js';
import { storePaths } from '../store/paths.js';
import { changed, linesOf, SOUND } from '../verification/consistency/log.fixture.js';
import { ars as run } from './ars.fixture.js';

const folder = mkdtempSync(join(tmpdir(), 'ars-check-'));
const workspace = join(folder, 'workspace');

const WORKFLOW = `schema_version: "1.0"
workflow: { name: pay, version: 1.0.0 }
actions:
  - { action_id: pay, version: 1.0.0, determinism: deterministic, rollback: irreversible, side_effects: [external_service], modifies_existing: true }
nodes:
  - { node_id: pay, type: action, action_def: pay@^1, irreversible: acknowledged }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: pay, to_node: done, label: success }
`;

/** Runs a command; files that stand in the folder are named by their names there. */
async function ars(...args: string[]) {
  const ended = await run(...args.map(arg => (/\.(jsonl|yaml)$/.test(arg) ? join(folder, arg) : arg)));
  return { ...ended, stdout: ended.stdout.replaceAll(join(folder, '/'), '') };
}

/** Writes a file of lines and gives its name. */
function fileOf(name: string, lines: readonly string[]): string {
  writeFileSync(join(folder, name), lines.map(line => `${line}\n`).join(''));
  return name;
}

beforeAll(async () => {
  writeFileSync(join(folder, 'pay.yaml'), WORKFLOW);
  writeFileSync(join(folder, 'actions.mjs'), 'export const pay = () => ({ outputs: {} });\n');
  expect((await ars('run', 'pay.yaml', '--confirm=yes', '--workspace', workspace)).status).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('ars audit check', () => {
  it('finds nothing in the log of a workspace, nor in what is exported of it', async () => {
    const checked = await ars('audit', 'check', '--workspace', workspace);
    expect(checked).toMatchObject({ status: 0, stderr: '' });
    expect(checked.stdout).toMatch(/^ok: [1-9][0-9]* records are consistent, head sha256:[0-9a-f]{64}\n$/);
    expect((await ars('audit', 'export', '--workspace', workspace)).status).toBe(0);
    expect(await ars('audit', 'check', join(workspace, 'infrastructure'))).toMatchObject({
      status: 0,
      stdout: `not checked: whether 1 start needed a confirmation, since the workflows are not at hand\n${checked.stdout}`,
    });
  });

  it('is not needed to see, at the next export, where what an earlier one wrote was changed', async () => {
    const other = mkdtempSync(join(folder, 'exported-'));
    cpSync(workspace, other, { recursive: true });
    expect((await ars('audit', 'export', '--workspace', other)).status).toBe(0);
    const [file = ''] = await listDailyFiles(other);
    expect((await ars('audit', 'export', '--workspace', other)).stderr).toBe('nothing new to export\n');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"agent_id":"cli"', '"agent_id":"other"'));
    const { status, stderr } = await ars('audit', 'export', '--workspace', other);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/\.jsonl: record \d+: .*\n.*changed since/)]);
  });

  it.each([
    ['is damaged', `text = replace(text, '"checksum":"sha256:', '"checksum":"sha256:0')`, /a snapshot in .* schema/],
    ['has another State', `text = '%other%'`, /the snapshot of record [1-9][0-9]* in .* another one;/],
  ])('says that a snapshot %s', async (_what, change, message) => {
    const other = mkdtempSync(join(folder, 'snapshot-'));
    cpSync(workspace, other, { recursive: true });
    const taken = JSON.parse((await ars('snapshot', '--format', 'json', '--workspace', other)).stdout) as Snapshot;
    expect((await ars('audit', 'check', '--workspace', other)).status).toBe(0);
    const state = { k: { value: 1, version: 1, writer: 'x' } };
    const forged = snapshotOf({ sequence: taken.sequence, hash: taken.head_hash }, state);
    const db = openDatabase(storePaths(other).database);
    for (const { name } of db
      .prepare(`SELECT name FROM sqlite_schema WHERE tbl_name = 'snapshots' AND type = 'trigger'`)
      .all())
      db.exec(`DROP TRIGGER ${String(name)}`);
    db.exec(`UPDATE snapshots SET ${change.replace('%other%', JSON.stringify(forged))}`);
    db.close();
    const { status, stderr } = await ars('audit', 'check', '--workspace', other);
    expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
  });

  it('says where the tables of a workspace are not what its whole records say', async () => {
    const db = openDatabase(storePaths(workspace).database);
    db.exec('DELETE FROM records_status WHERE sequence = 2');
    db.close();
    const { status, stderr } = await ars('audit', 'check', '--workspace', workspace);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/log_corrupt.*"records_status".*record 2;/)]);
  });

  it('says that the tables of a log with findings were not compared', async () => {
    const other = join(folder, 'other');
    cpSync(workspace, other, { recursive: true });
    const db = openDatabase(storePaths(other).database);
    db.exec('DROP TRIGGER records_stay');
    db.exec(`UPDATE records SET text = replace(text, '"timestamp":"2', '"timestamp":"1') WHERE sequence = 1`);
    db.close();
    const { status, stdout } = await ars('audit', 'check', '--workspace', other);
    expect([status, stdout]).toEqual([1, expect.stringMatching(/record 1: AC1: .*\nnot checked: the tables and/s)]);
    const { stdout: json } = await ars('audit', 'check', '--workspace', other, '--format', 'json');
    expect(JSON.parse(json)).toMatchObject({ ok: false, not_checked: [expect.stringContaining('the tables')] });
  });

  it('says where a log was changed, and looks at nothing behind it', async () => {
    const lines = linesOf(SOUND).map((line, at) => (at === 9 ? line.replace('"e1"', '"e9"') : line));
    const { status, stdout, stderr } = await ars('audit', 'check', fileOf('changed.jsonl', lines));
    expect([status, stderr]).toEqual([1, '1 finding\n']);
    expect(stdout).toMatch(
      /^changed\.jsonl: record 10: AC1: hash is .*\n {2}help: .*\nnot checked: whether 1 start .*\n$/,
    );
  });

  it('finds in a whole chain what was left out of it, by every check that shows it', async () => {
    const lines = linesOf(changed(7, 1));
    const { status, stdout } = await ars('audit', 'check', '--format', 'json', fileOf('forged.jsonl', lines));
    const { ok, head, findings, not_checked } = JSON.parse(stdout);
    expect(not_checked).toEqual([]);
    expect([status, ok, head.sequence]).toEqual([1, false, lines.length]);
    expect(findings).toMatchObject([
      { requirement: 'AC2', sequence: 7, execution_id: 'i1', file: 'forged.jsonl' },
      { requirement: 'EG5', sequence: 8, execution_id: 'i1', file: 'forged.jsonl' },
    ]);
  });

  it('reads files in the order in which they are given, as one log', async () => {
    const lines = linesOf(SOUND);
    const [first, second] = [fileOf('1.jsonl', lines.slice(0, 9)), fileOf('2.jsonl', lines.slice(9))];
    expect((await ars('audit', 'check', first, second)).status).toBe(0);
    const { status, stdout } = await ars('audit', 'check', second, first);
    expect([status, stdout.slice(0, 22)]).toEqual([1, '2.jsonl: record 1: AC1']);
  });

  it('finds a torn last line, and refuses what is not there', async () => {
    writeFileSync(join(folder, 'torn.jsonl'), linesOf(SOUND)[0] as string);
    const { status, stdout } = await ars('audit', 'check', 'torn.jsonl');
    expect([status, stdout.slice(0, 25)]).toEqual([1, 'torn.jsonl: record 1: AC1']);
    expect((await ars('audit', 'check', 'none.jsonl')).status).toBe(2);
    expect((await ars('audit', 'check', '--workspace', join(folder, 'none'))).status).toBe(2);
    expect((await ars('audit', 'check', '--format', 'xml', 'torn.jsonl')).status).toBe(2);
  });
});
