import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Action, Workflow } from '../../schemas/types.js';
import { APPROVER, confirm, FAR, registerApprover } from './confirmed.fixture.js';
import { denial } from './denial.fixture.js';
import type { ArsError } from './error.js';
import { OWNER, Runtime } from './runtime.js';

let workspace: string;
let runtime: Runtime;
let calls: number;
let fails: boolean;
let now: number;

beforeEach(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'ars-confirm-'));
  calls = 0;
  fails = false;
  now = Date.parse('2026-03-01T12:00:00.000Z');
  await open();
});
afterEach(async () => {
  await runtime.close();
  rmSync(workspace, { recursive: true, force: true });
});

async function open(): Promise<void> {
  const send = () => {
    calls++;
    return fails
      ? { error: { error_class: 'E2' as const, detail: 'no', effect: 'none' as const } }
      : { outputs: { calls } };
  };
  runtime = await Runtime.open({ workspace, actions: { send }, clock: () => now });
}

const risky: Action = {
  action_id: 'send',
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'compensatable',
  side_effects: ['remote_server'],
};

function workflow(action: Partial<Action> = {}): Workflow {
  const own: Action = { ...risky, ...action };
  return {
    schema_version: '1.0',
    workflow: { name: 'flow', version: '1.0.0' },
    inputs: { to: { schema: { type: 'string' }, default: 'ada' } },
    actions: [own],
    nodes: [
      {
        node_id: 'send',
        type: 'action',
        action_def: 'send@1',
        ...(own.rollback === 'irreversible' ? { irreversible: 'acknowledged' as const } : {}),
      },
      { node_id: 'done', type: 'terminal', status: 'completed' },
    ],
    edges: [{ from_node: 'send', to_node: 'done', label: 'success' }],
  };
}

const RISKY = workflow();
const IRREVERSIBLE = workflow({ rollback: 'irreversible' });
const wanted = (document: Workflow, inputs: Record<string, unknown> = {}) => ({
  workflow: document,
  inputs,
  agent_id: OWNER,
});

const records = (record_type: 'workflow' | 'dry_run' | 'approval' | 'gate') => [...runtime.records({ record_type })];

