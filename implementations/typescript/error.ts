/** What a code of an error means, and what helps. */
export interface ErrorMeaning {
  /** What happened, in one sentence. */
  readonly meaning: string;
  /** What to do about it. */
  readonly remedy: string;
}

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

/** What each code means, and what helps. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, ErrorMeaning>> = {
  invalid_document: {
    meaning: 'A document does not have the form that its schema describes, or cannot be read.',
    remedy: 'Mend the places that `details.defects` names; the schema in `schemas/v1.0/` says what fits.',
  },
  expression_invalid: {
    meaning: 'An expression is not CEL as the execution chapter restricts it, or its types do not fit.',
    remedy: 'Correct the expression; the message quotes the place.',
  },
  expression_failed: {
    meaning: 'An expression came to an error, or to a value of the wrong type, while it was evaluated.',
    remedy: 'Guard it against values that can be absent, with `has()`, or give the reference a default.',
  },
  mapping_invalid: {
    meaning: 'A `${…}` of a mapping cannot be read.',
    remedy: 'Correct the reference; a literal `${` is written `$${`.',
  },
  mapping_failed: {
    meaning: 'A reference of a mapping leads to nothing in the values at hand.',
    remedy: 'Give it a default with `??`, or map it from something that certainly is there.',
  },
  not_canonical: {
    meaning: 'A value has no canonical form, such as a number that JSON cannot hold exactly.',
    remedy: 'Send the value as a string, or correct it where it is made.',
  },
  unsupported: {
    meaning: 'The runtime does not serve what is asked for.',
    remedy: 'Ask for something else; nothing was done.',
  },
  conflict: {
    meaning: 'Something of that name exists already, or is held by somebody else.',
    remedy: 'Choose another name, or wait until it is free.',
  },
  version_conflict: {
    meaning: 'A key of State was written by another execution since it was read.',
    remedy: 'Read the key again and decide anew.',
  },
  not_found: {
    meaning: 'Nothing has that name or identifier.',
    remedy: 'Check the spelling, and that it was put into this workspace.',
  },
  illegal_state: {
    meaning: 'What is asked for cannot be done now, such as resuming what is in doubt.',
    remedy: 'Do first what the message names.',
  },
  denied: {
    meaning: 'A gate refused, and nothing was tried; `details.reasons` says why.',
    remedy: 'Do what the reason asks for: `ars explain` tells of each, as `ars explain MISSING_PERMISSION`.',
  },
  storage_failed: {
    meaning: 'The store could not be written. Nothing of the step was applied, and no new work starts.',
    remedy: 'Make room or mend the disk, then open the workspace again: recovery decides what was amid work.',
  },
  workspace_locked: {
    meaning: 'Another live process holds the workspace.',
    remedy: 'End that process, or use it; the lock ends with it.',
  },
  workspace_foreign: {
    meaning: 'The folder or a file in it is not what this runtime made or knows.',
    remedy: 'Use another folder, or bring back the file from a copy.',
  },
  log_corrupt: {
    meaning: 'The log or the store contradicts itself.',
    remedy: 'Keep the folder as it is, find the place with `ars audit verify`, and restore from a copy.',
  },
  usage: {
    meaning: 'A call or a command line does not make sense as it stands.',
    remedy: 'Follow the message, or `--help`.',
  },
  internal: {
    meaning: 'A fault of the runtime itself.',
    remedy: 'Report it, with the message and its cause.',
  },
};

/**
 * The one class of errors that the reference runtime throws.
 *
 * `code` says what kind of failure it is, `message` what, where and what to do, `details` holds the values that the
 * message names, `cause` what led to it.
 *
 * @example
 * ```ts
 * try {
 *   readWorkflow('nowhere.yaml');
 * } catch (error) {
 *   if (error instanceof ArsError && error.code === 'not_found') fallback = String(error.details.file);
 *   else throw error;
 * }
 * ```
 */
export class ArsError extends Error {
  /** How it is told from other errors where classes are not at hand. */
  override readonly name = 'ArsError';
  /** What kind of failure it is. */
  readonly code: ErrorCode;
  /** The values that the message names, by names of the specification; `{}` where there are none. */
  readonly details: Readonly<Record<string, unknown>>;

  /** An error of this code; what led to it goes into `cause`. */
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
