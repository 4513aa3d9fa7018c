import { isValid, validate } from '../../../schemas/index.js';
import type {
  ActionInvokeParams,
  ActionInvokeResult,
  ActionProbeParams,
  ErrorResult,
  ProbeAnswer,
} from '../../../schemas/types.js';
import type { Abandonment } from './abandonment.js';
import type { ActionHost } from './host.js';

/** How long a probe may take where its action names no timeout, in milliseconds. */
export const PROBE_TIMEOUT_MS = 5_000;

const LONGEST_TIMER = 2 ** 31 - 1;

/** Told when an answer comes after its attempt has timed out; the answer is ignored. */
export type LateResult = (execution_id: string) => void;

/**
 * Gives the result of one invocation, never a rejection.
 *
 * The timeout (milliseconds, absent: none) counts from here; when it elapses the signal is aborted and the result is an
 * error of class E3 with unknown effect, whatever the host says later. An abandonment ends the wait the same way, with E0.
 *
 * @requirement EC3
 */
export async function invoke(
  host: ActionHost,
  call: ActionInvokeParams,
  timeout_ms: number | undefined,
  late: LateResult,
  abandonment?: Abandonment,
): Promise<ActionInvokeResult> {
  const outcome = await withTimeout(
    signal => host.invoke(call, signal),
    timeout_ms,
    () => late(call.execution_id),
    abandonment,
  );
  if (outcome.kind === 'answered') {
    if (isValid('adapter/action#invoke_result', outcome.value)) return outcome.value;
    return {
      error: { error_class: 'E4', detail: misfitOf(outcome.value), effect: 'unknown' },
    };
  }
  const error: ErrorResult =
    outcome.kind === 'timeout'
      ? { error_class: 'E3', detail: `timeout after ${timeout_ms} ms`, effect: 'unknown' }
      : { error_class: 'E0', detail: messageOf(outcome.cause), effect: 'unknown' };
  return { error };
}

/** Gives the answer of a probe; an error, a timeout or a malformed answer is unknown. */
export async function probe(
  host: ActionHost,
  call: ActionProbeParams,
  timeout_ms: number = PROBE_TIMEOUT_MS,
): Promise<ProbeAnswer> {
  const outcome = await withTimeout(
    signal => host.probe(call, signal),
    timeout_ms,
    () => undefined,
  );
  const answered = outcome.kind === 'answered' && isValid('action#probe_answer', outcome.value);
  return answered ? outcome.value : { verdict: 'unknown' };
}

type Outcome<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'failed'; readonly cause: unknown };

function withTimeout<T>(
  work: (signal: AbortSignal) => Promise<T>,
  timeout_ms: number | undefined,
  late: () => void,
  abandonment?: Abandonment,
): Promise<Outcome<T>> {
  return new Promise(resolve => {
    let settled = false;
    let cancel = () => {};
    const settle = (outcome: Outcome<T>) => {
      if (settled) return;
      settled = true;
      cancel();
      abandonment?.leave(abandon);
      resolve(outcome);
    };
    const abandon = () => settle({ kind: 'failed', cause: 'the runtime no longer waits for the answer' });
    const own = timeout_ms === undefined && abandonment !== undefined ? undefined : new AbortController();
    const signal = abandonment === undefined ? own?.signal : abandonment.enter(abandon, own);
    if (signal === undefined) return abandon();
    if (timeout_ms !== undefined) {
      cancel = after(timeout_ms, () => {
        settle({ kind: 'timeout' });
        own?.abort(new Error('timeout'));
      });
    }
    let hasAnswered = false;
    const answered = (value: T) => {
      if (settled && !hasAnswered) tell(late);
      hasAnswered = true;
      settle({ kind: 'answered', value });
    };
    const failed = (cause: unknown) => settle({ kind: 'failed', cause });
    try {
      Promise.resolve(work(signal)).then(answered, failed);
    } catch (cause) {
      failed(cause);
    }
  });
}

/** Tells somebody; what goes wrong there is no part of the attempt. */
function tell(listener: () => void): void {
  try {
    listener();
  } catch {
    // It was told.
  }
}

/** Calls back after a time of any length and returns what cancels it; a timer of the platform is limited to 2^31 - 1 ms. */
export function after(ms: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (left: number) => {
    const part = Math.min(left, LONGEST_TIMER);
    timer = setTimeout(() => (left > part ? arm(left - part) : callback()), part);
  };
  arm(ms);
  return () => clearTimeout(timer);
}

/** What an action gives, and what this one gave instead. */
function misfitOf(answer: unknown): string {
  return `an action gives { outputs: {…} } or { error: {…} }; this one gave ${givenOf(answer)}`
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .slice(0, 1000)
    .replace(/\p{Surrogate}$/u, '');
}

function givenOf(answer: unknown): string {
  if (answer === undefined || answer === null) return 'nothing';
  if (Array.isArray(answer)) return 'a list';
  if (typeof answer !== 'object') return `a ${typeof answer}`;
  const names = Object.keys(answer);
  if (names.length === 0) return 'an empty object';
  const expected = names.includes('error') ? 'error' : 'outputs';
  if (!names.includes(expected)) return `an object with ${listed(names)}`;
  const [schema, value] =
    expected === 'error'
      ? (['value#error_result', (answer as { error: unknown }).error] as const)
      : (['action#result', answer] as const);
  const defect = validate(schema, value)[0];
  if (defect !== undefined) return `one that does not fit: ${defect.message}`;
  return `an error beside ${listed(names.filter(name => name !== expected))}`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).map(name => JSON.stringify(name.slice(0, 64)));
  return `${shown.join(', ')}${names.length > shown.length ? ' and more' : ''}`;
}

/** What was thrown may be anything, and even looking at it may throw. */
function messageOf(cause: unknown): string {
  let text: unknown;
  try {
    text = cause instanceof Error ? cause.message : String(cause);
  } catch {
    return 'the action failed, and what it threw cannot be read';
  }
  return typeof text === 'string' && text !== '' ? text.slice(0, 4096) : 'the action failed without a message';
}
