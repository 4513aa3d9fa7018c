import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Action, Agent, Policy, Workflow } from '../../schemas/types.js';
import { killAt, MemoryWorkspace } from './audit/memory-log.fixture.js';
import { APPROVER, confirm, FAR, registerApprover } from './confirmed.fixture.js';
import { denial } from './denial.fixture.js';
import type { ArsError } from './error.js';
import { OWNER, Runtime } from './runtime.js';
import { openDatabase } from './store/driver.js';
import { storePaths } from './store/paths.js';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const later = '2026-03-01T12:00:00.001Z';
const SAFE: Action = {
  action_id: 'note.put',
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
};
const RISKY: Action = { ...SAFE, rollback: 'compensatable', side_effects: ['remote_server'] };

function workflow(name = 'keep', action = SAFE): Workflow {
  return {
    schema_version: '1.0',
    workflow: { name, version: '1.0.0' },
    inputs: { amount: { schema: { type: 'number' }, default: 20 } },
    actions: [action],
    nodes: [
      { node_id: 'save', type: 'action', action_def: 'note.put@1' },
      { node_id: 'done', type: 'terminal', status: 'completed' },
    ],
    edges: [{ from_node: 'save', to_node: 'done', label: 'success' }],
  };
}

const policy = (policy_id: string, more: Partial<Policy> = {}): Policy => ({
  policy_id,
  version: '1.0.0',
  level: 1,
  effect: 'deny',
  ...more,
});

let memory: MemoryWorkspace;
let log: ReturnType<MemoryWorkspace['open']>;
let runtime: Runtime;
let calls: number;

beforeEach(async () => {
  memory = new MemoryWorkspace();
  calls = 0;
  await open();
  await agent({ agent_id: 'ada', trust: 'TRUSTED' });
  await runtime.grant({ domain: 'execution', actions: ['execute'], granted_to: 'ada', granted_by: OWNER });
});
afterEach(() => runtime.close());

const actions = {
  'note.put': async () => {
    calls += 1;
    return { outputs: {} };
  },
};

async function open(fault?: Parameters<MemoryWorkspace['open']>[0]): Promise<void> {
  log = memory.open(fault);
  runtime = await Runtime.open({ workspace: '', log, actions, clock: () => now, ...(fault ? { fault } : {}) });
}

const agent = (document: Agent) => runtime.registerAgent(document, OWNER);
const put = (...args: Parameters<typeof policy>) => runtime.putPolicy(policy(...args), OWNER);
const wanted = (document = workflow(), agent_id = 'ada') => ({ workflow: document, inputs: {}, agent_id });

async function completed(starting: Promise<string>): Promise<string> {
  return (await runtime.wait(await starting, 5_000)).status;
}

