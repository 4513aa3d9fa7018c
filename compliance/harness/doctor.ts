import { SuiteError, textOf } from '../error.js';
import { suiteVersion } from '../runner/package.js';
import { violationFix, violationText, type WireEvent } from '../wire/event.js';
import { BUDGETS } from './budgets.js';
import { type Measurements, measure, scaleOf } from './calibration.js';
import { type Delayed, findDelayed } from './one-by-one.js';
import { type AdapterCommand, AdapterProcess } from './process.js';
import { Session, type SessionOptions } from './session.js';
import { touchAll, unservedText } from './touch.js';

/** One thing that the doctor looked at. */
export interface Diagnosis {
  readonly id: 'start' | 'initialize' | 'workflow' | 'concurrency' | 'wire' | 'capabilities' | 'end_of_input';
  readonly ok: boolean;
  /** What was found. */
  readonly finding: string;
  /** What to do about it; absent where all is well. */
  readonly fix?: string;
}

/** What the doctor says of an adapter. */
export interface DoctorReport {
  readonly ok: boolean;
  readonly diagnoses: readonly Diagnosis[];
  /** What the calibration measured; absent where the adapter did not get that far. */
  readonly measurements?: Measurements;
  /** By what the budgets are to be multiplied on this machine, with this adapter. */
  readonly scale: number;
}

/** Examines an adapter before a run: whether it starts, keeps to the wire, serves what it declares and ends in time. */
export async function examine(command: AdapterCommand, options: SessionOptions = {}): Promise<DoctorReport> {
  const diagnoses: Diagnosis[] = [];
  let measurements: Measurements | undefined;
  let session: Session | undefined;
  try {
    session = await Session.start(command, options);
    const { name, version } = session.identity.runtime;
    diagnoses.push({ id: 'start', ok: true, finding: `${name} ${version} answers initialize.` });
    measurements = await measured(command, options, diagnoses);
    if (diagnoses.every(({ ok }) => ok) && measurements !== undefined)
      diagnoses.push(await concurrency(session, scaleOf(measurements)));
    diagnoses.push(await capabilities(session), wire([...(measurements?.events ?? []), ...session.all_events]));
  } catch (error) {
    diagnoses.push(await startDiagnosis(error, command));
  } finally {
    await session?.close();
  }
  if (session !== undefined) diagnoses.push(await endOfInput(command, options));
  const scale = measurements?.status === 'completed' ? scaleOf(measurements) : 1;
  const report = { ok: diagnoses.every(({ ok }) => ok), diagnoses, scale };
  return measurements === undefined ? report : { ...report, measurements };
}

async function measured(
  command: AdapterCommand,
  options: SessionOptions,
  diagnoses: Diagnosis[],
): Promise<Measurements | undefined> {
  try {
    const measurements = await measure(command, options);
    const { status, invocations, refusal, stderr } = measurements;
    const ok = status === 'completed' && invocations === 1;
    const how = status === 'running' ? 'was still running' : status === 'refused' ? 'was refused' : `ended ${status}`;
    const ended = `A workflow of one action ${how} after ${invocations} ${invocations === 1 ? 'invocation' : 'invocations'}.`;
    diagnoses.push({
      id: 'workflow',
      ok,
      finding: ok
        ? ended
        : withStderr(refusal === undefined ? ended : `${ended} The error is of kind ${refusal}.`, stderr),
      ...(ok ? {} : { fix: workflowFix(refusal) }),
    });
    return measurements;
  } catch (error) {
    diagnoses.push({
      id: 'workflow',
      ok: false,
      finding: `A workflow of one action could not be run: ${textOf(error)}`,
      fix: 'Serve workspace/open, workflow/start and workflow/wait; see the end of stderr for what the runtime says.',
    });
    return undefined;
  }
}

function workflowFix(refusal: string | undefined): string {
  if (refusal !== undefined)
    return 'Answer workflow/start with an execution_id; a workflow of one action has to start.';
  return 'Call action/invoke once for each action node, and report completed once its terminal is reached.';
}

