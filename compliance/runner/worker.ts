import type { InitializeResult, VerificationReport, WorkflowVerifyParams } from '../../schemas/types.js';
import type { Approach, Approached } from '../approach.js';
import type { Dialogue, Spoken } from '../dialogue.js';
import { SuiteError } from '../error.js';
import type { Observation, Program } from '../program.js';
import type { Played, Scene } from '../scene.js';
import type { Subject, Unserved } from './property.js';

/** A started runtime. */
export interface Connection extends Subject {
  /** Kills the runtime's processes at once; `close` still tidies up. */
  kill(): Promise<void>;
  close(): Promise<void>;
  /** Asks each method of what the runtime claims once, and gives those that are not served; absent where that is not tried. */
  touch?(): Promise<readonly Unserved[]>;
}

/** Starts the runtime under test and introduces the suite, unless the signal gives that up; rejects with `adapter_start` or `protocol`. */
export type Connect = (signal: AbortSignal) => Promise<Connection>;

/** A start that is under way, or what came of it. */
interface Start {
  readonly connection: Promise<Connection>;
  giveUp(): void;
}

/** A runtime under test that is started anew whenever its process can no longer be trusted. */
export class Worker implements Subject {
  readonly #connect: Connect;
  #start: Start | undefined;
  #closed = false;
  #identity: InitializeResult | undefined;

  constructor(connect: Connect, signal?: AbortSignal) {
    this.#connect = connect;
    signal?.addEventListener('abort', () => {
      void this.#start?.connection.then(connection => connection.kill()).catch(() => undefined);
    });
  }

  /** Starts the runtime and gives what it says about itself. */
  async open(): Promise<InitializeResult> {
    return (await this.#connected()).identity;
  }

  get identity(): InitializeResult {
    if (this.#identity === undefined) throw new SuiteError('suite_bug', 'the worker is not open');
    return this.#identity;
  }

  observe(program: Program): Promise<Observation> {
    return this.#with(connection => connection.observe(program));
  }

  approach(approach: Approach): Promise<Approached> {
    return this.#with(connection => connection.approach(approach));
  }

  converse(dialogue: Dialogue): Promise<Spoken> {
    return this.#with(connection => connection.converse(dialogue));
  }

  play(scene: Scene): Promise<Played> {
    return this.#with(connection => connection.play(scene));
  }

  verify(params: WorkflowVerifyParams): Promise<VerificationReport> {
    return this.#with(connection => connection.verify(params));
  }

  /** Asks each method of what the runtime claims once, and gives those that are not served. */
  touch(): Promise<readonly Unserved[]> {
    return this.#with(connection => connection.touch?.() ?? Promise.resolve([]));
  }

  /** Ends the runtime for good, or gives up its start where that is still under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#drop();
  }

  async #connected(): Promise<Connection> {
    if (this.#closed) throw new SuiteError('suite_bug', 'the worker is closed');
    this.#start ??= this.#begin();
    const start = this.#start;
    try {
      const connection = await start.connection;
      this.#identity = connection.identity;
      return connection;
    } catch (error) {
      if (this.#start === start) this.#start = undefined;
      throw error;
    }
  }

  #begin(): Start {
    const given_up = new AbortController();
    return {
      connection: this.#connect(given_up.signal),
      giveUp: () => given_up.abort(new SuiteError('adapter_start', 'The start of the adapter was given up.')),
    };
  }

  async #drop(): Promise<void> {
    const start = this.#start;
    this.#start = undefined;
    start?.giveUp();
    const connection = await start?.connection.catch(() => undefined);
    await connection?.close();
  }

  async #with<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#connected();
    try {
      return await use(connection);
    } catch (error) {
      // After an answer that was an error the process is sound; after anything else it may still be busy with the case.
      if (!(error instanceof SuiteError) || error.code !== 'request_failed') {
        await this.#drop().catch(() => undefined);
      }
      throw error;
    }
  }
}
