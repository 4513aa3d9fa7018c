import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { State, Workflow } from '../../../schemas/types.js';
import { verifyText } from '../audit/interchange.js';
import { OWNER, Runtime } from '../runtime.js';
import { arsOrThrow as ars } from './ars.fixture.js';

const folder = mkdtempSync(join(tmpdir(), 'ars-import-'));
const at = (name: string) => join(folder, name);
const workflow: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'keep', version: '1.0.0' },
  inputs: { key: { schema: { type: 'string' } } },
  actions: [
    { action_id: 'put', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable', side_effects: [] },
  ],
  nodes: [
    { node_id: 'save', type: 'action', action_def: 'put@1', input_mapping: { key: '$' + '{inputs.key}' } },
    { node_id: 'done', type: 'terminal', status: 'completed' },
  ],
  edges: [{ from_node: 'save', to_node: 'done', label: 'success' }],
};
const put = ({ inputs }: { inputs: Readonly<Record<string, unknown>> }) => ({
  outputs: {},
  state_changes: [{ key: String(inputs.key), op: 'put' as const, value: 1 }],
});

let log = '';
let state: State;
let open = '';

const exported = async (workspace: string) =>
  (await ars('audit', 'export', '--stdout', '--workspace', workspace)).stdout;

function file(name: string, text: string | Buffer): string {
  writeFileSync(at(name), text);
  return at(name);
}