describe('the rows of the governance decision', () => {
  it.each([
    [1, 'not registered', {}, [], 'SECURITY_BREACH', undefined],
    [1, 'UNKNOWN', { trust: 'UNKNOWN' }, [policy('p')], 'SECURITY_BREACH', 'UNKNOWN'],
    [2, 'two active versions', {}, [policy('p'), policy('p', { version: '2.0.0' })], 'GOVERNANCE_FAULT', 'TRUSTED'],
    [4, 'UNTRUSTED', { trust: 'UNTRUSTED' }, [policy('p')], 'UNTRUSTED', 'UNTRUSTED'],
    [4, 'lapsed', { trust: 'CONDITIONAL', trust_until: new Date(now).toISOString() }, [], 'UNTRUSTED', 'CONDITIONAL'],
    [
      6,
      'level 0 denies',
      {},
      [policy('p', { level: 0 }), policy('q', { level: 3, effect: 'allow' })],
      'POLICY_DENIES',
      'TRUSTED',
    ],
    [
      7,
      'the highest denies',
      {},
      [policy('p', { level: 3 }), policy('q', { effect: 'allow' })],
      'POLICY_DENIES',
      'TRUSTED',
    ],
    [8, 'conditional', {}, [policy('p', { effect: 'conditional' })], 'CONFIRMATION_NEEDED', 'TRUSTED'],
    [
      9,
      'allowed by a higher level',
      {},
      [policy('p'), policy('q', { level: 2, effect: 'allow' })],
      undefined,
      'TRUSTED',
    ],
    [9, 'denied by an inactive version', {}, [policy('p', { active: false })], undefined, 'TRUSTED'],
    [9, 'not applicable', {}, [policy('p', { scope: 'other*' })], undefined, 'TRUSTED'],
  ] as [number, string, Partial<Agent>, Policy[], string | undefined, Agent['trust'] | undefined][])(
    'row %d: %s',
    async (row, what, more, policies, code, trust) => {
      const agent_id = row === 1 && what === 'not registered' ? 'eve' : 'ada';
      if (agent_id === 'ada') await agent({ agent_id, trust: 'TRUSTED', ...more });
      for (const one of policies) await runtime.putPolicy(one, OWNER);
      const checked = runtime.check(wanted(workflow(), agent_id));
      const started = await denial(runtime.start(wanted(workflow(), agent_id)));
      if (code === undefined) expect(started).toBeTypeOf('string');
      else expect(started).toEqual(['denied', 'governance', code]);
      expect(checked.reasons.map(reason => reason.code)).toEqual(code === undefined ? [] : [code]);
      expect(runtime.agent(agent_id)?.trust).toBe(trust);
    },
  );

  it('row 3 before policies: a permission is missing, and trust falls at a start only', async () => {
    await put('p');
    await agent({ agent_id: 'bob', trust: 'TRUSTED' });
    const { decision, reasons, trust_after } = runtime.check(wanted(workflow(), 'bob'));
    expect([decision, reasons[0]?.code, trust_after]).toEqual(['denied', 'MISSING_PERMISSION', 'TRUSTED']);
    expect(runtime.agent('bob')?.trust).toBe('TRUSTED');
    expect(await denial(runtime.start(wanted(workflow(), 'bob')))).toEqual([
      'denied',
      'governance',
      'MISSING_PERMISSION',
    ]);
    expect(runtime.agent('bob')?.trust).toBe('CONDITIONAL');
  });

  it('row 5 before policies: trust is CONDITIONAL and the level is not SAFE', async () => {
    await put('p');
    await agent({ agent_id: 'ada', trust: 'CONDITIONAL', trust_until: later });
    const risky = wanted(workflow('keep', RISKY));
    expect(await denial(runtime.start(risky))).toEqual(['denied', 'governance', 'TRUST_TOO_LOW']);
  });
});

describe('the worked example of policies', () => {
  const POLICIES = [
    policy('no-purge', { level: 0, scope: 'purge.*' }),
    policy('large', { level: 0, effect: 'conditional', condition: 'has(inputs.amount) && inputs.amount > 1000.0' }),
    policy('closed', { condition: 'context.period == "closed"' }),
    policy('trial', { level: 2, effect: 'conditional', scope: 'agent-*', condition: 'safety_level != "SAFE"' }),
    policy('report', { level: 3, effect: 'allow', scope: 'report' }),
  ];
  const open = { period: 'open' };
  const closed = { period: 'closed' };
  const purge = { ...SAFE, action_id: 'purge.all' };

  it.each([
    ['report', SAFE, 20, closed, undefined],
    ['report', purge, 20, closed, 'POLICY_DENIES'],
    ['pay', SAFE, 2000, open, 'CONFIRMATION_NEEDED'],
    ['pay', RISKY, 20, open, 'CONFIRMATION_NEEDED'],
    ['pay', SAFE, 20, {}, 'POLICY_DENIES'],
    ['pay', SAFE, 2000, closed, 'POLICY_DENIES'],
    ['pay', SAFE, 20, open, undefined],
  ] as [string, Action, number, Record<string, string>, string | undefined][])(
    '%s, %o, amount %d, context %o: %s',
    async (name, action, amount, context, code) => {
      await agent({ agent_id: 'agent-1', trust: 'TRUSTED' });
      await runtime.grant({ domain: 'execution', actions: ['execute'], granted_to: 'agent-1', granted_by: OWNER });
      for (const one of POLICIES) await runtime.putPolicy(one, OWNER);
      const document = workflow(name, action);
      if (action === purge) document.nodes[0] = { node_id: 'save', type: 'action', action_def: 'purge.all@1' };
      const start = { workflow: document, inputs: { amount }, context, agent_id: 'agent-1' };
      const { decision, reasons } = runtime.check(start);
      expect([decision, reasons[0]?.code]).toEqual([code === undefined ? 'allowed' : 'denied', code]);
    },
  );
});

