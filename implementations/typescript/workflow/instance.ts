import type { ErrorClass, InstanceError, TerminalStatus, TraceEntry } from '../../../schemas/types.js';
import type { Plan } from './plan.js';

/** Where a node stands. */
export const PHASE = { waiting: 0, ready: 1, running: 2, backoff: 3, in_doubt: 4, resolved: 5 } as const;

/** What an instance is from its start on. */
export interface InstanceHead {
  readonly execution_id: string;
  /** The root instance. */
  readonly context_id: string;
  readonly agent_id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  /** Results by node_id that an earlier instance committed and this one takes over. */
  readonly carried?: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** The ended instance that this one resumes. */
  readonly resumes?: string;
  /** The confirmation that its start uses up. */
  readonly confirmation_id?: string;
}

/** Why an execution failed. */
export interface Failure {
  readonly error_class: ErrorClass;
  readonly detail: string;
}

/** How an instance ended. */
export interface InstanceEnd {
  readonly status: TerminalStatus;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly error?: InstanceError;
}

/**
 * A running workflow as values: everything follows from the plan, the head and the events so far.
 *
 * Nodes are indices of the plan's graph. Only {@link transition} changes an instance.
 */
export interface Instance {
  readonly plan: Plan;
  readonly head: InstanceHead;
  readonly phase: Uint8Array;
  readonly outcome: (string | undefined)[];
  /** Invocations by policy; redos don't count. */
  readonly attempts: Int32Array;
  readonly outputs: (Readonly<Record<string, unknown>> | undefined)[];
  readonly failures: Map<number, Failure>;
  /** In-edges that are not yet resolved, and those that were taken. */
  readonly open: Int32Array;
  readonly taken: Int32Array;
  /** Nodes in the order in which they were resolved. */
  readonly resolved: number[];
  /** Actions to be started, oldest first from `next` on; entries that are no longer ready are passed over. */
  readonly queue: number[];
  next: number;
  /** Nodes that are ready but came up while the instance was stopped. */
  readonly parked: number[];
  /** Terminals without a record, and failed nodes whose next attempt is not yet timed. */
  readonly dueTerminals: Set<number>;
  readonly dueRetries: Set<number>;
  readonly doubts: Set<number>;
  running: number;
  backingOff: number;
  max_parallel: number;
  /** While held, nothing is started, recorded or ended: the log is being folded, or a person has to decide. */
  held: boolean;
  cancelled: boolean;
  /** The failure that marks the instance; of several the one with the smallest node_id. */
  marked: InstanceError | undefined;
  worst: TerminalStatus | undefined;
  end: InstanceEnd | undefined;
}

/** Returns an instance to which nothing has happened yet; it is held. */
export function newInstance(plan: Plan, head: InstanceHead, max_parallel: number): Instance {
  const { graph } = plan;
  const open = new Int32Array(graph.nodeCount);
  for (let node = 0; node < graph.nodeCount; node++)
    open[node] = (graph.inStart[node + 1] as number) - (graph.inStart[node] as number);
  return {
    plan,
    head,
    phase: new Uint8Array(graph.nodeCount),
    outcome: new Array(graph.nodeCount).fill(undefined),
    attempts: new Int32Array(graph.nodeCount),
    outputs: new Array(graph.nodeCount).fill(undefined),
    failures: new Map(),
    open,
    taken: new Int32Array(graph.nodeCount),
    resolved: [],
    queue: [],
    next: 0,
    parked: [],
    dueTerminals: new Set(),
    dueRetries: new Set(),
    doubts: new Set(),
    running: 0,
    backingOff: 0,
    max_parallel,
    held: true,
    cancelled: false,
    marked: undefined,
    worst: undefined,
    end: undefined,
  };
}

/** The nodes resolved so far, the first `count` of them, and those in doubt. */
export function traceOf(instance: Instance, count: number = instance.resolved.length): TraceEntry[] {
  const entry = (node: number, outcome: string): TraceEntry => ({
    node_id: (instance.plan.steps[node] as { node_id: string }).node_id,
    outcome,
    attempts: instance.attempts[node] as number,
  });
  const trace = instance.resolved.slice(0, count).map(node => entry(node, instance.outcome[node] as string));
  for (const node of instance.doubts) trace.push(entry(node, 'in_doubt'));
  return trace;
}

/** Whether the instance starts nothing new: an execution is in doubt, or the instance was cancelled. */
export function isStopped(instance: Instance): boolean {
  return instance.doubts.size > 0 || instance.cancelled;
}
