import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { noCode } from '../execution/action-table.js';
import type { FaultHook } from '../execution/host.js';
import { OWNER, Runtime } from '../runtime.js';
import { openDatabase } from '../store/driver.js';
import { storePaths } from '../store/paths.js';
import { readWorkflow } from '../workflow-file.js';
import { arsOrThrow, ars as run } from './ars.fixture.js';
import { CLI_PERMISSION } from './consent.js';
import { tellStart } from './job.js';

const WORKFLOW = `schema_version: "1.0"
workflow: { name: books.close, version: 1.0.0 }
inputs: { month: { schema: { type: string } } }
actions:
  - { action_id: books.sum, version: 1.0.0, determinism: deterministic, rollback: rollbackable, side_effects: [] }
nodes:
  - { node_id: sum, type: action, action_def: books.sum@^1, input_mapping: { month: "\${inputs.month}" } }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: sum, to_node: done, label: success }
`;
const POLICY = '{ policy_id: large, version: 1.0.0, level: 1, effect: conditional, scope: "books.*" }\n';
const JOB =
  '{ job_id: nightly, workflow_id: books.close@1.0.0, agent_id: planner, every_ms: 86400000, from: "2100-01-01T02:00:00.000Z" }\n';

let folder: string;
let status: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ars-operator-'));
  for (const [name, text] of Object.entries({ 'w.yaml': WORKFLOW, 'p.yaml': POLICY, 'j.yaml': JOB }))
    writeFileSync(join(folder, name), text);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What a command prints, its exit code aside; files are named by their names in the folder. */
async function ars(...words: string[]): Promise<string> {
  const named = words.map(word => (word.endsWith('.yaml') ? join(folder, word) : word));
  const ended = await arsOrThrow(...named, '--workspace', join(folder, 'ws'));
  status = ended.status;
  return ended.printed;
}

const check = () => ars('check', 'w.yaml', '--agent', 'planner', '--input', 'month=May');

it('lets an operator register, permit and rule, and says what a start would meet', async () => {
  expect(await ars('agent', 'list')).toBe('there is no agent but owner\n');
  expect(await check()).toMatch(/governance +denied .*'planner'[\s\S]*: +ars agent register planner --workspace /);
  expect(status).toBe(1);
  writeFileSync(join(folder, 'actions.mjs'), "export default { 'books.sum': () => ({ outputs: {} }) };\n");
  const started = ['run', join(folder, 'w.yaml'), '--agent', 'planner', '--input', 'month=May'];
  const denied = await run(...started, '--workspace', join(folder, 'ws'));
  expect(denied.stderr).toMatch(/\[denied\] [\s\S]*ars agent register planner --workspace /);
  await ars('agent', 'register', 'planner');
  const grant = ['permission', 'grant', '--to', 'planner', '--domain', 'execution', '--actions', 'execute'];
  await ars(...grant, '--scope', 'books.*', '--id', 'p1');
  expect(await ars('permission', 'list', '--agent', 'planner')).toBe('p1  planner  execution: execute  books.*\n');
  expect(await check()).toMatch(
    /^verification +allowed\ngovernance +allowed\nsafety +allowed .*\nexecution +allowed\n$/,
  );
  expect(status).toBe(0);
  expect(await ars('policy', 'put', 'p.yaml')).toBe('large@1.0.0 is in force\n');
  expect(await check()).toMatch(/governance +confirmation needed/);
  writeFileSync(join(folder, 'p2.yaml'), POLICY.replace('1.0.0', '2.0.0'));
  expect(await ars('policy', 'put', 'p2.yaml')).toMatch(/^large@2.0.0 is in force\n! .*ars policy off large@1.0.0/);
  expect(await ars('policy', 'off', 'large@2.0.0')).toBe('large@2.0.0 is off\n');
  expect(await ars('policy', 'off', 'large@1.0.0')).toBe('large@1.0.0 is off\n');
  expect(await ars('policy', 'list')).toMatch(/^large@1.0.0 {2}off {2}level 1 {2}conditional {2}books.*\n/);
  expect(await check()).toMatch(/governance +allowed/);
  await ars('permission', 'revoke', 'p1');
  expect(await check()).toMatch(/governance +denied/);
  expect(await ars('agent', 'list', '--format', 'json')).toBe('{"agent_id":"planner","trust":"TRUSTED"}\n');
});

