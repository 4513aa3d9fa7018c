import { createReadStream, readSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FaultPoint, InitializeResult } from '../../schemas/types.js';
import type { RequestName, RequestTypes } from '../wire/methods.js';
import { Peer, type RequestHandlers } from '../wire/peer.js';
import { type Adapter, type AdapterHost, type AdapterSource, capabilitiesOf, handlersOf } from './adapter.js';
import { FdSink } from './fd-sink.js';

/** How long a runtime may take to let go of its workspace once the suite is gone, in milliseconds. */
const GRACE_MS = 1000;

/** How an adapter is served. */
export interface ServeOptions {
  /** The command line in which `--fd IN,OUT` is looked for. Absent means that of the process. */
  readonly argv?: readonly string[];
}

/**
 * Serves an adapter to the suite over stdin and stdout, or over the two descriptors that `--fd IN,OUT` names, until the
 * suite shuts it down or closes its end; then the process exits with 0. With stdin and stdout, whatever else the process
 * prints goes to stderr.
 *
 * @example
 * ```ts
 * serve({ runtime: { name: 'my-runtime', version: '1.0.0' }, core: { open, close, start, wait } });
 * ```
 */
export function serve(source: AdapterSource, options: ServeOptions = {}): void {
  const fds = fdsOf(options.argv ?? process.argv);
  const output = fds === undefined ? takeStdout() : openOutput(fds.output);
  const input = fds === undefined ? process.stdin : openInput(fds.input);
  const host = hostOver(() => peer, output, fds?.input ?? 0);
  const adapter = typeof source === 'function' ? source(host) : source;
  const peer = new Peer({
    side: 'adapter',
    input,
    output,
    requests: requestsOf(adapter, () => void leave(adapter, output, false)),
    onEvent: event => process.stderr.write(`adapter: ${JSON.stringify(event)}\n`),
  });
  void peer.closed.then(() => leave(adapter, output, true));
}

function requestsOf(adapter: Adapter, onShutdown: () => void): RequestHandlers {
  const identity: InitializeResult = {
    runtime: adapter.runtime,
    spec_version: '1.0',
    capabilities: capabilitiesOf(adapter),
    durable_scope: adapter.durable_scope ?? 'process',
    continuation: adapter.continuation ?? 'open',
    ...(adapter.limits === undefined ? {} : { limits: adapter.limits }),
    ...(adapter.faults === undefined ? {} : { fault_points: [...adapter.faults.points] }),
  };
  return {
    ...(handlersOf(adapter) as RequestHandlers),
    initialize: () => identity,
    shutdown: async (params: RequestTypes['shutdown']['params'], call) => {
      await adapter.core.shutdown?.(params, call);
      setImmediate(onShutdown);
      return {};
    },
  };
}

function hostOver(peer: () => Peer, output: FdSink, input_fd: number): AdapterHost {
  const call = async <M extends 'action/invoke' | 'action/probe'>(
    method: M & RequestName,
    params: RequestTypes[M]['params'],
    signal: AbortSignal | undefined,
  ): Promise<RequestTypes[M]['result']> => {
    const unwanted = () => peer().notify('action/cancel', { execution_id: params.execution_id });
    if (signal?.aborted !== true) signal?.addEventListener('abort', unwanted, { once: true });
    try {
      return await peer().request(method, params, signal === undefined ? {} : { signal });
    } finally {
      signal?.removeEventListener('abort', unwanted);
    }
  };
  return {
    invoke: (params, signal) => call('action/invoke', params, signal),
    probe: (params, signal) => call('action/probe', params, signal),
    faultPoint: (name, execution_id) => blockAt(output, input_fd, name, execution_id),
  };
}

/** Blocks until the process is killed, by the suite or, where the suite is gone, by itself. */
function blockAt(output: FdSink, input_fd: number, name: FaultPoint, execution_id: string | undefined): never {
  const params = execution_id === undefined ? { name } : { name, execution_id };
  output.writeNow(JSON.stringify({ jsonrpc: '2.0', method: 'fault/point', params }));
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!atEnd(input_fd)) Atomics.wait(cell, 0, 0, 100);
  process.kill(process.pid, 'SIGKILL');
  throw new Error('killed');
}

function atEnd(fd: number): boolean {
  try {
    return readSync(fd, Buffer.alloc(65536)) === 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EAGAIN';
  }
}

async function leave(adapter: Adapter, output: FdSink, tell: boolean): Promise<void> {
  const deadline = setTimeout(() => process.exit(0), GRACE_MS);
  try {
    if (tell) await adapter.core.shutdown?.({}, { signal: AbortSignal.abort() });
    await output.flushed();
  } catch (error) {
    process.stderr.write(`adapter: ${String(error)}\n`);
  }
  clearTimeout(deadline);
  process.exit(0);
}

/** Keeps stdout for the protocol: everything that is printed elsewhere goes to stderr. */
function takeStdout(): FdSink {
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  return new FdSink(1);
}

const held: Socket[] = [];

/** A pipe that is handed to a socket no longer blocks its writers; a file needs no such thing. */
function openOutput(fd: number): FdSink {
  try {
    held.push(new Socket({ fd, readable: false, writable: true }).unref());
  } catch {
    process.stderr.write(`adapter: descriptor ${fd} is no pipe; writing to it may block\n`);
  }
  return new FdSink(fd);
}

function openInput(fd: number): Readable {
  try {
    return new Socket({ fd, readable: true, writable: false });
  } catch {
    return createReadStream('', { fd });
  }
}

function fdsOf(argv: readonly string[]): { input: number; output: number } | undefined {
  const at = argv.findIndex(word => word === '--fd' || word.startsWith('--fd='));
  if (at < 0) return undefined;
  const word = argv[at] ?? '';
  const value = word === '--fd' ? (argv[at + 1] ?? '') : word.slice('--fd='.length);
  const found = /^([0-9]{1,4}),([0-9]{1,4})$/.exec(value);
  if (found === null) throw new RangeError(`--fd wants two descriptors as in --fd 3,4, not "${value}".`);
  return { input: Number(found[1]), output: Number(found[2]) };
}
