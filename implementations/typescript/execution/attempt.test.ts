import { describe, expect, it } from 'vitest';
import type { ActionInvokeParams, ActionInvokeResult, ActionProbeParams } from '../../../schemas/types.js';
import { Abandonment } from './abandonment.js';
import { invoke, probe } from './attempt.js';
import { hostFunctions } from './functions.js';
import type { ActionHost } from './host.js';

const call: ActionInvokeParams = {
  execution_id: 'e1',
  idempotency_key: 'k',
  action_id: 'a',
  version: '1.0.0',
  attempt: 1,
  inputs: {},
  context: {},
};
const question: ActionProbeParams = {
  execution_id: 'e1',
  idempotency_key: 'k',
  action_id: 'a',
  version: '1.0.0',
  inputs: {},
};

/** A host that answers when it is told to, and notes whether it was called off. */
function pausing() {
  let answer: (result: ActionInvokeResult) => void = () => undefined;
  const seen = { aborted: false };
  const host: ActionHost = {
    invoke: (_, signal) => {
      signal.addEventListener('abort', () => (seen.aborted = true));
      return new Promise(resolve => (answer = resolve));
    },
    probe: () => new Promise(() => undefined),
  };
  return { host, seen, answer: (result: ActionInvokeResult) => answer(result) };
}

const nobody = () => undefined;

describe('invoke', () => {
  it('ends at the limit of time with E3 and unknown effect, and notes what comes later', async () => {
    const { host, seen, answer } = pausing();
    const late: string[] = [];
    const result = await invoke(host, call, 5, id => late.push(id));
    expect(result).toMatchObject({ error: { error_class: 'E3', effect: 'unknown' } });
    expect(seen.aborted).toBe(true);
    answer({ outputs: {} });
    await new Promise(resolve => setImmediate(resolve));
    expect(late).toEqual(['e1']);
  });

  it('notes nothing where a host answers twice in time, and is not troubled by who is told', async () => {
    const then = (answer: (result: ActionInvokeResult) => void) => {
      for (const _ of 'ab') answer({ outputs: {} });
    };
    const twice = {
      ...pausing().host,
      invoke: () => Object.assign(Promise.resolve({ outputs: {} }), { then }) as never,
    };
    const told: string[] = [];
    expect(await invoke(twice, call, undefined, id => told.push(id))).toEqual({ outputs: {} });
    const { host, answer } = pausing();
    await invoke(host, call, 1, id => {
      told.push(`late ${id}`);
      throw new Error('of the listener');
    });
    answer({ outputs: {} });
    await new Promise(resolve => setImmediate(resolve));
    expect(told).toEqual(['late e1']);
  });

  it('takes a rejection, and a host that throws at once, for E0 with unknown effect', async () => {
    for (const fail of [
      async () => Promise.reject(new Error('gone')),
      () => {
        throw new Error('gone');
      },
    ]) {
      const host = { ...pausing().host, invoke: fail };
      expect(await invoke(host, call, undefined, nobody)).toEqual({
        error: { error_class: 'E0', detail: 'gone', effect: 'unknown' },
      });
    }
  });

  it.each([undefined, null, 'text', {}, { outputs: 1 }, { error: { detail: 'x' } }, { outputs: {}, more: 1 }])(
    'takes the answer %o for E4',
    async answer => {
      const host = { ...pausing().host, invoke: async () => answer as never };
      expect(await invoke(host, call, undefined, nobody)).toMatchObject({
        error: { error_class: 'E4', effect: 'unknown' },
      });
    },
  );

  it('ends when nobody waits any longer', async () => {
    const { host, seen } = pausing();
    const abandonment = new Abandonment();
    const result = invoke(host, call, undefined, nobody, abandonment);
    abandonment.happen();
    expect(await result).toMatchObject({ error: { error_class: 'E0' } });
    expect(seen.aborted).toBe(true);
    expect(await invoke(host, call, undefined, nobody, abandonment)).toMatchObject({
      error: { error_class: 'E0' },
    });
  });

  it('takes limits beyond what a timer can hold', async () => {
    const host = { ...pausing().host, invoke: async () => ({ outputs: { n: 1 } }) };
    expect(await invoke(host, call, Number.MAX_SAFE_INTEGER, nobody)).toEqual({ outputs: { n: 1 } });
  });
});

