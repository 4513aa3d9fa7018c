import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { ActionInvokeParams } from '../../../schemas/types.js';
import type { ActionFunction } from '../execution/functions.js';
import { type ProcessOptions, processActions } from './process.js';

const node = process.execPath;

function run(
  inputs: Record<string, unknown>,
  options: ProcessOptions = {},
  { name = 'run', signal = new AbortController().signal } = {},
) {
  const call = { execution_id: 'e', idempotency_key: 'i/a/0', action_id: 'a', version: '1.0.0', attempt: 1 };
  const code = processActions(options).functions[`process.${name}@1.0.0`] as ActionFunction;
  return code({ ...call, inputs, context: {} } as ActionInvokeParams, signal);
}

describe('process actions', () => {
  it('run a program without a shell, give it its input, and tell how it ended', async () => {
    const script = `process.stdin.pipe(process.stdout); process.stderr.write(process.argv[1] + process.env.ARS_IDEMPOTENCY_KEY); process.exitCode = 3`;
    expect(await run({ command: node, args: ['-e', script, '$(x)'], stdin: 'hello' })).toEqual({
      outputs: { exit_code: 3, stdout: 'hello', stderr: '$(x)i/a/0', truncated: false },
      exit_code: 3,
    });
  });

  it('drop what is too much, and say so', async () => {
    const args = ['-e', 'process.stdout.write("x".repeat(300000))'];
    expect(await run({ command: node, args }, { max_output_bytes: 1000 })).toMatchObject({
      outputs: { exit_code: 0, stdout: 'x'.repeat(1000), truncated: true },
    });
  });

  it('say that what does not start has had no effect', async () => {
    const failed = { error: { error_class: 'E3', effect: 'none' } };
    expect(await run({ command: 'no-such-program-here' })).toMatchObject(failed);
    expect(await run({ command: node }, { cwd: '/no/such/folder' })).toMatchObject(failed);
    expect(await run({ command: 'a\0b' })).toMatchObject(failed);
  });

  it('end a process with all that it started, also one that will not', async () => {
    const stop = new AbortController();
    const child = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`;
    const script = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' }); ${child}`;
    const ended = run({ command: node, args: ['-e', script] }, {}, { signal: stop.signal });
    setTimeout(() => stop.abort(), 300);
    expect(await ended).toMatchObject({ error: { error_class: 'E3', effect: 'unknown' } });
  });

  it('end also what has let go of its outputs and hears no SIGTERM', async () => {
    const stop = new AbortController();
    const script = '(trap "" TERM; exec sleep 60) >/dev/null 2>&1 </dev/null & echo $! > "$1"; sleep 60';
    const folder = mkdtempSync(join(tmpdir(), 'ars-process-'));
    const file = join(folder, 'pid');
    const ended = run({ command: 'sh', args: ['-c', script, 'sh', file] }, {}, { signal: stop.signal });
    const pid = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
    await vi.waitFor(() => expect(pid()).toBeGreaterThan(0), { timeout: 10_000 });
    stop.abort();
    await ended;
    await vi.waitFor(() => expect(isRunning(pid())).toBe(false), { timeout: 10_000 });
    rmSync(folder, { recursive: true });
  });

  it('run as readers only what was named as one', async () => {
    const args = ['-e', '0'];
    const refused = { error: { error_class: 'E5', effect: 'none' } };
    expect(await run({ command: node, args }, {}, { name: 'read' })).toMatchObject(refused);
    expect(await run({ command: node, args }, { readers: [node] }, { name: 'read' })).toMatchObject({ exit_code: 0 });
  });
});

/** Whether a process runs; one that has ended may be kept by whoever started it. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
