import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Action, AuditRecord, Permission, RedactedRecord, Workflow } from '../../schemas/types.js';
import { exportPage, verifyText } from './audit/interchange.js';
import { MemoryWorkspace } from './audit/memory-log.fixture.js';
import { APPROVER, confirm } from './confirmed.fixture.js';
import { ArsError } from './error.js';
import { OWNER, Runtime } from './runtime.js';

const LARGE = 'x'.repeat(20_000);
const action: Action = {
  action_id: 'note.put',
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
};
const keep: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'keep', version: '1.0.0' },
  inputs: { key: { schema: { type: 'string' } }, evidence: { schema: { type: 'string' } } },
  actions: [action],
  nodes: [
    {
      node_id: 'save',
      type: 'action',
      action_def: 'note.put@1',
      input_mapping: { key: `\${inputs.key}`, evidence: `\${inputs.evidence}` },
    },
    { node_id: 'done', type: 'terminal', status: 'completed' },
  ],
  edges: [{ from_node: 'save', to_node: 'done', label: 'success' }],
};

let runtime: Runtime;
let memory: MemoryWorkspace;
let now: number;

beforeEach(async () => {
  memory = new MemoryWorkspace();
  now = Date.parse('2026-03-01T12:00:00.000Z');
  const put = ({ inputs: { key, evidence } }: { inputs: Readonly<Record<string, unknown>> }) => ({
    outputs: {},
    state_changes: [{ key: String(key), op: 'put' as const, value: 1 }],
    evidence,
  });
  runtime = await Runtime.open({ workspace: '', log: memory.open(), actions: { 'note.put': put }, clock: () => now });
  for (const agent_id of ['ada', 'bob']) {
    await runtime.registerAgent({ agent_id, trust: 'TRUSTED' }, OWNER);
    await permit(agent_id, 'execution', 'execute');
    await run(agent_id, `${agent_id}.note`, `${agent_id}${LARGE}`);
  }
});
afterEach(() => runtime.close());

async function run(agent_id: string, key: string, evidence: string): Promise<void> {
  const id = await runtime.start({ workflow: keep, inputs: { key, evidence }, agent_id });
  expect((await runtime.wait(id, 5_000)).status).toBe('completed');
}

function permit(granted_to: string, domain: Permission['domain'], action: 'read' | 'execute', more = {}) {
  return runtime.grant({ domain, actions: [action], granted_to, granted_by: OWNER, ...more });
}

function code(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ArsError)) throw error;
    const [reason] = (error.details.reasons ?? []) as { code: string }[];
    return [error.code, reason?.code];
  }
}

const isStub = (record: AuditRecord | RedactedRecord): record is RedactedRecord => 'redacted' in record;
const NO_PERMISSION = ['denied', 'MISSING_PERMISSION'];

/** The agents whose records an agent sees, and how many stubs. */
function seen(agent_id: string): [string[], number] {
  const records = [...runtime.readAs(agent_id).records()];
  const agents = new Set(records.flatMap(record => (isStub(record) ? [] : [record.agent_id])));
  return [[...agents], records.filter(isStub).length];
}

const evidenceOf = (agent_id: string): string => {
  for (const { evidence_ref, agent_id: owner } of runtime.records({ status: 'committed' }))
    if (owner === agent_id && evidence_ref !== undefined) return evidence_ref;
  return '';
};

describe('records', () => {
  it('of other partitions are stubs, without anything but their links', () => {
    const all = [...runtime.records()];
    const others = all.filter(({ agent_id }) => agent_id !== 'ada');
    expect(seen('ada')).toEqual([['ada'], others.length]);
    const records = [...runtime.readAs('ada').records()];
    expect(records.filter(record => !isStub(record))).toEqual(all.filter(({ agent_id }) => agent_id === 'ada'));
    expect(records.filter(isStub)).toEqual(
      others.map(({ sequence, prev_hash, hash }) => ({ sequence, prev_hash, hash, redacted: true })),
    );
  });

  it('are all to be seen by the operator, and by whoever holds audit:read', async () => {
    expect(seen(OWNER)).toEqual([['ada', 'bob'], 0]);
    await permit('ada', 'audit', 'read');
    expect(seen('ada')).toEqual([['ada', 'bob'], 0]);
  });

  it('follow the scope and the time of the permission, and its revocation', async () => {
    await permit('ada', 'audit', 'read', { scope: 'eve*' });
    expect(seen('ada')[0]).toEqual(['ada']);
    const valid_until = new Date(now + 1).toISOString();
    const permission_id = await permit('ada', 'audit', 'read', { scope: 'bob', valid_until });
    expect(seen('ada')[0]).toEqual(['ada', 'bob']);
    now += 1;
    expect(seen('ada')[0]).toEqual(['ada']);
    now -= 1;
    await runtime.revoke(permission_id, OWNER);
    expect(seen('ada')[0]).toEqual(['ada']);
  });

  it('are not opened by a permission of another domain or action', async () => {
    await permit('ada', 'state', 'read');
    await permit('ada', 'execution', 'read');
    await permit('ada', 'audit', 'execute');
    expect(seen('ada')[0]).toEqual(['ada']);
  });

  it('are found by conditions over the records as they are', () => {
    const query = { record_type: 'workflow', status: 'workflow_completed' } as const;
    const found = [...runtime.readAs('ada').records(query)];
    expect(found.map(isStub)).toEqual([false, true]);
    expect(found.map(({ sequence }) => sequence)).toEqual([...runtime.records(query)].map(({ sequence }) => sequence));
  });

  it('with stubs verify as a chain with the head of the whole', () => {
    const { text } = exportPage(runtime.readAs('bob'));
    expect(text).toContain('"redacted":true');
    expect(verifyText(text)).toEqual(verifyText(exportPage(runtime.readAs(OWNER)).text));
    const torn = text.replace('"redacted":true', '"redacted":false');
    expect(verifyText(torn)).toMatchObject({ ok: false, first_bad_sequence: 1 });
  });

  it('of an approval belong to the approver', async () => {
    await confirm(runtime, { workflow: keep, inputs: { key: 'k', evidence: 'e' }, agent_id: 'ada' });
    const approval = { record_type: 'approval' } as const;
    expect([...runtime.readAs('ada').records(approval)].map(isStub)).toEqual([true]);
    expect([...runtime.readAs(APPROVER).records(approval)].map(isStub)).toEqual([false]);
  });
});