describe('putting policies', () => {
  it('needs governance:write for the policy', async () => {
    const refused = (reason: string) => ['denied', undefined, reason];
    expect(await denial(runtime.putPolicy(policy('p'), 'ada'))).toEqual(refused('MISSING_PERMISSION'));
    expect(await denial(runtime.putPolicy(policy('p'), 'eve'))).toEqual(refused('SECURITY_BREACH'));
    await runtime.grant({ domain: 'governance', actions: ['write'], scope: 'p', granted_to: 'ada', granted_by: OWNER });
    expect(await denial(runtime.putPolicy(policy('q'), 'ada'))).toEqual(refused('MISSING_PERMISSION'));
    await runtime.putPolicy(policy('p'), 'ada');
    expect(await denial(runtime.start(wanted()))).toEqual(['denied', 'governance', 'POLICY_DENIES']);
  });

  it('changes of a version nothing but whether it is active', async () => {
    await put('p');
    expect(await denial(put('p', { effect: 'allow' }))).toEqual(['conflict', undefined]);
    expect(await denial(put('p', { scope: 'other' }))).toEqual(['conflict', undefined]);
    await put('p', { active: false, schema_version: '1.0' });
    expect(await completed(runtime.start(wanted()))).toBe('completed');
    await put('p');
    expect(await denial(runtime.start(wanted()))).toEqual(['denied', 'governance', 'POLICY_DENIES']);
  });

  it('keeps one of two that are put under one version at one time', async () => {
    const both = await Promise.all([denial(put('p')), denial(put('p', { effect: 'allow' }))]);
    expect(both).toEqual([undefined, ['conflict', undefined]]);
    expect(runtime.check(wanted()).reasons[0]?.code).toBe('POLICY_DENIES');
  });

  it('refuses what is no policy, and leaves no record', async () => {
    const before = memory.records.length;
    expect(await denial(put('p', { level: 4 as 3 }))).toEqual(['invalid_document', undefined]);
    await put('p');
    expect(memory.records.length).toBe(before);
  });

  it('of two active versions denies everything until one is put away', async () => {
    await put('p', { scope: 'nothing' });
    await put('p', { version: '2.0.0', scope: 'nothing' });
    expect(await denial(runtime.start(wanted(workflow(), OWNER)))).toEqual([
      'denied',
      'governance',
      'GOVERNANCE_FAULT',
    ]);
    await put('p', { scope: 'nothing', active: false });
    expect(await completed(runtime.start(wanted()))).toBe('completed');
  });

  it('takes a condition that is no expression for a denial', async () => {
    await put('p', { effect: 'allow', condition: 'inputs.amount >' });
    expect(await denial(runtime.start(wanted()))).toEqual(['denied', 'governance', 'POLICY_DENIES']);
  });
});

