import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ars } from './ars.fixture.js';

const root = resolve(import.meta.dirname, '../../..');
const main = join(root, 'dist/implementations/typescript/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'ars-run-'));

function workflow(name: string): string {
  return `schema_version: "1.0"
workflow: { name: ${name}, version: 1.0.0 }
outputs: { who: "\${nodes.two.outputs.who}" }
actions:
  - { action_id: step, version: 1.0.0, determinism: deterministic, rollback: rollbackable, side_effects: [], idempotent: true }
nodes:
  - { node_id: one, type: action, action_def: step@^1 }
  - { node_id: two, type: action, action_def: step@^1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: one, to_node: two, label: success }
  - { from_node: two, to_node: done, label: success }
`;
}

/** A workflow whose action recovery undoes, so that the instance ends. */
const UNDONE = `schema_version: "1.0"
workflow: { name: undone, version: 1.0.0 }
actions:
  - { action_id: risky, version: 1.0.0, determinism: non_deterministic, rollback: rollbackable, side_effects: [filesystem], revert: undo@^1 }
  - { action_id: undo, version: 1.0.0, determinism: deterministic, rollback: rollbackable, side_effects: [], idempotent: true }
nodes:
  - { node_id: risky, type: action, action_def: risky@^1 }
  - { node_id: stop, type: error, handling: fail }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: risky, to_node: done, label: success }
  - { from_node: risky, to_node: stop, label: failure }
`;

/** Code that answers slowly, with a name of its own. */
function code(who: string): string {
  return `export const step = () => new Promise(done => setTimeout(done, 300, { outputs: { who: '${who}' } }));\n`;
}

/** Runs a command in a process of its own. */
function spawned(workspace: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [main, ...args, '--workspace', join(folder, workspace)], { encoding: 'utf8' });
}

/** Starts the workflow of a folder, sends it a signal once its first step is committed, and gives how it ended. */
async function stopped(
  workspace: string,
  name: string,
  signal: NodeJS.Signals,
): Promise<{ code: number | null; by: NodeJS.Signals | null; stderr: string }> {
  const args = [main, 'run', join(folder, name, 'workflow.yaml'), '--workspace', join(folder, workspace)];
  const run = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  run.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (!stderr.includes('✓') && (stderr + text).includes('✓')) run.kill(signal);
    stderr += text;
  });
  const [code, by] = (await once(run, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, by, stderr };
}

beforeAll(() => {
  for (const name of ['a', 'b']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'workflow.yaml'), workflow(name));
    writeFileSync(join(folder, name, 'actions.mjs'), code(name));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('ars run', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('stops at %s, says how to finish, and is finished', async signal => {
    const { code: exit, stderr } = await stopped(signal, 'a', signal);
    expect(exit).toBe(128 + constants.signals[signal]);
    expect(stderr).toMatch(/ars run --resume --workspace \S+\n/);
    const resumed = spawned(signal, 'run', '--resume');
    expect(resumed).toMatchObject({ status: 0, stdout: '{\n  "who": "a"\n}\n' });
    expect(spawned(signal, 'audit', 'verify').status).toBe(0);
  });

  it('records what is in flight at SIGHUP, and dies of that, so that it needs no terminal any more', async () => {
    const { by, stderr } = await stopped('SIGHUP', 'a', 'SIGHUP');
    expect(by).toBe('SIGHUP');
    expect(stderr).toMatch(/ars run --resume --workspace \S+\n✓ two /);
  });

  it('never lets an interrupted run go on with the code of another', async () => {
    await stopped('shared', 'a', 'SIGKILL');
    const refused = spawned('shared', 'run', join(folder, 'b', 'workflow.yaml'));
    expect(refused.stderr).toContain('[conflict]');
    expect(refused.stderr).not.toContain('--actions');
    expect(spawned('shared', 'run', '--resume')).toMatchObject({ status: 0, stdout: '{\n  "who": "a"\n}\n' });
    expect(spawned('shared', 'run', join(folder, 'b', 'workflow.yaml'))).toMatchObject({
      status: 0,
      stdout: '{\n  "who": "b"\n}\n',
    });
  });
});

