import type { AuditRecord } from '../../schemas/types.js';
import type { Journal } from './audit/journal.js';
import type { RecordQuery } from './audit/log.js';

/** Which records to follow; all conditions given hold together. */
export interface EventQuery
  extends Pick<
    RecordQuery,
    'execution_id' | 'context_id' | 'parent_execution_id' | 'record_type' | 'status' | 'from' | 'after'
  > {
  /** Ends the iteration when it fires. */
  readonly signal?: AbortSignal;
}

/**
 * The records of a log, each once it is durable, in sequence order: first those after `after`, by default the head of the
 * log as it is now, then those to come.
 *
 * They are read from the log as they are asked for, so a slow reader costs no memory and holds nobody up. The iteration
 * ends when the log is closed, or the signal fires; it throws `storage_failed` once a write has failed and all that is
 * durable was given.
 */
export function eventsOf(
  journal: Journal,
  { signal, after, ...query }: EventQuery = {},
): AsyncIterableIterator<AuditRecord> {
  return follow(journal, query, after ?? journal.log.head().sequence, signal);
}

async function* follow(
  journal: Journal,
  query: RecordQuery,
  after: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<AuditRecord, void, undefined> {
  let position = after;
  let wake = (): void => undefined;
  const woken = () => wake();
  const stopListening = [journal.subscribe(woken), journal.onStop(woken)];
  signal?.addEventListener('abort', woken);
  try {
    while (!isAborted(signal)) {
      const news = new Promise<void>(resolve => {
        wake = resolve;
      });
      const { failure } = journal;
      const { sequence } = journal.log.head();
      for (const record of durable(journal, { ...query, after: position })) {
        position = record.sequence;
        yield record;
        if (isAborted(signal)) return;
      }
      position = Math.max(position, sequence);
      if (failure?.code === 'storage_failed') throw failure;
      if (failure !== undefined) return;
      await news;
    }
  } finally {
    for (const stop of stopListening) stop();
    signal?.removeEventListener('abort', woken);
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** The records as far as the log can be read: a log that was closed meanwhile ends here. */
function* durable(journal: Journal, query: RecordQuery): Generator<AuditRecord> {
  try {
    yield* journal.log.records(query);
  } catch (error) {
    if (journal.failure === undefined || journal.failure.code === 'storage_failed') throw error;
  }
}
