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

/** Starts the runtime under test and introduces the suite; rejects with `adapter_start` or `protocol`. */
export type Connect = () => Promise<Connection>;

/** A runtime under test that is started anew whenever its process can no longer be trusted. */
export class Worker implements Subject {
  readonly #connect: Connect;
  #connection: Connection | undefined;
  #identity: InitializeResult | undefined;

  constructor(connect: Connect, signal?: AbortSignal) {
    this.#connect = connect;
    signal?.addEventListener('abort', () => void this.#connection?.kill().catch(() => undefined));
  }

  /** Starts the runtime and gives what it says about itself. */
  async open(): Promise<InitializeResult> {
    this.#connection ??= await this.#connect();
    this.#identity = this.#connection.identity;
    return this.#identity;
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

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  async #with<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    await this.open();
    try {
      return await use(this.#connection as Connection);
    } catch (error) {
      // After an answer that was an error the process is sound; after anything else it may still be busy with the case.
      if (!(error instanceof SuiteError) || error.code !== 'request_failed') {
        await this.close().catch(() => undefined);
      }
      throw error;
    }
  }
}