describe('ars run --resume', () => {
  it('tells how an instance ended that recovery has ended, and beside a new one whose steps those are', () => {
    const own = join(folder, 'undone');
    mkdirSync(own);
    writeFileSync(join(own, 'undone.yaml'), UNDONE);
    writeFileSync(join(own, 'workflow.yaml'), workflow('undone-too'));
    const step = 'export const step = () => ({ outputs: { who: "it" } });';
    const risky = 'export const risky = () => process.kill(process.pid, "SIGKILL");';
    writeFileSync(join(own, 'actions.mjs'), `${step}\n${risky}\nexport const undo = () => ({ outputs: {} });\n`);
    for (const [again, status, told] of [
      ['--resume', 1, /^✗ risky.*\n(↻.*\n✓.*\n)?failed /],
      [join(own, 'workflow.yaml'), 0, /^! interrupted before, and decided first: undone@1.0.0 \S+\n✗ risky/],
    ] as const) {
      const run = (...args: string[]) => spawned(`undone-${status}`, 'run', ...args);
      expect(run(join(own, 'undone.yaml'))).toMatchObject({ status: null });
      const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(spawned(`undone-${status}`, 'runs').stdout)?.[0] as string;
      const ended = run(again, ...(again === '--resume' ? [id] : []));
      expect(ended).toMatchObject({ status, stderr: expect.stringMatching(told) });
    }
  });

  it('tells what recovery decided, and how long what it did again took', () => {
    const own = join(folder, 'own');
    mkdirSync(own);
    writeFileSync(join(own, 'workflow.yaml'), workflow('own'));
    writeFileSync(
      join(own, 'actions.mjs'),
      `import { existsSync, writeFileSync } from 'node:fs';
let calls = 0;
export const step = () => {
  if (++calls === 2 && !existsSync('${join(own, 'killed')}')) {
    writeFileSync('${join(own, 'killed')}', '');
    process.kill(process.pid, 'SIGKILL');
  }
  return { outputs: { who: 'own' } };
};
`,
    );
    expect(spawned('own-workspace', 'run', join(own, 'workflow.yaml'))).toMatchObject({ status: null, stdout: '' });
    const { status, stderr } = spawned('own-workspace', 'run', '--resume');
    expect(status).toBe(0);
    expect(stderr).toMatch(/^↻ two redo after \w+\n✓ two \d+ ms\ncompleted /);
  });
});

describe('the end of ars run', () => {
  it('names the terminal that ended a failed run', async () => {
    const file = join(folder, 'a', 'rejected.yaml');
    writeFileSync(
      file,
      workflow('rejected')
        .replace('node_id: done', 'node_id: rejected')
        .replace('to_node: done', 'to_node: rejected')
        .replace('status: completed', 'status: failed'),
    );
    const { status, stderr } = await ars('run', file, '--workspace', join(folder, 'rejected'));
    expect(status).toBe(1);
    expect(stderr).toMatch(/\nfailed [-0-9a-f]{36}: ended at terminal "rejected"\n$/);
  });
});

describe('a failed ars run', () => {
  it('offers to run it on, but not where something in it was undone', async () => {
    const own = join(folder, 'failing');
    mkdirSync(own);
    const contract = 'version: 1.0.0, determinism: deterministic, side_effects: [filesystem]';
    const text = `schema_version: "1.0"
workflow: { name: failing, version: 1.0.0 }
actions:
  - { action_id: put, ${contract}, rollback: rollbackable, revert: unput@1 }
  - { action_id: unput, ${contract}, rollback: rollbackable, revert: unput@1 }
nodes:
  - { node_id: put, type: action, action_def: put@1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: put, to_node: done, label: success }
`;
    writeFileSync(join(own, 'failing.yaml'), text);
    writeFileSync(
      join(own, 'actions.mjs'),
      `export const put = () => ({ error: { error_class: 'E4', detail: 'no', effect: globalThis.effectOfPut } });
export const unput = () => ({ outputs: {} });
`,
    );
    const ended = async (effect: string) => {
      Reflect.set(globalThis, 'effectOfPut', effect);
      return (await ars('run', join(own, 'failing.yaml'), '--workspace', join(folder, `failing-${effect}`))).stderr;
    };
    expect(await ended('none')).toContain('ars run --resume');
    const undone = await ended('unknown');
    expect(undone).not.toContain('ars run --resume');
    expect(undone).toMatch(/^✗ put E4: no \d+ ms\n↻ put roll_back after unknown\n✓ put revert \d+ ms\nfailed /);
  });
});

describe('ars audit', () => {
  it('refuses what can match nothing', async () => {
    for (const args of [
      ['show', '--status', 'bogus'],
      ['show', '--type', 'bogus'],
      ['verify', '--head', 'sha256:12'],
    ])
      expect((await ars('audit', ...args, '--workspace', join(folder, 'shared'))).status).toBe(2);
  });
});
