import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../../schemas/types.js';

const root = resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'ars-resolve-'));
const file = join(folder, 'pay.yaml');

const WORKFLOW = `schema_version: "1.0"
workflow: { name: pay, version: 1.0.0 }
outputs: { id: "\${nodes.pay.outputs.id}" }
actions:
  - { action_id: pay, version: 1.0.0, determinism: deterministic, rollback: irreversible, side_effects: [external_service], modifies_existing: true, output_schema: { type: object, required: [id] } }
nodes:
  - { node_id: pay, type: action, action_def: pay@^1, irreversible: acknowledged }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: pay, to_node: done, label: success }
`;

function ars(workspace: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const main = join(root, 'dist/implementations/typescript/cli/main.js');
  return spawnSync(process.execPath, [main, ...args, '--workspace', join(folder, workspace)], { encoding: 'utf8' });
}

/** Runs the workflow into doubt and gives the execution that is in doubt. */
function doubt(workspace: string): AuditRecord {
  expect(ars(workspace, 'run', file, '--confirm=yes').status).toBe(1);
  const { stdout } = ars(workspace, 'audit', 'show', '--incomplete', '--format', 'jsonl');
  return JSON.parse(stdout) as AuditRecord;
}

beforeAll(() => {
  writeFileSync(file, WORKFLOW);
  writeFileSync(join(folder, 'actions.mjs'), "export const pay = () => { throw new Error('lost after sending'); };\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('ars resolve', () => {
  it('takes the word that it was applied, and finishes the instance', () => {
    const record = doubt('applied');
    expect(record).toMatchObject({ status: 'in_doubt', error_class: 'E0', error_detail: 'lost after sending' });
    const resolved = ars('applied', 'resolve', record.execution_id, '--applied', '--outputs', '{"id":7}');
    expect(resolved).toMatchObject({ status: 0, stdout: '{\n  "id": 7\n}\n' });
    expect(ars('applied', 'resolve', record.execution_id, '--absent').stderr).toContain('[illegal_state]');
    expect(ars('applied', 'audit', 'verify').status).toBe(0);
  });

  it('takes the word that it was not, and the instance fails without another invocation', () => {
    const { execution_id } = doubt('absent');
    expect(ars('absent', 'resolve', execution_id, '--absent').status).toBe(1);
    const { stdout } = ars('absent', 'audit', 'show', '--type', 'action', '--format', 'jsonl');
    const statuses = stdout
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line) as AuditRecord).status);
    expect(statuses).toEqual(['pending', 'in_doubt', 'failed']);
  });

  it('refuses what says nothing, or what the contract refuses, and leaves the doubt', () => {
    const { execution_id } = doubt('refused');
    expect(ars('refused', 'resolve', execution_id).status).toBe(2);
    expect(ars('refused', 'resolve', execution_id, '--applied', '--absent').status).toBe(2);
    expect(ars('refused', 'resolve', execution_id, '--absent', '--outputs', '{}').status).toBe(2);
    expect(ars('refused', 'resolve', execution_id, '--applied', '--outputs', '[]').status).toBe(2);
    expect(ars('refused', 'resolve', execution_id, '--applied').stderr).toContain('[invalid_document]');
    expect(ars('refused', 'resolve', 'another', '--absent').status).toBe(2);
    expect(ars('refused', 'audit', 'show', '--incomplete').stdout).toContain('in_doubt');
  });
});
