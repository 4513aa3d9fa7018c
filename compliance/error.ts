/** What went wrong in the suite or at its border, and what helps; the exit code follows from the code. */
export const SUITE_ERROR_MEANINGS = {
  usage: {
    meaning: 'The command line, or a file that it names, does not make sense.',
    remedy: 'Follow the message; exit code 2.',
  },
  adapter_start: {
    meaning: 'The adapter could not be started, or ended before it answered.',
    remedy: 'Start its command by hand, then `ars-compliance doctor -- COMMAND`; exit code 3.',
  },
  protocol: {
    meaning: 'A message of the adapter does not fit the wire.',
    remedy: 'Compare it, as the transcript shows it, with `schemas/v1.0/adapter/`.',
  },
  adapter_exit: {
    meaning: 'The adapter ended while a request was open.',
    remedy: 'Its stderr is quoted; find out why it ended.',
  },
  timeout: {
    meaning: 'A request or a case took longer than its limit.',
    remedy: 'Make the runtime answer sooner, or multiply all limits with `--scale`.',
  },
  request_failed: {
    meaning: 'The adapter answered with an error where the suite needed a result to go on.',
    remedy: 'The kind of the error and the method are in the report.',
  },
  log_invalid: {
    meaning: 'An exported log cannot be read, so nothing can be judged by it.',
    remedy: 'Export it in interchange form; the message names the line.',
  },
  suite_bug: {
    meaning: 'A fault of the suite itself.',
    remedy: 'Report it, with the replay file; exit code 5.',
  },
} as const;

/** A code of {@link SuiteError}. */
export type SuiteErrorCode = keyof typeof SUITE_ERROR_MEANINGS;

/** What was thrown, in words. */
export function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The one class of errors that the suite throws. */
export class SuiteError extends Error {
  override readonly name = 'SuiteError';
  readonly code: SuiteErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: SuiteErrorCode,
    message: string,
    options: { details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}