/** A workspace with a finished instance and one that was interrupted. */
beforeAll(async () => {
  const never = new Promise<never>(() => undefined);
  const hangs = ({ inputs }: { inputs: Readonly<Record<string, unknown>> }) =>
    inputs.key === 'b' ? never : put({ inputs });
  const runtime = await Runtime.open({ workspace: at('a'), actions: { put: hangs } });
  await runtime.wait(await runtime.start({ workflow, inputs: { key: 'a' }, agent_id: OWNER }), 10_000);
  open = await runtime.start({ workflow, inputs: { key: 'b' }, agent_id: OWNER });
  while ([...runtime.records({ parent_execution_id: open })].length === 0) await runtime.wait(open, 1);
  ({ state } = runtime.state());
  await runtime.close();
  log = await exported(at('a'));
  file('log.jsonl', log);
  file('keep.json', JSON.stringify(workflow));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('makes a workspace that has the same log and State, and in which what was interrupted goes on', async () => {
  const { stdout: said } = await ars(
    'audit',
    'import',
    at('log.jsonl'),
    '--workspace',
    at('b'),
    '--definitions',
    at('keep.json'),
  );
  expect(said).toContain(`imported ${log.split('\n').length - 1} records`);
  expect(await exported(at('b'))).toBe(log);
  const runtime = await Runtime.open({ workspace: at('b'), actions: { put } });
  expect(runtime.recovery?.decisions.map(({ decision }) => decision)).toEqual(['redo']);
  expect(await runtime.wait(open, 10_000)).toMatchObject({ status: 'completed' });
  expect(runtime.reconstruct({ sequence: log.split('\n').length - 1 }).state).toEqual(state);
  expect(Object.keys(runtime.state().state)).toEqual(['a', 'b']);
  await runtime.close();
  const longer = await exported(at('b'));
  expect(longer.startsWith(log)).toBe(true);
  expect(verifyText(longer)).toMatchObject({ ok: true });
  // The first workspace is a beginning of that log, so it takes the rest.
  const { stdout: rest } = await ars('audit', 'import', file('longer.jsonl', longer), '--workspace', at('a'));
  expect(rest).toContain(`imported ${longer.split('\n').length - log.split('\n').length} records`);
  expect(await exported(at('a'))).toBe(longer);
});

it('says which instances lack their workflows', async () => {
  const replayed = await ars('replay', '--file', at('log.jsonl'), '--workspace', at('none'));
  expect([replayed.status, replayed.stderr]).toEqual([1, expect.stringContaining('--definitions FILE')]);
  const { stderr: notes } = await ars('audit', 'import', at('log.jsonl'), '--workspace', at('bare'));
  expect(notes).toContain(open);
  const runtime = await Runtime.open({ workspace: at('bare'), actions: { put } });
  expect(runtime.recovery?.level).toBe('DEGRADED');
  await runtime.close();
  const dry = await ars('recover', '--dry-run', '--workspace', at('bare'));
  expect([dry.status, dry.stderr]).toEqual([1, expect.stringContaining('--actions FILE')]);
});

it('says that a folder which holds other files becomes a workspace', async () => {
  mkdirSync(at('other'));
  file(join('other', 'letter.txt'), 'x');
  const { stderr } = await ars('audit', 'import', at('log.jsonl'), '--workspace', at('other'));
  expect(stderr).toContain('holds other files, and becomes a workspace');
});

const lines = () => log.split('\n').slice(0, -1);

it.each([
  ['only without its line feed', () => log.slice(0, -1), 'taken', 0],
  ['in the middle', () => log.slice(0, -40), 'left out', 1],
  ['in the middle of a character', () => Buffer.concat([Buffer.from(log), Buffer.from([0xc3])]), 'left out', 0],
] as const)('heals a last line that is torn %s', async (name, text, note, lost) => {
  const workspace = at(`torn ${name}`);
  const { stdout: said, stderr: notes } = await ars(
    'audit',
    'import',
    file('torn.jsonl', text()),
    '--workspace',
    workspace,
  );
  expect([said, notes]).toEqual([
    expect.stringContaining(`imported ${lines().length - lost} `),
    expect.stringContaining(note),
  ]);
  expect(await exported(workspace)).toBe(
    lines()
      .slice(0, lines().length - lost)
      .map(line => `${line}\n`)
      .join(''),
  );
  const strict = ars('audit', 'import', at('torn.jsonl'), '--strict', '--workspace', at('strict'));
  await expect(strict).rejects.toMatchObject({ code: 'log_corrupt' });
  expect(existsSync(at('strict'))).toBe(false);
});

it.each([
  ['that was changed', () => log.replace('"key":"a"', '"key":"x"'), 'log_corrupt'],
  ['that is torn before its end', () => `${log.slice(0, -40)}\n${lines().at(-1)}\n`, 'log_corrupt'],
  ['that lacks a record', () => log.split('\n').toSpliced(3, 1).join('\n'), 'log_corrupt'],
  [
    'with a stub',
    () => {
      const { sequence, prev_hash, hash } = JSON.parse(lines()[0] ?? '');
      return `${JSON.stringify({ hash, prev_hash, redacted: true, sequence })}\n`;
    },
    'unsupported',
  ],
] as const)('refuses a log %s, and leaves nothing', async (_, text, code) => {
  const importing = ars('audit', 'import', file('bad.jsonl', text()), '--workspace', at('none'));
  await expect(importing).rejects.toMatchObject({ code });
  expect(existsSync(at('none'))).toBe(false);
});

it('reads standard input like a file: a torn end, a place of what is wrong, and once', async () => {
  const given = (text: string) =>
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([...text].map(part => Buffer.from(part))) as never);
  given(log.slice(0, -1));
  const { stdout, stderr } = await ars('audit', 'import', '-', '--workspace', at('piped'));
  expect([stdout, stderr]).toEqual([
    expect.stringContaining(`imported ${lines().length} `),
    expect.stringContaining('taken'),
  ]);
  expect(await exported(at('piped'))).toBe(log);
  given(log.replace('"key":"a"', '"key":"x"'));
  await expect(ars('audit', 'import', '-', '--workspace', at('none'))).rejects.toMatchObject({
    code: 'log_corrupt',
    message: expect.stringMatching(/^<stdin>:([1-9]): record \1: /),
  });
  given('');
  await expect(ars('audit', 'import', '-', '--workspace', at('none'))).rejects.toMatchObject({ code: 'usage' });
  await expect(ars('audit', 'import', '-', '-', '--workspace', at('none'))).rejects.toMatchObject({ code: 'usage' });
  expect(existsSync(at('none'))).toBe(false);
});

it('takes nothing away where it could not open the workspace, which another may have made meanwhile', async () => {
  symlinkSync(at('nowhere'), at('link'));
  const importing = ars('audit', 'import', at('log.jsonl'), '--workspace', at('link'));
  await expect(importing).rejects.toMatchObject({ code: 'storage_failed' });
  expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
});

it.each(['infrastructure', 'infrastructure/store', 'infrastructure/store/ars.db', 'infrastructure/store/lock.json'])(
  'writes nothing where a link leads out of the workspace: %s',
  async path => {
    const [workspace, outside] = [mkdtempSync(at('linked-')), mkdtempSync(at('outside-'))];
    mkdirSync(join(workspace, path, '..'), { recursive: true });
    symlinkSync(path.includes('.') ? join(outside, 'x') : outside, join(workspace, path));
    const importing = ars('audit', 'import', at('log.jsonl'), '--workspace', workspace);
    await expect(importing).rejects.toMatchObject({ code: 'workspace_foreign' });
    await expect(Runtime.open({ workspace })).rejects.toMatchObject({ code: 'workspace_foreign' });
    expect(readdirSync(outside)).toEqual([]);
  },
);

it('imports nothing into a folder that is the workspace of something else', async () => {
  mkdirSync(at('foreign'));
  writeFileSync(join(at('foreign'), 'workspace.json'), '{}');
  const importing = ars('audit', 'import', at('log.jsonl'), '--workspace', at('foreign'));
  await expect(importing).rejects.toMatchObject({ code: 'workspace_foreign' });
  expect(readdirSync(at('foreign'))).toEqual(['workspace.json']);
});

it('refuses a workspace whose log is no beginning of it, and changes nothing there', async () => {
  const runtime = await Runtime.open({ workspace: at('other'), actions: { put } });
  await runtime.wait(await runtime.start({ workflow, inputs: { key: 'a' }, agent_id: OWNER }), 10_000);
  const busy = ars('audit', 'import', at('log.jsonl'), '--workspace', at('other'));
  await expect(busy).rejects.toMatchObject({ code: 'workspace_locked' });
  await runtime.close();
  const before = await exported(at('other'));
  const importing = ars('audit', 'import', at('log.jsonl'), '--workspace', at('other'));
  await expect(importing).rejects.toMatchObject({ code: 'conflict' });
  expect(await exported(at('other'))).toBe(before);
  await ars('audit', 'import', at('log.jsonl'), '--workspace', at('c'));
  const shorter = ars('audit', 'import', file('short.jsonl', `${lines()[0]}\n`), '--workspace', at('c'));
  await expect(shorter).rejects.toMatchObject({ code: 'conflict' });
});
