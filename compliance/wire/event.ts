import type { Misfit } from './check.js';

/** Something on the wire that the protocol does not allow. */
export interface WireEvent {
  readonly kind:
    | 'stray_line'
    | 'too_long'
    | 'too_deep'
    | 'not_utf8'
    | 'bad_message'
    | 'bad_params'
    | 'bad_result'
    | 'unknown_method'
    | 'unknown_id'
    | 'cut_off'
    | 'stray_callback'
    | 'stray_point'
    | 'overflow';
  readonly method?: string;
  /** The beginning of what came in. */
  readonly quote?: string;
  readonly misfits?: readonly Misfit[];
}

/** One event of the wire in words. */
export function violationText(event: WireEvent): string {
  const what: Readonly<Record<WireEvent['kind'], string>> = {
    stray_line: 'a line that is no JSON-RPC message',
    too_long: 'a line longer than 8 MiB',
    too_deep: 'a message with more than 1000 levels of arrays and objects',
    not_utf8: 'a line that is not UTF-8',
    bad_message: 'a message that does not fit its envelope',
    bad_params: 'params that do not fit their schema',
    bad_result: 'a result that does not fit its schema',
    unknown_method: 'a method that the protocol does not have in this direction',
    cut_off: 'a last line without its line feed',
    unknown_id: 'an answer to no open request',
    stray_callback: 'a callback after the workspace was closed',
    stray_point: 'a fault point that was not armed',
    overflow: 'nothing was read from stdin while the suite was writing',
  };
  const [first] = event.misfits ?? [];
  const where = first === undefined ? '' : ` (${first.pointer || 'the whole'}: ${first.message})`;
  const method = event.method === undefined ? '' : ` in ${event.method}`;
  return `${what[event.kind]}${method}${where}${event.quote === undefined ? '' : `: ${event.quote}`}`;
}

/** What the author of an adapter can do about such an event. */
export function violationFix(kind: WireEvent['kind']): string {
  switch (kind) {
    case 'stray_line':
      return 'Print logs to stderr, or start the adapter with --fd 3,4 and keep the protocol on these descriptors.';
    case 'unknown_id':
      return 'Answer each request once, with the id that it came with, as the same JSON type.';
    case 'overflow':
      return 'Read stdin while writing to stdout: a thread, a task or an event loop of its own for reading.';
    case 'not_utf8':
      return 'Write UTF-8, whatever the locale of the process is.';
    case 'too_long':
      return 'Page what is long: an export has at most 4 MiB of text in one answer.';
    default:
      return 'Compare the message with its schema in schemas/v1.0/adapter.';
  }
}
