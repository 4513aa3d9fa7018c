import { describe, expect, it } from 'vitest';
import type { Action, Agent, Policy } from '../../schemas/types.js';
import { confirm } from './confirmed.fixture.js';
import { denial } from './denial.fixture.js';
import { governedOfTests, NOW, policy, RISKY, SAFE, wanted, workflow } from './policies.fixture.js';
import { OWNER } from './runtime.js';

const later = '2026-03-01T12:00:00.001Z';
const at = governedOfTests();
const { agent, completed, put } = at;

describe('the rows of the governance decision', () => {
  it.each([
    [1, 'not registered', {}, [], 'SECURITY_BREACH', undefined],
    [1, 'UNKNOWN', { trust: 'UNKNOWN' }, [policy('p')], 'SECURITY_BREACH', 'UNKNOWN'],
    [2, 'two active versions', {}, [policy('p'), policy('p', { version: '2.0.0' })], 'GOVERNANCE_FAULT', 'TRUSTED'],
    [4, 'UNTRUSTED', { trust: 'UNTRUSTED' }, [policy('p')], 'UNTRUSTED', 'UNTRUSTED'],
    [4, 'lapsed', { trust: 'CONDITIONAL', trust_until: new Date(NOW).toISOString() }, [], 'UNTRUSTED', 'CONDITIONAL'],
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
      for (const one of policies) await at.runtime.putPolicy(one, OWNER);
      const checked = at.runtime.check(wanted(workflow(), agent_id));
      const started = await denial(at.runtime.start(wanted(workflow(), agent_id)));
      if (code === undefined) expect(started).toBeTypeOf('string');
      else expect(started).toEqual(['denied', 'governance', code]);
      expect(checked.reasons.map(reason => reason.code)).toEqual(code === undefined ? [] : [code]);
      expect(at.runtime.agent(agent_id)?.trust).toBe(trust);
    },
  );

  it('row 3 before policies: a permission is missing, and trust falls at a start only', async () => {
    await put('p');
    await agent({ agent_id: 'bob', trust: 'TRUSTED' });
    const { decision, reasons, trust_after } = at.runtime.check(wanted(workflow(), 'bob'));
    expect([decision, reasons[0]?.code, trust_after]).toEqual(['denied', 'MISSING_PERMISSION', 'TRUSTED']);
    expect(at.runtime.agent('bob')?.trust).toBe('TRUSTED');
    expect(await denial(at.runtime.start(wanted(workflow(), 'bob')))).toEqual([
      'denied',
      'governance',
      'MISSING_PERMISSION',
    ]);
    expect(at.runtime.agent('bob')?.trust).toBe('CONDITIONAL');
  });

  it('row 5 before policies: trust is CONDITIONAL and the level is not SAFE', async () => {
    await put('p');
    await agent({ agent_id: 'ada', trust: 'CONDITIONAL', trust_until: later });
    const risky = wanted(workflow('keep', RISKY));
    expect(await denial(at.runtime.start(risky))).toEqual(['denied', 'governance', 'TRUST_TOO_LOW']);
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
      await at.runtime.grant({ domain: 'execution', actions: ['execute'], granted_to: 'agent-1', granted_by: OWNER });
      for (const one of POLICIES) await at.runtime.putPolicy(one, OWNER);
      const document = workflow(name, action);
      if (action === purge) document.nodes[0] = { node_id: 'save', type: 'action', action_def: 'purge.all@1' };
      const start = { workflow: document, inputs: { amount }, context, agent_id: 'agent-1' };
      const { decision, reasons } = at.runtime.check(start);
      expect([decision, reasons[0]?.code]).toEqual([code === undefined ? 'allowed' : 'denied', code]);
    },
  );
});

describe('check', () => {
  it('gives what the verification gate says where that denies, and the next start passes none the less', async () => {
    const broken = workflow();
    broken.edges[0] = { from_node: 'save', to_node: 'nowhere', label: 'success' };
    const { gate, decision, report } = at.runtime.check(wanted(broken));
    expect([gate, decision, report?.verdict]).toEqual(['verification', 'denied', 'FAIL']);
    expect(at.memory.records).toEqual([]);
  });

  it('takes a workflow of the registry, and leaves a confirmation as it is', async () => {
    await put('ask', { effect: 'conditional' });
    await at.runtime.putRegistry({ workflows: [workflow()] });
    const named = { workflow_id: 'keep@1.0.0', inputs: {}, agent_id: 'ada' };
    const confirmation_id = await confirm(at.runtime, named);
    const twice = [1, 2].map(() => at.runtime.check({ ...named, confirmation_id }).decision);
    expect(twice).toEqual(['allowed', 'allowed']);
    expect(await completed(at.runtime.start({ ...named, confirmation_id }))).toBe('completed');
    expect(() => at.runtime.check({ ...named, workflow_id: 'none@1.0.0' })).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
  });
});
