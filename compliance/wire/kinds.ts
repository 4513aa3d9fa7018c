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

/** What a denial says beside its kind. */
export type ErrorFacts = Omit<RpcErrorData, 'kind'>;

/** An error that a handler throws to answer a request with a kind of its choice. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
  readonly kind: ErrorKind;
  readonly data: ErrorFacts;

  /** @example throw new AdapterError('denied', 'agent is not registered', { gate: 'governance', execution_id }); */
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
