import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const main = resolve(import.meta.dirname, '../../../dist/implementations/typescript/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'ars-code-end-'));
const WORKFLOW = `schema_version: "1.0"
workflow: { name: ends, version: 1.0.0 }
actions:
  - { action_id: step, version: 1.0.0, determinism: deterministic, rollback: rollbackable, side_effects: [], idempotent: true }
nodes:
  - { node_id: one, type: action, action_def: step@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: one, to_node: done, label: success }
`;

beforeAll(() => writeFileSync(join(folder, 'workflow.yaml'), WORKFLOW));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the workflow with a module of this text; `shell` is what a shell does with the command "$@". */
function run(workspace: string, code: string, shell = '"$@"', ...args: string[]) {
  writeFileSync(join(folder, 'actions.mjs'), code);
  const words = args.length > 0 ? args : ['run', 'workflow.yaml'];
  const call = ['-c', shell, 'sh', process.execPath, main, ...words, '--workspace', workspace];
  return spawnSync('sh', call, { cwd: folder, encoding: 'utf8' });
}

describe('code of actions that ends the process', () => {
  it.each([
    ['in a call', 'export const step = () => process.exit();', 'process.exit(0), at actions.mjs:1:35'],
    [
      'later',
      'export const step = () => new Promise(() => setTimeout(() => process.exit(3), 10));',
      'process.exit(3), at ',
    ],
  ])('%s is told, with where it did and how to go on', (name, code, told) => {
    const { status, stderr } = run(name, code);
    expect(status).toBe(1);
    expect(stderr).toContain(`the code of the actions ended the process with ${told}`);
    expect(stderr).toContain('\nnothing that was recorded is lost; ');
    expect(stderr).toMatch(/\nfinish what is interrupted with: ars run --resume --workspace /);
    const good = 'export const step = () => ({ outputs: {} });';
    expect(run(name, good, undefined, 'run', '--resume')).toMatchObject({ status: 0 });
  });

  it('while its module loads is told as of the module', () => {
    const { status, stderr } = run('loading', 'process.exit();');
    expect(stderr).toMatch(
      /\[usage\] the actions in "\S+" do not load: they end the process with process\.exit\(0\), at /,
    );
    expect(status).toBe(2);
  });

  it('is not said of a run that ends by itself, or by a failure', () => {
    const code = 'export const step = () => { process.exitCode = 7; return { outputs: {} }; };';
    expect(run('itself', code)).toMatchObject({ status: 0, stderr: expect.not.stringContaining('process.exit') });
    const failing = 'export const step = () => { throw new Error("no"); };';
    expect(run('fails', failing)).toMatchObject({ status: 1, stderr: expect.not.stringContaining('process.exit') });
  });
});

describe('code of actions that prints where nobody reads', () => {
  const CHATTY = `export const step = async () => {
  for (let at = 0; at < 5; at++) {
    console.log('line');
    await new Promise(done => setTimeout(done, 20));
  }
  return { outputs: {} };
};`;

  it('does not interrupt the run', () => {
    const { stderr } = run('closed', CHATTY, '{ "$@"; echo "status $?" >&2; } | true');
    expect(stderr).toMatch(/\ncompleted \S+\nstatus 0\n$/);
  });

  it.runIf(process.platform === 'linux')('does not interrupt it on a full disk, which is told at the end', () => {
    const { status, stderr } = run('full', CHATTY, '"$@" >/dev/full');
    expect(stderr).toMatch(/\ncompleted \S+\nerror \[storage_failed\] [^\n]+ENOSPC\)\n$/);
    expect(status).toBe(1);
  });
});
