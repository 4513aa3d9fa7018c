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
  const started = new Map<string, string>();
  const redone = new Set<string>();
  const clear = () => (live ? process.stderr.write('\r\x1b[K') : undefined);
  const tell = (record: AuditRecord) => {
    if (record.record_type === 'recovery' && record.status === 'redo') redone.add(record.execution_id);
    if (record.record_type === 'action' && record.status === 'pending')
      started.set(record.execution_id, record.timestamp);
    const isReplaced = record.status === 'failed' && redone.delete(record.execution_id);
    const line = isReplaced ? undefined : lineOf(record, started.get(record.execution_id));
    clear();
    if (line !== undefined) process.stderr.write(`${line}\n`);
    const place = line === undefined || record.status === 'pending' ? undefined : places?.get(record.execution_id);
    if (place !== undefined) process.stderr.write(`    at ${visible(place)}\n`);
    if (record.status !== 'pending') started.delete(record.execution_id);
    if (live && started.size > 0) process.stderr.write(errorColors().dim(`  ${started.size} running …`));
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
  };
}

function lineOf(record: AuditRecord, begun: string | undefined): string | undefined {
  const { record_type, status, node_id, attempt, error_class, error_detail, purpose } = record;
  const again = attempt === undefined || attempt === 1 ? '' : ` (attempt ${attempt})`;
  const took = begun === undefined ? '' : errorColors().dim(` ${Date.parse(record.timestamp) - Date.parse(begun)} ms`);
  const why = error_class === undefined ? '' : `: ${error_class} ${visible(error_detail ?? '')}`;
  const what = `${visible(node_id ?? '')}${purpose === undefined ? '' : ` ${purpose}`}${again}`;
  if (record_type === 'recovery')
    return `${errorColors().yellow('↻')} ${visible(node_id ?? record.execution_id)} ${status} after ${record.probe}`;
  if (record_type !== 'action') return undefined;
  if (status === 'committed') return `${errorColors().green('✓')} ${what}${took}`;
  if (status === 'failed')
    return `${errorColors().red('✗')} ${what} ${error_class}: ${visible(error_detail ?? '')}${took}`;
  return status === 'in_doubt' ? `${errorColors().red('?')} ${what} is in doubt${why}` : undefined;
}
