import { describe, expect, it } from 'vitest';
import type { Permission, Policy, Trust } from '../../../schemas/types.js';
import { decideGovernance, type GovernanceFacts } from './gate.js';
import { inScope, isWithin } from './permission.js';
import { contradictoryPolicy, judgePolicies } from './policy.js';

const now = '2026-03-01T12:00:00.000Z';
const execute: Permission = { domain: 'execution', actions: ['execute'], granted_to: 'ada', granted_by: 'owner' };
const facts = (trust: Trust | undefined, more: Partial<GovernanceFacts> = {}): GovernanceFacts => ({
  agent_id: 'ada',
  ...(trust === undefined ? {} : { agent: { agent_id: 'ada', trust } }),
  permissions: [execute],
  closure: ['flow', 'act'],
  level: 'SAFE',
  now,
  ...more,
});

function decide(trust: Trust | undefined, more: Partial<GovernanceFacts> = {}) {
  const { decision, reasons, trust_after } = decideGovernance(facts(trust, more));
  return [decision, reasons[0]?.code, trust_after];
}

describe('the governance gate', () => {
  it.each([
    [undefined, {}, ['denied', 'SECURITY_BREACH', 'UNKNOWN']],
    ['UNKNOWN', {}, ['denied', 'SECURITY_BREACH', 'UNKNOWN']],
    ['TRUSTED', {}, ['allowed', undefined, 'TRUSTED']],
    ['TRUSTED', { level: 'IRREVERSIBLE' }, ['allowed', undefined, 'TRUSTED']],
    ['TRUSTED', { permissions: [] }, ['denied', 'MISSING_PERMISSION', 'CONDITIONAL']],
    ['CONDITIONAL', { permissions: [] }, ['denied', 'MISSING_PERMISSION', 'UNTRUSTED']],
    ['UNTRUSTED', { permissions: [] }, ['denied', 'MISSING_PERMISSION', 'UNTRUSTED']],
    ['UNTRUSTED', {}, ['denied', 'UNTRUSTED', 'UNTRUSTED']],
    ['CONDITIONAL', {}, ['allowed', undefined, 'CONDITIONAL']],
    ['CONDITIONAL', { level: 'RISKY' }, ['denied', 'TRUST_TOO_LOW', 'CONDITIONAL']],
  ] as [Trust | undefined, Partial<GovernanceFacts>, unknown[]][])('%s with %o: %o', (trust, more, expected) => {
    expect(decide(trust, more)).toEqual(expected);
  });

  it('asks for every name of the closure, and each may come from another permission', () => {
    const scoped = (scope: string) => ({ ...execute, scope });
    expect(decide('TRUSTED', { permissions: [scoped('flow')] })[0]).toBe('denied');
    expect(decide('TRUSTED', { permissions: [scoped('flow'), scoped('ac*')] })[0]).toBe('allowed');
    expect(decide('TRUSTED', { permissions: [scoped('flow*')], closure: ['flow', 'flow.a'] })[0]).toBe('allowed');
  });

  it('counts neither what has lapsed nor another domain or action', () => {
    expect(decide('TRUSTED', { permissions: [{ ...execute, valid_until: now }] })[0]).toBe('denied');
    expect(decide('TRUSTED', { permissions: [{ ...execute, valid_until: '2026-03-01T12:00:00.001Z' }] })[0]).toBe(
      'allowed',
    );
    expect(decide('TRUSTED', { permissions: [{ ...execute, domain: 'audit' }] })[0]).toBe('denied');
    expect(decide('TRUSTED', { permissions: [{ ...execute, actions: ['read'] }] })[0]).toBe('denied');
  });

  it('takes conditional trust that has lapsed for none', () => {
    const agent = { agent_id: 'ada', trust: 'CONDITIONAL', trust_until: now } as const;
    expect(decide('CONDITIONAL', { agent })).toEqual(['denied', 'UNTRUSTED', 'CONDITIONAL']);
  });
});

describe('scopes', () => {
  it('match a name, a beginning, or everything', () => {
    expect([undefined, '*', 'a', 'a*', 'ab', 'b*'].map(scope => inScope(scope, 'ab'))).toEqual([
      true,
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  it('of a grant lie within what the grantor holds', () => {
    const held = [{ ...execute, scope: 'a.*', valid_until: '2026-04-01T00:00:00.000Z' }];
    const want = (more: Partial<Permission>) => isWithin({ ...execute, ...more }, held, now);
    const until = { valid_until: '2026-03-31T00:00:00.000Z' };
    expect(want({ scope: 'a.b', ...until })).toBe(true);
    expect(want({ scope: 'a.b*', ...until })).toBe(true);
    expect(want({ scope: 'a*', ...until })).toBe(false);
    expect(want({ ...until })).toBe(false);
    expect(want({ scope: 'a.b' })).toBe(false);
    expect(want({ scope: 'a.b', ...until, actions: ['execute', 'cancel'] })).toBe(false);
  });
});

describe('the policies', () => {
  const policy = (condition: string, more: Partial<Policy> = {}): Policy => ({
    policy_id: 'p',
    version: '1.0.0',
    level: 1,
    effect: 'allow',
    condition,
    ...more,
  });
  const subject = {
    agent: { agent_id: 'ada', trust: 'TRUSTED' },
    workflow: { name: 'flow', version: '1.0.0' },
    closure: ['flow'],
    inputs: { amount: 1 },
    context: {},
    level: 'SAFE',
  } as const;

  it.each([
    ['context.period == "closed"', /period/],
    ['inputs.amount >', /./],
    ['inputs.amount', /number/],
    ['[1.0]', /./],
  ])('say why the condition %s cannot be decided', (condition, fault) => {
    expect(judgePolicies([policy(condition)], subject)).toEqual({
      effect: 'deny',
      policy_id: 'p',
      fault: expect.stringMatching(fault),
    });
  });

  it('say nothing of the kind where it holds', () => {
    expect(judgePolicies([policy('true', { effect: 'deny' })], subject)).toEqual({ effect: 'deny', policy_id: 'p' });
  });

  it('that contradict each other are told with their versions', () => {
    const versions = ['1.0.0', '2.0.0'];
    const stored = [...versions, '3.0.0'].map(version => policy('true', { version, active: version !== '3.0.0' }));
    expect(contradictoryPolicy(stored)).toEqual({ policy_id: 'p', versions });
    expect(contradictoryPolicy(stored.slice(1))).toBeUndefined();
  });
});
