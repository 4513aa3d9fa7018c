import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireEvent } from './event.js';
import { AdapterError } from './kinds.js';
import { NO_ANSWER, Peer, type PeerOptions } from './peer.js';
import { StreamSink } from './sink.js';

type Part = Partial<Pick<PeerOptions, 'requests' | 'notifications' | 'line_cap'>>;

/** Two peers with a pipe in each direction; high_water makes the pipes narrow. */
function pair(suite: Part = {}, adapter: Part = {}, high_water = 16_384) {
  const down = new PassThrough({ highWaterMark: high_water });
  const up = new PassThrough({ highWaterMark: high_water });
  const events: WireEvent[] = [];
  const onEvent = (event: WireEvent) => events.push(event);
  return {
    up,
    down,
    events,
    suite: new Peer({ side: 'suite', input: up, output: new StreamSink(down), onEvent, ...suite }),
    adapter: new Peer({ side: 'adapter', input: down, output: new StreamSink(up), onEvent, ...adapter }),
  };
}

/** The suite's peer alone; the test plays the adapter. */
function lone(options: Part = {}) {
  const up = new PassThrough();
  const events: WireEvent[] = [];
  const output = new StreamSink(new PassThrough().resume());
  const suite = new Peer({ side: 'suite', input: up, output, onEvent: event => events.push(event), ...options });
  return { suite, up, events };
}

const call = (n: number) => ({
  execution_id: `e${n}`,
  idempotency_key: 'k',
  action_id: 'a',
  version: '1.0.0',
  attempt: 1,
  inputs: { n },
  context: {},
});

