import { isValid } from '../../schemas/index.js';
import type { SchedulerJob } from '../../schemas/types.js';
import type { Journal } from './audit/journal.js';
import type { StoredDocument } from './audit/log.js';
import { REGISTRY_TURN } from './definitions.js';
import { ArsError } from './error.js';
import { intact } from './stored-document.js';

/** A job, and since when it stands as it does: due times before are not made up for. */
export interface KeptJob {
  readonly job: SchedulerJob;
  /** RFC 3339. */
  readonly since: string;
}

/**
 * The scheduled jobs of a workspace.
 *
 * @requirement I7
 */
export class Jobs {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Keeps a job; one of the same name is replaced. Throws `not_found` where its workflow is not in the registry. */
  put(job: SchedulerJob, now: string): Promise<void> {
    const { job_id, workflow_id } = job;
    return this.#journal.turns.take(REGISTRY_TURN, async () => {
      if (this.#journal.log.document('workflow', workflow_id) === undefined)
        throw new ArsError('not_found', `There is no workflow '${workflow_id}' in the registry; put it there first.`, {
          details: { job_id, workflow_id },
        });
      await this.#journal.append({ records: [], documents: [documentOf({ job, since: now })] });
    });
  }

  /** The job as it stands. Throws `not_found`. */
  get(job_id: string): SchedulerJob {
    const job = this.find(job_id);
    if (job !== undefined) return job;
    throw new ArsError('not_found', `There is no scheduled job '${job_id}'.`, { details: { job_id } });
  }

  /** The job as it stands; undefined where there is none. */
  find(job_id: string): SchedulerJob | undefined {
    const stored = this.#journal.log.document('job', job_id) as Partial<KeptJob> | undefined;
    return stored && intact('scheduler-job', job_id, stored.job);
  }

  /** The jobs that can be read, by name. */
  *kept(): IterableIterator<KeptJob> {
    for (const { value } of this.#journal.log.documents('job')) {
      const { job, since } = value as Partial<KeptJob>;
      if (isValid('scheduler-job', job) && typeof since === 'string') yield { job, since };
    }
  }

  /** The active jobs of a workflow as inactive ones, to be stored in the step that takes the workflow away. */
  withoutWorkflow(workflow_id: string): StoredDocument[] {
    return [...this.kept()]
      .filter(({ job }) => isActive(job) && job.workflow_id === workflow_id)
      .map(({ job, since }) => documentOf({ job: { ...job, active: false }, since }));
  }

  /** The latest due time of a job whose start a gate denied. */
  deniedAt(job_id: string): string | undefined {
    const stored = this.#journal.log.document('job_denial', job_id) as { due?: unknown } | undefined;
    return typeof stored?.due === 'string' ? stored.due : undefined;
  }
}

/** Whether a job starts anything. */
export function isActive({ active = true }: SchedulerJob): boolean {
  return active;
}

/**
 * What is stored with the denial of a start, so that it is not asked for again.
 *
 * @requirement GF5
 */
export function denialOf(job_id: string, due: string): StoredDocument {
  return { kind: 'job_denial', id: job_id, value: { due } };
}

function documentOf(kept: KeptJob): StoredDocument {
  return { kind: 'job', id: kept.job.job_id, value: kept };
}
