import type {
  ActionInvokeParams,
  ActionInvokeResult,
  ActionProbeParams,
  FaultPoint,
  ProbeAnswer,
} from '../../../schemas/types.js';

/** Where the code of actions lives: functions of this process, or whoever is at the other end of a wire. */
export interface ActionHost {
  /** Executes one attempt; a rejection is an error result of class E0 with unknown effect. */
  invoke(call: ActionInvokeParams, signal: AbortSignal): Promise<ActionInvokeResult>;
  /** Says what became of an interrupted execution; a rejection counts as unknown. */
  probe(call: ActionProbeParams, signal: AbortSignal): Promise<ProbeAnswer>;
  /** Whether there is code for an action; absent: there is for every one. */
  has?(action_id: string, version: string): boolean;
}

/** Called synchronously at each named point of the commit protocol; may block for ever, or throw to fail the write. */
export type FaultHook = (point: FaultPoint, execution_id?: string) => void;

/** The present as milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number;
