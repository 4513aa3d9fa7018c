import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { SuiteError } from '../error.js';
import type { WireEvent } from '../wire/event.js';
import { type NotificationHandlers, Peer, type RequestHandlers } from '../wire/peer.js';
import { StreamSink } from '../wire/sink.js';

/** How an adapter is started. Where the arguments hold `--fd IN,OUT`, these two descriptors carry the protocol. */
export interface AdapterCommand {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProcessOptions {
  readonly requests: RequestHandlers;
  readonly notifications?: NotificationHandlers;
  readonly onEvent?: (event: WireEvent) => void;
  readonly onLine?: (direction: 'sent' | 'received', line: string) => void;
  readonly onStderr?: (text: string) => void;
}

/** How much of stderr is kept, in characters. */
const STDERR_KEPT = 64 * 1024;
/** How long the pipes of a dead process are read for what it had sent, in milliseconds. */
const DRAIN_MS = 1000;

const running = new Set<AdapterProcess>();
let guarded = false;

/** One life of an adapter: a process group of its own, and the wire to it. */
export class AdapterProcess {
  readonly peer: Peer;
  readonly exited: Promise<Exit>;
  readonly pid: number;
  #stderr = '';
  #killed = false;
  #ended = false;

  private constructor(child: ChildProcess, pid: number, options: ProcessOptions, fds: readonly [number, number]) {
    this.pid = pid;
    const keep = (chunk: Buffer) => {
      const text = chunk.toString('utf8');
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
      options.onStderr?.(text);
    };
    child.stderr?.on('data', keep);
    if (fds[1] !== 1) child.stdout?.on('data', keep);
    const report = (event: WireEvent) => {
      // SIGKILL may cut a line off: that is the suite's doing.
      if (event.kind !== 'cut_off' || !this.#killed) options.onEvent?.(event);
    };
    const input = child.stdio[fds[1]] as Readable;
    this.peer = new Peer({
      side: 'suite',
      input,
      output: new StreamSink(child.stdio[fds[0]] as Writable, () => {
        report({ kind: 'overflow' });
        void this.kill();
      }),
      requests: options.requests,
      ...(options.notifications === undefined ? {} : { notifications: options.notifications }),
      onEvent: report,
      ...(options.onLine === undefined ? {} : { onLine: options.onLine }),
    });
    this.exited = new Promise(resolve => {
      child.on('exit', (code, signal) => {
        running.delete(this);
        this.#ended = true;
        // What has left the group may hold the pipes for as long as it lives.
        const pipes = [input, child.stdout, child.stderr, child.stdio[fds[0]]];
        setTimeout(() => pipes.forEach(pipe => void pipe?.destroy()), DRAIN_MS).unref();
        resolve({ code, signal });
      });
    });
    running.add(this);
    guard();
  }

  /**
   * Starts the command and gives back the process as soon as it exists.
   * Throws a SuiteError `adapter_start` where the operating system can't start it.
   */
  static start(command: AdapterCommand, options: ProcessOptions): Promise<AdapterProcess> {
    const args = [...(command.args ?? [])];
    const fds = descriptorsOf(args);
    const stdio: ('pipe' | 'ignore')[] = [fds[0] === 0 ? 'pipe' : 'ignore', 'pipe', 'pipe'];
    while (stdio.length <= Math.max(...fds)) stdio.push(fds.includes(stdio.length) ? 'pipe' : 'ignore');
    return new Promise((resolve, reject) => {
      const child = spawn(command.command, args, {
        stdio,
        detached: true,
        ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
        ...(command.env === undefined ? {} : { env: { ...process.env, ...command.env } }),
      });
      child.on('error', cause => reject(startError(command, cause as NodeJS.ErrnoException)));
      const { pid } = child;
      if (pid === undefined) return;
      const started = new AdapterProcess(child, pid, options, fds);
      child.once('spawn', () => resolve(started));
    });
  }

  /** The last of what the process wrote to stderr. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Whether the suite has killed it. */
  get killed(): boolean {
    return this.#killed;
  }

  /** Whether it is dead. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Kills the process group with SIGKILL; settles when it is dead and everything that it had sent has been read. */
  async kill(): Promise<Exit> {
    this.#killed = true;
    this.#signal();
    const exit = await this.exited;
    this.#signal();
    await this.peer.closed;
    return exit;
  }

  /** Closes its stdin and waits for its end; where that takes longer than `within_ms` the group is killed. */
  async end(within_ms: number): Promise<Exit & { readonly took_ms: number; readonly forced: boolean }> {
    const began = performance.now();
    let forced = false;
    this.peer.end();
    const timer = setTimeout(() => {
      forced = true;
      void this.kill();
    }, within_ms);
    const exit = await this.exited;
    clearTimeout(timer);
    const took_ms = Math.round(performance.now() - began);
    this.#signal();
    await this.peer.closed;
    return { ...exit, took_ms, forced };
  }

  #signal(): void {
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch (error) {
      // The group has ended already; some systems say so with EPERM while its leader has not been waited for.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ESRCH' && code !== 'EPERM') throw error;
    }
  }
}

/** No adapter outlives the suite. */
function guard(): void {
  if (guarded) return;
  guarded = true;
  process.on('exit', () => {
    for (const { pid } of running) {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // It has just ended by itself.
      }
    }
  });
}

function descriptorsOf(args: readonly string[]): readonly [number, number] {
  const at = args.indexOf('--fd');
  const joined = args.find(word => word.startsWith('--fd='))?.slice('--fd='.length);
  const value = at < 0 ? joined : args[at + 1];
  const found = /^([3-9]),([3-9])$/.exec(value ?? '');
  if (found !== null && found[1] !== found[2]) return [Number(found[1]), Number(found[2])];
  if (value === undefined) return [0, 1];
  throw new SuiteError('usage', `--fd wants two different descriptors from 3 to 9, as in --fd 3,4, not "${value}".`);
}

function startError(command: AdapterCommand, cause: NodeJS.ErrnoException): SuiteError {
  const shown = [command.command, ...(command.args ?? [])].join(' ');
  const advice =
    cause.code === 'ENOENT'
      ? 'No such program (or no such working directory): check the spelling, and that it can be run from here.'
      : cause.code === 'EACCES'
        ? 'The file may not be executed: start it through its interpreter, or make it executable.'
        : 'Try the command by hand in a terminal.';
  const where = command.cwd ?? process.cwd();
  return new SuiteError('adapter_start', `The adapter could not be started: ${shown} (in ${where}).`, {
    cause,
    details: { command: shown, cwd: where, reason: cause.code ?? cause.message, fix: advice },
  });
}
