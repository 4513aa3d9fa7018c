import type {
  ActionInvokeFailure,
  ActionInvokeParams,
  ActionInvokeResult,
  ActionProbeParams,
  ActionResult,
  ProbeAnswer,
  StateChange,
} from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { canonicalize } from '../state/canonical.js';
import { actionKey } from './contract.js';
import type { ActionHost } from './host.js';

/** One attempt of an action; {@link ActionFunction} says what its inputs are. */
export interface ActionCall<Inputs extends object = Record<string, unknown>>
  extends Omit<ActionInvokeParams, 'inputs'> {
  /** What the node gives it; they fit the input_schema of the action. */
  readonly inputs: Inputs;
}

/** What the code of an action answers: what it did, or why it failed. */
export type ActionAnswer =
  | (Omit<ActionResult, 'outputs' | 'state_changes'> & {
      /** An object that fits the output_schema of the action. */
      readonly outputs: object;
      /** Writes to State, applied together with the committed record. */
      readonly state_changes?: readonly StateChange[];
    })
  | ActionInvokeFailure;

/**
 * The code of an action: gives its result, `{ outputs: {…} }`, or `{ error: {…} }`, or throws, which counts as E0 with unknown
 * effect. `ActionFunction<{ name: string }>` is one whose input_schema lets nothing else through.
 *
 * The signal is aborted at the timeout of the action, and when the workspace is closed and the answer has not come soon
 * after; a cancelled instance lets it finish.
 */
export type ActionFunction<Inputs extends object = Record<string, unknown>> = {
  /** Executes one attempt. As a method it is assignable also where its inputs are narrower than an action's in general. */
  invoke(call: ActionCall<Inputs>, signal: AbortSignal): Promise<ActionAnswer> | ActionAnswer;
}['invoke'];

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

type ActionName = { readonly action_id: string; readonly version: string };

/** The code of an action: that of its version, else that of all versions, if there is any. */
export function codeOf(functions: ActionFunctions, action: ActionName): ActionFunction | ProbedAction | undefined {
  const exact = actionKey(action);
  if (Object.hasOwn(functions, exact)) return functions[exact];
  return Object.hasOwn(functions, action.action_id) ? functions[action.action_id] : undefined;
}

/**
 * Returns a host whose actions are functions of this process.
 *
 * They are given copies and give copies, so that nothing they change later reaches the instance.
 *
 * @example hostFunctions({ greet: async ({ inputs }) => ({ outputs: { text: `Hello ${inputs.name}` } }) })
 */
export function hostFunctions(functions: ActionFunctions): ActionHost {
  const find = (action: ActionName) => codeOf(functions, action);
  return {
    has: (action_id, version) => find({ action_id, version }) !== undefined,
    async invoke(call, signal) {
      const found = find(call);
      if (found === undefined)
        return { error: { error_class: 'E5', detail: `no function for ${actionKey(call)}`, effect: 'none' } };
      const code = typeof found === 'function' ? found : found.invoke;
      const answer = await code({ ...call, inputs: copy(call.inputs), context: copy(call.context) }, signal);
      return copy(answer as ActionInvokeResult);
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
