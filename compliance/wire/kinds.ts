import type { ErrorKind, RpcError, RpcErrorData } from '../../schemas/types.js';

/** The JSON-RPC code that goes with each kind of error. Tests look at the kind, never at the code. */
export const ERROR_CODES: Readonly<Record<ErrorKind, number>> = {
  unsupported: -32601,
  invalid: -32602,
  internal: -32603,
  conflict: -32001,
  not_found: -32002,
  illegal_state: -32003,
  denied: -32004,
};

/** What each kind of error tells the one who asked, and what helps. */
export const KIND_MEANINGS: Readonly<Record<ErrorKind, { readonly meaning: string; readonly remedy: string }>> = {
  unsupported: {
    meaning: 'The capability is not served.',
    remedy: 'Declare at `initialize` only what is served.',
  },
  invalid: {
    meaning: 'The params do not fit, or a document in them does not fit its schema.',
    remedy: 'Nothing was stored; send what fits.',
  },
  conflict: {
    meaning: 'Something exists already, is held by another process, or was written meanwhile.',
    remedy: 'Choose another name, or read again.',
  },
  not_found: {
    meaning: 'Nothing has that name or identifier.',
    remedy: 'Check what was put before.',
  },
  illegal_state: {
    meaning: 'Not now: what it is asked of is in another state.',
    remedy: 'Do first what that state asks for.',
  },
  denied: {
    meaning:
      'A gate refused; `data.gate`, `data.reasons` and `data.execution_id` say which, why, and under which identifier it is recorded.',
    remedy: 'Do what the reasons ask for; `ars explain` tells of each.',
  },
  internal: {
    meaning: 'A fault of the runtime, or of its adapter.',
    remedy: 'Report it to whoever wrote that runtime.',
  },
};

/** What a denial says beside its kind. */
export type ErrorFacts = Omit<RpcErrorData, 'kind'>;

/**
 * An error that a handler throws to answer a request with a kind of its choice.
 *
 * @example
 * ```ts
 * throw new AdapterError('denied', `'${agent_id}' is not registered`, { gate: 'governance', execution_id });
 * ```
 */
export class AdapterError extends Error {
  /** How it is told from other errors where classes are not at hand. */
  override readonly name = 'AdapterError';
  /** What kind of error the suite is answered with. */
  readonly kind: ErrorKind;
  /** What the answer says beside the kind: with denied the gate, the execution_id and the reasons. */
  readonly data: ErrorFacts;

  /** An error of this kind, with what else the answer says. */
  constructor(kind: ErrorKind, message: string, data: ErrorFacts = {}) {
    super(message);
    this.kind = kind;
    this.data = data;
  }
}

const FACTS = ['gate', 'execution_id', 'reasons', 'report'] as const;

/** The error object that answers a request whose handler threw: its `kind` where it has a known one, else internal. */
export function rpcError(thrown: unknown): RpcError {
  const source = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Record<string, unknown>;
  const kind = isErrorKind(source.kind) ? source.kind : 'internal';
  const facts = (typeof source.data === 'object' && source.data !== null ? source.data : {}) as Record<string, unknown>;
  const data: Record<string, unknown> = { kind };
  for (const name of FACTS) if (facts[name] !== undefined) data[name] = facts[name];
  const message = typeof source.message === 'string' ? source.message : String(thrown);
  return { code: ERROR_CODES[kind], message, data: data as unknown as RpcErrorData };
}

function isErrorKind(value: unknown): value is ErrorKind {
  return typeof value === 'string' && Object.hasOwn(ERROR_CODES, value);
}
