import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../program.js';
import { withWorkspace } from './case.js';
import { Session, type SessionOptions } from './session.js';
import { type Compiled, compile } from './testing/compiled.js';
import { chainProgram } from './testing/programs.js';

let compiled: Compiled;
let temp_root: string;
const open: Session[] = [];

beforeAll(() => {
  compiled = compile();
  temp_root = mkdtempSync(join(tmpdir(), 'session-test-'));
});
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
});
afterAll(() => {
  compiled.remove();
  rmSync(temp_root, { recursive: true, force: true });
});

async function start(source: string, args: string[] = [], options: SessionOptions = {}): Promise<Session> {
  const command = { command: process.execPath, args: [compiled.path(source), ...args] };
  const session = await Session.start(command, { temp_root, ...options });
  open.push(session);
  return session;
}

const toy = 'compliance/adapter/example/core-adapter.ts';
const durable = 'compliance/harness/testing/durable-adapter.ts';
const nodesOf = (ledger: readonly LedgerEntry[]) =>
  ledger.map(({ incarnation, node_id }) => `${incarnation}:${node_id}`);

describe('Session', () => {
  it('holds a dialogue: what is quoted, refused, asked at one time, killed and seen in the folder', async () => {
    const session = await start(durable);
    const program = chainProgram(2);
    const wait = { execution_id: { $: 'run/execution_id' }, budget_ms: 1000 };
    const spoken = await session.converse({
      unopened: true,
      script: program.script,
      turns: [
        { do: 'write', path: 'notes/a.json', text: '{}' },
        { do: 'look', as: 'found' },
        { do: 'open' },
        { do: 'run', program, as: 'run' },
        { do: 'together', asks: ['one', 'two'].map(as => ({ do: 'ask', method: 'workflow/wait', params: wait, as })) },
        { do: 'ask', method: 'state/get', params: { agent_id: 'owner' }, as: 'unserved' },
        { do: 'ask', method: 'workflow/wait', params: { ...wait, execution_id: { $: 'unserved/id' } }, as: 'unasked' },
        { do: 'kill' },
        { do: 'open', as: 'again' },
        { do: 'ask', method: 'workflow/resume', params: { execution_id: 'only', agent_id: 'owner' } },
        { do: 'ask', method: 'workflow/wait', params: wait, as: 'later' },
        { do: 'erase', path: 'notes/a.json' },
        { do: 'look', as: 'left' },
      ],
    });
    const completed = { result: expect.objectContaining({ status: 'completed' }) };
    const { answers } = spoken;
    expect(answers.run).toMatchObject([{ result: { execution_id: 'only', wait: { status: 'completed' } } }]);
    for (const name of ['one', 'two', 'later']) expect(answers[name]).toEqual([completed]);
    expect(answers.unserved).toEqual([{ error: { kind: 'unsupported', said: expect.any(String) } }]);
    expect(answers.unasked).toEqual([{ error: { kind: 'unasked' } }]);
    expect(answers.again).toEqual([{ result: { recovery: null } }]);
    expect(answers.found).toMatchObject([{ result: { 'notes/': { kind: 'folder' }, 'notes/a.json': { text: '{}' } } }]);
    const [left] = answers.left as readonly { readonly result: object }[];
    expect(Object.keys(left?.result ?? {})).toEqual(['notes/', 'steps.jsonl']);
    expect(spoken).toMatchObject({ kills: 1, violations: [] });
    expect(spoken.ledger).toHaveLength(2);
  });

  it('runs many cases in one process, and leaves no folder behind', async () => {
    const session = await start(toy);
    for (let n = 1; n <= 5; n += 1) {
      const seen = await session.observe(chainProgram(n));
      expect(seen.wait?.status).toBe('completed');
      expect(seen.ledger).toHaveLength(n);
      expect(seen.violations).toEqual([]);
    }
    expect(session.identity.capabilities).toEqual(['core']);
    await session.close();
    expect(readdirSync(temp_root)).toEqual([]);
  });

  it('talks over two other descriptors, and keeps what is printed apart', async () => {
    const session = await start(toy, ['--fd', '3,4']);
    const seen = await session.observe(chainProgram(2));
    expect(seen.wait?.status).toBe('completed');
    expect(seen.violations).toEqual([]);
  });

  it('keeps stdout for the protocol whatever the runtime prints', async () => {
    const path = compiled.write(
      'printer.mjs',
      `import './${toy.replace('.ts', '.js')}'; console.log('hello'); process.stdout.write('there');`,
    );
    const session = await Session.start({ command: process.execPath, args: [path] }, { temp_root });
    open.push(session);
    const seen = await session.observe(chainProgram(1));
    expect(seen.violations).toEqual([]);
    expect(session.stderr).toContain('hello');
    expect(session.stderr).toContain('there');
  });

  it('reports stray lines on stdout and goes on', async () => {
    const path = compiled.write(
      'stray.mjs',
      `import { writeSync } from 'node:fs'; import './${toy.replace('.ts', '.js')}'; setInterval(() => writeSync(1, 'stray\\n'), 5).unref();`,
    );
    const session = await Session.start({ command: process.execPath, args: [path] }, { temp_root });
    open.push(session);
    const seen = await session.observe(chainProgram(1, [], { n1: [{ reply: { outputs: {} }, delay_ms: 50 }] }));
    expect(seen.wait?.status).toBe('completed');
    expect(seen.violations).toContain('a line that is no JSON-RPC message: stray');
  });

  it('kills at a point, before recovery and in it, and finishes', async () => {
    const session = await start(durable);
    const seen = await session.observe(
      chainProgram(3, [
        { at: 'point', point: 'pending_durable', occurrence: 2 },
        { at: 'point', point: 'recovery_recorded', occurrence: 1 },
        { at: 'point', point: 'invoked', occurrence: 1 },
      ]),
    );
    expect(seen.kills).toBe(3);
    expect(seen.wait?.status).toBe('completed');
    expect(nodesOf(seen.ledger)).toEqual(['1:n1', '3:n2', '4:n2', '4:n3']);
    expect(seen.ledger.every(({ effect }) => effect)).toBe(true);
    expect(seen.killed_at).toHaveLength(3);
    expect(seen.recoveries).toHaveLength(3);
  });

  it('kills at the receipt of an invocation, at its reply, and at a time', async () => {
    const session = await start(durable);
    const receipt = await session.observe(chainProgram(3, [{ at: 'invocation', ordinal: 2, when: 'receipt' }]));
    expect(nodesOf(receipt.ledger)).toEqual(['1:n1', '1:n2', '2:n2', '2:n3']);
    expect(receipt.ledger.map(({ replied_at }) => replied_at !== undefined)).toEqual([true, false, true, true]);
    const reply = await session.observe(chainProgram(3, [{ at: 'invocation', ordinal: 3, when: 'reply' }]));
    expect([reply.kills, reply.wait?.status]).toEqual([1, 'completed']);
    expect(reply.ledger.filter(({ incarnation }) => incarnation === 1)).toHaveLength(3);
    const slow = { n1: [{ reply: { outputs: {} }, delay_ms: 1000 }] };
    const time = await session.observe(chainProgram(1, [{ at: 'time', after_ms: 100 }], slow));
    expect([time.kills, time.wait?.status, nodesOf(time.ledger).at(-1)]).toEqual([1, 'completed', '2:n1']);
  });

  it('does not claim a kill at a point that is never reached or not declared', async () => {
    const session = await start(durable);
    const never = await session.observe(chainProgram(1, [{ at: 'point', point: 'committed', occurrence: 9 }]));
    expect([never.kills, never.wait?.status]).toEqual([0, 'completed']);
    const undeclared = await session.observe(chainProgram(1, [{ at: 'point', point: 'compensating', occurrence: 1 }]));
    expect([undeclared.kills, undeclared.wait?.status]).toEqual([0, 'completed']);
    const next = await session.observe(chainProgram(9));
    expect([next.kills, next.wait?.status]).toEqual([0, 'completed']);
  });

  it('has in the ledger what a killed process had sent, answered or not', async () => {
    const path = compiled.write(
      'burst.mjs',
      `import { serve } from './compliance/adapter/index.js';
       let incarnation = 0;
       const call = n => ({ execution_id: 'e' + n, idempotency_key: 'k' + n, action_id: 'act', version: '1.0.0', node_id: 'n1',
         attempt: 1, inputs: { text: 'x'.repeat(50_000) }, context: {} });
       serve(host => ({ runtime: { name: 'burst', version: '1' }, core: {
         open: params => { incarnation = params.incarnation; return { recovery: null }; },
         close: () => ({}),
         start: async () => { if (incarnation === 1) await Promise.all(Array.from({ length: 20 }, (_, n) => host.invoke(call(n)))); return { execution_id: 'e' }; },
         wait: () => ({ status: 'completed', outputs: {}, trace: [] }) } }));`,
    );
    const session = await Session.start({ command: process.execPath, args: [path] }, { temp_root });
    open.push(session);
    const seen = await session.observe(chainProgram(1, [{ at: 'invocation', ordinal: 1, when: 'receipt' }]));
    expect(seen.kills).toBe(1);
    expect(seen.ledger.length).toBeGreaterThanOrEqual(1);
    expect(seen.ledger.map(({ ordinal }) => ordinal)).toEqual(seen.ledger.map((_, index) => index + 1));
    expect(seen.ledger.every(({ effect, reply }) => effect && reply === undefined)).toBe(true);
    expect(seen.violations).toEqual([]);
  });

  it('observes that a runtime without a durable part loses the instance', async () => {
    const session = await start(toy);
    const slow = { n1: [{ reply: { outputs: {} }, delay_ms: 100 }] };
    const seen = await session.observe(chainProgram(2, [{ at: 'invocation', ordinal: 2, when: 'receipt' }], slow));
    expect(seen.kills).toBe(1);
    expect('execution_id' in seen.start).toBe(true);
    expect(seen.wait).toBeUndefined();
  });

  it('counts effects at receipt, at reply, or never', async () => {
    const session = await start(durable);
    const nodes = {
      n1: [{ reply: { outputs: {} }, delay_ms: 300, effect: 'reply' as const }],
      n2: [{ reply: { outputs: {} }, effect: 'never' as const }],
      n3: [{ reply: { error: { error_class: 'E1' as const, detail: 'no' } } }],
    };
    const kill = { at: 'invocation', ordinal: 1, when: 'receipt' } as const;
    const seen = await session.observe(chainProgram(3, [kill], nodes));
    expect(seen.ledger.map(({ effect }) => effect)).toEqual([false, true, false, false]);
  });

  it('stops waiting for an instance whose action hangs', async () => {
    const session = await start(durable, [], { scale: 0.4 });
    const seen = await session.observe(chainProgram(2, [], { n2: [{ effect: 'receipt' }] }));
    expect(seen.wait?.status).toBe('running');
    expect(seen.ledger.map(({ effect, reply }) => [effect, reply !== undefined])).toEqual([
      [true, true],
      [true, false],
    ]);
    const next = await session.observe(chainProgram(1));
    expect(next.wait?.status).toBe('completed');
  });

  it('sees a refusal as an observation', async () => {
    const session = await start('compliance/mutants/null/always-refuses.ts');
    const refused = withWorkspace(session, { ...chainProgram(1) }, async () => 'open');
    await expect(refused).rejects.toMatchObject({ code: 'request_failed', details: { kind: 'denied' } });
  });

  it('lets a test send what no program would', async () => {
    const session = await start(durable);
    const ids = await withWorkspace(session, chainProgram(1), async () => {
      const params = { workflow: chainProgram(1).workflow, inputs: {}, agent_id: 'agent', request_key: 'k' };
      const first = await session.request('workflow/start', params);
      const second = await session.request('workflow/start', params);
      await expect(session.request('workflow/cancel', { execution_id: 'x', agent_id: 'agent' })).rejects.toMatchObject({
        details: { kind: 'unsupported' },
      });
      return [first.execution_id, second.execution_id];
    });
    expect(ids[0]).toBe(ids[1]);
  });

  it('says how a crashed adapter ended, keeps the workspace if asked, and starts anew', async () => {
    const path = compiled.write(
      'crashing.mjs',
      `import './${durable.replace('.ts', '.js')}'; import fs from 'node:fs'; const at = process.argv[2];
       if (!fs.existsSync(at)) setTimeout(() => { fs.writeFileSync(at, ''); console.error('out of luck'); process.exit(7); }, 300);`,
    );
    const mark = join(temp_root, 'crashed');
    const session = await Session.start(
      { command: process.execPath, args: [path, mark] },
      { temp_root, keep_failed: true },
    );
    open.push(session);
    const slow = chainProgram(1, [], { n1: [{ reply: { outputs: {} }, delay_ms: 1500 }] });
    await expect(session.observe(slow)).rejects.toMatchObject({ code: 'adapter_exit', details: { exit_code: 7 } });
    expect(session.stderr + session.transcript.toNdjson()).toContain('out of luck');
    expect(existsSync(session.kept[0] ?? '')).toBe(true);
    expect((await session.observe(chainProgram(1))).wait?.status).toBe('completed');
  });

  it('cannot start what is not there, and says what to do', async () => {
    const missing = Session.start({ command: 'no-such-adapter-here' }, { temp_root });
    await expect(missing).rejects.toMatchObject({ code: 'adapter_start', details: { reason: 'ENOENT' } });
  });

  it('is told by its silence that an adapter answers nothing', async () => {
    const mute = Session.start(
      { command: process.execPath, args: [compiled.path('compliance/mutants/null/answers-nothing.ts')] },
      { temp_root, scale: 0.05 },
    );
    await expect(mute).rejects.toMatchObject({ code: 'adapter_start' });
    const echo = Session.start(
      { command: process.execPath, args: [compiled.path('compliance/mutants/null/echo.ts')] },
      { temp_root, scale: 0.2 },
    );
    await expect(echo).rejects.toBeInstanceOf(Error);
  });

  it('gets a schema-valid lie from the adapter that says that all is well', async () => {
    const session = await start('compliance/mutants/null/always-ok.ts');
    const seen = await session.observe(chainProgram(2));
    expect(seen.wait).toEqual({ status: 'completed', outputs: {}, trace: [] });
    expect([seen.ledger, seen.log, seen.violations]).toEqual([[], [], []]);
  });
});
