/** What went wrong in the suite or at its border; the exit code follows from it. */
export type SuiteErrorCode =
  | 'usage'
  | 'adapter_start'
  | 'protocol'
  | 'adapter_exit'
  | 'timeout'
  | 'request_failed'
  | 'log_invalid'
  | 'suite_bug';

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
