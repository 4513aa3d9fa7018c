import type { Readable } from 'node:stream';
import type { MessageId, RpcError } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import { Budget } from './budget.js';
import { type Misfit, misfits } from './check.js';
import type { WireEvent } from './event.js';
import { AdapterError, rpcError } from './kinds.js';
import { LINE_CAP, LineReader, QUOTE_BYTES } from './lines.js';
import {
  METHODS,
  methodSpec,
  type NotificationName,
  type NotificationTypes,
  type RequestName,
  type RequestTypes,
  type Side,
} from './methods.js';
import { isDeeper, NESTING_CAP } from './nesting.js';
import type { LineSink } from './sink.js';

/** What a handler gives back when no answer is ever to be sent; the request no longer pauses any budget. */
export const NO_ANSWER: unique symbol = Symbol('no answer');

/** The circumstances of a request that came in. */
export interface Incoming {
  readonly id: MessageId;
  /** Fires when the other side is gone. */
  readonly signal: AbortSignal;
}

type Answer<M extends RequestName> = RequestTypes[M]['result'] | typeof NO_ANSWER;

/** What answers each request that may come in. */
export type RequestHandlers = {
  readonly [M in RequestName]?: (
    params: RequestTypes[M]['params'],
    incoming: Incoming,
  ) => Promise<Answer<M>> | Answer<M>;
};

/** What takes each notification that may come in. */
export type NotificationHandlers = { readonly [N in NotificationName]?: (params: NotificationTypes[N]) => void };

export interface PeerOptions {
  /** Which side this is; decides what may be sent and what may come in. */
  readonly side: Side;
  readonly input: Readable;
  readonly output: LineSink;
  readonly requests?: RequestHandlers;
  readonly notifications?: NotificationHandlers;
  readonly onEvent?: (event: WireEvent) => void;
  /** Sees every line, as text, in the order of the wire. */
  readonly onLine?: (direction: 'sent' | 'received', line: string) => void;
  readonly line_cap?: number;
}

export interface RequestOptions {
  /** How long the answer may take, in milliseconds during which no request of the other side is open. */
  readonly budget_ms?: number;
  /** Gives the request up: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Sends params that do not fit their schema, to see what the other side does. */
  readonly unchecked?: boolean;
}

interface Pending {
  readonly method: RequestName;
  readonly budget: Budget | undefined;
  readonly settle: (outcome: { result: unknown } | { error: unknown }) => void;
}

/** One end of the wire: any number of requests open in both directions, answered in any order. */
export class Peer {
  readonly #options: PeerOptions;
  readonly #pending = new Map<MessageId, Pending>();
  readonly #given_up = new Set<MessageId>();
  readonly #gone = new AbortController();
  readonly #closed: Promise<void>;
  #next_id = 1;
  #open_callbacks = 0;