describe('Peer', () => {
  it('gives each request its own answer, in whatever order they come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(5), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 64 }),
        async (delays, width) => {
          const { suite, adapter, events } = pair(
            {
              requests: {
                'action/invoke': async ({ inputs }) => {
                  await sleep(delays[Number(inputs.n)] ?? 0);
                  return { outputs: inputs };
                },
              },
            },
            { requests: { 'workflow/start': ({ request_key }) => ({ execution_id: `of-${request_key}` }) } },
            width,
          );
          const both = delays.map(async (_, n) => [
            await adapter.request('action/invoke', call(n)),
            await suite.request('workflow/start', { inputs: {}, agent_id: 'a', request_key: `${n}` }),
          ]);
          const answers = await Promise.all(both);
          expect(answers).toEqual(delays.map((_, n) => [{ outputs: { n } }, { execution_id: `of-${n}` }]));
          expect(events).toEqual([]);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('skips and reports garbage between messages, in any chunks', async () => {
    const garbage = fc.oneof(
      fc.string().filter(text => !text.includes('\n') && text.trim() !== ''),
      fc.json().map(text => text.replaceAll('\n', ' ')),
      fc.constant('[{"jsonrpc":"2.0"}]'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(garbage, { maxLength: 10 }),
        fc.array(fc.nat(500), { maxLength: 30 }),
        async (lines, cuts) => {
          const { suite, up, events } = lone();
          const answer = suite.request('workspace/close', {});
          const text = [...lines, '{"jsonrpc":"2.0","id":1,"result":{}}', ''].join('\n');
          const bytes = Buffer.from(text);
          let from = 0;
          for (const to of [...cuts.filter(cut => cut < bytes.length).sort((a, b) => a - b), bytes.length]) {
            up.write(bytes.subarray(from, to));
            from = to;
          }
          expect(await answer).toEqual({});
          expect(events.filter(({ kind }) => kind === 'stray_line')).toHaveLength(lines.length);
        },
      ),
    );
  });

  it('reports answers to requests that were never made, made by the other side, or answered before', async () => {
    const { suite, up, events } = lone();
    const answer = suite.request('workspace/close', {});
    up.write('{"jsonrpc":"2.0","id":"1","result":{}}\n{"jsonrpc":"2.0","id":99,"result":{}}\n');
    up.write('{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","id":1,"result":{}}\n');
    await answer;
    await sleep(5);
    expect(events.map(({ kind }) => kind)).toEqual(['unknown_id', 'unknown_id', 'unknown_id']);
  });

  it('reports a line above the cap and reads on', async () => {
    const { suite, up, events } = lone({ line_cap: 1000 });
    const answer = suite.request('workspace/close', {});
    up.write(`{"jsonrpc":"2.0","id":1,"result":{"x":"${'y'.repeat(2000)}"}}\n`);
    up.write('{"jsonrpc":"2.0","id":1,"result":{}}\n');
    expect(await answer).toEqual({});
    expect(events.map(({ kind }) => kind)).toEqual(['too_long']);
  });

  it('rejects an answer that does not fit its schema, with the pointer', async () => {
    const { suite, up, events } = lone();
    const answer = suite.request('workflow/start', { inputs: {}, agent_id: 'a' });
    up.write('{"jsonrpc":"2.0","id":1,"result":{"execution_id":7}}\n');
    await expect(answer).rejects.toMatchObject({
      code: 'protocol',
      details: { method: 'workflow/start', misfits: [{ pointer: '/execution_id' }] },
    });
    expect(events).toMatchObject([{ kind: 'bad_result', method: 'workflow/start' }]);
  });

  it('passes on the kind and the facts of an error, and makes anything else internal', async () => {
    const { suite } = pair(
      {},
      {
        requests: {
          'workflow/start': () => {
            throw new AdapterError('denied', 'no', { gate: 'governance', execution_id: 'e1' });
          },
          'workflow/cancel': () => {
            throw new TypeError('boom');
          },
          'workspace/close': () => ({ extra: 1 }),
        },
      },
    );
    const kind = (method: 'workflow/start' | 'workflow/cancel' | 'workspace/close' | 'shutdown', params: object) =>
      suite.request(method, params as never).then(
        () => 'answered',
        error => error.details,
      );
    expect(await kind('workflow/start', { inputs: {}, agent_id: 'a' })).toMatchObject({
      kind: 'denied',
      gate: 'governance',
      execution_id: 'e1',
    });
    expect(await kind('workflow/cancel', { execution_id: 'e', agent_id: 'a' })).toMatchObject({ kind: 'internal' });
    expect(await kind('workspace/close', {})).toMatchObject({ kind: 'internal' });
    expect(await kind('shutdown', {})).toMatchObject({ kind: 'unsupported' });
  });

  it('refuses its own bad params, and answers invalid to those of others', async () => {
    const { suite, events } = pair({}, { requests: { 'workspace/close': () => ({}) } });
    const bad = { extra: 1 } as never;
    await expect(suite.request('workspace/close', bad)).rejects.toMatchObject({ code: 'suite_bug' });
    await expect(suite.request('workspace/close', bad, { unchecked: true })).rejects.toMatchObject({
      code: 'request_failed',
      details: { kind: 'invalid' },
    });
    expect(events.map(({ kind }) => kind)).toEqual(['bad_params']);
  });

  it('answers unsupported to a method of the wrong direction', async () => {
    const { adapter, up, down } = pair();
    const seen: string[] = [];
    up.on('data', chunk => seen.push(String(chunk)));
    down.write(`${JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'action/invoke', params: call(1) })}\n`);
    await sleep(5);
    await adapter.flushed();
    expect(JSON.parse(seen.join(''))).toMatchObject({ id: 5, error: { data: { kind: 'unsupported' } } });
  });

  it('lets a budget run out, and ignores the late answer', async () => {
    const { suite, up, events } = lone();
    await expect(suite.request('workspace/close', {}, { budget_ms: 20 })).rejects.toMatchObject({ code: 'timeout' });
    up.write('{"jsonrpc":"2.0","id":1,"result":{}}\n');
    await sleep(5);
    expect(events).toEqual([]);
  });

  it('stops the budget while a callback is unanswered, and only then', async () => {
    let free = () => {};
    const held = new Promise<void>(resolve => {
      free = resolve;
    });
    const { suite, adapter } = pair(
      { requests: { 'action/invoke': () => held.then(() => ({ outputs: {} })) } },
      {
        requests: {
          'workflow/wait': async () => {
            await adapter.request('action/invoke', call(1));
            return { status: 'completed', trace: [] };
          },
        },
      },
    );
    let settled = 'open';
    const wait = suite.request('workflow/wait', { execution_id: 'e', budget_ms: 1 }, { budget_ms: 60 });
    wait.then(
      () => (settled = 'answered'),
      () => (settled = 'timeout'),
    );
    await sleep(200);
    expect(settled).toBe('open');
    free();
    expect(await wait).toEqual({ status: 'completed', trace: [] });
  });

  it('does not let a callback that is never answered stop the budget for ever', async () => {
    const { suite, adapter } = pair(
      { requests: { 'action/invoke': () => NO_ANSWER } },
      { requests: { 'workflow/wait': () => adapter.request('action/invoke', call(1)) as never } },
    );
    const wait = suite.request('workflow/wait', { execution_id: 'e', budget_ms: 1 }, { budget_ms: 30 });
    await expect(wait).rejects.toMatchObject({ code: 'timeout' });
  });

  it('reads on while nobody reads what it writes', async () => {
    const input = new PassThrough();
    const output = new PassThrough({ highWaterMark: 10 });
    let served = 0;
    const peer = new Peer({
      side: 'adapter',
      input,
      output: new StreamSink(output),
      requests: {
        'workspace/close': () => {
          served += 1;
          return {};
        },
      },
    });
    for (let id = 1; id <= 5000; id += 1) input.write(`{"jsonrpc":"2.0","id":${id},"method":"workspace/close"}\n`);
    while (served < 5000) await sleep(1);
    expect(output.readableLength).toBeLessThan(1000);
    let lines = 0;
    output.on('data', chunk => {
      lines += String(chunk).split('\n').length - 1;
    });
    await peer.flushed();
    while (lines < 5000) await sleep(1);
    expect(lines).toBe(5000);
  });

  it('rejects what is open and what comes later once the other side is gone', async () => {
    const { suite, up } = lone();
    const open = suite.request('workspace/close', {});
    up.end();
    await expect(open).rejects.toMatchObject({ code: 'adapter_exit' });
    await suite.closed;
    await expect(suite.request('workspace/close', {})).rejects.toMatchObject({ code: 'adapter_exit' });
  });

  it('reports a last line that was cut off, and takes it for no message', async () => {
    const { suite, up, events } = lone();
    const open = suite.request('workspace/close', {});
    up.end('{"jsonrpc":"2.0","id":1,"result":{}}');
    await expect(open).rejects.toMatchObject({ code: 'adapter_exit' });
    expect(events).toMatchObject([{ kind: 'cut_off' }]);
  });
});