it('says what a start would meet beside whoever holds the workspace, and makes nothing', async () => {
  const asked = () => ars('check', 'w.yaml', '--input', 'month=May');
  const allowed = /governance +allowed\nsafety +allowed .*\nexecution +allowed\n/;
  expect(await asked()).toMatch(allowed);
  expect(existsSync(join(folder, 'ws'))).toBe(false);
  const fault: FaultHook = point => {
    if (point === 'committing') throw new Error('no write any more');
  };
  const actions = { 'books.sum': () => ({ outputs: {} }) };
  const runtime = await Runtime.open({ workspace: join(folder, 'ws'), actions, fault });
  expect(await asked()).toMatch(/execution +allowed\n! .* is held by this process.*as of record 0,/);
  const workflow = readWorkflow(join(folder, 'w.yaml'));
  const execution_id = await runtime.start({ workflow, inputs: { month: 'May' }, agent_id: OWNER });
  await expect(runtime.wait(execution_id, 10_000)).rejects.toMatchObject({ code: 'storage_failed' });
  const before = runtime.state([]).sequence;
  expect(await asked()).toMatch(new RegExp(`as of record ${before},`));
  expect(runtime.state([]).sequence).toBe(before);
  await runtime.close();
  expect(await asked()).toMatch(/! 1 interrupted action will be decided before the start/);
  expect((await ars('audit', 'show', '--incomplete')).split('\n')).toHaveLength(2);
});

it('keeps definitions and the jobs that start them', async () => {
  await expect(ars('job', 'put', 'j.yaml')).rejects.toMatchObject({ code: 'not_found' });
  expect(await ars('registry', 'put', 'w.yaml')).toBe('books.close@1.0.0\n');
  expect(await ars('job', 'put', 'j.yaml')).toContain('next at 2100-01-01T02:00:00.000Z');
  expect(await ars('registry', 'remove', 'books.close@1.0.0')).toContain('is removed');
  expect(await ars('job', 'list')).toBe('nightly  books.close@1.0.0  planner  not active\n');
  expect(await ars('registry', 'list')).toBe('there is no definition\n');
  await expect(ars('registry', 'remove', 'none@1.0.0')).rejects.toMatchObject({ code: 'not_found' });
});

it('keeps names for what is there, and says which refer to what has gone', async () => {
  const entry = (id: string, kind: string, target: string) =>
    `{ entry_id: ${id}, kind: ${kind}, target: "${target}", keywords: [letter] }\n`;
  writeFileSync(
    join(folder, 'i.yaml'),
    [entry('close', 'workflow', 'books.close@1.0.0'), entry('t', 'file', 'a/t.txt')].join('---\n'),
  );
  expect(await ars('index', 'list')).toBe('the index has no entry\n');
  expect(existsSync(join(folder, 'ws'))).toBe(false);
  await ars('registry', 'put', 'w.yaml');
  await expect(ars('index', 'put', 'i.yaml')).rejects.toMatchObject({ code: 'not_found' });
  mkdirSync(join(folder, 'ws', 'a'));
  writeFileSync(join(folder, 'ws', 'a', 't.txt'), '');
  expect(await ars('index', 'put', 'i.yaml')).toBe('close is workflow books.close@1.0.0\nt is file a/t.txt\n');
  const runtime = await Runtime.open({ workspace: join(folder, 'ws') });
  expect(await ars('index', 'check')).toBe('ok: 2 entries, what they refer to is there\n');
  rmSync(join(folder, 'ws', 'a', 't.txt'));
  expect(await ars('index', 'list', '--keyword', 'letter', '--kind', 'file')).toBe('t  file  a/t.txt  stale  letter\n');
  expect(JSON.parse(await ars('index', 'show', 't'))).toMatchObject({ entry_id: 't', stale: true });
  await runtime.close();
  expect([await ars('index', 'check'), status]).toEqual(['stale    t: there is no file "a/t.txt" any more\n', 1]);
  const told = JSON.parse(await ars('index', 'check', '--format', 'json'));
  expect(told).toMatchObject({ ok: false, entries: 2, stale: [{ entry_id: 't' }], damaged: [] });
  const db = openDatabase(storePaths(join(folder, 'ws')).database);
  db.exec(`UPDATE documents SET value = '{}' WHERE id = '"close"'`);
  db.close();
  expect(await ars('index', 'check')).toMatch(/^stale .*\ndamaged {2}close: /);
  expect(await ars('index', 'list', '--stale')).toMatch(/"close" is damaged.*\nt {2}file/);
  await expect(ars('index', 'show', 'none')).rejects.toMatchObject({ code: 'not_found' });
});

