import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const main = resolve(import.meta.dirname, '../../../dist/implementations/typescript/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'ars-interrupted-'));
const CONTRACT = 'version: 1.0.0, determinism: deterministic, rollback: rollbackable, side_effects: [filesystem]';
const WORKFLOW = `schema_version: "1.0"
workflow: { name: undoable, version: 1.0.0 }
actions:
  - { action_id: put, ${CONTRACT}, idempotent: true, revert: unput@1 }
  - { action_id: unput, ${CONTRACT}, idempotent: true, revert: unput@1 }
nodes:
  - { node_id: put, type: action, action_def: put@1 }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: put, to_node: done, label: success }
`;
const CODE = `export const put = () => ({ outputs: {} });
export const unput = () => {
  if (process.env.KILLED) process.kill(process.pid, process.env.KILLED);
  if (process.env.KILLED) return new Promise(done => setTimeout(done, 10_000, { outputs: {} }));
  return { outputs: {} };
};
`;

function ars(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return spawnSync(process.execPath, [main, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
}

beforeAll(() => {
  writeFileSync(join(folder, 'workflow.yaml'), WORKFLOW);
  writeFileSync(join(folder, 'actions.mjs'), CODE);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(['recover', 'resolve', 'rollback', 'job'] as const)('ars %s remembers the code that it was given', name => {
  writeFileSync(join(folder, `${name}.yaml`), WORKFLOW.replace('name: undoable', `name: ${name}`));
  const at = ['--workspace', `given-${name}`];
  expect(ars(['run', `${name}.yaml`, ...at])).toMatchObject({ status: 0 });
  rmSync(join(folder, `given-${name}`, 'infrastructure', 'cli'), { recursive: true });
  const [record = ''] = ars(['audit', 'show', ...at, '--type', 'action', '--format', 'jsonl']).stdout.split('\n');
  const { execution_id } = JSON.parse(record) as { execution_id: string };
  const words = {
    recover: [],
    resolve: [execution_id, '--absent'],
    rollback: [execution_id, '--evidence', 'x'],
    job: ['run'],
  };
  ars([name, ...words[name], '--actions', 'actions.mjs', ...at]);
  expect(existsSync(join(folder, `given-${name}`, 'infrastructure', 'cli', 'action-modules.json'))).toBe(true);
});

describe('an undo on request that a crash has interrupted', () => {
  let original: string;
  beforeAll(() => {
    expect(ars(['run', 'workflow.yaml', '--workspace', 'killed'])).toMatchObject({ status: 0 });
    const [record = ''] = ars([
      'audit',
      'show',
      '--workspace',
      'killed',
      '--type',
      'action',
      '--format',
      'jsonl',
    ]).stdout.split('\n');
    original = (JSON.parse(record) as { execution_id: string }).execution_id;
    const undo = ['rollback', original, '--evidence', 'x', '--workspace', 'killed'];
    expect(ars(undo, { KILLED: 'SIGKILL' })).toMatchObject({ signal: 'SIGKILL' });
  });

  const copy = (name: string) => cpSync(join(folder, 'killed'), join(folder, name), { recursive: true });
  const inCopy = (name: string, ...args: string[]) => {
    copy(name);
    return ars([...args, '--workspace', name]);
  };

  it('is finished by ars recover, with the code that the workspace remembers', () => {
    const { status, stdout } = inCopy('recovered', 'recover');
    expect(stdout).toMatch(/^recovery COMPLETE: 1 decided/);
    expect(status).toBe(0);
  });

  it('is finished by ars run --resume, which says so', () => {
    const { status, stderr } = inCopy('resumed', 'run', '--resume');
    expect(stderr).toMatch(new RegExp(`\\nrolled_back ${original}, by \\S+\\n$`));
    expect(status).toBe(0);
  });

  it('says how to finish where a signal stops that again', () => {
    copy('stopped');
    const { status, stderr } = ars(['recover', '--workspace', 'stopped'], { KILLED: 'SIGTERM' });
    expect(stderr).toContain(
      'SIGTERM: stopping; finish what is interrupted with: ars run --resume --workspace stopped',
    );
    expect(status).toBe(128 + constants.signals.SIGTERM);
    expect(ars(['run', '--resume', '--workspace', 'stopped'])).toMatchObject({ status: 0 });
  });

  it('stays so where its code is gone, which both say', () => {
    rmSync(join(folder, 'killed', 'infrastructure', 'cli'), { recursive: true });
    for (const [name, ...args] of [
      ['left', 'run', '--resume'],
      ['left-too', 'recover'],
    ] as const) {
      const { status, stderr } = inCopy(name, ...args);
      expect(stderr).toMatch(/stays interrupted.+--actions FILE\n/);
      expect(status).toBe(1);
    }
  });
});
