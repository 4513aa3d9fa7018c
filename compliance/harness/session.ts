import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  Capability,
  FaultPoint,
  FaultPointParams,
  InitializeResult,
  RecoveryReport,
  VerificationReport,
  WorkflowVerifyParams,
} from '../../schemas/types.js';
import type { Approach, Approached } from '../approach.js';
import type { Dialogue, Spoken } from '../dialogue.js';
import { SuiteError } from '../error.js';
import type { Observation, Program } from '../program.js';
import type { Unserved } from '../runner/property.js';
import type { Played, Scene } from '../scene.js';
import type { WireEvent } from '../wire/event.js';
import type { RequestName, RequestTypes } from '../wire/methods.js';
import type { RequestOptions } from '../wire/peer.js';
import { quotingStderr } from './answered.js';
import { runApproach } from './approach.js';
import { BUDGETS } from './budgets.js';
import { runProgram } from './case.js';
import { runDialogue } from './dialogue.js';
import { ActionHost } from './host.js';
import { type Life, Lives } from './lives.js';
import type { AdapterCommand, AdapterProcess } from './process.js';
import { playScene } from './scene.js';
import { touchAll } from './touch.js';
import { Transcript } from './transcript.js';

export interface SessionOptions {
  /** By what every limit of time is multiplied. Absent means 1. */
  readonly scale?: number;
  /** What `workspace/open` is given. Absent means 1. */
  readonly seed?: number;
  /** Keeps the workspace of a case that failed. Absent means false. */
  readonly keep_failed?: boolean;
  /**
   * Starts the process that is to follow a killed one ahead of time, where the runtime keeps what is durable in its
   * process. Absent means false.
   */
  readonly spare?: boolean;
  /** Where the workspaces are made. Absent means the system's folder for temporary files. */
  readonly temp_root?: string;
  /** Gives the start up: the process is killed, and `start` rejects. */
  readonly signal?: AbortSignal;
}

interface Case {
  readonly dir: string;
  readonly host: ActionHost;
  readonly deadline: AbortController;
  readonly timer: NodeJS.Timeout;
  incarnation: number;
}

/** What a killed runtime has left behind may still write while its folder is removed. */
const REMOVAL = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const;

/** How many events of the wire are kept. */
const EVENTS_KEPT = 1000;

/** One adapter process, used for case after case, and started anew after each kill. */
export class Session {
  readonly scale: number;
  readonly transcript = new Transcript();
  /** What the adapter did against the protocol in the present case. */
  readonly events: WireEvent[] = [];
  /** The same of the whole session, its starts included; of very many, the first. */
  readonly all_events: WireEvent[] = [];
  /** The workspaces that were kept. */
  readonly kept: string[] = [];
  readonly #lives: Lives;
  readonly #options: SessionOptions;
  readonly #root: string;
  #life: Life | undefined;
  #case: Case | undefined;
  #cases = 0;
  #onPoint: { readonly armed: FaultPoint; readonly handler: () => void } | undefined;