  constructor(options: PeerOptions) {
    this.#options = options;
    const reader = new LineReader(options.line_cap ?? LINE_CAP);
    let finish = () => {};
    this.#closed = new Promise(resolve => {
      finish = resolve;
    });
    const { input } = options;
    input.on('data', (chunk: Buffer) => {
      for (const line of reader.push(chunk)) this.#take(line);
    });
    const over = () => {
      if (this.#gone.signal.aborted) return;
      const rest = reader.end();
      if (rest !== undefined)
        this.#report({ kind: 'cut_off', quote: quoteOf(rest.kind === 'text' ? rest.text : rest.quote) });
      this.#lost(new SuiteError('adapter_exit', 'The other side closed the connection.'));
      finish();
    };
    input.on('end', over);
    input.on('close', over);
    input.on('error', over);
  }

  /** Settles when nothing more can come in. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** How many requests of the other side are unanswered. */
  get open_callbacks(): number {
    return this.#open_callbacks;
  }

  /**
   * The answer to a request. Rejects with a SuiteError: `request_failed` (details.kind and what else the error says),
   * `timeout`, `adapter_exit`, `protocol` where the answer does not fit its schema, `suite_bug` where the params don't.
   */
  request<M extends RequestName>(
    method: M,
    params: RequestTypes[M]['params'],
    options: RequestOptions = {},
  ): Promise<RequestTypes[M]['result']> {
    return new Promise((resolve, reject) => {
      const gone = this.#refusal(method, params, options);
      if (gone !== undefined) {
        reject(gone);
        return;
      }
      const id = this.#next_id;
      this.#next_id += 1;
      const giveUp = (error: unknown) => {
        this.#given_up.add(id);
        settle({ error });
      };
      const { budget_ms: ms, signal } = options;
      const spent = () =>
        giveUp(
          new SuiteError('timeout', `No answer to ${method} within ${ms} ms.`, { details: { method, budget_ms: ms } }),
        );
      const budget = ms === undefined ? undefined : new Budget(ms, spent);
      const onAbort = () => giveUp(signal?.reason);
      const settle: Pending['settle'] = outcome => {
        if (!this.#pending.delete(id)) return;
        budget?.pause();
        signal?.removeEventListener('abort', onAbort);
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.result as RequestTypes[M]['result']);
      };
      this.#pending.set(id, { method, budget, settle });
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        this.#send({ jsonrpc: '2.0', id, method, params });
      } catch (cause) {
        settle({ error: new SuiteError('suite_bug', `${method} can't be sent.`, { cause, details: { method } }) });
        return;
      }
      if (this.#open_callbacks === 0) budget?.run();
    });
  }

  /** Sends a notification. */
  notify<N extends NotificationName>(method: N, params: NotificationTypes[N]): void {
    const found = misfits(METHODS[method].params, params);
    if (found.length > 0) throw misfitError('suite_bug', method, found);
    this.#send({ jsonrpc: '2.0', method, params });
  }

  /** Sends a line as it is, to see what the other side does with it. */
  sendRaw(line: string): void {
    this.#options.onLine?.('sent', line);
    this.#options.output.write(line);
  }

  /** Settles when everything sent so far has left the process. */
  flushed(): Promise<void> {
    return this.#options.output.flushed();
  }

  /** Closes this side's direction; what the other side still says is read. */
  end(): void {
    this.#options.output.end();
  }

  #refusal(method: RequestName, params: unknown, options: RequestOptions): unknown {
    if (options.signal?.aborted) return options.signal.reason;
    if (this.#gone.signal.aborted)
      return new SuiteError('adapter_exit', `${method} can't be sent: the other side is gone.`);
    if (options.unchecked) return undefined;
    const found = misfits(METHODS[method].params, params);
    return found.length === 0 ? undefined : misfitError('suite_bug', method, found);
  }

  /** Throws a RangeError where the line would be longer than the protocol allows. */
  #send(message: object): void {
    const line = JSON.stringify(message);
    const cap = this.#options.line_cap ?? LINE_CAP;
    if (line.length > cap || (line.length > cap / 3 && Buffer.byteLength(line) > cap))
      throw new RangeError(`A message of more than ${cap} bytes can't be sent.`);
    this.sendRaw(line);
  }

  #lost(error: unknown): void {
    this.#gone.abort(error);
    for (const { settle } of [...this.#pending.values()]) settle({ error });
  }

  #report(event: WireEvent): void {
    this.#options.onEvent?.(event);
  }

  #take(line: ReturnType<LineReader['push']>[number]): void {
    if (line.kind !== 'text') {
      this.#options.onLine?.('received', line.quote);
      this.#report({ kind: line.kind, quote: line.quote });
      return;
    }
    this.#options.onLine?.('received', line.text);
    const message = parseMessage(line.text);
    if (message === undefined) this.#report({ kind: 'stray_line', quote: quoteOf(line.text) });
    else if (isDeeper(line.text)) this.#refuseDeep(message, line.text);
    else if (typeof message.method === 'string') this.#takeCall(message, line.text);
    else this.#takeAnswer(message, line.text);
  }

  /** What is nested too deep is not looked at: hardly anything that walks through a value could. */
  #refuseDeep({ id, method }: Message, text: string): void {
    this.#report({ kind: 'too_deep', quote: quoteOf(text) });
    const asked = id as MessageId;
    const what = `nested more than ${NESTING_CAP} levels deep`;
    const pending = method === undefined ? this.#pending.get(asked) : undefined;
    if (pending !== undefined)
      pending.settle({ error: new SuiteError('protocol', `The answer to ${pending.method} is ${what}.`) });
    else if (method !== undefined && (typeof id === 'number' || typeof id === 'string'))
      this.#refuse(id, 'invalid', `The request is ${what}.`);
  }

  #takeAnswer(message: Message, text: string): void {
    const form = Object.hasOwn(message, 'error') ? 'failure' : 'success';
    const found = misfits(`adapter/envelope#${form}`, message);
    const id = message.id as MessageId;
    const pending = this.#pending.get(id);
    if (found.length > 0) this.#report({ kind: 'bad_message', quote: quoteOf(text), misfits: found });
    if (pending === undefined) {
      if (found.length === 0 && !this.#given_up.delete(id)) this.#report({ kind: 'unknown_id', quote: quoteOf(text) });
      return;
    }
    if (found.length > 0) pending.settle({ error: misfitError('protocol', pending.method, found) });
    else if (form === 'failure') pending.settle({ error: failedError(pending.method, message.error as RpcError) });
    else this.#takeResult(pending, message.result, text);
  }

  #takeResult(pending: Pending, result: unknown, text: string): void {
    const found = misfits(METHODS[pending.method].result ?? 'adapter/envelope#success', result);
    if (found.length === 0) {
      pending.settle({ result });
      return;
    }
    this.#report({ kind: 'bad_result', method: pending.method, quote: quoteOf(text), misfits: found });
    pending.settle({ error: misfitError('protocol', pending.method, found) });
  }

  #takeCall(message: Message, text: string): void {
    const method = message.method as string;
    const spec = methodSpec(method);
    const wanted = Object.hasOwn(message, 'id');
    const id = message.id as MessageId;
    const form = misfits('adapter/envelope#request', message);
    const kind = wanted ? 'request' : 'notification';
    if (form.length > 0) {
      this.#report({ kind: 'bad_message', method, quote: quoteOf(text), misfits: form });
      if (typeof id === 'number' || typeof id === 'string') this.#refuse(id, 'invalid', misfitText(method, form));
    } else if (spec === undefined || spec.sender === this.#options.side || spec.kind !== kind) {
      this.#report({ kind: 'unknown_method', method, quote: quoteOf(text) });
      if (wanted) this.#refuse(id, 'unsupported', `There is no ${kind} ${method} in this direction.`);
    } else {
      const params = message.params ?? {};
      const found = misfits(spec.params, params);
      if (found.length > 0) {
        this.#report({ kind: 'bad_params', method, quote: quoteOf(text), misfits: found });
        if (wanted) this.#refuse(id, 'invalid', misfitText(method, found));
      } else if (wanted) void this.#serve(method as RequestName, id, params);
      else this.#options.notifications?.[method as 'fault/point']?.(params as NotificationTypes['fault/point']);
    }
  }

  async #serve(method: RequestName, id: MessageId, params: unknown): Promise<void> {
    this.#callback(1);
    try {
      const handler = this.#options.requests?.[method] as
        | ((params: unknown, incoming: Incoming) => unknown)
        | undefined;
      if (handler === undefined) throw new AdapterError('unsupported', `${method} is not served.`);
      const result = await handler(params, { id, signal: this.#gone.signal });
      if (result === NO_ANSWER) return;
      const found = misfits(METHODS[method].result ?? 'adapter/envelope#success', result);
      if (found.length === 0) this.#send({ jsonrpc: '2.0', id, result });
      else {
        this.#report({ kind: 'bad_result', method, misfits: found });
        this.#refuse(id, 'internal', `The result of ${misfitText(method, found)}`);
      }
    } catch (thrown) {
      const error = rpcError(thrown);
      const found = misfits('adapter/envelope#error', error);
      if (found.length === 0) this.#send({ jsonrpc: '2.0', id, error });
      else this.#refuse(id, 'internal', `The error of ${misfitText(method, found)}; it said: ${error.message}`);
    } finally {
      this.#callback(-1);
    }
  }

  #refuse(id: MessageId, kind: AdapterError['kind'], text: string): void {
    this.#send({ jsonrpc: '2.0', id, error: rpcError(new AdapterError(kind, text)) });
  }

  #callback(change: 1 | -1): void {
    const before = this.#open_callbacks;
    this.#open_callbacks += change;
    if (before === 0) for (const { budget } of this.#pending.values()) budget?.pause();
    if (this.#open_callbacks === 0) for (const { budget } of this.#pending.values()) budget?.run();
  }
}

type Message = Record<string, unknown>;

function parseMessage(text: string): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const object = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  return object?.jsonrpc === '2.0' ? object : undefined;
}

function quoteOf(text: string): string {
  return text.length > QUOTE_BYTES ? `${text.slice(0, QUOTE_BYTES)}…` : text;
}

function misfitText(method: string, found: readonly Misfit[]): string {
  const told = found.slice(0, 5).map(({ pointer, message }) => `${pointer === '' ? 'the whole' : pointer}: ${message}`);
  return `${method} does not fit its schema: ${told.join('; ')}`;
}

function misfitError(code: 'suite_bug' | 'protocol', method: string, found: readonly Misfit[]): SuiteError {
  return new SuiteError(code, misfitText(method, found), { details: { method, misfits: found } });
}

function failedError(method: string, error: RpcError): SuiteError {
  return new SuiteError('request_failed', `${method} was answered with ${error.data.kind}: ${error.message}`, {
    details: { method, ...error.data, said: error.message },
  });
}