it('names the place of what does not fit, and refuses what the agent may not do', async () => {
  writeFileSync(join(folder, 'bad.yaml'), 'policy_id: p\nversion: 1.0.0\nlevel: 7\neffect: deny\n');
  await expect(ars('policy', 'put', 'bad.yaml')).rejects.toMatchObject({
    code: 'invalid_document',
    details: { line: 3, column: 8 },
  });
  await expect(ars('policy', 'off', 'p@1.0.0')).rejects.toMatchObject({ code: 'not_found' });
  await expect(ars('policy', 'put', 'p.yaml', '--by', 'nobody')).rejects.toMatchObject({ code: 'denied' });
});

it.each([
  ['runs'],
  ['recover'],
  ['audit', 'show'],
  ['snapshot'],
  ['job', 'list'],
  ['check', 'w.yaml'],
  ['agent', 'register', 'x'],
])('%s %s takes no file and no empty name for a workspace', async (...words) => {
  writeFileSync(join(folder, 'ws'), '');
  await expect(ars(...words)).rejects.toMatchObject({ code: 'workspace_foreign' });
  await expect(arsOrThrow(...words, '--workspace', '')).rejects.toMatchObject({ code: 'usage' });
  await expect(Runtime.open({ workspace: '' })).rejects.toMatchObject({ code: 'usage' });
});

it.each([
  ['{garbage', /"\S+workspace\.json" is not JSON; restore it .* ars audit reads the log all the same\n$/],
  ['{}', /"\S+workspace\.json" is no workspace manifest .*; restore it .*\n$/],
])('refuses the manifest %s by name, with what to do, and reads the log of the workspace still', async (text, told) => {
  const workspace = join(folder, 'ws');
  await ars('agent', 'register', 'ada');
  writeFileSync(join(workspace, 'workspace.json'), text);
  for (const words of [['runs'], ['show', 'x'], ['snapshot', '--list'], ['recover'], ['agent', 'register', 'eve']]) {
    const { status, stderr } = await run(...words, '--workspace', workspace);
    expect([words[0], status, stderr]).toEqual([words[0], 2, expect.stringMatching(told)]);
  }
  expect((await run('audit', 'verify', '--workspace', workspace)).status).toBe(0);
});

it('refuses a folder in the place of the database by name, and not by what it tried with it', async () => {
  const { database } = storePaths(join(folder, 'ws'));
  mkdirSync(database, { recursive: true });
  for (const words of [['runs'], ['recover'], ['run', join(folder, 'w.yaml'), '--input', 'month=May']]) {
    const { status, stderr } = await run(...words, '--workspace', join(folder, 'ws'));
    expect([status, stderr]).toEqual([
      2,
      `error [workspace_foreign] "${database}" is no file; move it away or restore the database\n`,
    ]);
  }
});

it('says in the same words of every command that there is no workspace yet', async () => {
  for (const words of [
    ['runs'],
    ['show', 'x'],
    ['recover'],
    ['run', '--resume'],
    ['resolve', 'x', '--absent'],
    ['job', 'run'],
  ]) {
    const { status, stderr } = await run(...words, '--workspace', join(folder, 'none'));
    expect([words[0], status, stderr]).toEqual([
      words[0],
      2,
      expect.stringMatching(/^error \[not_found\] "\S+none" is no workspace yet, so .*; run a workflow in it first\n$/),
    ]);
  }
});

