import type { Action, ActionInvokeParams, ActionInvokeResult } from '../../../schemas/types.js';
import { canonicalize } from '../state/canonical.js';
import { type BuiltinActions, checkOptions, failure, reasonOf } from './builtin.js';

/** How requests are made. */
export interface HttpOptions {
  /** The hosts that may be asked, as `host` or `host:port`. Absent: every one. */
  readonly hosts?: readonly string[];
  /** Headers of every request, such as an authorization, which then stands in no workflow and in no log. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The longest answer that is taken, in bytes; absent: 10 MiB. */
  readonly max_bytes?: number;
}

const MOST_BYTES = 10 * 1024 * 1024;
/** Errors of the network after which no request can have arrived. */
const NOT_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|UND_ERR_INVALID_ARG|UND_ERR_NOT_SUPPORTED)$/;
/** What is wrong with the certificate of a server, by which a connection ends before the request is sent. */
const BAD_CERTIFICATE =
  /^(?:CERT_\w+|ERR_TLS_CERT_ALTNAME_INVALID|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT(?:_IN_CHAIN)?|UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?)|INVALID_CA|HOSTNAME_MISMATCH)$/;
/** What fetch says, without a code, of a port that it never asks. */
const BAD_PORT = 'bad port';
/** Statuses by which a server refuses a request that another one may have carried out already. */
const REFUSED_LATE: readonly number[] = [408, 409];

const headers = { type: 'object', additionalProperties: { type: 'string' } };
const url = { type: 'string', minLength: 1 };
const output_schema = {
  type: 'object',
  properties: {
    status: { type: 'integer' },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    body: { type: 'string' },
    json: {},
  },
  required: ['status', 'headers', 'body'],
  additionalProperties: false,
};

const GET: Action = {
  schema_version: '1.0',
  action_id: 'http.get',
  version: '1.0.0',
  description: 'Gets a resource. HTTP promises that this has no effect on the server.',
  input_schema: { type: 'object', properties: { url, headers }, required: ['url'], additionalProperties: false },
  output_schema,
  determinism: 'non_deterministic',
  rollback: 'rollbackable',
  side_effects: [],
  modifies_existing: false,
  idempotent: true,
};

const SEND: Action = {
  schema_version: '1.0',
  action_id: 'http.send',
  version: '1.0.0',
  description: 'Sends a request that may have any effect. Its header Idempotency-Key is the same for every attempt.',
  input_schema: {
    type: 'object',
    properties: {
      url,
      method: { enum: ['POST', 'PUT', 'PATCH', 'DELETE'] },
      headers,
      body: { type: 'string' },
      json: {},
    },
    required: ['url', 'method'],
    additionalProperties: false,
  },
  output_schema,
  determinism: 'non_deterministic',
  rollback: 'irreversible',
  side_effects: ['external_service'],
  modifies_existing: true,
  idempotent: false,
};

/**
 * Returns `http.get` and `http.send`.
 *
 * A status of 500 and above fails with E2, one of 400 and above with E4, what the network does with E1. A request that may
 * have arrived without an answer has an unknown effect, which leaves an `http.send` in doubt. `json` is there where the
 * answer is JSON that every runtime reads alike, and each cookie is a line of the header `set-cookie`. Redirects are followed by `http.get` only, within the hosts.
 *
 * @example
 * ```ts
 * const http = httpActions({ hosts: ['api.example.org'], headers: { authorization: `Bearer ${token}` } });
 * const runtime = await Runtime.open({ workspace: 'demo', actions: http.functions });
 * await runtime.putRegistry({ actions: [...http.definitions] });
 * ```
 */
export function httpActions(options: HttpOptions = {}): BuiltinActions {
  checkOptions('httpActions', options, ['hosts', 'headers', 'max_bytes']);
  return {
    definitions: [GET, SEND],
    functions: {
      'http.get@1.0.0': (call, signal) => get(call, signal, options),
      'http.send@1.0.0': (call, signal) => send(call, signal, options),
    },
  };
}

const MOST_REDIRECTS = 10;

async function get(
  { inputs }: ActionInvokeParams,
  signal: AbortSignal,
  options: HttpOptions,
): Promise<ActionInvokeResult> {
  const { url, headers: own = {} } = inputs as { url: string; headers?: Record<string, string> };
  let target = url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const refused = misplaced(target, options);
    if (refused !== undefined) return failure('E5', refused);
    // What stands for whoever asks is for the origin that was named, not for one that it points to, nor without TLS.
    const shared = new URL(target).origin === new URL(url).origin ? merged(options.headers, own) : new Headers();
    if (typeof shared === 'string') return failure('E5', shared);
    const answer = await request(target, { headers: shared, redirect: 'manual', signal }, options, 'none');
    if ('error' in answer) return answer;
    const { status, headers: got } = answer.outputs as { status: number; headers: Record<string, string> };
    if (status < 300 || status === 304) return answer;
    if (got.location === undefined || !URL.canParse(got.location, target))
      return failure('E4', `${target} answers ${status} and names no place`);
    target = new URL(got.location, target).href;
  }
  return failure('E4', `${url} leads from one place to another, more than ${MOST_REDIRECTS} times`);
}

