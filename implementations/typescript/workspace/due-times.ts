import type { SchedulerJob } from '../../../schemas/types.js';

/** When a job is due; see the workspace chapter. */
export type DueTimes = Pick<SchedulerJob, 'at' | 'every_ms' | 'from' | 'until'>;

/** The last instant that a time of this specification can say, in milliseconds. */
const LAST_INSTANT = 253_402_300_799_999;

/** The latest due time that has come by then; undefined where none has. Times are RFC 3339 and compare like strings. */
export function latestDue(job: DueTimes, now: string): string | undefined {
  if (job.at !== undefined) return job.at <= now ? job.at : undefined;
  const last = Math.min(stepAt(job, now), lastStep(job));
  return last < 0 ? undefined : dueTime(job, last);
}

/** The first due time after that instant; undefined where there is none. */
export function dueAfter(job: DueTimes, instant: string): string | undefined {
  if (job.at !== undefined) return job.at > instant ? job.at : undefined;
  const next = Math.max(stepAt(job, instant) + 1, 0);
  return next > lastStep(job) ? undefined : dueTime(job, next);
}

/** The number of the latest step that has come by then, were there no end; below 0 before the first. */
function stepAt({ from = '', every_ms = 1 }: DueTimes, instant: string): number {
  return Math.floor((Date.parse(instant) - Date.parse(from)) / every_ms);
}

/** The number of the last step that there is: before `until`, and at an instant that a time can say. */
function lastStep({ from = '', every_ms = 1, until }: DueTimes): number {
  const end = until === undefined ? LAST_INSTANT : Math.min(endOf(until) - 1, LAST_INSTANT);
  return Math.floor((end - Date.parse(from)) / every_ms);
}

/** The first instant that is not before a time: where its month does not have that day, the first of the next month. */
function endOf(time: string): number {
  const instant = Date.parse(time);
  const month = new Date(instant).toISOString().slice(0, 7);
  return time.startsWith(month) ? instant : Date.parse(`${month}-01T00:00:00.000Z`);
}

function dueTime({ from = '', every_ms = 1 }: DueTimes, step: number): string {
  return new Date(Date.parse(from) + step * every_ms).toISOString();
}
