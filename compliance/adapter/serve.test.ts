import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Compiled, compile } from '../harness/testing/compiled.js';

let compiled: Compiled;
const children: ChildProcess[] = [];

beforeAll(() => {
  compiled = compile();
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => compiled.remove());

type Answer = Record<string, unknown> & { id?: number; method?: string };

/** Starts a module that serves, and gives what it writes, message by message. */
function start(name: string, script: string) {
  const path = compiled.write(
    `${name}.mjs`,
    `import { serve, AdapterError } from './compliance/adapter/index.js';\n${script}`,
  );
  const child = spawn(process.execPath, [path], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const exited = once(child, 'exit');
  const messages: Answer[] = [];
  let rest = '';
  child.stdout.on('data', chunk => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) messages.push(JSON.parse(line) as Answer);
  });
  const send = (id: number, method: string, params: object = {}) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  const until = async (done: (message: Answer) => boolean): Promise<Answer> => {
    for (;;) {
      const found = messages.find(done);
      if (found !== undefined) return found;
      await sleep(5);
    }
  };
  return {
    child,
    exited,
    messages,
    send,
    answer: (id: number) => until(message => message.id === id && message.method === undefined),
    until,
  };
}

const core = `open: () => ({ recovery: null }), close: () => ({}), start: () => ({ execution_id: 'e' }), wait: () => ({ status: 'running', trace: [] })`;
const runtime = `runtime: { name: 'inline', version: '1.0.0' }`;

describe('serve', () => {
  it('introduces the runtime with the capabilities that it has handlers for', async () => {
    const { send, answer } = start(
      'identity',
      `serve({ ${runtime}, core: { ${core} }, state: { get: () => ({ state: {}, sequence: 0 }) }, faults: { points: ['committed'], arm: () => ({}) } });`,
    );
    send(1, 'initialize', { protocol: '1.0', suite_version: '0.1.0' });
    expect((await answer(1)).result).toEqual({
      runtime: { name: 'inline', version: '1.0.0' },
      spec_version: '1.0',
      capabilities: ['core', 'state', 'faults'],
      durable_scope: 'process',
      continuation: 'open',
      fault_points: ['committed'],
    });
  });

  it('answers unsupported, invalid, the kind that was thrown, and internal for a result that does not fit', async () => {
    const { send, answer } = start(
      'kinds',
      `serve({ ${runtime}, core: { ${core}, close: () => ({ left: 1 }), start: () => { throw new AdapterError('denied', 'no', { gate: 'governance', execution_id: 'e1' }); },
         cancel: () => { throw Object.assign(new Error('gone'), { kind: 'not_found' }); } } });`,
    );
    send(1, 'audit/query', { agent_id: 'a' });
    send(2, 'workflow/wait', { execution_id: 'e' });
    send(3, 'workflow/start', { inputs: {}, agent_id: 'a' });
    send(4, 'workflow/cancel', { execution_id: 'e', agent_id: 'a' });
    send(5, 'workspace/close');
    const kind = async (id: number) => ((await answer(id)).error as { data: object }).data;
    expect(await kind(1)).toEqual({ kind: 'unsupported' });
    expect(await kind(2)).toEqual({ kind: 'invalid' });
    expect(await kind(3)).toEqual({ kind: 'denied', gate: 'governance', execution_id: 'e1' });
    expect(await kind(4)).toEqual({ kind: 'not_found' });
    expect(await kind(5)).toEqual({ kind: 'internal' });
    expect(JSON.stringify((await answer(5)).error)).toContain('left');
  });

  it('ends with the end of its input, whatever else it is doing', async () => {
    const { child, exited, send, answer } = start(
      'end',
      `setInterval(() => {}, 1000); serve({ ${runtime}, core: { ${core} } });`,
    );
    send(1, 'workspace/open', { workspace_dir: '/w', incarnation: 1, seed: 1 });
    await answer(1);
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
  });

  it('answers shutdown and then ends', async () => {
    const { exited, send, answer } = start(
      'shutdown',
      `setInterval(() => {}, 1000); serve({ ${runtime}, core: { ${core} } });`,
    );
    send(1, 'shutdown');
    expect((await answer(1)).result).toEqual({});
    expect(await exited).toEqual([0, null]);
  });

  it('writes a fault point after all that was said before, though the pipe is full, and blocks for good', async () => {
    const { child, exited, messages, send, until } = start(
      'fault',
      `serve(host => ({ ${runtime}, core: { ${core}, start: () => {
         const base = { idempotency_key: 'k', action_id: 'a', version: '1.0.0', attempt: 1, context: {} };
         for (let n = 0; n < 40; n += 1) host.invoke({ ...base, execution_id: 'e' + n, inputs: { text: 'x'.repeat(100_000) } });
         host.faultPoint('invoked', 'e39');
       } } }));`,
    );
    child.stdout?.pause();
    send(1, 'workflow/start', { inputs: {}, agent_id: 'a' });
    await sleep(300);
    child.stdout?.resume();
    await until(({ method }) => method === 'fault/point');
    expect(messages.map(({ method }) => method)).toEqual([...Array(40).fill('action/invoke'), 'fault/point']);
    send(2, 'workspace/close');
    await sleep(300);
    expect(messages).toHaveLength(41);
    expect(child.exitCode).toBeNull();
    child.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
  });

  it('does not outlive the suite while it is blocked', async () => {
    const { child, exited, send, until } = start(
      'orphan',
      `serve(host => ({ ${runtime}, core: { ${core}, start: () => host.faultPoint('invoked') } }));`,
    );
    send(1, 'workflow/start', { inputs: {}, agent_id: 'a' });
    await until(({ method }) => method === 'fault/point');
    child.stdin.end();
    expect(await exited).toEqual([null, 'SIGKILL']);
  });

  it('reads on while its own output is not read', async () => {
    const { child, messages, send, until } = start(
      'backpressure',
      `let seen = 0; serve({ ${runtime}, core: { ${core}, close: () => { seen += 1; if (seen === 3000) process.stderr.write(''); return {}; },
         wait: () => ({ status: 'failed', error: { error_class: 'E0', detail: 'x'.repeat(10_000) }, trace: [] }) } });`,
    );
    child.stdout?.pause();
    for (let id = 1; id <= 500; id += 1) send(id, 'workflow/wait', { execution_id: 'e', budget_ms: 0 });
    for (let id = 501; id <= 3000; id += 1) send(id, 'workspace/close', {});
    // Everything that was sent is taken out of the pipe though nothing is read back.
    while ((child.stdin?.writableLength ?? 1) > 0) await sleep(5);
    child.stdout?.resume();
    await until(({ id }) => id === 3000);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(3000);
  });

  it('tells the suite of an invocation that is no longer wanted', async () => {
    const { send, until, answer } = start(
      'cancel',
      `serve(host => ({ ${runtime}, core: { ${core}, start: async () => {
         const call = { execution_id: 'e1', idempotency_key: 'k', action_id: 'a', version: '1.0.0', attempt: 1, inputs: {}, context: {} };
         const why = await host.invoke(call, AbortSignal.timeout(30)).catch(error => error.name);
         return { execution_id: why };
       } } }));`,
    );
    send(1, 'workflow/start', { inputs: {}, agent_id: 'a' });
    expect((await until(({ method }) => method === 'action/cancel')).params).toEqual({ execution_id: 'e1' });
    expect((await answer(1)).result).toEqual({ execution_id: 'TimeoutError' });
  });
});
