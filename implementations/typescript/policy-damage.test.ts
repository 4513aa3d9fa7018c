import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { killAt } from './audit/memory-log.fixture.js';
import { confirm } from './confirmed.fixture.js';
import { denial } from './denial.fixture.js';
import { governedOfTests, NOW, policy, wanted, workflow } from './policies.fixture.js';
import { OWNER, Runtime } from './runtime.js';
import { openDatabase } from './store/driver.js';
import { storePaths } from './store/paths.js';

const at = governedOfTests();
const { agent, completed, open, put } = at;

describe('a kill and a new opening', () => {
  it('between the gates and the start leaves the confirmation as it was', async () => {
    await put('ask', { effect: 'conditional' });
    const confirmation_id = await confirm(at.runtime, wanted());
    await open(killAt('gate_allowed', 1));
    expect(await denial(at.runtime.start({ ...wanted(), confirmation_id }))).toEqual(['storage_failed', undefined]);
    await open();
    expect(at.calls).toBe(0);
    expect(await completed(at.runtime.start({ ...wanted(), confirmation_id }))).toBe('completed');
    expect(await denial(at.runtime.start({ ...wanted(), confirmation_id }))).toEqual([
      'denied',
      'governance',
      'CONFIRMATION_NEEDED',
    ]);
  });

  it('lets an instance go on with the confirmation that its start used up', async () => {
    await put('ask', { effect: 'conditional' });
    const confirmation_id = await confirm(at.runtime, wanted());
    await open(killAt('pending_durable', 1));
    const id = await at.runtime.start({ ...wanted(), confirmation_id });
    expect((await denial(at.runtime.wait(id, 5_000))) as unknown[]).toEqual(['storage_failed', undefined]);
    await open();
    expect((await at.runtime.wait(id, 5_000)).status).toBe('completed');
    expect(at.calls).toBe(1);
  });

  it.each(['denies', 'contradicts', 'is damaged'])('ends an instance where a policy %s by then', async what => {
    await open(killAt('pending_durable', 1));
    const id = await at.runtime.start(wanted());
    expect((await denial(at.runtime.wait(id, 5_000))) as unknown[]).toEqual(['storage_failed', undefined]);
    const value = what === 'is damaged' ? { policy_id: 'p' } : policy('p', { version: '1.0.0' });
    const documents = [{ kind: 'policy' as const, id: 'p@1.0.0', value }];
    at.log = at.memory.open();
    await at.log.append({ records: [], documents });
    if (what === 'contradicts')
      await at.log.append({
        records: [],
        documents: [{ kind: 'policy', id: 'p@2.0.0', value: policy('p', { version: '2.0.0' }) }],
      });
    await open();
    expect((await at.runtime.wait(id, 5_000)).status).toBe('failed');
    expect(at.calls).toBe(0);
    const [denied] = [...at.runtime.records({ execution_id: id, record_type: 'gate', status: 'denied' })];
    expect(denied?.reasons?.[0]?.code).toBe(what === 'denies' ? 'POLICY_DENIES' : 'GOVERNANCE_FAULT');
  });

  it('finds every policy as it was put', async () => {
    await put('p');
    await put('q', { active: false });
    await open();
    expect(await denial(at.runtime.start(wanted()))).toEqual(['denied', 'governance', 'POLICY_DENIES']);
    await put('p', { active: false });
    await open();
    expect(await completed(at.runtime.start(wanted()))).toBe('completed');
  });
});

describe('damaged documents of governance', () => {
  const damage = (kind: 'agent' | 'permission' | 'policy', id: string) =>
    at.log.append({ records: [], documents: [{ kind, id, value: { damaged: true } }] });
  const fault = ['denied', 'governance', 'GOVERNANCE_FAULT'];

  it('of a policy deny every start until it is put anew', async () => {
    await put('p', { active: false });
    await damage('policy', 'p@1.0.0');
    expect(await denial(at.runtime.start(wanted()))).toEqual(fault);
    expect(await denial(at.runtime.start(wanted(workflow(), OWNER)))).toEqual(fault);
    expect(await denial(at.runtime.start(wanted(workflow(), 'eve')))).toEqual([
      'denied',
      'governance',
      'SECURITY_BREACH',
    ]);
    await put('p', { active: false });
    expect(await completed(at.runtime.start(wanted()))).toBe('completed');
  });

  it('of an agent deny its starts until it is registered anew, and its trust counts as changed', async () => {
    await damage('agent', 'ada');
    expect(await denial(at.runtime.start(wanted()))).toEqual(fault);
    expect(await completed(at.runtime.start(wanted(workflow(), OWNER)))).toBe('completed');
    await agent({ agent_id: 'ada', trust: 'TRUSTED' });
    expect(await completed(at.runtime.start(wanted()))).toBe('completed');
    expect([...at.runtime.records({ record_type: 'trust' })]).toMatchObject([
      { agent_id: 'ada', trust_after: 'TRUSTED' },
    ]);
  });

  it('of a permission deny until it is revoked', async () => {
    await damage('permission', 'x');
    expect(await denial(at.runtime.start(wanted()))).toEqual(fault);
    expect(await denial(at.runtime.revoke('x', OWNER))).toBeUndefined();
    expect(await completed(at.runtime.start(wanted()))).toBe('completed');
  });

  it('that are not even JSON in the store deny, and nothing else breaks', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'ars-policies-'));
    const stored = await Runtime.open({ workspace, actions: at.actions, clock: () => NOW });
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
