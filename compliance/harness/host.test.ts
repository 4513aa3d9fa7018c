import { describe, expect, it } from 'vitest';
import { NO_ANSWER } from '../wire/peer.js';
import { ActionHost } from './host.js';

const call = (node_id: string, key = 'k', action_id = 'act') => ({
  execution_id: `e-${node_id}`,
  idempotency_key: key,
  action_id,
  version: '1.0.0',
  node_id,
  attempt: 1,
  inputs: {},
  context: {},
});
const good = (n: number) => ({ reply: { outputs: { n } } });
const bad = { reply: { error: { error_class: 'E1' as const, detail: 'no' } } };

describe('ActionHost', () => {
  it('plays the behaviours of a node in order and repeats the last', async () => {
    const host = new ActionHost({ nodes: { a: [bad, good(2)] } });
    host.begin(1);
    const answers = [await host.invoke(1, call('a')), await host.invoke(1, call('a')), await host.invoke(1, call('a'))];
    expect(answers).toEqual([bad.reply, good(2).reply, good(2).reply]);
    expect(host.ledger().map(({ ordinal, effect }) => [ordinal, effect])).toEqual([
      [1, false],
      [2, true],
      [3, true],
    ]);
  });

  it('plays an action by its name before the node that it undoes', async () => {
    const host = new ActionHost({ nodes: { a: [good(1)] }, actions: { undo: [good(9)] } });
    host.begin(1);
    expect(await host.invoke(1, call('a', 'k2', 'undo'))).toEqual(good(9).reply);
    expect(await host.invoke(1, call('a'))).toEqual(good(1).reply);
  });

  it('says so where the script has nothing, also under the names of an object', async () => {
    const host = new ActionHost({ nodes: {} });
    host.begin(1);
    expect(await host.invoke(1, call('toString'))).toMatchObject({ error: { error_class: 'E5', effect: 'none' } });
    expect(host.ledger()).toHaveLength(1);
  });

  it('keeps what a dead incarnation had sent, and never answers it', async () => {
    const host = new ActionHost({ nodes: { a: [{ ...good(1), delay_ms: 20, effect: 'reply' }, good(2)] } });
    host.begin(1);
    const open = host.invoke(1, call('a'));
    host.stop();
    const late = host.invoke(1, call('a'));
    expect(await open).toBe(NO_ANSWER);
    expect(await late).toBe(NO_ANSWER);
    expect(host.ledger().map(({ effect, reply }) => [effect, reply])).toEqual([
      [false, undefined],
      [true, undefined],
    ]);
  });

  it('answers probes from the ledger: applied, absent, partial, unknown', async () => {
    const nodes = {
      a: [good(1)],
      b: [bad],
      c: [{ effect: 'receipt' as const }],
      d: [{ ...good(4), delay_ms: 30, effect: 'reply' as const }],
    };
    const probes = { a: 'ledger', b: 'ledger', c: 'ledger', d: 'ledger' } as const;
    const host = new ActionHost({ nodes, probes });
    host.begin(1);
    for (const node of ['a', 'b', 'c']) await host.invoke(1, call(node, node));
    const slow = host.invoke(1, call('d', 'd'));
    const ask = (node: string) => host.probe(1, call(node, node));
    expect(ask('a')).toEqual({ verdict: 'applied', outputs: { n: 1 } });
    expect(ask('b')).toEqual({ verdict: 'absent' });
    expect(ask('c')).toEqual({ verdict: 'partial' });
    expect(ask('d')).toEqual({ verdict: 'unknown' });
    await slow;
    expect(ask('d')).toEqual({ verdict: 'applied', outputs: { n: 4 } });
    expect(ask('nowhere')).toEqual({ verdict: 'unknown' });
    host.begin(2);
    expect(host.probe(1, call('a', 'a'))).toBe(NO_ANSWER);
  });

  it('never lets a probe promise absence of what a dead incarnation may still cause', async () => {
    const host = new ActionHost({
      nodes: { a: [{ ...good(1), delay_ms: 10, effect: 'reply' }] },
      probes: { a: 'ledger' },
    });
    host.begin(1);
    const open = host.invoke(1, call('a'));
    host.begin(2);
    expect(host.probe(2, call('a'))).toEqual({ verdict: 'absent' });
    expect(await open).toBe(NO_ANSWER);
    expect(host.ledger()[0]?.effect).toBe(false);
  });

  it('puts receipts and replies on one line of time, and shows them to a watch', async () => {
    const host = new ActionHost({ nodes: { a: [good(1)] } });
    host.begin(1);
    const seen: string[] = [];
    const stop = host.watch((when, { ordinal }) => seen.push(`${when} ${ordinal}`));
    await host.invoke(1, call('a'));
    await new Promise(resolve => setImmediate(() => setImmediate(resolve)));
    stop();
    await host.invoke(1, call('a'));
    expect(seen).toEqual(['receipt 1', 'reply 1']);
    expect(host.ledger().flatMap(({ received_at, replied_at }) => [received_at, replied_at])).toEqual([1, 2, 3, 4]);
  });
});