describe('a policy that asks for a confirmation', () => {
  const conditional = () => put('ask', { effect: 'conditional' });

  it('is answered by one, which the start uses up', async () => {
    await conditional();
    const confirmation_id = await confirm(runtime, wanted());
    const id = await runtime.start({ ...wanted(), confirmation_id });
    const [start] = [...runtime.records({ execution_id: id, status: 'workflow_started' })];
    expect(start).toMatchObject({ confirmation_id, refers_to: [confirmation_id] });
    const again = await runtime.start({ ...wanted(), confirmation_id }).catch((error: ArsError) => error);
    expect((again as ArsError).details).toMatchObject({
      gate: 'governance',
      reasons: [{ code: 'CONFIRMATION_NEEDED', message: expect.stringContaining(`used up by '${id}'`) }],
      dry_run: { safety_level: 'SAFE' },
    });
  });

  it('and a level that does are answered by the same one', async () => {
    await conditional();
    const risky = wanted(workflow('keep', RISKY));
    const confirmation_id = await confirm(runtime, risky);
    expect(await completed(runtime.start({ ...risky, confirmation_id }))).toBe('completed');
    expect(await denial(runtime.start(risky))).toEqual(['denied', 'governance', 'CONFIRMATION_NEEDED']);
  });

  it('lets one of many starts with one confirmation at one time begin', async () => {
    await conditional();
    const confirmation_id = await confirm(runtime, wanted());
    const starts = Array.from({ length: 8 }, () => denial(runtime.start({ ...wanted(), confirmation_id })));
    const ended = await Promise.all(starts);
    expect(ended.filter(one => typeof one === 'string')).toHaveLength(1);
    expect(ended.filter(one => typeof one !== 'string')).toEqual(
      Array.from({ length: 7 }, () => ['denied', 'governance', 'CONFIRMATION_NEEDED']),
    );
  });

  it('lets a dry run pass, with the reason in its gate record', async () => {
    await conditional();
    const { execution_id } = await runtime.start({ ...wanted(), dry_run: true });
    const gates = [...runtime.records({ execution_id, record_type: 'gate' })];
    expect(gates.map(({ gate, status, reasons }) => [gate, status, reasons?.map(({ code }) => code)])).toEqual([
      ['verification', 'allowed', []],
      ['governance', 'allowed', ['CONFIRMATION_NEEDED']],
    ]);
    const check = runtime.check(wanted());
    expect([check.decision, check.reasons[0]?.code]).toEqual(['denied', 'CONFIRMATION_NEEDED']);
  });

  it('is not looked at where no policy and no level asks for one', async () => {
    const confirmation_id = await confirm(runtime, wanted());
    const id = await runtime.start({ ...wanted(), confirmation_id });
    expect([...runtime.records({ execution_id: id, status: 'workflow_started' })][0]?.confirmation_id).toBeUndefined();
    await conditional();
    expect(await runtime.start({ ...wanted(), confirmation_id })).toBeTypeOf('string');
  });

  it.each(['not granted', 'of another agent', 'lapsed'])('does not take one that is %s', async what => {
    await conditional();
    await registerApprover(runtime);
    const { dry_run } = await runtime.start({ ...wanted(), dry_run: true });
    const { resolved_digest, inputs_digest } = dry_run;
    const terms = { resolved_digest, inputs_digest, approver: APPROVER, agent_id: 'ada', expires_at: FAR };
    let confirmation_id = 'nothing';
    if (what === 'of another agent') confirmation_id = await runtime.approve({ ...terms, agent_id: 'bob' });
    if (what === 'lapsed')
      confirmation_id = await runtime.approve({ ...terms, expires_at: new Date(now).toISOString() });
    const denied = await denial(runtime.start({ ...wanted(), confirmation_id }));
    expect(denied).toEqual(['denied', 'governance', 'CONFIRMATION_NEEDED']);
  });
});

describe('a kill and a new opening', () => {
  it('between the gates and the start leaves the confirmation as it was', async () => {
    await put('ask', { effect: 'conditional' });
    const confirmation_id = await confirm(runtime, wanted());
    await open(killAt('gate_allowed', 1));
    expect(await denial(runtime.start({ ...wanted(), confirmation_id }))).toEqual(['storage_failed', undefined]);
    await open();
    expect(calls).toBe(0);
    expect(await completed(runtime.start({ ...wanted(), confirmation_id }))).toBe('completed');
    expect(await denial(runtime.start({ ...wanted(), confirmation_id }))).toEqual([
      'denied',
      'governance',
      'CONFIRMATION_NEEDED',
    ]);
  });

  it('lets an instance go on with the confirmation that its start used up', async () => {
    await put('ask', { effect: 'conditional' });
    const confirmation_id = await confirm(runtime, wanted());
    await open(killAt('pending_durable', 1));
    const id = await runtime.start({ ...wanted(), confirmation_id });
    expect((await denial(runtime.wait(id, 5_000))) as unknown[]).toEqual(['storage_failed', undefined]);
    await open();
    expect((await runtime.wait(id, 5_000)).status).toBe('completed');
    expect(calls).toBe(1);
  });

  it.each(['denies', 'contradicts', 'is damaged'])('ends an instance where a policy %s by then', async what => {
    await open(killAt('pending_durable', 1));
    const id = await runtime.start(wanted());
    expect((await denial(runtime.wait(id, 5_000))) as unknown[]).toEqual(['storage_failed', undefined]);
    const value = what === 'is damaged' ? { policy_id: 'p' } : policy('p', { version: '1.0.0' });
    const documents = [{ kind: 'policy' as const, id: 'p@1.0.0', value }];
    log = memory.open();
    await log.append({ records: [], documents });
    if (what === 'contradicts')
      await log.append({
        records: [],
        documents: [{ kind: 'policy', id: 'p@2.0.0', value: policy('p', { version: '2.0.0' }) }],
      });
    await open();
    expect((await runtime.wait(id, 5_000)).status).toBe('failed');
    expect(calls).toBe(0);
    const [denied] = [...runtime.records({ execution_id: id, record_type: 'gate', status: 'denied' })];
    expect(denied?.reasons?.[0]?.code).toBe(what === 'denies' ? 'POLICY_DENIES' : 'GOVERNANCE_FAULT');
  });

  it('finds every policy as it was put', async () => {
    await put('p');
    await put('q', { active: false });
    await open();
    expect(await denial(runtime.start(wanted()))).toEqual(['denied', 'governance', 'POLICY_DENIES']);
    await put('p', { active: false });
    await open();
    expect(await completed(runtime.start(wanted()))).toBe('completed');
  });
});

