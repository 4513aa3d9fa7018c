import type { Capability, FaultPoint } from '../../schemas/types.js';
import { SuiteError } from '../error.js';
import { OWNER, type Program } from '../program.js';
import { suiteVersion } from '../runner/package.js';
import { violationFix, violationText } from '../wire/event.js';
import type { RequestName, RequestTypes } from '../wire/methods.js';
import { type Measurements, measure, scaleOf } from './calibration.js';
import { withWorkspace } from './case.js';
import { type AdapterCommand, AdapterProcess } from './process.js';
import { BUDGETS, Session, type SessionOptions } from './session.js';

/** One thing that the doctor looked at. */
export interface Diagnosis {
  readonly id: 'start' | 'initialize' | 'workflow' | 'wire' | 'capabilities' | 'end_of_input';
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
    diagnoses.push(await capabilities(session), wire(session));
  } catch (error) {
    diagnoses.push(await startDiagnosis(error, command));
  } finally {
    await session?.close();
  }
  if (session !== undefined) diagnoses.push(await endOfInput(command, options));
  const scale = measurements === undefined ? 1 : scaleOf(measurements);
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
    const { status, invocations } = measurements;
    const ok = status === 'completed' && invocations === 1;
    diagnoses.push({
      id: 'workflow',
      ok,
      finding: `A workflow of one action ended ${status} after ${invocations} invocations.`,
      ...(ok
        ? {}
        : { fix: 'Call action/invoke once for each action node, and report completed once its terminal is reached.' }),
    });
    return measurements;
  } catch (error) {
    diagnoses.push({
      id: 'workflow',
      ok: false,
      finding: `A workflow of one action could not be run: ${messageOf(error)}`,
      fix: 'Serve workspace/open, workflow/start and workflow/wait; see the end of stderr for what the runtime says.',
    });
    return undefined;
  }
}

/** A harmless request for each capability: any answer but `unsupported` shows that it is served. */
const TOUCHES: { readonly [C in Capability]?: readonly [RequestName, object] } = {
  audit: ['audit/query', { agent_id: OWNER, limit: 1 }],
  recovery: ['recovery/run', { dry_run: true }],
  state: ['state/get', { agent_id: OWNER, keys: [] }],
  verification: ['workflow/verify', { workflow: {} }],
  governance: ['governance/register_agent', { agent: { agent_id: 'doctor', trust: 'UNTRUSTED' }, by: OWNER }],
  faults: ['fault/arm', { name: 'committed', occurrence: 1_000_000, effect: 'kill' }],
  clock: ['clock/set', { time: '2030-01-01T00:00:00.000Z' }],
};

async function capabilities(session: Session): Promise<Diagnosis> {
  const unserved: string[] = [];
  const silent: string[] = [];
  const idle: Program = { ...TRIVIAL_SETUP };
  await withWorkspace(session, idle, async desk => {
    for (const [capability, touch] of Object.entries(TOUCHES)) {
      const declared = desk.has(capability as Capability);
      const kind = await kindOf(desk, touch[0], touch[1], session.identity.fault_points);
      if (declared && kind === 'unsupported') unserved.push(capability);
      if (kind === 'timeout') silent.push(touch[0]);
    }
  });
  const found = [
    ...(unserved.length === 0 ? [] : [`declared but answered unsupported: ${unserved.join(', ')}`]),
    ...(silent.length === 0 ? [] : [`not answered at all: ${silent.join(', ')}`]),
  ];
  const declared = session.identity.capabilities.join(', ');
  if (found.length === 0) return { id: 'capabilities', ok: true, finding: `Serves ${declared}.` };
  const fix = 'Declare only what is served, and answer every other method with an error of kind unsupported.';
  return { id: 'capabilities', ok: false, finding: `Capabilities ${found.join('; ')}.`, fix };
}

/** A workspace without agents and actions of its own. */
const TRIVIAL_SETUP: Program = {
  workflow: { schema_version: '1.0', workflow: { name: 'doctor', version: '1.0.0' }, nodes: [], edges: [] },
  inputs: {},
  script: { nodes: {} },
  kills: [],
  agents: [],
};

async function kindOf(
  session: Session,
  method: RequestName,
  params: object,
  points: readonly FaultPoint[] | undefined,
): Promise<string> {
  const [point] = points ?? [];
  const sent = method === 'fault/arm' && point !== undefined ? { ...params, name: point } : params;
  try {
    await session.request(method, sent as RequestTypes[RequestName]['params']);
    return 'answered';
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    if (error.code === 'request_failed') return String(error.details.kind);
    if (error.code === 'timeout' || error.code === 'protocol') return error.code;
    throw error;
  }
}

function wire(session: Session): Diagnosis {
  const [first] = session.all_events;
  if (first === undefined)
    return { id: 'wire', ok: true, finding: 'Every message fits its schema; nothing else was printed.' };
  return { id: 'wire', ok: false, finding: `The adapter sent ${violationText(first)}.`, fix: violationFix(first.kind) };
}

async function startDiagnosis(error: unknown, command: AdapterCommand): Promise<Diagnosis> {
  if (!(error instanceof SuiteError)) throw error;
  const given =
    typeof error.details.fix === 'string' ? error.details.fix : 'See the end of stderr for what went wrong.';
  if (!isTimeout(error.cause) || error.details.event !== undefined)
    return {
      id: error.code === 'adapter_start' ? 'start' : 'initialize',
      ok: false,
      finding: error.message,
      fix: given,
    };
  const held = await answersOnlyAtTheEnd(command);
  if (!held) return { id: 'initialize', ok: false, finding: error.message, fix: given };
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
