import type { AuditRecord } from '../../../schemas/types.js';
import type { Runtime } from '../runtime.js';
import { visible } from './code-frame.js';
import { errorColors } from './color.js';

/**
 * Prints on stderr what becomes of the actions of a runtime, a line each, and gives what ends that.
 *
 * `since` is a time before the runtime was opened, RFC 3339: what recovery did until now is printed first. On a TTY the
 * last line counts what is under way. `places` has where the code of an execution threw.
 */
export function progressOf(
  runtime: Runtime,
  since: string,
  quiet: boolean,
  places?: ReadonlyMap<string, string>,
): () => void {
  if (quiet) return () => undefined;
  const live = process.stderr.isTTY === true;
  const lines = new Lines(places);
  const clear = () => (live ? process.stderr.write('\r\x1b[K') : undefined);
  const tell = (record: AuditRecord) => {
    const told = lines.of(record);
    clear();
    for (const line of told) process.stderr.write(`${line}\n`);
    if (live && lines.running > 0) process.stderr.write(errorColors().dim(`  ${lines.running} running …`));
  };
  let caughtUp = 0;
  for (const record of runtime.records({ from: since })) {
    if (record.incarnation === runtime.incarnation) tell(record);
    caughtUp = record.sequence;
  }
  const stop = runtime.subscribe(record => {
    if (record.sequence > caughtUp) tell(record);
  });
  return () => {
    stop();
    clear();
    for (const line of lines.rest()) process.stderr.write(`${line}\n`);
  };
}

/**
 * The lines of records, as they come. The log has an attempt that is undone behind its undo, since both end at once; its
 * line stands before those of the decision and of the undo, which are kept until then.
 */
class Lines {
  readonly #places: ReadonlyMap<string, string> | undefined;
  readonly #started = new Map<string, string>();
  /** When the failure of an execution was judged, which is when it ended. */
  readonly #judged = new Map<string, string>();
  readonly #redone = new Set<string>();
  /** What is to stand below the line of an execution. */
  readonly #kept = new Map<string, string[]>();
  /** Which execution an undo is to stand below. */
  readonly #undoes = new Map<string, string>();

  constructor(places: ReadonlyMap<string, string> | undefined) {
    this.#places = places;
  }

  /** How many executions are under way. */
  get running(): number {
    return this.#started.size;
  }

  /** What can be told now. */
  of(record: AuditRecord): string[] {
    const { record_type, status, execution_id, timestamp, refers_to = [] } = record;
    if (record_type === 'recovery') return this.#decided(record);
    if (record_type !== 'action') return [];
    if (status === 'pending') {
      this.#started.set(execution_id, timestamp);
      const [original] = refers_to;
      if (record.purpose !== undefined && original !== undefined && this.#kept.has(original))
        this.#undoes.set(execution_id, original);
      return [];
    }
    const isReplaced = status === 'failed' && this.#redone.delete(execution_id);
    const own = isReplaced ? [] : this.#ended(record);
    const below = this.#kept.get(execution_id) ?? [];
    this.#kept.delete(execution_id);
    // In doubt it is because its undo has failed.
    const told = status === 'in_doubt' && below.length > 0 ? [...below, ...own.slice(0, 1)] : [...own, ...below];
    const above = this.#kept.get(this.#undoes.get(execution_id) ?? '');
    if (above === undefined) return told;
    above.push(...told);
    return [];
  }

  /** What was kept for the line of an execution that has not come. */
  rest(): string[] {
    return [...this.#kept.values()].flat();
  }

  #decided(record: AuditRecord): string[] {
    const { status, execution_id, node_id, probe, timestamp } = record;
    if (status === 'redo') this.#redone.add(execution_id);
    if (this.#started.has(execution_id)) this.#judged.set(execution_id, timestamp);
    const line = `${errorColors().yellow('↻')} ${visible(node_id ?? execution_id)} ${status} after ${probe}`;
    if (status !== 'compensate' && status !== 'roll_back') return [line];
    this.#kept.set(execution_id, [line]);
    return [];
  }

  #ended(record: AuditRecord): string[] {
    const { execution_id, status, timestamp } = record;
    const line = lineOf(record, this.#started.get(execution_id), this.#judged.get(execution_id) ?? timestamp);
    this.#started.delete(execution_id);
    const place = status === 'failed' || status === 'in_doubt' ? this.#places?.get(execution_id) : undefined;
    if (line === undefined) return [];
    return place === undefined ? [line] : [line, `    at ${visible(place)}`];
  }
}

function lineOf(record: AuditRecord, begun: string | undefined, until: string): string | undefined {
  const { status, node_id, attempt, error_class, error_detail, purpose } = record;
  const again = attempt === undefined || attempt === 1 ? '' : ` (attempt ${attempt})`;
  const took = begun === undefined ? '' : errorColors().dim(` ${Date.parse(until) - Date.parse(begun)} ms`);
  const why = error_class === undefined ? '' : `: ${error_class} ${visible(error_detail ?? '')}`;
  const what = `${visible(node_id ?? '')}${purpose === undefined ? '' : ` ${purpose}`}${again}`;
  if (status === 'committed') return `${errorColors().green('✓')} ${what}${took}`;
  if (status === 'failed')
    return `${errorColors().red('✗')} ${what} ${error_class}: ${visible(error_detail ?? '')}${took}`;
  return status === 'in_doubt' ? `${errorColors().red('?')} ${what} is in doubt${why}` : undefined;
}