describe('a risky workflow', () => {
  it('is denied without a confirmation, and the denial says what to confirm', async () => {
    const error = await runtime.start(wanted(RISKY)).catch((e: ArsError) => e);
    const { dry_run, gate } = (error as ArsError).details as { dry_run: object; gate: string };
    expect(gate).toBe('safety');
    expect(dry_run).toEqual((await runtime.start({ ...wanted(RISKY), dry_run: true })).dry_run);
    expect(records('workflow')).toEqual([]);
    expect(calls).toBe(0);
  });

  it('runs once with one, which its start refers to', async () => {
    const confirmation_id = await confirm(runtime, wanted(RISKY));
    const id = await runtime.start({ ...wanted(RISKY), confirmation_id });
    expect((await runtime.wait(id, 5_000)).status).toBe('completed');
    expect(records('workflow')[0]).toMatchObject({ confirmation_id, refers_to: [confirmation_id] });
    const again = await denial(runtime.start({ ...wanted(RISKY), confirmation_id }));
    expect(again).toEqual(['denied', 'safety', 'CONFIRMATION_USED']);
    expect(calls).toBe(1);
  });

  it('takes a default for the same input that was given, and no other', async () => {
    const first = await confirm(runtime, wanted(RISKY));
    const other = await denial(runtime.start({ ...wanted(RISKY, { to: 'eve' }), confirmation_id: first }));
    expect(other).toEqual(['denied', 'safety', 'CONFIRMATION_MISMATCH']);
    expect(await runtime.start({ ...wanted(RISKY, { to: 'ada' }), confirmation_id: first })).toBeTypeOf('string');
  });

  it('starts once where many start with one confirmation at one time', async () => {
    const confirmation_id = await confirm(runtime, wanted(RISKY));
    const starts = Array.from({ length: 8 }, () => denial(runtime.start({ ...wanted(RISKY), confirmation_id })));
    const ended = await Promise.all(starts);
    expect(ended.filter(one => typeof one === 'string')).toHaveLength(1);
    expect(ended.filter(one => typeof one !== 'string')).toEqual(
      Array.from({ length: 7 }, () => ['denied', 'safety', 'CONFIRMATION_USED']),
    );
  });

  it('does not use a confirmation up where another gate denies', async () => {
    const unfit = wanted(RISKY, { to: 5 });
    const confirmation_id = await confirm(runtime, unfit);
    for (const _twice of [1, 2]) {
      const denied = await denial(runtime.start({ ...unfit, confirmation_id }));
      expect(denied).toEqual(['denied', 'execution', 'INPUTS_UNFIT']);
    }
  });

  it('knows what was approved and used up in an earlier opening', async () => {
    const used = await confirm(runtime, wanted(RISKY));
    const kept = await confirm(runtime, wanted(RISKY));
    await runtime.wait(await runtime.start({ ...wanted(RISKY), confirmation_id: used }), 5_000);
    await runtime.close();
    await open();
    const again = await denial(runtime.start({ ...wanted(RISKY), confirmation_id: used }));
    expect(again).toEqual(['denied', 'safety', 'CONFIRMATION_USED']);
    expect(await runtime.start({ ...wanted(RISKY), confirmation_id: kept })).toBeTypeOf('string');
  });

  it('gives the instance of a request_key, whatever became of its confirmation', async () => {
    const confirmation_id = await confirm(runtime, wanted(RISKY));
    const keyed = { ...wanted(RISKY), confirmation_id, request_key: 'k' };
    const id = await runtime.start(keyed);
    expect(await runtime.start(keyed)).toBe(id);
    expect((await runtime.start({ ...keyed, dry_run: true })).execution_id).not.toBe(id);
  });

  it('is resumed with a confirmation of its own only', async () => {
    fails = true;
    const first = await confirm(runtime, wanted(RISKY));
    const id = await runtime.start({ ...wanted(RISKY), confirmation_id: first });
    expect((await runtime.wait(id, 5_000)).status).toBe('failed');
    fails = false;
    expect(await denial(runtime.resume(id, OWNER))).toEqual(['denied', 'safety', 'CONFIRMATION_NEEDED']);
    expect(await denial(runtime.resume(id, OWNER, first))).toEqual(['denied', 'safety', 'CONFIRMATION_USED']);
    const { resolved_digest, inputs_digest } = runtime.risk(id);
    const confirmation_id = await runtime.approve({
      resolved_digest,
      inputs_digest,
      agent_id: OWNER,
      approver: APPROVER,
      expires_at: FAR,
    });
    const next = (await runtime.resume(id, OWNER, confirmation_id)) as string;
    expect((await runtime.wait(next, 5_000)).status).toBe('completed');
    const start = records('workflow').find(record => record.execution_id === next);
    expect(start?.refers_to).toEqual([confirmation_id, id]);
  });
});

describe('an irreversible workflow', () => {
  it('needs a dry run with the same inputs, too', async () => {
    await registerApprover(runtime);
    const { dry_run } = await runtime.start({ ...wanted(IRREVERSIBLE), dry_run: true });
    const other = await confirm(runtime, wanted(IRREVERSIBLE, { to: 'eve' }));
    expect(dry_run.safety_level).toBe('IRREVERSIBLE');
    await runtime.close();
    rmSync(workspace, { recursive: true, force: true });
    await open();
    await registerApprover(runtime);
    const { resolved_digest, inputs_digest } = dry_run;
    const approval = { resolved_digest, inputs_digest, agent_id: OWNER, approver: APPROVER, expires_at: FAR };
    const confirmation_id = await runtime.approve(approval);
    const start = () => denial(runtime.start({ ...wanted(IRREVERSIBLE), confirmation_id }));
    expect(await start()).toEqual(['denied', 'safety', 'DRY_RUN_NEEDED']);
    await runtime.start({ ...wanted(IRREVERSIBLE, { to: 'eve' }), dry_run: true });
    expect(await start()).toEqual(['denied', 'safety', 'DRY_RUN_NEEDED']);
    await runtime.start({ ...wanted(IRREVERSIBLE), dry_run: true });
    expect(await start()).toBeTypeOf('string');
    const unknown = await denial(runtime.start({ ...wanted(IRREVERSIBLE), confirmation_id: other }));
    expect(unknown).toEqual(['denied', 'safety', 'CONFIRMATION_UNKNOWN']);
  });
});

