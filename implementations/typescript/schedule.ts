import type { SchedulerJob, WorkflowStartParams } from '../../schemas/types.js';
import type { StoredDocument } from './audit/log.js';
import { denialOf, isActive, type Jobs } from './jobs.js';
import { dueAfter, latestDue } from './workspace/due-times.js';

/** What became of one due time of a job: the instance that it started, or why there is none. */
export type JobStart = {
  /** The job. */
  readonly job_id: string;
  /** The due time, RFC 3339. */
  readonly due: string;
} & (
  | {
      /** The instance that it started. */
      readonly execution_id: string;
    }
  | {
      /** What was thrown instead; an {@link ArsError} of code `denied` where a gate refused. */
      readonly error: unknown;
    }
);

/** What a schedule stands on. */
export interface ScheduleParts {
  readonly jobs: Jobs;
  /** RFC 3339. */
  readonly now: () => string;
  /** Whether an agent has an instance under a key. */
  readonly isStarted: (agent_id: string, request_key: string) => boolean;
  /** Asks for a start; where a gate denies it, that is stored with the denial. */
  readonly start: (params: WorkflowStartParams & { request_key: string }, denial: StoredDocument) => Promise<string>;
  readonly told: (start: JobStart) => void;
}

/** A clock that jumps is noticed after so many milliseconds at the latest. */
const LONGEST_WAIT_MS = 60_000;
/** A clock that stands still is looked at no more often than this. */
const SHORTEST_WAIT_MS = 20;

/**
 * Starts the workflows of jobs at their due times.
 *
 * Each due time is asked for under a request_key of its own, so that it gives at most one instance. Of several that have
 * passed unseen, as while the workspace was closed, only the latest is asked for.
 */
export class Schedule {
  readonly #parts: ScheduleParts;
  /** The next due time of each active job. */
  readonly #next = new Map<string, string>();
  readonly #asked = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
  }

  /** Makes up for the latest due time of each job that has passed, and keeps time from here on; resolves when that is asked. */
  async begin(): Promise<void> {
    const { jobs, now, isStarted } = this.#parts;
    const time = now();
    for (const { job, since } of jobs.kept()) {
      if (!isActive(job)) continue;
      const { job_id, agent_id } = job;
      const due = latestDue(job, time);
      const denied = jobs.deniedAt(job_id);
      this.#expect(job_id, dueAfter(job, time));
      if (due === undefined || due < since || (denied !== undefined && due <= denied)) continue;
      if (!isStarted(agent_id, requestKey(job_id, due))) this.#ask(job, due);
    }
    this.#rearm();
    await this.#settled();
  }

  /** Takes a job as it was put at that instant: due times before are left out. */
  async follow(job: SchedulerJob, put_at: string): Promise<void> {
    const before = new Date(Date.parse(put_at) - 1).toISOString();
    this.#expect(job.job_id, isActive(job) ? dueAfter(job, before) : undefined);
    await this.startDue();
  }

  /** Asks for what is due by the clock; resolves when that is answered. */
  async startDue(): Promise<void> {
    if (this.#ended) return;
    const time = this.#parts.now();
    for (const [job_id, next] of [...this.#next]) {
      if (next > time) continue;
      const job = this.#jobOf(job_id, next);
      if (job === undefined) continue;
      this.#expect(job_id, isActive(job) ? dueAfter(job, time) : undefined);
      if (isActive(job)) this.#ask(job, latestDue(job, time) ?? next);
    }
    this.#rearm();
    await this.#settled();
  }

  /** Asks for nothing more; resolves when what was asked for is answered. */
  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await this.#settled();
  }

  #expect(job_id: string, due: string | undefined): void {
    if (due === undefined) this.#next.delete(job_id);
    else this.#next.set(job_id, due);
  }

  #ask(job: SchedulerJob, due: string): void {
    const asked = this.#start(job, due).then(start => {
      this.#asked.delete(asked);
      this.#tell(start);
    });
    this.#asked.add(asked);
  }

  /** The job as it is kept; one that cannot be read is told of, and not looked at again. */
  #jobOf(job_id: string, due: string): SchedulerJob | undefined {
    try {
      return this.#parts.jobs.get(job_id);
    } catch (error) {
      this.#expect(job_id, undefined);
      this.#tell({ job_id, due, error });
      return undefined;
    }
  }

  /** Whatever the listener does, time is kept. */
  #tell(start: JobStart): void {
    try {
      this.#parts.told(start);
    } catch {
      // It was told.
    }
  }

  async #start(
    { job_id, workflow_id, agent_id, inputs = {}, context = {} }: SchedulerJob,
    due: string,
  ): Promise<JobStart> {
    const request_key = requestKey(job_id, due);
    try {
      const params = { workflow_id, agent_id, inputs, context, request_key };
      return { job_id, due, execution_id: await this.#parts.start(params, denialOf(job_id, due)) };
    } catch (error) {
      return { job_id, due, error };
    }
  }

  async #settled(): Promise<void> {
    await Promise.all(this.#asked);
  }

  #rearm(): void {
    clearTimeout(this.#timer);
    const [first] = [...this.#next.values()].sort();
    if (first === undefined || this.#ended) return;
    const wait = Date.parse(first) - Date.parse(this.#parts.now());
    const bounded = Math.min(Math.max(wait, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
    this.#timer = setTimeout(() => void this.startDue(), bounded);
  }
}

function requestKey(job_id: string, due: string): string {
  return `${job_id}/${due}`;
}
