import { describe, expect, it } from 'vitest';
import { APPROVER, confirm, FAR, registerApprover } from './confirmed.fixture.js';
import { denial } from './denial.fixture.js';
import type { ArsError } from './error.js';
import { governedOfTests, NOW, RISKY, wanted, workflow } from './policies.fixture.js';

const at = governedOfTests();
const { completed, put } = at;

describe('a policy that asks for a confirmation', () => {
  const conditional = () => put('ask', { effect: 'conditional' });

  it('is answered by one, which the start uses up', async () => {
    await conditional();
    const confirmation_id = await confirm(at.runtime, wanted());
    const id = await at.runtime.start({ ...wanted(), confirmation_id });
    const [start] = [...at.runtime.records({ execution_id: id, status: 'workflow_started' })];
    expect(start).toMatchObject({ confirmation_id, refers_to: [confirmation_id] });
    const again = await at.runtime.start({ ...wanted(), confirmation_id }).catch((error: ArsError) => error);
    expect((again as ArsError).details).toMatchObject({
      gate: 'governance',
      reasons: [{ code: 'CONFIRMATION_NEEDED', message: expect.stringContaining(`used up by '${id}'`) }],
      dry_run: { safety_level: 'SAFE' },
    });
  });

  it('and a level that does are answered by the same one', async () => {
    await conditional();
    const risky = wanted(workflow('keep', RISKY));
    const confirmation_id = await confirm(at.runtime, risky);
    expect(await completed(at.runtime.start({ ...risky, confirmation_id }))).toBe('completed');
    expect(await denial(at.runtime.start(risky))).toEqual(['denied', 'governance', 'CONFIRMATION_NEEDED']);
  });

  it('lets one of many starts with one confirmation at one time begin', async () => {
    await conditional();
    const confirmation_id = await confirm(at.runtime, wanted());
    const starts = Array.from({ length: 8 }, () => denial(at.runtime.start({ ...wanted(), confirmation_id })));
    const ended = await Promise.all(starts);
    expect(ended.filter(one => typeof one === 'string')).toHaveLength(1);
    expect(ended.filter(one => typeof one !== 'string')).toEqual(
      Array.from({ length: 7 }, () => ['denied', 'governance', 'CONFIRMATION_NEEDED']),
    );
  });

  it('lets a dry run pass, with the reason in its gate record', async () => {
    await conditional();
    const { execution_id } = await at.runtime.start({ ...wanted(), dry_run: true });
    const gates = [...at.runtime.records({ execution_id, record_type: 'gate' })];
    expect(gates.map(({ gate, status, reasons }) => [gate, status, reasons?.map(({ code }) => code)])).toEqual([
      ['verification', 'allowed', []],
      ['governance', 'allowed', ['CONFIRMATION_NEEDED']],
    ]);
    const check = at.runtime.check(wanted());
    expect([check.decision, check.reasons[0]?.code]).toEqual(['denied', 'CONFIRMATION_NEEDED']);
  });

  it('is not looked at where no policy and no level asks for one', async () => {
    const confirmation_id = await confirm(at.runtime, wanted());
    const id = await at.runtime.start({ ...wanted(), confirmation_id });
    expect(
      [...at.runtime.records({ execution_id: id, status: 'workflow_started' })][0]?.confirmation_id,
    ).toBeUndefined();
    await conditional();
    expect(await at.runtime.start({ ...wanted(), confirmation_id })).toBeTypeOf('string');
  });

  it.each(['not granted', 'of another agent', 'lapsed'])('does not take one that is %s', async what => {
    await conditional();
    await registerApprover(at.runtime);
    const { dry_run } = await at.runtime.start({ ...wanted(), dry_run: true });
    const { resolved_digest, inputs_digest } = dry_run;
    const terms = { resolved_digest, inputs_digest, approver: APPROVER, agent_id: 'ada', expires_at: FAR };
    let confirmation_id = 'nothing';
    if (what === 'of another agent') confirmation_id = await at.runtime.approve({ ...terms, agent_id: 'bob' });
    if (what === 'lapsed')
      confirmation_id = await at.runtime.approve({ ...terms, expires_at: new Date(NOW).toISOString() });
    const denied = await denial(at.runtime.start({ ...wanted(), confirmation_id }));
    expect(denied).toEqual(['denied', 'governance', 'CONFIRMATION_NEEDED']);
  });
});
