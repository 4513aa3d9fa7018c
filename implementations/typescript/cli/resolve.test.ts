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

const TOP = `schema_version: "1.0"
workflow: { name: top, version: 1.0.0 }
outputs: { id: "\${nodes.only.outputs.id}" }
nodes:
  - { node_id: only, type: skill, workflow_ref: twice@^1, irreversible: acknowledged }
  - { node_id: done, type: terminal, status: completed }
edges:
  - { from_node: only, to_node: done, label: success }
`;

const TWICE = `schema_version: "1.0"
workflow: { name: twice, version: 1.0.0 }
outputs: { id: "\${nodes.first.outputs.id}" }
actions:
  - { action_id: begin, version: 1.0.0, determinism: deterministic, rollback: rollbackable, side_effects: [] }
nodes:
  - { node_id: begin, type: action, action_def: begin@^1, fan_out: parallel }
  - { node_id: first, type: skill, workflow_ref: pay@^1, irreversible: acknowledged }
  - { node_id: second, type: skill, workflow_ref: pay@^1, irreversible: acknowledged }
  - { node_id: done, type: terminal, status: completed, join_type: AND }
edges:
  - { from_node: begin, to_node: first, label: success }
  - { from_node: begin, to_node: second, label: success }
  - { from_node: first, to_node: done, label: success }
  - { from_node: second, to_node: done, label: success }
`;

/** Both are lost only once both were sent, so that neither keeps the other from starting. */
const PAIR = `let sent = 0;
let bothSent;
const both = new Promise(resolve => { bothSent = resolve; });
export const begin = () => ({ outputs: {} });
export const pay = async () => {
  sent += 1;
  if (sent === 2) bothSent();
  await both;
  throw new Error('lost after sending');
};
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
    const [command, other] = ['--applied', '--absent'].map(
      verdict => `: ars resolve ${record.execution_id} ${verdict} --workspace ${join(folder, 'meant')}\n`,
    ) as [string, string];
    expect(ended.stderr).toContain(command);
    expect(ended.stderr).toContain(other);
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
    expect(stdout).toMatch(/^recovery FAILED: 0 decided, 1 in doubt; what is in doubt .*\n.* → in_doubt\n$/);
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
    const shown = await ars('applied', 'show', record.execution_id);
    expect(shown.stdout).toMatch(
      /^ +E0: lost after sending\n +! was in doubt; owner resolved it as applied {2}\d{4}-\S+Z\n +\{"id":7\}$/m,
    );
    const { nodes } = JSON.parse((await ars('applied', 'show', record.execution_id, '--format', 'json')).stdout);
    const [approval] = (await ars('applied', 'audit', 'show', '--type', 'approval', '--format', 'jsonl')).stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as AuditRecord)
      .filter(({ status }) => status === 'resolved');
    const told = {
      verdict: 'applied',
      approver: OWNER,
      at: approval?.timestamp,
      approval_id: approval?.execution_id,
    };
    expect(nodes[0].executions[0]).toMatchObject({ status: 'committed', resolved: told });
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

  it('finds what is in doubt below a skill of a skill, and finishes the whole instance once nothing is in doubt', async () => {
    const texts = { 'top.yaml': TOP, 'twice.yaml': TWICE, 'pair.mjs': PAIR };
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    const files = ['top.yaml', 'twice.yaml', 'pay.yaml'].map(name => join(folder, name));
    const code = ['--actions', join(folder, 'pair.mjs')];
    expect((await ars('deep', 'run', ...files, ...code, '--confirm=yes')).status).toBe(1);
    const shown = await ars('deep', 'audit', 'show', '--incomplete', '--format', 'jsonl');
    const [one, other, ...more] = shown.stdout.trim().split('\n');
    const [first, second] = [one, other].map(line => JSON.parse(line ?? '{}') as AuditRecord);
    expect(more).toEqual([]);
    const listed = await ars('deep', 'runs', '--children', '--format', 'json');
    const instances = JSON.parse(listed.stdout) as { workflow_id: string; execution_id: string; status: string }[];
    expect(instances.map(({ status }) => status)).toEqual(Array(4).fill('in_doubt'));
    const root = await ars('deep', 'show', first?.context_id ?? '');
    for (const doubted of [first, second]) expect(root.stdout).toContain(`ars resolve ${doubted?.execution_id} `);
    const middle = instances.find(({ workflow_id }) => workflow_id === 'twice@1.0.0');
    const refused = await ars('deep', 'resolve', middle?.execution_id ?? '', '--absent');
    for (const doubted of [first, second]) expect(refused.stderr).toContain(`ars resolve ${doubted?.execution_id} `);
    const word = ['--applied', '--outputs', '{"id":7}'];
    const half = await ars('deep', 'resolve', first?.execution_id ?? '', ...word);
    expect(half).toMatchObject({ status: 1, stdout: '' });
    expect(half.stderr).toContain(`ars resolve ${second?.execution_id} `);
    expect(half.stderr).not.toContain(`ars resolve ${first?.execution_id} `);
    const whole = await ars('deep', 'resolve', second?.execution_id ?? '', ...word);
    expect(whole).toMatchObject({ status: 0, stdout: '{\n  "id": 7\n}\n' });
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
