import { describe, expect, it } from 'vitest';
import { denial } from './denial.fixture.js';
import { governedOfTests, policy, wanted, workflow } from './policies.fixture.js';
import { OWNER } from './runtime.js';

const at = governedOfTests();
const { completed, put } = at;

describe('putting policies', () => {
  it('needs governance:write for the policy', async () => {
    const refused = (reason: string) => ['denied', undefined, reason];
    expect(await denial(at.runtime.putPolicy(policy('p'), 'ada'))).toEqual(refused('MISSING_PERMISSION'));
    expect(await denial(at.runtime.putPolicy(policy('p'), 'eve'))).toEqual(refused('SECURITY_BREACH'));
    await at.runtime.grant({
      domain: 'governance',
      actions: ['write'],
      scope: 'p',
      granted_to: 'ada',
      granted_by: OWNER,
    });
    expect(await denial(at.runtime.putPolicy(policy('q'), 'ada'))).toEqual(refused('MISSING_PERMISSION'));
    await at.runtime.putPolicy(policy('p'), 'ada');
    expect(await denial(at.runtime.start(wanted()))).toEqual(['denied', 'governance', 'POLICY_DENIES']);
  });

  it('changes of a version nothing but whether it is active', async () => {
    await put('p');
    expect(await denial(put('p', { effect: 'allow' }))).toEqual(['conflict', undefined]);
    expect(await denial(put('p', { scope: 'other' }))).toEqual(['conflict', undefined]);
    await put('p', { active: false, schema_version: '1.0' });
    expect(await completed(at.runtime.start(wanted()))).toBe('completed');
    await put('p');
    expect(await denial(at.runtime.start(wanted()))).toEqual(['denied', 'governance', 'POLICY_DENIES']);
  });

  it('keeps one of two that are put under one version at one time', async () => {
    const both = await Promise.all([denial(put('p')), denial(put('p', { effect: 'allow' }))]);
    expect(both).toEqual([undefined, ['conflict', undefined]]);
    expect(at.runtime.check(wanted()).reasons[0]?.code).toBe('POLICY_DENIES');
  });

  it('refuses what is no policy, and leaves no record', async () => {
    const before = at.memory.records.length;
    expect(await denial(put('p', { level: 4 as 3 }))).toEqual(['invalid_document', undefined]);
    await put('p');
    expect(at.memory.records.length).toBe(before);
  });

  it('of two active versions denies everything until one is put away', async () => {
    await put('p', { scope: 'nothing' });
    await put('p', { version: '2.0.0', scope: 'nothing' });
    expect(await denial(at.runtime.start(wanted(workflow(), OWNER)))).toEqual([
      'denied',
      'governance',
      'GOVERNANCE_FAULT',
    ]);
    await put('p', { scope: 'nothing', active: false });
    expect(await completed(at.runtime.start(wanted()))).toBe('completed');
  });

  it('takes a condition that is no expression for a denial', async () => {
    await put('p', { effect: 'allow', condition: 'inputs.amount >' });
    expect(await denial(at.runtime.start(wanted()))).toEqual(['denied', 'governance', 'POLICY_DENIES']);
  });
});
