import { describe, expect, it } from 'vitest';
import { done, one, runtimeOfTests, step, workflow } from './opened.fixture.js';

const at = runtimeOfTests();

describe('an attempt of an action', () => {
  it('retries what its class and policy allow, and counts the attempts', async () => {
    let calls = 0;
    await at.open({
      pure: () => {
        calls += 1;
        return calls < 3
          ? { error: { error_class: 'E1', detail: 'down', effect: 'none' } }
          : { outputs: { at: calls } };
      },
    });
    const result = await at.run(one({ retry_policy: { max_retries: 2, backoff_ms: 1 } }));
    expect(result.trace).toContainEqual({ node_id: 'a', outcome: 'success', attempts: 3 });
    const keys = new Set([...at.runtime.records({ record_type: 'action' })].map(r => r.idempotency_key));
    expect(keys.size).toBe(1);
  });

  it('fails an attempt at its limit of time and ignores what comes later', async () => {
    const late: string[] = [];
    await at.open(
      { pure: (_, signal) => new Promise(resolve => signal.addEventListener('abort', () => resolve({ outputs: {} }))) },
      { late: (id: string) => late.push(id) },
    );
    const result = await at.run(one({ timeout_ms: 20 }));
    expect(result.error?.error_class).toBe('E3');
    expect(late.length).toBe(1);
  });

  it('asks a probe within the limit of the action, whatever that of the node is', async () => {
    const invoke = (_: unknown, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
    const probe = async () => {
      await new Promise(resolve => setTimeout(resolve, 80));
      return { verdict: 'applied' as const, outputs: {} };
    };
    await at.open({ asked: { invoke, probe }, pure: () => ({ outputs: {} }) });
    const asked = {
      action_id: 'asked',
      version: '1.0.0',
      determinism: 'deterministic',
      rollback: 'rollbackable',
    } as const;
    const actions = [
      { ...asked, side_effects: ['filesystem' as const], probe: true, revert: 'pure@^1.0.0' },
      { ...asked, action_id: 'pure', side_effects: [] },
    ];
    const result = await at.run(one({ action_def: 'asked@^1.0.0', timeout_ms: 20 }, { actions }));
    expect(result.status).toBe('completed');
  });
});

describe('what an action gives besides its outputs', () => {
  it('keeps large evidence by digest and small evidence in the record', async () => {
    const large = 'x'.repeat(20_000);
    await at.open({
      pure: ({ node_id }) => ({ outputs: {}, evidence: (node_id === 'a' ? large : 'small') as never }),
    });
    await at.run(
      workflow(
        [step('a'), step('b'), done],
        [
          ['a', 'b', 'success'],
          ['b', 'done', 'success'],
        ],
      ),
    );
    const [a, b] = [...at.runtime.records({ status: 'committed' })];
    expect(at.runtime.evidence(a?.evidence_ref as string)).toBe(large);
    expect(a?.evidence).toBeUndefined();
    expect(b?.evidence).toBe('small');
    expect(b?.evidence_ref).toBeUndefined();
  });

  it('writes State with the commit, and fails on a version conflict without a retry', async () => {
    await at.open({
      pure: ({ node_id }) => ({
        outputs: {},
        state_changes: [{ key: 'k', op: 'put', value: node_id as never, expected_version: 0 }],
      }),
    });
    const result = await at.run(
      workflow(
        [step('a'), step('b'), done],
        [
          ['a', 'b', 'success'],
          ['b', 'done', 'success'],
        ],
      ),
    );
    expect(result.error).toEqual({ error_class: 'E4', detail: 'conflict', node_id: 'b' });
    expect(at.runtime.state().state.k).toMatchObject({ value: 'a', version: 1 });
  });
});
