import type { AuditRecord, Snapshot, Workflow } from '../../schemas/types.js';
import { AgentView, evidenceOf } from './agent-view.js';
import type { RecordListener } from './audit/journal.js';
import type { RecordQuery } from './audit/log.js';
import { type Reconstruction, type ReconstructionOptions, reconstructState } from './audit/reconstruction.js';
import type { ArsError } from './error.js';
import { type EventQuery, eventsOf } from './events.js';
import { checkFunction, checkKeys, checkMembers, checkNames } from './parameters.js';
import type { RuntimeParts } from './runtime-parts.js';
import { type ReplayReport, replayInstance } from './verification/replay/index.js';
import { sourceOfLog } from './verification/replay/source.js';

/** What a runtime tells of its workspace: the log, State, evidence, what is derived from them. */
export class RuntimeReading {
  readonly #parts: RuntimeParts;

  /** @internal */
  protected constructor(parts: RuntimeParts) {
    this.#parts = parts;
  }

  /** Why nothing is written any more; undefined while the log can be written. */
  get failure(): ArsError | undefined {
    return this.#parts.journal.failure;
  }

  /** The number of this opening, from 1. */
  get incarnation(): number {
    return this.#parts.journal.log.incarnation;
  }

  /**
   * The workflow that an instance runs, as it was when it started. Throws `not_found`.
   *
   * @example
   * ```ts
   * const { name, version } = runtime.workflowOf(execution_id).workflow;
   * ```
   */
  workflowOf(execution_id: string): Workflow {
    checkNames({ execution_id });
    const { instances } = this.#parts;
    return instances.planOf(instances.startOf(execution_id).resolved_digest ?? '').workflow;
  }

  /**
   * Records of the log in sequence order, read lazily.
   *
   * @example
   * ```ts
   * for (const { node_id, status } of runtime.records({ context_id: execution_id, record_type: 'action' }))
   *   console.log(node_id, status);
   * ```
   */
  records(query?: RecordQuery): IterableIterator<AuditRecord> {
    checkMembers('query of records', query);
    return this.#parts.journal.log.records(query);
  }

  /**
   * Entries of State, deleted ones included, and the sequence that they are of.
   *
   * @example
   * ```ts
   * const { state, sequence } = runtime.state(['greeted/last']);
   * console.log(`as of ${sequence}: ${state['greeted/last']?.value}`);
   * ```
   */
  state(keys?: readonly string[]): Reconstruction {
    checkKeys(keys);
    return { state: this.#parts.journal.log.state(keys), sequence: this.#parts.journal.log.head().sequence };
  }

  /**
   * Keeps State as of the head as a snapshot, which never changes, and gives it.
   *
   * @example
   * ```ts
   * const snapshot = await runtime.takeSnapshot();
   * ```
   */
  async takeSnapshot(): Promise<Snapshot> {
    this.#parts.admission.demand();
    return this.#parts.journal.takeSnapshot();
  }

  /**
   * Entries of State as of a record, folded from a snapshot and the log after it; nothing is invoked and nothing written.
   *
   * Throws `not_found` for a sequence beyond the log, `invalid_document` for a given snapshot that does not verify or is
   * not one of this log up to there.
   *
   * @example
   * ```ts
   * const before = runtime.reconstruct({ sequence: snapshot.sequence - 1 });
   * ```
   */
  reconstruct(options?: ReconstructionOptions): Reconstruction {
    checkMembers('reconstruction', options);
    return reconstructState(this.#parts.journal.log, options);
  }

  /**
   * Runs an instance again, and all below it, with the recorded results in place of invocations, and says where the log
   * departs from that. Nothing is invoked and nothing written. Throws `not_found`.
   *
   * @example
   * ```ts
   * const { verdict, first_difference } = runtime.replay(execution_id);
   * if (first_difference !== undefined) console.log(`record ${first_difference.sequence} is not what was to follow`);
   * ```
   */
  replay(execution_id: string): ReplayReport {
    checkNames({ execution_id });
    return replayInstance(sourceOfLog(this.#parts.journal.log), execution_id);
  }

  /**
   * The evidence that a record names by its digest. Throws `not_found`.
   *
   * @example
   * ```ts
   * const content = runtime.evidence(reference);
   * ```
   */
  evidence(reference: string): unknown {
    checkNames({ reference });
    return evidenceOf(this.#parts.journal, reference);
  }

  /**
   * Records as they become durable, in sequence order, beginning after the sequence `after`; absent: after the head of the
   * log as it is now. Any number of readers follow at their own pace, and a slow one costs no memory.
   *
   * The iteration ends when the workspace is closed or `signal` fires; a reader that is behind then goes on from its last
   * sequence at the next opening. It throws `storage_failed` once a write has failed and all that is durable was given. Waiting for records does
   * not keep the process alive.
   *
   * @example
   * ```ts
   * for await (const { sequence, record_type, status } of runtime.events({ context_id: execution_id, after: 0 })) {
   *   console.log(sequence, record_type, status);
   *   if (status.startsWith('workflow_') && status !== 'workflow_started') break;
   * }
   * ```
   */
  events(query?: EventQuery): AsyncIterableIterator<AuditRecord> {
    checkMembers('query of events', query);
    return eventsOf(this.#parts.journal, query);
  }

  /**
   * Calls back for every record once it is durable; gives what ends that. Throws `invalid_document` for what is no function.
   *
   * @example
   * ```ts
   * const unsubscribe = runtime.subscribe(record => seen.push(record));
   * ```
   */
  subscribe(listener: RecordListener): () => void {
    checkFunction('listener', listener);
    return this.#parts.journal.subscribe(listener);
  }

  /**
   * The workspace as this agent may read it, with stubs in place of what it may not see. The methods of the runtime
   * itself, such as {@link Runtime.records}, read as whoever opened the workspace, who sees everything.
   *
   * @example
   * ```ts
   * const view = runtime.readAs('ada');
   * const visible = [...view.records()].filter(record => !('redacted' in record));
   * ```
   */
  readAs(agent_id: string): AgentView {
    checkNames({ agent_id });
    return new AgentView(this.#parts, agent_id);
  }
}
