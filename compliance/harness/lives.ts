import type { FaultPointParams, InitializeResult } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import { suiteVersion } from '../runner/package.js';
import { violationFix, violationText, type WireEvent } from '../wire/event.js';
import { NO_ANSWER } from '../wire/peer.js';
import { BUDGETS } from './budgets.js';
import type { ActionHost } from './host.js';
import { type AdapterCommand, AdapterProcess } from './process.js';
import type { Transcript } from './transcript.js';

/** One life of the adapter's process, as its callbacks see it. */
export interface Life {
  readonly process: AdapterProcess;
  incarnation: number;
  host: ActionHost | undefined;
}

/** Who is told what comes of lives beside the answers to requests. */
export interface Watcher {
  readonly transcript: Transcript;
  noted(event: WireEvent): void;
  /** A life blocks at a point; undefined where the process has not introduced itself yet. */
  reached(life: Life | undefined, params: FaultPointParams): void;
}

/** How lives begin. */
export interface LifeOptions {
  /** By what every limit of time is multiplied. */
  readonly scale: number;
  /** Whether the process that is to follow a killed one is started ahead of time. */
  readonly spare: boolean;
}

/** The processes of one adapter, one after the other. */
export class Lives {
  readonly #command: AdapterCommand;
  readonly #options: LifeOptions;
  readonly #watcher: Watcher;
  #spare: Promise<Life | undefined> | undefined;
  #identity: InitializeResult | undefined;
  #closing = false;

  constructor(command: AdapterCommand, options: LifeOptions, watcher: Watcher) {
    this.#command = command;
    this.#options = options;
    this.#watcher = watcher;
  }

  /** What the runtime said of itself when it was last started. */
  get identity(): InitializeResult {
    if (this.#identity === undefined) throw new SuiteError('suite_bug', 'The session has not started.');
    return this.#identity;
  }

  /**
   * A new life, introduced to the suite. Rejects with a SuiteError `adapter_start` where the adapter can't be started, ends
   * at once, does not answer or the signal gives it up, and `protocol` where it answers otherwise than it has to.
   */
  async begin(signal?: AbortSignal): Promise<Life> {
    const holder: { life?: Life } = {};
    let first: WireEvent | undefined;
    const process = await AdapterProcess.start(this.#command, {
      requests: {
        'action/invoke': params =>
          this.#hosted(holder.life)?.invoke(holder.life?.incarnation ?? 0, params) ?? NO_ANSWER,
        'action/probe': params => this.#hosted(holder.life)?.probe(holder.life?.incarnation ?? 0, params) ?? NO_ANSWER,
      },
      notifications: {
        'action/cancel': ({ execution_id }) => holder.life?.host?.cancel(execution_id),
        'fault/point': params => this.#watcher.reached(holder.life, params),
      },
      onEvent: event => {
        first ??= event;
        this.#watcher.noted(event);
      },
      onLine: (direction, line) => this.#watcher.transcript.add(direction, holder.life?.incarnation ?? 0, line),
      onStderr: text => this.#watcher.transcript.add('stderr', holder.life?.incarnation ?? 0, text),
    });
    const life: Life = { process, incarnation: 0, host: undefined };
    holder.life = life;
    try {
      const params = { protocol: '1.0', suite_version: suiteVersion() } as const;
      const budget_ms = BUDGETS.start_ms * this.#options.scale;
      this.#identity = await process.peer.request('initialize', params, {
        budget_ms,
        ...(signal === undefined ? {} : { signal }),
      });
      return life;
    } catch (cause) {
      await process.kill();
      throw await startError(cause, process, first);
    }
  }

  /** The life that follows: the one that was started ahead, if it still lives. Rejects as `begin` does. */
  async next(): Promise<Life> {
    const spare = await this.#spare;
    this.#spare = undefined;
    const life = spare === undefined || spare.process.ended ? await this.begin() : spare;
    this.lookAhead();
    return life;
  }

  /** Starts a process that may be needed. What goes wrong then is told when one is started because it is needed. */
  lookAhead(): void {
    if (!this.#options.spare || this.#closing || this.#identity?.durable_scope !== 'process') return;
    this.#spare ??= this.begin().catch(() => undefined);
  }

  /** Starts nothing ahead any more. */
  stop(): void {
    this.#closing = true;
  }

  /** Kills what was started ahead. */
  async close(): Promise<void> {
    await (await this.#spare)?.process.kill();
  }

  #hosted(life: Life | undefined): ActionHost | undefined {
    if (life?.host === undefined) this.#watcher.noted({ kind: 'stray_callback' });
    return life?.host;
  }
}

async function startError(cause: unknown, process: AdapterProcess, event: WireEvent | undefined): Promise<SuiteError> {
  const { code, signal } = await process.exited;
  const known = cause instanceof SuiteError ? cause.code : undefined;
  const protocol = known === 'protocol' || known === 'request_failed';
  const ended = known === 'adapter_exit';
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  const told = cause instanceof Error ? cause.message : String(cause);
  const reason = ended ? `it ended ${how} before that.` : told;
  const sent = event === undefined || protocol ? '' : ` It sent ${violationText(event)}.`;
  const fix = ended
    ? 'Run the command by hand and see why it ends.'
    : event !== undefined
      ? violationFix(event.kind)
      : protocol
        ? 'Answer initialize as adapter/initialize.schema.json wants it.'
        : 'Run the command by hand, with | cat behind it, type an initialize request on one line, and see what it prints; flush stdout after each message, as a pipe is buffered where a terminal is not.';
  return new SuiteError(
    protocol ? 'protocol' : 'adapter_start',
    `The adapter did not answer initialize: ${reason}${sent}`,
    { cause, details: { exit_code: code, signal, stderr: process.stderr.slice(-4096), fix, event: event?.kind } },
  );
}
