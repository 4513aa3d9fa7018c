import type { Log } from './audit/log.js';
import { checkOptions } from './builtin/builtin.js';
import { ArsError } from './error.js';
import { type ActionFunctions, isCode } from './execution/functions.js';
import type { ActionHost, Clock, FaultHook } from './execution/host.js';
import type { JobStart } from './schedule.js';

/** How to open a workspace. */
export interface RuntimeOptions {
  /** The folder; it is made where there is none. */
  readonly workspace: string;
  /** Where the code of actions lives. Absent: `actions`. */
  readonly host?: ActionHost;
  /** The code of actions as functions, by action_id@version or action_id. */
  readonly actions?: ActionFunctions;
  /** Where the time of records and limits comes from. Absent: the clock of the machine. */
  readonly clock?: Clock;
  /** Called at each named point of the commit protocol, for tests of crashes. Absent: nothing is. */
  readonly fault?: FaultHook;
  /** The number of this opening. Absent: the next one. */
  readonly incarnation?: number;
  /** Another log than the embedded store; it replaces `workspace`. */
  readonly log?: Log;
  /** Whether the due times of scheduled jobs start anything in this opening. Absent: true. */
  readonly schedule?: boolean;
  /** Told of what became of each due time of a scheduled job. */
  readonly jobStarted?: (start: JobStart) => void;
  /** Told of an answer that came after its limit of time. */
  readonly late?: (execution_id: string) => void;
}

type Fits = (value: unknown) => boolean;
const isFunction: Fits = value => typeof value === 'function';
const isObject: Fits = value => typeof value === 'object' && value !== null && !Array.isArray(value);

const LOG_METHODS = [
  'append',
  'head',
  'records',
  'writesBefore',
  'latest',
  'requested',
  'state',
  'takeSnapshot',
  'snapshots',
  'document',
  'documents',
  'close',
] as const satisfies readonly (keyof Log)[];

/** What an option has to be, in words, and whether a value is that. */
const OPTIONS: Readonly<Record<keyof RuntimeOptions, readonly [words: string, fits: Fits]>> = {
  workspace: ['the path of a folder, a string', value => typeof value === 'string'],
  host: ['an object with invoke and probe', value => isObject(value) && isHost(value)],
  actions: ['an object with functions by action_id', isObject],
  clock: ['a function', isFunction],
  fault: ['a function', isFunction],
  incarnation: ['a whole number from 1', value => Number.isSafeInteger(value) && (value as number) >= 1],
  log: [`a log, with ${LOG_METHODS.join(', ')}`, value => isObject(value) && isLog(value)],
  schedule: ['true or false', value => typeof value === 'boolean'],
  jobStarted: ['a function', isFunction],
  late: ['a function', isFunction],
};

function isHost(value: unknown): boolean {
  const { invoke, probe } = value as Partial<ActionHost>;
  return isFunction(invoke) && isFunction(probe);
}

function isLog(value: unknown): boolean {
  const log = value as Partial<Log>;
  if (log.written !== undefined && !isFunction(log.written)) return false;
  return typeof log.incarnation === 'number' && LOG_METHODS.every(name => isFunction(log[name]));
}

/** Throws `usage` where a method that opens a workspace is given what is no option, or an option of another form. */
export function checkRuntimeOptions(method: string, options: RuntimeOptions): void {
  checkOptions(method, options, Object.keys(OPTIONS));
  if (options.log === undefined && options.workspace === undefined)
    throw new ArsError('usage', `${method} needs "workspace", the path of a folder.`);
  for (const [name, [words, fits]] of Object.entries(OPTIONS)) {
    const value = options[name as keyof RuntimeOptions];
    if (value !== undefined && !fits(value)) throw new ArsError('usage', `"${name}" of ${method} must be ${words}.`);
  }
  for (const [name, code] of Object.entries(options.actions ?? {}))
    if (!isCode(code))
      throw new ArsError(
        'usage',
        `"${name}" of the actions of ${method} is neither a function nor an object with invoke and probe.`,
      );
}