describe('probe', () => {
  it('is unknown where the answer does not come, fails or has a wrong form', async () => {
    const { host } = pausing();
    expect(await probe(host, question, 5)).toEqual({ verdict: 'unknown' });
    expect(await probe({ ...host, probe: async () => Promise.reject(new Error('x')) }, question)).toEqual({
      verdict: 'unknown',
    });
    expect(await probe({ ...host, probe: async () => ({ verdict: 'maybe' }) as never }, question)).toEqual({
      verdict: 'unknown',
    });
    expect(await probe({ ...host, probe: async () => ({ verdict: 'absent' }) }, question)).toEqual({
      verdict: 'absent',
    });
  });
});

it.each<[unknown, RegExp]>([
  [undefined, /\{ outputs: \{…\} \} or \{ error: \{…\} \}; this one gave nothing$/],
  [{ text: 'Hello' }, /gave an object with "text"$/],
  [{ '\ud800': 1 }, /an object with /],
  [{ outputs: {}, output: {} }, /"output"/],
  [{ error: { error_class: 'E1', message: 'no' } }, /"detail"|"message"/],
  [{ error: { error_class: 'E1', detail: 'no' }, outputs: {} }, /"outputs"/],
  ['Hello', /gave a string$/],
])('says of the answer %o what was expected and what came', async (answer, says) => {
  const host = hostFunctions({ a: () => answer as ActionInvokeResult });
  const result = await invoke(host, call, undefined, () => undefined);
  expect(result).toMatchObject({ error: { error_class: 'E4', detail: expect.stringMatching(says) } });
});

describe('functions as a host', () => {
  const host = hostFunctions({
    a: () => ({ outputs: { from: 'any' } }),
    'a@2.0.0': { invoke: () => ({ outputs: { from: 'two' } }), probe: () => ({ verdict: 'absent' }) },
  });
  const { signal } = new AbortController();

  it('are found by version before name', async () => {
    expect(await host.invoke(call, signal)).toEqual({ outputs: { from: 'any' } });
    expect(await host.invoke({ ...call, version: '2.0.0' }, signal)).toEqual({ outputs: { from: 'two' } });
    expect(await host.probe({ ...question, version: '2.0.0' }, signal)).toEqual({ verdict: 'absent' });
    expect(await host.probe(question, signal)).toEqual({ verdict: 'unknown' });
  });

  it('answer for an unknown action, also one that is a name of every object, with E5 and no effect', async () => {
    for (const action_id of ['b', 'constructor'])
      expect(await host.invoke({ ...call, action_id }, signal)).toMatchObject({
        error: { error_class: 'E5', effect: 'none' },
      });
  });

  it('are looked for by has', () => {
    expect(['a', 'b', 'constructor', '__proto__'].map(action_id => host.has?.(action_id, '1.0.0'))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it.each<[string, () => unknown]>([
    [
      'an error whose message cannot be read',
      () => {
        throw Object.defineProperty(new Error('x'), 'message', {
          get() {
            throw new Error('again');
          },
        });
      },
    ],
    [
      'a proxy that refuses every look',
      () => {
        const refuse = () => {
          throw new Error('no');
        };
        throw new Proxy(new Error('x'), { get: refuse, getPrototypeOf: refuse });
      },
    ],
    [
      'an answer whose getter throws',
      () => ({
        get outputs() {
          throw new Error('getter');
        },
      }),
    ],
  ])('fail with E0 after %s', async (_, code) => {
    const hostile = hostFunctions({ a: code as () => ActionInvokeResult });
    expect(await invoke(hostile, call, undefined, nobody)).toMatchObject({
      error: { error_class: 'E0', effect: 'unknown' },
    });
  });
});