  private constructor(command: AdapterCommand, options: SessionOptions, root: string) {
    this.#options = options;
    this.#root = root;
    this.scale = options.scale ?? 1;
    this.#lives = new Lives(
      command,
      { scale: this.scale, spare: options.spare === true },
      {
        transcript: this.transcript,
        noted: event => this.#note(event),
        reached: (life, params) => this.#reached(life, params),
      },
    );
  }

  /**
   * Starts the adapter and introduces the suite.
   * Rejects with a SuiteError `adapter_start` where it can't be started, ends at once or does not answer.
   */
  static async start(command: AdapterCommand, options: SessionOptions = {}): Promise<Session> {
    const root = await mkdtemp(join(options.temp_root ?? tmpdir(), 'ars-'));
    const session = new Session(command, options, root);
    try {
      session.#life = await session.#lives.begin(options.signal);
      return session;
    } catch (error) {
      await rm(root, { recursive: true, force: true });
      throw error;
    }
  }

  /** What the runtime said of itself when it was last started. */
  get identity(): InitializeResult {
    return this.#lives.identity;
  }

  /** Whether the runtime declares a capability. */
  has(capability: Capability): boolean {
    return this.identity.capabilities.includes(capability);
  }

  /** The budget of a plain request, in milliseconds. */
  get request_ms(): number {
    return BUDGETS.request_ms * this.scale;
  }

  /** The budget of a case, in milliseconds. */
  get case_ms(): number {
    return BUDGETS.case_ms * this.scale;
  }

  /** The folder of the present case. */
  get workspace_dir(): string {
    return this.#present().dir;
  }

  /** The last of what the process wrote to stderr. */
  get stderr(): string {
    return this.#life?.process.stderr ?? '';
  }

  /**
   * The answer to a request within its budget and that of the case. Rejects as Peer.request does; where the process
   * ended by itself `adapter_exit` says how, and what was last on stderr. After a kill only `open` or `prepare` starts a
   * new process.
   */
  async request<M extends RequestName>(
    method: M,
    params: RequestTypes[M]['params'],
    options: RequestOptions = {},
  ): Promise<RequestTypes[M]['result']> {
    const life = this.#life;
    if (life === undefined) throw new SuiteError('adapter_exit', `${method} can't be sent: the process was killed.`);
    const signal = options.signal ?? this.#case?.deadline.signal;
    const before = life.process.stderr;
    try {
      return await life.process.peer.request(method, params, {
        budget_ms: this.request_ms,
        ...options,
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      if (!(error instanceof SuiteError) || error.code !== 'adapter_exit' || life.process.killed)
        throw await quotingStderr(error, life.process, before);
      if (this.#life === life) this.#life = undefined;
      throw await exitError(method, life.process);
    }
  }

  /**
   * What work gives in a case: a folder of its own, a host for its actions, a limit of time. Nothing is opened before it;
   * behind it the workspace is closed and the folder removed, and a process that the work failed with, or that is spoilt, is
   * killed.
   */
  async inCase<T>(host: ActionHost, work: () => Promise<T>, spoilt: () => boolean = () => false): Promise<T> {
    await this.#beginCase(host);
    let failed = true;
    try {
      const result = await work();
      failed = false;
      return result;
    } finally {
      await this.#endCase({ failed, discard: spoilt() });
    }
  }

  /**
   * Opens the case's workspace as its next incarnation, or as the one that is given, in a new process where the last one
   * was killed.
   */
  async open(incarnation?: number): Promise<RecoveryReport | null> {
    const present = this.#present();
    await this.prepare();
    try {
      const { recovery } = await this.request('workspace/open', {
        workspace_dir: present.dir,
        incarnation: incarnation ?? present.incarnation,
        seed: this.#options.seed ?? 1,
      });
      return recovery;
    } catch (error) {
      // What was refused is not open, and is not to be closed.
      if (error instanceof SuiteError && error.code === 'request_failed' && this.#life !== undefined)
        this.#life.host = undefined;
      throw error;
    }
  }

  /** Closes the case's workspace in order; the process lives on, and the next `open` is another incarnation. */
  async closeWorkspace(): Promise<void> {
    await this.request('workspace/close', {});
    if (this.#life !== undefined) this.#life.host = undefined;
  }

  /** Makes the next incarnation's process ready without opening the workspace, so that a fault can be armed before. */
  async prepare(): Promise<void> {
    const present = this.#present();
    this.#life ??= await this.#lives.next();
    const life = this.#life;
    if (life.host === present.host) return;
    present.incarnation += 1;
    life.incarnation = present.incarnation;
    life.host = present.host;
    present.host.begin(present.incarnation);
  }

  /** Has a function called when the runtime blocks at a point, which should be the one that was armed. */
  onPoint(armed: FaultPoint, handler: () => void): void {
    this.#onPoint = { armed, handler };
  }

  /** No point is expected any more. */
  offPoint(): void {
    this.#onPoint = undefined;
  }

  /** Settles when everything sent so far has left the suite. */
  async flushed(): Promise<void> {
    await this.#life?.process.peer.flushed();
  }

  /** Kills the process group with SIGKILL; settles when it is dead and everything that it had sent is in the ledger. */
  async kill(): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    this.#life = undefined;
    life.host?.stop();
    this.transcript.add('event', life.incarnation, 'SIGKILL');
    await life.process.kill();
    this.#lives.lookAhead();
  }

  /** Runs a program in a workspace of its own and gives everything that was seen of it. */
  observe(program: Program): Promise<Observation> {
    return runProgram(this, program);
  }

  /** Takes the steps of an approach in a workspace of its own and gives everything that was seen of it. */
  approach(approach: Approach): Promise<Approached> {
    return runApproach(this, approach);
  }

  /** Holds a dialogue about a workspace of its own and gives everything that was seen of it. */
  converse(dialogue: Dialogue): Promise<Spoken> {
    return runDialogue(this, dialogue);
  }

  /** Plays a scene in a workspace of its own and gives everything that was seen of it. */
  play(scene: Scene): Promise<Played> {
    return playScene(this, scene);
  }

  /** Asks the runtime to verify a document; one workspace serves all such requests in a row. */
  async verify(params: WorkflowVerifyParams): Promise<VerificationReport> {
    const present = this.#case;
    if (present === undefined || this.#life?.host !== present.host || present.deadline.signal.aborted) {
      await this.#beginCase(new ActionHost({ nodes: {} }));
      await this.open();
    }
    this.#case?.timer.refresh();
    return this.request('workflow/verify', params);
  }

  /** Asks each method of what the runtime claims once, and gives those that are not served. */
  touch(): Promise<readonly Unserved[]> {
    return touchAll(this);
  }

  /** Shuts the adapter down, or kills it where it does not go, and removes what the session made. */
  async close(): Promise<void> {
    this.#lives.stop();
    await this.#endCase({ failed: false }).catch(() => undefined);
    const life = this.#life;
    this.#life = undefined;
    if (life !== undefined) {
      await life.process.peer.request('shutdown', {}, { budget_ms: BUDGETS.exit_ms * this.scale }).catch(() => null);
      await life.process.end(BUDGETS.exit_ms * this.scale);
    }
    await this.#lives.close();
    if (this.kept.length === 0) await rm(this.#root, REMOVAL);
  }

  async #beginCase(host: ActionHost): Promise<void> {
    if (this.#case !== undefined) await this.#endCase({ failed: false });
    this.#cases += 1;
    this.events.length = 0;
    this.transcript.reset();
    const deadline = new AbortController();
    const late = new SuiteError('timeout', `The case took more than ${this.case_ms} ms.`, {
      details: { scope: 'case' },
    });
    const timer = setTimeout(() => deadline.abort(late), this.case_ms);
    const dir = join(this.#root, `case-${this.#cases}`);
    this.#case = { dir, host, deadline, timer, incarnation: 0 };
  }

  /**
   * Ends the case: closes the workspace, or kills a process that can't be trusted any more, and removes the folder. Rejects
   * where the workspace could not be closed, as `request` does, once all that is done.
   */
  async #endCase(outcome: { readonly failed: boolean; readonly discard?: boolean }): Promise<void> {
    const present = this.#case;
    if (present === undefined) return;
    let unclosed: { readonly error: unknown } | undefined;
    clearTimeout(present.timer);
    this.#onPoint = undefined;
    if (outcome.failed || outcome.discard === true) await this.kill();
    else if (this.#life !== undefined && this.#life.host === present.host) {
      const life = this.#life;
      unclosed = await this.request('workspace/close', {}, { signal: new AbortController().signal }).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      if (unclosed !== undefined) await this.kill();
      else life.host = undefined;
    }
    present.host.stop();
    this.#case = undefined;
    if (outcome.failed && this.#options.keep_failed === true) this.kept.push(present.dir);
    else await rm(present.dir, REMOVAL);
    if (unclosed !== undefined) throw unclosed.error;
  }

  #present(): Case {
    if (this.#case === undefined) throw new SuiteError('suite_bug', 'There is no case: call inCase first.');
    return this.#case;
  }

  #note(event: WireEvent): void {
    if (this.events.length < EVENTS_KEPT) this.events.push(event);
    if (this.all_events.length < EVENTS_KEPT) this.all_events.push(event);
  }

  #reached(life: Life | undefined, params: FaultPointParams): void {
    if (life === undefined || life !== this.#life) return;
    if (this.#onPoint?.armed !== params.name) this.#note({ kind: 'stray_point', quote: params.name });
    if (this.#onPoint === undefined) void life.process.kill();
    else this.#onPoint.handler();
  }
}

async function exitError(method: string, process: AdapterProcess): Promise<SuiteError> {
  const { code, signal } = await process.end(BUDGETS.exit_ms);
  const how = signal === null ? `with code ${code}` : `by ${signal}`;
  return new SuiteError('adapter_exit', `The adapter ended ${how} while ${method} was open.`, {
    details: { method, exit_code: code, signal, stderr: process.stderr.slice(-4096) },
  });
}