describe('damaged documents of governance', () => {
  const damage = (kind: 'agent' | 'permission' | 'policy', id: string) =>
    log.append({ records: [], documents: [{ kind, id, value: { damaged: true } }] });
  const fault = ['denied', 'governance', 'GOVERNANCE_FAULT'];

  it('of a policy deny every start until it is put anew', async () => {
    await put('p', { active: false });
    await damage('policy', 'p@1.0.0');
    expect(await denial(runtime.start(wanted()))).toEqual(fault);
    expect(await denial(runtime.start(wanted(workflow(), OWNER)))).toEqual(fault);
    expect(await denial(runtime.start(wanted(workflow(), 'eve')))).toEqual(['denied', 'governance', 'SECURITY_BREACH']);
    await put('p', { active: false });
    expect(await completed(runtime.start(wanted()))).toBe('completed');
  });

  it('of an agent deny its starts until it is registered anew, and its trust counts as changed', async () => {
    await damage('agent', 'ada');
    expect(await denial(runtime.start(wanted()))).toEqual(fault);
    expect(await completed(runtime.start(wanted(workflow(), OWNER)))).toBe('completed');
    await agent({ agent_id: 'ada', trust: 'TRUSTED' });
    expect(await completed(runtime.start(wanted()))).toBe('completed');
    expect([...runtime.records({ record_type: 'trust' })]).toMatchObject([{ agent_id: 'ada', trust_after: 'TRUSTED' }]);
  });

  it('of a permission deny until it is revoked', async () => {
    await damage('permission', 'x');
    expect(await denial(runtime.start(wanted()))).toEqual(fault);
    expect(await denial(runtime.revoke('x', OWNER))).toBeUndefined();
    expect(await completed(runtime.start(wanted()))).toBe('completed');
  });

  it('that are not even JSON in the store deny, and nothing else breaks', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'ars-policies-'));
    const stored = await Runtime.open({ workspace, actions, clock: () => now });
    try {
      await stored.putPolicy(policy('p', { active: false }), OWNER);
      const db = openDatabase(storePaths(workspace).database);
      db.exec(`UPDATE documents SET value = '{' WHERE kind = 'policy'`);
      db.close();
      expect(await denial(stored.start(wanted(workflow(), OWNER)))).toEqual(fault);
      await stored.putPolicy(policy('p', { active: false }), OWNER);
      const id = await stored.start(wanted(workflow(), OWNER));
      expect((await stored.wait(id, 5_000)).status).toBe('completed');
    } finally {
      await stored.close();
      rmSync(workspace, { recursive: true, force: true });
    }
  });
});

describe('check', () => {
  it('gives what the verification gate says where that denies, and the next start passes none the less', async () => {
    const broken = workflow();
    broken.edges[0] = { from_node: 'save', to_node: 'nowhere', label: 'success' };
    const { gate, decision, report } = runtime.check(wanted(broken));
    expect([gate, decision, report?.verdict]).toEqual(['verification', 'denied', 'FAIL']);
    expect(memory.records).toEqual([]);
  });

  it('takes a workflow of the registry, and leaves a confirmation as it is', async () => {
    await put('ask', { effect: 'conditional' });
    await runtime.putRegistry({ workflows: [workflow()] });
    const named = { workflow_id: 'keep@1.0.0', inputs: {}, agent_id: 'ada' };
    const confirmation_id = await confirm(runtime, named);
    const twice = [1, 2].map(() => runtime.check({ ...named, confirmation_id }).decision);
    expect(twice).toEqual(['allowed', 'allowed']);
    expect(await completed(runtime.start({ ...named, confirmation_id }))).toBe('completed');
    expect(() => runtime.check({ ...named, workflow_id: 'none@1.0.0' })).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
  });
});
