import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Action, ActionInvokeParams, ActionInvokeResult } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { type BuiltinActions, checkOptions, failure, reasonOf } from './builtin.js';

/** How processes are run. */
export interface ProcessOptions {
  /** The folder in which they run. Absent: that of this process. */
  readonly cwd?: string;
  /** Their environment. Absent: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Programs that only read, by name or path: you promise that they have no effect, whatever their arguments. Only these
   * are run by `process.read`. Absent: none.
   */
  readonly readers?: readonly string[];
  /** How much of each output is kept, in bytes; absent: 1 MiB. What is beyond is dropped, and `truncated` says so. */
  readonly max_output_bytes?: number;
}

/** How long a process has to end after SIGTERM before it gets SIGKILL, in milliseconds. */
const GRACE_MS = 2_000;
const MOST_BYTES = 1024 * 1024;

const schemas = {
  input_schema: {
    type: 'object',
    properties: {
      command: { type: 'string', minLength: 1 },
      args: { type: 'array', items: { type: 'string' } },
      stdin: { type: 'string' },
    },
    required: ['command'],
    additionalProperties: false,
  },
  output_schema: {
    type: 'object',
    properties: {
      exit_code: { type: 'integer' },
      stdout: { type: 'string' },
      stderr: { type: 'string' },
      truncated: { type: 'boolean' },
    },
    required: ['exit_code', 'stdout', 'stderr', 'truncated'],
    additionalProperties: false,
  },
} as const;

const RUN: Action = {
  schema_version: '1.0',
  action_id: 'process.run',
  version: '1.0.0',
  description: 'Runs a program, without a shell. Nothing is known of what it does, so it counts as irreversible.',
  ...schemas,
  determinism: 'non_deterministic',
  rollback: 'irreversible',
  side_effects: ['filesystem', 'external_service'],
  modifies_existing: true,
  idempotent: false,
};

const READ: Action = {
  schema_version: '1.0',
  action_id: 'process.read',
  version: '1.0.0',
  description: 'Runs a program that only reads; which ones these are is said where the code is given.',
  ...schemas,
  determinism: 'non_deterministic',
  rollback: 'rollbackable',
  side_effects: [],
  modifies_existing: false,
  idempotent: true,
};

/**
 * Returns `process.run` and `process.read`, which run programs without a shell.
 *
 * An exit code other than 0 fails the action with E3, as does a signal. The limit of time, or a cancellation, ends the
 * process and everything that it has started in its group.
 *
 * @requirement PC1
 * @example
 * ```ts
 * const processes = processActions({ readers: ['git'] });
 * const runtime = await Runtime.open({ workspace: 'demo', actions: processes.functions });
 * await runtime.putRegistry({ actions: [...processes.definitions] });
 * ```
 */
export function processActions(options: ProcessOptions = {}): BuiltinActions {
  checkOptions('processActions', options, ['cwd', 'env', 'readers', 'max_output_bytes']);
  const { max_output_bytes: most = MOST_BYTES, readers = [] } = options;
  if (!(Number.isInteger(most) && most >= 0))
    throw new ArsError('usage', `max_output_bytes ${most} is no whole number from 0 on`);
  const run = (call: ActionInvokeParams, signal: AbortSignal) => runProcess(call, signal, { ...options, most });
  return {
    definitions: [RUN, READ],
    functions: {
      'process.run@1.0.0': run,
      'process.read@1.0.0': (call, signal) => {
        const command = String(call.inputs.command);
        if (readers.includes(command)) return run(call, signal);
        return failure('E5', `"${command}" is not among the readers; name it there, or use process.run`);
      },
    },
  };
}

async function runProcess(
  { inputs, idempotency_key }: ActionInvokeParams,
  signal: AbortSignal,
  { cwd, env, most }: ProcessOptions & { readonly most: number },
): Promise<ActionInvokeResult> {
  const { command, args = [], stdin } = inputs as { command: string; args?: string[]; stdin?: string };
  let child: ReturnType<typeof spawn>;
  try {
    child = spawn(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...(env ?? process.env), ARS_IDEMPOTENCY_KEY: idempotency_key },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (error) {
    return failure('E3', `"${command}" does not start: ${reasonOf(error)}`);
  }
  const stdout = collect(child.stdout, most);
  const stderr = collect(child.stderr, most);
  const ended = once(child, 'close').catch((error: unknown) => error as Error);
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(stdin ?? '');
  const stop = () => stopGroup(child.pid, ended);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const end = await ended;
  signal.removeEventListener('abort', stop);
  if (end instanceof Error) return failure('E3', `"${command}" does not start: ${reasonOf(end)}`);
  const [code, killed] = end as [number | null, NodeJS.Signals | null];
  if (code === null) return failure('E3', `"${command}" was ended by ${killed}`, 'unknown');
  const outputs = {
    exit_code: code,
    stdout: stdout.text(),
    stderr: stderr.text(),
    truncated: stdout.truncated() || stderr.truncated(),
  };
  return { outputs, exit_code: code };
}

/** Keeps the first bytes of a stream, and reads on, so that the process is never held up. */
function collect(stream: NodeJS.ReadableStream | null, most: number) {
  const kept: Buffer[] = [];
  let [size, truncated] = [0, false];
  stream?.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, most - size);
    truncated ||= part.length < chunk.length;
    size += part.length;
    if (part.length > 0) kept.push(part);
  });
  return { text: () => Buffer.concat(kept).toString('utf8'), truncated: () => truncated };
}

async function stopGroup(pid: number | undefined, ended: Promise<unknown>): Promise<void> {
  if (pid === undefined) return;
  const kill = (name: NodeJS.Signals) => {
    try {
      process.kill(-pid, name);
    } catch {
      // The group is gone.
    }
  };
  kill('SIGTERM');
  const timer = setTimeout(() => kill('SIGKILL'), GRACE_MS);
  await ended;
  clearTimeout(timer);
  // What no longer holds the outputs of the process may still run.
  kill('SIGKILL');
}