describe('evidence', () => {
  it('is of whoever made the record that names it', async () => {
    expect(runtime.readAs('ada').evidence(evidenceOf('ada'))).toBe(`ada${LARGE}`);
    expect(code(() => runtime.readAs('ada').evidence(evidenceOf('bob')))).toEqual(NO_PERMISSION);
    expect(runtime.readAs(OWNER).evidence(evidenceOf('bob'))).toBe(`bob${LARGE}`);
    await permit('ada', 'audit', 'read', { scope: 'bob' });
    expect(runtime.readAs('ada').evidence(evidenceOf('bob'))).toBe(`bob${LARGE}`);
    expect(code(() => runtime.readAs('ada').evidence(`sha256:${'0'.repeat(64)}`))).toEqual(['not_found', undefined]);
  });

  it('that two have in common is of both, from the commit on', async () => {
    const reference = evidenceOf('bob');
    expect(code(() => runtime.readAs('ada').evidence(reference))).toEqual(NO_PERMISSION);
    await run('ada', 'k', `bob${LARGE}`);
    expect(runtime.readAs('ada').evidence(reference)).toBe(`bob${LARGE}`);
  });
});

describe('State', () => {
  it('needs state:read', async () => {
    expect(code(() => runtime.readAs('ada').state())).toEqual(NO_PERMISSION);
    expect(code(() => runtime.readAs('ada').state(['ada.note']))).toEqual(NO_PERMISSION);
    expect(code(() => runtime.readAs('ada').state([]))).toEqual(NO_PERMISSION);
    expect(runtime.readAs(OWNER).state()).toEqual(runtime.state());
    await permit('ada', 'state', 'read');
    expect(Object.keys(runtime.readAs('ada').state().state).sort()).toEqual(['ada.note', 'bob.note']);
  });

  it('is given within the scope only', async () => {
    await permit('ada', 'state', 'read', { scope: 'ada.*' });
    expect(Object.keys(runtime.readAs('ada').state().state)).toEqual(['ada.note']);
    expect(Object.keys(runtime.readAs('ada').state(['ada.note', 'ada.none']).state)).toEqual(['ada.note']);
    expect(code(() => runtime.readAs('ada').state(['ada.note', 'bob.note']))).toEqual(NO_PERMISSION);
  });
});

describe('snapshots and reconstruction', () => {
  it('need state:read, a snapshot of every key', async () => {
    await expect(runtime.readAs('ada').takeSnapshot()).rejects.toMatchObject({ code: 'denied' });
    expect(code(() => runtime.readAs('ada').reconstruct())).toEqual(NO_PERMISSION);
    await permit('ada', 'state', 'read', { scope: 'ada.*' });
    await expect(runtime.readAs('ada').takeSnapshot()).rejects.toMatchObject({ code: 'denied' });
    const { sequence } = runtime.state();
    expect(runtime.readAs('ada').reconstruct({ sequence })).toEqual(runtime.readAs('ada').state());
    await permit('ada', 'state', 'read');
    const snapshot = await runtime.readAs('ada').takeSnapshot();
    expect(snapshot).toMatchObject({ sequence, state: runtime.state().state });
    expect(runtime.reconstruct({ snapshot })).toEqual(runtime.state());
    expect(runtime.reconstruct({ sequence: 0 })).toEqual({ state: {}, sequence: 0 });
  });
});

describe('an agent', () => {
  it.each(['nobody', 'lost'])('that is not registered or UNKNOWN reads nothing: %s', async agent_id => {
    await runtime.registerAgent({ agent_id: 'lost', trust: 'UNKNOWN' }, OWNER);
    await permit('lost', 'audit', 'read');
    await permit('lost', 'state', 'read');
    const view = runtime.readAs(agent_id);
    for (const read of [
      () => view.records(),
      () => view.lines(),
      () => view.state(),
      () => view.evidence(evidenceOf('ada')),
    ])
      expect(code(read)).toEqual(['denied', 'SECURITY_BREACH']);
  });

  it('that is UNTRUSTED reads its own', async () => {
    await runtime.registerAgent({ agent_id: 'ada', trust: 'UNTRUSTED' }, OWNER);
    expect(seen('ada')[0]).toEqual(['ada']);
    expect(runtime.readAs('ada').evidence(evidenceOf('ada'))).toBe(`ada${LARGE}`);
  });
});