it('says what to do where the system refuses', async () => {
  await ars('registry', 'put', 'w.yaml');
  writeFileSync(join(folder, 'ws', 'infrastructure', 'audit'), '');
  const ended = await run('audit', 'export', '--workspace', join(folder, 'ws'));
  expect([ended.status, ended.stderr]).toEqual([
    1,
    expect.stringMatching(
      /\[storage_failed\] cannot \w[\w ]* ".*": a part of the path is a file .*; move it away, .* \(ENOTDIR\)\n$/,
    ),
  ]);
});

it('says at the command line what to type, below the error, and once', async () => {
  writeFileSync(join(folder, 'now.yaml'), JOB.replace('every_ms: 86400000, from: "2100', 'at: "2100'));
  const unknown = await run('job', 'put', join(folder, 'now.yaml'), '--workspace', join(folder, 'ws'));
  expect(unknown.stderr).toMatch(
    /^error \[not_found\] .*"books.close@1.0.0".* ars registry put FILE --workspace \S+\n$/,
  );
  writeFileSync(join(folder, 'actions.mjs'), "export default { 'books.sum': () => ({ outputs: {} }) };\n");
  const started = ['run', join(folder, 'w.yaml'), '--agent', 'planner', '--input', 'month=May'];
  const { stderr } = await run(...started, '--workspace', join(folder, 'ws'));
  expect(stderr.split('\n').map(line => line.split(' ')[0])).toEqual(['error', 'to', 'to', '']);
  writeFileSync(join(folder, 'w.yaml'), WORKFLOW.replace('type: string }', 'type: string }, required: true'));
  const unfit = await run('run', join(folder, 'w.yaml'), '--workspace', join(folder, 'ws'));
  expect(unfit.stderr).toMatch(/^error \[denied\] .*\n.*--input NAME=VALUE.*\n$/);
});

it('tells every defect of a job, with the form that is wanted and where one is shown', async () => {
  writeFileSync(join(folder, 'bad.yaml'), 'job_id: n\nagent_id: planner\nat: "2100-01-01T02:00:00Z"\n');
  const { stderr, status } = await run('job', 'put', join(folder, 'bad.yaml'), '--workspace', join(folder, 'ws'));
  expect(status).toBe(2);
  expect(stderr).toMatch(/^error \[invalid_document\] .*bad\.yaml:1:1: not a valid scheduled job: .*"workflow_id"/);
  expect(stderr).toMatch(/bad\.yaml:3:\d+: "at" must be a timestamp, .* For example "\d.*\.\d{3}Z"\.\n/);
  expect(stderr).toMatch(/ars job put --help shows one\n$/);
});

it('tells a job that has no code so, by the option that names it, and not at every due time', async () => {
  const told = new Map<string, string>();
  const error = noCode('The workflow', ['books.sum@1.0.0']);
  const printed: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation(text => printed.push(String(text)) > 0);
  for (const due of ['d1', 'd2']) tellStart({ job_id: 'nightly', due, error }, told);
  write.mockRestore();
  expect(printed).toEqual([
    'error d1 nightly: [not_found] there is no code for "books.sum@1.0.0"; name the module that has it with --actions FILE\n',
    'error d2 nightly: the same again\n',
  ]);
});

it.each([
  ['job', 'run'],
  ['registry', 'remove', 'a@1.0.0'],
  ['index', 'check'],
])('%s %s makes no workspace where there is none', async (...words) => {
  await expect(ars(...words)).rejects.toMatchObject({ code: 'not_found' });
  expect(existsSync(join(folder, 'ws'))).toBe(false);
});

it('says what a start would meet by the permission that is stored, not by the one it would have been given', async () => {
  const runtime = await Runtime.open({ workspace: join(folder, 'ws') });
  const scope = 'letters.*';
  await runtime.grant({ ...CLI_PERMISSION, scope });
  await runtime.close();
  expect(await ars('check', 'w.yaml', '--input', 'month=May')).toMatch(/governance +denied/);
  expect(status).toBe(1);
  expect(await ars('permission', 'list')).toContain(scope);
});