describe('a dry run', () => {
  it('passes two gates, is recorded, and invokes nothing', async () => {
    const { execution_id, dry_run } = await runtime.start({ ...wanted(RISKY), dry_run: true });
    expect(records('gate').map(({ gate, status }) => [gate, status])).toEqual([
      ['verification', 'allowed'],
      ['governance', 'allowed'],
    ]);
    expect(records('dry_run')).toMatchObject([
      { execution_id, status: 'simulated', workflow_id: 'flow@1.0.0', ...dry_run },
    ]);
    expect(records('workflow')).toEqual([]);
    expect(calls).toBe(0);
  });

  it('leaves the trust of an agent as it is', async () => {
    await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
    const ada = { ...wanted(RISKY), agent_id: 'ada' };
    const denied = await denial(runtime.start({ ...ada, dry_run: true }));
    expect(denied).toEqual(['denied', 'governance', 'MISSING_PERMISSION']);
    expect(runtime.agent('ada')?.trust).toBe('TRUSTED');
    expect(records('gate').at(-1)?.trust_after).toBe('TRUSTED');
    await denial(runtime.start(ada));
    expect(runtime.agent('ada')?.trust).toBe('CONDITIONAL');
  });
});

describe('approving', () => {
  const approval = { resolved_digest: `sha256:${'a'.repeat(64)}`, inputs_digest: `sha256:${'b'.repeat(64)}` };

  it('is for registered agents other than the one that starts, who hold approval:grant', async () => {
    await runtime.registerAgent({ agent_id: 'ada', trust: 'TRUSTED' }, OWNER);
    const by = (approver: string, agent_id: string) =>
      denial(runtime.approve({ ...approval, agent_id, approver, expires_at: FAR }));
    expect(await by('nobody', 'ada')).toEqual(['denied', undefined, 'SECURITY_BREACH']);
    expect(await by('ada', 'eve')).toEqual(['denied', undefined, 'MISSING_PERMISSION']);
    expect(await by(OWNER, OWNER)).toEqual(['denied', undefined, 'SELF_APPROVAL']);
    expect(records('approval')).toEqual([]);
    expect(await by(OWNER, 'ada')).toBeTypeOf('string');
  });

  it('does not take a name twice', async () => {
    const named = { ...approval, agent_id: 'ada', approver: OWNER, expires_at: FAR, confirmation_id: 'c' };
    const both = await Promise.all([denial(runtime.approve(named)), denial(runtime.approve(named))]);
    expect(both).toEqual(['c', ['conflict', undefined]]);
  });

  it('holds until it lapses, and only as long as the approver may approve this workflow', async () => {
    await runtime.registerAgent({ agent_id: 'bob', trust: 'TRUSTED' }, OWNER);
    const bob = { domain: 'approval' as const, actions: ['grant' as const], granted_to: 'bob', granted_by: OWNER };
    const { dry_run } = await runtime.start({ ...wanted(RISKY), dry_run: true });
    const { resolved_digest, inputs_digest } = dry_run;
    const grant = await runtime.grant({ ...bob, scope: 'other' });
    const expires_at = new Date(now + 1000).toISOString();
    const terms = { resolved_digest, inputs_digest, agent_id: OWNER, approver: 'bob', expires_at };
    const confirmation_id = await runtime.approve(terms);
    const start = () => denial(runtime.start({ ...wanted(RISKY), confirmation_id }));
    expect(await start()).toEqual(['denied', 'safety', 'APPROVER_UNFIT']);
    await runtime.revoke(grant, OWNER);
    await runtime.grant({ ...bob, scope: 'flow' });
    now += 1000;
    expect(await start()).toEqual(['denied', 'safety', 'CONFIRMATION_EXPIRED']);
    now -= 1;
    expect(await start()).toBeTypeOf('string');
  });
});
