import { SuiteError } from '../error.js';
import type { Refused } from '../program.js';

/** How much of stderr is quoted, in lines and in characters. */
const LINES_QUOTED = 10;
const MOST_QUOTED = 2000;

/** The result of a request, or how it was refused; rejects where there was no answer. */
export async function answered<T>(request: Promise<T>): Promise<{ readonly result: T } | { readonly error: Refused }> {
  try {
    return { result: await request };
  } catch (error) {
    return { error: refusedBy(error) };
  }
}

/** Gives how a request was refused, with the words of the adapter; throws the error where it is no refusal. */
export function refusedBy(error: unknown): Refused {
  if (!(error instanceof SuiteError) || error.code !== 'request_failed') throw error;
  const { kind, gate, execution_id, said, stderr } = error.details as unknown as Refused;
  return {
    kind,
    ...(gate === undefined ? {} : { gate }),
    ...(execution_id === undefined ? {} : { execution_id }),
    ...(said === undefined || said === '' ? {} : { said }),
    ...(stderr === undefined ? {} : { stderr }),
  };
}

/** Gives the error with what the process wrote to stderr meanwhile, where it answered with an error of its own. */
export async function quotingStderr(
  error: unknown,
  process: { readonly stderr: string },
  before: string,
): Promise<unknown> {
  if (!(error instanceof SuiteError) || error.code !== 'request_failed' || error.details.kind !== 'internal')
    return error;
  // What it says may come a moment after the answer.
  await new Promise(resolve => setImmediate(resolve));
  const all = process.stderr;
  const own = all.startsWith(before) ? all.slice(before.length) : all;
  const stderr = own.trimEnd().split('\n').slice(-LINES_QUOTED).join('\n').slice(-MOST_QUOTED);
  if (stderr === '') return error;
  return new SuiteError(error.code, error.message, { details: { ...error.details, stderr }, cause: error });
}
