import type {
  IndexEntry,
  Registry,
  RegistryPutParams,
  RegistryRemoveParams,
  SchedulerJob,
} from '../../schemas/types.js';
import { readDefinitions, readNames } from './definitions.js';
import { demand, OWNER } from './governance/agents.js';
import { checked, checkNames } from './parameters.js';
import type { RuntimeParts } from './runtime-parts.js';
import { RuntimeReading } from './runtime-reading.js';

/** What a runtime keeps under names: definitions, entries of the index, scheduled jobs. */
export class RuntimeRegistry extends RuntimeReading {
  readonly #parts: RuntimeParts;

  /** @internal */
  protected constructor(parts: RuntimeParts) {
    super(parts);
    this.#parts = parts;
  }

  /**
   * Adds definitions to the registry, all of them or none.
   *
   * Throws `conflict` for one that exists with other content, `invalid_document`, and `denied` unless `by` holds
   * registry:write for each.
   *
   * @example
   * ```ts
   * await runtime.putRegistry({ workflows: [workflow] });
   * const execution_id = await runtime.start({ workflow_id: 'hello@1.0.0', inputs: { name: 'Ada' }, agent_id: OWNER });
   * ```
   */
  async putRegistry(definitions: RegistryPutParams, by: string = OWNER): Promise<void> {
    this.#parts.admission.demand();
    checkNames({ by });
    const read = readDefinitions(definitions);
    if (by !== OWNER) this.#demandWrite(by, namesOf(read));
    await this.#parts.definitions.put(read);
  }

  /**
   * Everything that is in the registry now.
   *
   * @example
   * ```ts
   * const { workflows = [] } = runtime.registry();
   * const names = workflows.map(({ workflow: { name, version } }) => `${name}@${version}`);
   * ```
   */
  registry(): Registry {
    this.#parts.admission.demand();
    return this.#parts.definitions.registry();
  }

  /**
   * Takes definitions out of the registry, by name@version, all of them or none. Instances that use them go on, and scheduled
   * jobs of such a workflow become inactive. Throws `not_found`, `invalid_document`, and `denied` unless `by` holds registry:write
   * for each.
   *
   * @requirement I6
   * @example
   * ```ts
   * await runtime.removeRegistry({ workflows: ['hello@1.0.0'] });
   * ```
   */
  async removeRegistry(definitions: RegistryRemoveParams, by: string = OWNER): Promise<void> {
    this.#parts.admission.demand();
    checkNames({ by });
    const wanted = readNames(definitions);
    const { actions = [], workflows = [] } = wanted;
    if (by !== OWNER) this.#demandWrite(by, [...actions, ...workflows].map(nameOf));
    await this.#parts.definitions.remove(wanted, id => this.#parts.jobs.withoutWorkflow(id));
  }

  /**
   * Keeps an entry of the index; one of the same name is replaced.
   *
   * Throws `not_found` for a target that is not there, unless the entry says that it is stale, `invalid_document`, and
   * `denied` unless `by` holds registry:write for the entry.
   *
   * @requirement I5
   * @example
   * ```ts
   * await runtime.putIndexEntry({ entry_id: 'greeting', kind: 'workflow', target: 'hello@1.0.0' }, OWNER);
   * ```
   */
  async putIndexEntry(entry: IndexEntry, by: string): Promise<void> {
    this.#parts.admission.demand();
    const params = checked('adapter/index#put_params', { entry, by });
    this.#demandWrite(by, [params.entry.entry_id]);
    await this.#parts.index.put(params.entry);
  }

  /**
   * The index entry of this name as it stands: stale where what it refers to is not there. Throws `not_found`.
   *
   * @example
   * ```ts
   * const { target, stale = false } = runtime.indexEntry('greeting');
   * ```
   */
  indexEntry(entry_id: string): IndexEntry {
    checkNames({ entry_id });
    return this.#parts.index.get(entry_id);
  }

  /**
   * The index as it stands, by names.
   *
   * @example
   * ```ts
   * const stale_ones = [...runtime.indexEntries()].filter(entry => entry.stale);
   * ```
   */
  indexEntries(): IterableIterator<IndexEntry> {
    return this.#parts.index.all();
  }

  /**
   * Keeps a scheduled job, which starts its workflow at its due times from now on, as long as the workspace is open; one of
   * the same name is replaced. Of due times that pass while it is closed, the next opening makes up for the latest.
   *
   * Throws `not_found` where the workflow is not in the registry, `invalid_document`, and `denied` unless `by` holds
   * registry:write for the job. What a due time gave is told to `jobStarted` of the {@link RuntimeOptions}.
   *
   * @requirement I7
   * @example
   * ```ts
   * await runtime.putJob(
   *   {
   *     job_id: 'every-morning',
   *     workflow_id: 'hello@1.0.0',
   *     agent_id: OWNER,
   *     from: '2099-01-01T06:00:00.000Z',
   *     every_ms: 24 * 60 * 60 * 1000,
   *   },
   *   OWNER,
   * );
   * ```
   */
  async putJob(job: SchedulerJob, by: string): Promise<void> {
    this.#parts.admission.demand();
    const params = checked('adapter/schedule#put_params', { job, by });
    this.#demandWrite(by, [params.job.job_id]);
    const now = this.#parts.now();
    await this.#parts.jobs.put(params.job, now);
    await this.#parts.schedule?.follow(params.job, now);
  }

  /**
   * The scheduled job of this name as it stands. Throws `not_found`.
   *
   * @example
   * ```ts
   * const { active = true } = runtime.job('every-morning');
   * ```
   */
  job(job_id: string): SchedulerJob {
    checkNames({ job_id });
    return this.#parts.jobs.get(job_id);
  }

  /**
   * The scheduled jobs, by names.
   *
   * @example
   * ```ts
   * const job_ids = [...runtime.jobs()].map(({ job_id }) => job_id);
   * ```
   */
  *jobs(): IterableIterator<SchedulerJob> {
    for (const { job } of this.#parts.jobs.kept()) yield job;
  }

  /**
   * Starts what is due by the clock now, for a clock that was set; resolves when all starts are answered.
   *
   * @example
   * ```ts
   * await runtime.startDue();
   * ```
   */
  async startDue(): Promise<void> {
    this.#parts.admission.demand();
    await this.#parts.schedule?.startDue();
  }
  /** @requirement DI1 */
  #demandWrite(by: string, names: readonly string[]): void {
    const { journal, now } = this.#parts;
    for (const name of names) demand(journal.log, by, { domain: 'registry', action: 'write', name }, now());
  }
}

function namesOf({ actions = [], workflows = [] }: RegistryPutParams): string[] {
  return [...actions.map(({ action_id }) => action_id), ...workflows.map(({ workflow }) => workflow.name)];
}

function nameOf(id: string): string {
  return id.slice(0, Math.max(id.lastIndexOf('@'), 0));
}
