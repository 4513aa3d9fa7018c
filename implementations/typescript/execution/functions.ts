import type { ActionInvokeParams, ActionInvokeResult, ActionProbeParams, ProbeAnswer } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { canonicalize } from '../state/canonical.js';
import { actionKey } from './contract.js';
import type { ActionHost } from './host.js';

/**
 * The code of an action: gives its result, `{ outputs: {…} }`, or `{ error: {…} }`, or throws, which counts as E0 with unknown
 * effect.
 *
 * The signal is aborted at the timeout of the action, and when the workspace is closed and the answer has not come soon
 * after; a cancelled instance lets it finish.
 */
export type ActionFunction = (
  call: ActionInvokeParams,
  signal: AbortSignal,
) => Promise<ActionInvokeResult> | ActionInvokeResult;

/** The code of a probe. */
export type ProbeFunction = (call: ActionProbeParams, signal: AbortSignal) => Promise<ProbeAnswer> | ProbeAnswer;

/** The code of an action that can be asked what became of an execution. */
export interface ProbedAction {
  /** Executes one attempt. */
  readonly invoke: ActionFunction;
  /** Says whether an interrupted attempt had its effect; asked only where the definition has `probe: true`. */
  readonly probe: ProbeFunction;
}

/** Code by action_id@version or, for all versions, by action_id. */
export type ActionFunctions = Readonly<Record<string, ActionFunction | ProbedAction>>;

/** Whether a value is the code of an action: a function, or an object with the functions invoke and probe. */
export function isCode(value: unknown): value is ActionFunction | ProbedAction {
  if (typeof value === 'function') return true;
  if (typeof value !== 'object' || value === null) return false;
  const { invoke, probe } = value as Partial<ProbedAction>;
  return typeof invoke === 'function' && typeof probe === 'function';
}

/**
 * Returns a host whose actions are functions of this process.
 *
 * They are given copies and give copies, so that nothing they change later reaches the instance.
 *
 * @example hostFunctions({ greet: async ({ inputs }) => ({ outputs: { text: `Hello ${inputs.name}` } }) })
 */
export function hostFunctions(functions: ActionFunctions): ActionHost {
  const find = (call: { action_id: string; version: string }): ActionFunction | ProbedAction | undefined => {
    const exact = actionKey(call);
    if (Object.hasOwn(functions, exact)) return functions[exact];
    return Object.hasOwn(functions, call.action_id) ? functions[call.action_id] : undefined;
  };
  return {
    has: (action_id, version) => find({ action_id, version }) !== undefined,
    async invoke(call, signal) {
      const found = find(call);
      if (found === undefined)
        return { error: { error_class: 'E5', detail: `no function for ${actionKey(call)}`, effect: 'none' } };
      const code = typeof found === 'function' ? found : found.invoke;
      return copy(await code({ ...call, inputs: copy(call.inputs), context: copy(call.context) }, signal));
    },
    async probe(call, signal) {
      const found = find(call);
      if (found === undefined || typeof found === 'function') return { verdict: 'unknown' };
      return copy(await found.probe({ ...call, inputs: copy(call.inputs) }, signal));
    },
  };
}

/**
 * What has no canonical form is passed on as it is, to be refused where results are checked. What cannot even be looked
 * at, as where a getter throws, is refused here: it counts as thrown by the code.
 */
function copy<T>(value: T): T {
  try {
    return JSON.parse(canonicalize(value)) as T;
  } catch (error) {
    if (error instanceof ArsError) return value;
    throw error;
  }
}
