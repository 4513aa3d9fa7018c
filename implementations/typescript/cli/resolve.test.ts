import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../../schemas/types.js';
import type { FaultHook } from '../execution/host.js';
import { OWNER, Runtime } from '../runtime.js';
import { readWorkflow } from '../workflow-file.js';
import { ars as run } from './ars.fixture.js';
import { CLI_AGENT, registerCli } from './consent.js';

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

const ars = (workspace: string, ...args: string[]) => run(...args, '--workspace', join(folder, workspace));

/** Runs the workflow into doubt and gives the execution that is in doubt. */
async function doubt(workspace: string): Promise<AuditRecord> {
  expect((await ars(workspace, 'run', file, '--confirm=yes')).status).toBe(1);
  const { stdout } = await ars(workspace, 'audit', 'show', '--incomplete', '--format', 'jsonl');
  return JSON.parse(stdout) as AuditRecord;
}

beforeAll(() => {
  writeFileSync(file, WORKFLOW);
  writeFileSync(join(folder, 'actions.mjs'), "export const pay = () => { throw new Error('lost after sending'); };\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('ars run into doubt', () => {
  it('gives the whole command, as does the refusal of the instance in place of what is in doubt', async () => {
    const ended = await ars('meant', 'run', file, '--confirm=yes');
    const { stdout } = await ars('meant', 'audit', 'show', '--incomplete', '--format', 'jsonl');
    const record = JSON.parse(stdout) as AuditRecord;
    const command = `ars resolve ${record.execution_id} --workspace ${join(folder, 'meant')} --applied or --absent\n`;
    expect(ended.stderr).toContain(command);
    const refused = await ars('meant', 'resolve', record.context_id, '--applied');
    expect(refused.stderr).toContain('[illegal_state]');
    expect(refused.stderr).toContain(command);
    expect((await ars('meant', 'recover')).stdout).toContain(command);
  });
});

describe('ars recover --dry-run', () => {
  it('counts what would be left in doubt as that, and not as decided', async () => {
    const fault: FaultHook = point => {
      if (point === 'committing') throw new Error('no write any more');
    };
    const actions = { pay: () => ({ outputs: { id: 7 } }) };
    const runtime = await Runtime.open({ workspace: join(folder, 'cut'), actions, fault });
    const wanted = { workflow: readWorkflow(file), inputs: {}, agent_id: CLI_AGENT };
    await registerCli(runtime);
    const { dry_run: risk } = await runtime.start({ ...wanted, dry_run: true });
    const { resolved_digest, inputs_digest } = risk;
    const asked = { resolved_digest, inputs_digest, agent_id: CLI_AGENT, approver: OWNER };
    const confirmation_id = await runtime.approve({ ...asked, expires_at: '2100-01-01T00:00:00.000Z' });
    const id = await runtime.start({ ...wanted, confirmation_id });
    await expect(runtime.wait(id, 60_000)).rejects.toMatchObject({ code: 'storage_failed' });
    await runtime.close();
    const { stdout } = await ars('cut', 'recover', '--dry-run', '--actions', join(folder, 'actions.mjs'));
    expect(stdout).toMatch(/^recovery FAILED: 0 decided, 1 in doubt\n.* → in_doubt\n$/);
  });
});

describe('ars resolve', () => {
  it('takes the word that it was applied, and finishes the instance', async () => {
    const record = await doubt('applied');
    expect(record).toMatchObject({ status: 'in_doubt', error_class: 'E0', error_detail: 'lost after sending' });
    const resolved = await ars('applied', 'resolve', record.execution_id, '--applied', '--outputs', '{"id":7}');
    expect(resolved).toMatchObject({ status: 0, stdout: '{\n  "id": 7\n}\n' });
    expect((await ars('applied', 'resolve', record.execution_id, '--absent')).stderr).toContain('[illegal_state]');
    expect((await ars('applied', 'audit', 'verify')).status).toBe(0);
  });

  it('takes the word that it was not, and the instance fails without another invocation', async () => {
    const { execution_id } = await doubt('absent');
    expect((await ars('absent', 'resolve', execution_id, '--absent')).status).toBe(1);
    const { stdout } = await ars('absent', 'audit', 'show', '--type', 'action', '--format', 'jsonl');
    const statuses = stdout
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line) as AuditRecord).status);
    expect(statuses).toEqual(['pending', 'in_doubt', 'failed']);
  });

  it('refuses what says nothing, or what the contract refuses, and leaves the doubt', async () => {
    const { execution_id } = await doubt('refused');
    expect((await ars('refused', 'resolve', execution_id)).status).toBe(2);
    expect((await ars('refused', 'resolve', execution_id, '--applied', '--absent')).status).toBe(2);
    expect((await ars('refused', 'resolve', execution_id, '--absent', '--outputs', '{}')).status).toBe(2);
    expect((await ars('refused', 'resolve', execution_id, '--applied', '--outputs', '[]')).status).toBe(2);
    expect((await ars('refused', 'resolve', execution_id, '--applied')).stderr).toContain('[invalid_document]');
    expect((await ars('refused', 'resolve', 'another', '--absent')).status).toBe(2);
    expect((await ars('refused', 'audit', 'show', '--incomplete')).stdout).toContain('in_doubt');
  });
});