async function send(call: ActionInvokeParams, signal: AbortSignal, options: HttpOptions): Promise<ActionInvokeResult> {
  const {
    url,
    method,
    headers: own = {},
    body,
    json,
  } = call.inputs as {
    url: string;
    method: string;
    headers?: Record<string, string>;
    body?: string;
    json?: unknown;
  };
  const refused = misplaced(url, options);
  if (refused !== undefined) return failure('E5', refused);
  if (body !== undefined && json !== undefined) return failure('E5', 'a request has a body or json, not both');
  const headers = merged(json === undefined ? {} : { 'content-type': 'application/json' }, options.headers, own, {
    'idempotency-key': call.idempotency_key,
  });
  if (typeof headers === 'string') return failure('E5', headers);
  const content = json === undefined ? body : JSON.stringify(json);
  const answer = await request(
    url,
    {
      method,
      headers,
      redirect: 'manual',
      signal,
      ...(content === undefined ? {} : { body: content }),
    },
    options,
    'unknown',
  );
  if ('error' in answer) return answer;
  const { status } = answer.outputs as { status: number };
  return status < 300 ? answer : failure('E4', `${url} answers ${status}; where that leads is not followed`, 'unknown');
}

/** Headers of which those named later replace those named before, in whatever case; or what cannot be one. */
function merged(...given: readonly (Readonly<Record<string, string>> | undefined)[]): Headers | string {
  const headers = new Headers();
  for (const part of given)
    for (const [name, value] of Object.entries(part ?? {}))
      try {
        headers.set(name, value);
      } catch {
        return `"${name}" with this value is no header`;
      }
  return headers;
}

/** Why this may not be asked. */
function misplaced(url: string, { hosts }: HttpOptions): string | undefined {
  if (!URL.canParse(url)) return `"${url}" is no URL`;
  const { protocol, host, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return `"${url}" is neither http nor https`;
  if (username !== '' || password !== '')
    return 'a URL with a user name or password would stand in the log; use headers';
  return hosts === undefined || hosts.includes(host) ? undefined : `the host "${host}" is not among those allowed`;
}

/** `lost`: what may have become of a request of which the network gave no answer. */
async function request(
  url: string,
  init: RequestInit,
  { max_bytes = MOST_BYTES }: HttpOptions,
  lost: 'none' | 'unknown',
): Promise<ActionInvokeResult> {
  let response: Response;
  let body: string | undefined;
  try {
    response = await fetch(url, init);
    body = await textOf(response, max_bytes);
  } catch (error) {
    const { code = '', message } = ((error as { cause?: unknown }).cause ?? {}) as Partial<NodeJS.ErrnoException>;
    if (message === BAD_PORT) return failure('E5', `${url}: fetch asks no such port`);
    return failure('E1', `${url}: ${reasonOf(error)}`, isUnsent(code) ? 'none' : lost);
  }
  const { status } = response;
  if (status >= 500) return failure('E2', `${url} answers ${status}`, lost);
  if (status >= 400) return failure('E4', `${url} answers ${status}`, REFUSED_LATE.includes(status) ? lost : 'none');
  if (body === undefined) return failure('E4', `${url} answers with more than ${max_bytes} bytes`, lost);
  const json = jsonOf(response.headers.get('content-type') ?? '', body);
  const outputs = { status, headers: headersOf(response), body };
  return { outputs: json === undefined ? outputs : { ...outputs, json } };
}

/** Whether a request that failed with an error of this code was certainly not sent. */
export function isUnsent(code: string): boolean {
  return NOT_SENT.test(code) || BAD_CERTIFICATE.test(code);
}

/** The headers of an answer; each cookie that it sets is a line of `set-cookie`, which cannot be told apart by commas. */
function headersOf({ headers }: Response): Record<string, string> {
  const all = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  return cookies.length === 0 ? all : { ...all, 'set-cookie': cookies.join('\n') };
}

/** The body; undefined where it is longer. */
async function textOf(response: Response, most: number): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > most) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The value of a JSON answer; undefined where it is none, or one that canonical form cannot say. */
function jsonOf(type: string, body: string): unknown {
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    canonicalize(value);
    return value;
  } catch {
    return undefined;
  }
}
