import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Workflow } from '../../../schemas/types.js';
import { recordsOf } from '../opened.fixture.js';
import { Runtime } from '../runtime.js';
import { storePaths } from '../store/paths.js';
import { ars } from './ars.fixture.js';
import { CLI_AGENT, registerCli } from './consent.js';
import { readWithHolding } from './liveliness.js';

const wait = { action_id: 'wait', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable' } as const;
const workflow: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'long', version: '1.0.0' },
  actions: [{ ...wait, side_effects: [] }],
  nodes: [
    { node_id: 'wait', type: 'action', action_def: 'wait@1' },
    { node_id: 'done', type: 'terminal', status: 'completed' },
  ],
  edges: [{ from_node: 'wait', to_node: 'done', label: 'success' }],
};

const folder = mkdtempSync(join(tmpdir(), 'ars-liveliness-'));
const live = join(folder, 'live');
const dead = join(folder, 'dead');
let runtime: Runtime;
let id: string;

beforeAll(async () => {
  runtime = await Runtime.open({ workspace: live, actions: { wait: () => new Promise<never>(() => undefined) } });
  await registerCli(runtime);
  id = await runtime.start({ workflow, inputs: {}, agent_id: CLI_AGENT });
  while ([...runtime.records({ parent_execution_id: id })].length === 0) await runtime.wait(id, 1);
  // What a process that was killed leaves: its files, and a name that a later process has got.
  const { lock } = storePaths(live);
  cpSync(live, dead, { recursive: true, filter: path => !path.startsWith(lock) });
  writeFileSync(storePaths(dead).lock, '');
});
afterAll(async () => {
  await runtime.close();
  rmSync(folder, { recursive: true, force: true });
});

const listed = async (workspace: string, ...args: string[]) =>
  JSON.parse((await ars('runs', ...args, '--format', 'json', '--workspace', workspace)).stdout) as object[];

describe('a run that has not ended', () => {
  it('is running where a process holds the workspace, which is named', async () => {
    const { stdout, stderr } = await ars('runs', '--workspace', live);
    expect([stdout, stderr]).toEqual([expect.stringMatching(/ {2}running {6}/), '']);
    const open = { execution_id: id, status: 'open', interrupted: false, process: { pid: process.pid } };
    expect(await listed(live)).toMatchObject([open]);
    const shown = await ars('show', id, '--workspace', live);
    expect(shown.stdout).toContain(`${id}  running  in the process ${process.pid}\n`);
    expect(shown.stdout).not.toContain('interrupted');
  });

  it('is interrupted where none does any more, whatever the one that died left, with what to do', async () => {
    const { stdout, stderr } = await ars('runs', '--workspace', dead);
    expect(stdout).toContain('  interrupted  ');
    expect(stderr).toMatch(/^! 1 run is interrupted: .* finish it with: ars run --resume --workspace \S+dead\n$/);
    const [run] = await listed(dead);
    expect(run).toMatchObject({ status: 'open', interrupted: true });
    expect(run).not.toHaveProperty('process');
    const shown = await ars('show', id, '--workspace', dead);
    expect(shown.stdout).toContain(`${id}  interrupted\n`);
    expect(shown.stdout).toMatch(new RegExp(`^! interrupted: .*: ars run --resume ${id} --workspace \\S+dead$`, 'm'));
    const told = JSON.parse((await ars('show', id, '--workspace', dead, '--format', 'json')).stdout);
    expect(told).toMatchObject({ status: 'open', interrupted: true, nodes: [{ node_id: 'wait' }] });
  });

  it('is found by either word, and by that for both', async () => {
    const count = async (workspace: string) =>
      Promise.all(['running', 'interrupted', 'open'].map(async s => (await listed(workspace, '--status', s)).length));
    expect(await count(live)).toEqual([1, 0, 1]);
    expect(await count(dead)).toEqual([0, 1, 1]);
  });

  it('stays interrupted where a command names an id that nothing has', async () => {
    const code = join(folder, 'actions.mjs');
    writeFileSync(code, 'export const wait = () => ({ outputs: {} });');
    const before = recordsOf(dead).length;
    for (const none of ['', 'zzz', 'é'])
      for (const command of [
        ['run', '--resume', none],
        ['resolve', none, '--absent'],
        ['rollback', none, '--evidence', 'so'],
      ]) {
        const { status, stderr } = await ars(...command, '--actions', code, '--workspace', dead);
        expect([status, stderr]).toEqual([2, expect.stringContaining('[not_found]')]);
      }
    expect(recordsOf(dead)).toHaveLength(before);
  });
});

it('reads anew while nobody holds the workspace and it is written to all the same', () => {
  const heads = [1, 2, 2, 2];
  let reads = 0;
  const reader = { head: () => ({ sequence: heads.shift() ?? 0, hash: '' }) };
  const { found, holding } = readWithHolding(reader, join(folder, 'none'), () => ++reads);
  expect([found, holding]).toEqual([2, { held: false }]);
});