async function concurrency(session: Session, scale: number): Promise<Diagnosis> {
  const delayed = await findDelayed(session, Math.max(scale, session.scale));
  if (delayed === undefined)
    return { id: 'concurrency', ok: true, finding: 'Answers requests while an action and a wait are open.' };
  const { method, behind } = delayed;
  return {
    id: 'concurrency',
    ok: false,
    finding: `${method} is answered only once ${behind} is: requests are served one by one, and a run would stand still.`,
    fix: `Keep one thread that only reads, and serve each request in a thread or task of its own; ${FIX_OF[method]}.`,
  };
}

const FIX_OF: Readonly<Record<Delayed['method'], string>> = {
  'workflow/start': 'answer workflow/start as soon as the instance has started, and run it beside that',
  'registry/put': 'workflow/wait is to wait without keeping others waiting',
};

async function capabilities(session: Session): Promise<Diagnosis> {
  const found = await touchAll(session);
  const declared = session.identity.capabilities.join(', ');
  if (found.length === 0) return { id: 'capabilities', ok: true, finding: `Serves every method of ${declared}.` };
  const fix =
    'Serve every method of core and of what is declared, and answer every other one with an error of kind unsupported.';
  return { id: 'capabilities', ok: false, finding: `Not served: ${found.map(unservedText).join('; ')}.`, fix };
}

function wire([first]: readonly WireEvent[]): Diagnosis {
  if (first === undefined)
    return { id: 'wire', ok: true, finding: 'Every message fits its schema; nothing else was printed.' };
  return { id: 'wire', ok: false, finding: `The adapter sent ${violationText(first)}.`, fix: violationFix(first.kind) };
}

async function startDiagnosis(error: unknown, command: AdapterCommand): Promise<Diagnosis> {
  if (!(error instanceof SuiteError)) throw error;
  const { fix, stderr } = error.details;
  const given = typeof fix === 'string' ? fix : 'See the end of stderr for what went wrong.';
  const finding = withStderr(error.message, typeof stderr === 'string' ? stderr : '');
  if (!isTimeout(error.cause) || error.details.event !== undefined)
    return {
      id: error.code === 'adapter_start' ? 'start' : 'initialize',
      ok: false,
      finding,
      fix: given,
    };
  const held = await answersOnlyAtTheEnd(command);
  if (!held) return { id: 'initialize', ok: false, finding, fix: given };
  return {
    id: 'initialize',
    ok: false,
    finding: 'The adapter answers initialize only once its stdin is closed: its output is held back in a buffer.',
    fix: 'Flush stdout after each line (Python: print(…, flush=True); C: fflush), and read stdin line by line.',
  };
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof SuiteError && cause.code === 'timeout';
}

/** Whether an answer to initialize comes out when stdin is closed, though none came before. */
async function answersOnlyAtTheEnd(command: AdapterCommand): Promise<boolean> {
  const process = await AdapterProcess.start(command, { requests: {} });
  const asked = process.peer.request('initialize', { protocol: '1.0', suite_version: suiteVersion() }).then(
    () => true,
    () => false,
  );
  await process.peer.flushed();
  await process.end(BUDGETS.start_ms);
  return asked;
}

async function endOfInput(command: AdapterCommand, { scale = 1 }: SessionOptions): Promise<Diagnosis> {
  const limit_ms = BUDGETS.exit_ms * scale;
  const process = await AdapterProcess.start(command, { requests: {} });
  const params = { protocol: '1.0', suite_version: suiteVersion() } as const;
  await process.peer.request('initialize', params, { budget_ms: BUDGETS.start_ms * scale }).catch(() => undefined);
  const { took_ms, forced } = await process.end(limit_ms);
  if (!forced) return { id: 'end_of_input', ok: true, finding: `Ends ${took_ms} ms after its stdin is closed.` };
  return {
    id: 'end_of_input',
    ok: false,
    finding: `Still ran ${limit_ms} ms after its stdin was closed, and was killed.`,
    fix: 'End the process when stdin ends: stop timers and threads, or exit outright.',
  };
}

/** How much of stderr is quoted from its beginning, and from its end: what is wrong stands first in one language and last in another. */
const QUOTED = 400;

/** A finding with what the adapter wrote to stderr, where it wrote something; a long text without its middle. */
function withStderr(finding: string, stderr: string): string {
  const said = stderr.trim();
  if (said === '') return finding;
  if (said.length <= 2 * QUOTED) return `${finding} Its stderr: ${said}`;
  return `${finding} Its stderr: ${said.slice(0, QUOTED)}\n[…]\n${said.slice(-QUOTED)}`;
}
