/** Every code that an {@link ArsError} can carry. */
export const ERROR_CODES = [
  'invalid_document',
  'expression_invalid',
  'expression_failed',
  'mapping_invalid',
  'mapping_failed',
  'not_canonical',
  'unsupported',
  'conflict',
  'version_conflict',
  'not_found',
  'illegal_state',
  'denied',
  'storage_failed',
  'workspace_locked',
  'workspace_foreign',
  'log_corrupt',
  'usage',
  'internal',
] as const;

/** A stable word for a kind of failure; callers and tests branch on it, never on the text. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * The one class of errors that the reference runtime throws.
 *
 * `code` says what kind of failure it is, `message` what, where and what to do, `details` holds the values that the
 * message names, `cause` what led to it.
 */
export class ArsError extends Error {
  override readonly name = 'ArsError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}
