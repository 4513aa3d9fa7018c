import type { ErrorClass, InstanceError, TerminalStatus, TraceEntry } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { RETRY_BOUND } from '../execution/retry.js';
import type { ActionStep, Plan, PlanStep, RetryStep, SkillStep } from './plan.js';

/** Where a node stands. */
export const PHASE = { waiting: 0, ready: 1, running: 2, backoff: 3, in_doubt: 4, resolved: 5 } as const;

/** What an instance is from its start on. */
export interface InstanceHead {
  readonly execution_id: string;
  /** The root instance. */
  readonly context_id: string;
  /** The instance, and the node of it, that this one runs for as a skill. */
  readonly parent?: { readonly execution_id: string; readonly node_id: string };
  readonly agent_id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  /** What nodes, by node_id, came to in the instance that this one resumes, where it takes that over. */
  readonly carried?: ReadonlyMap<string, Carried>;
  /** The ended child instances, by the node_id of their skill node, that new ones resume where they get the same inputs. */
  readonly children?: ReadonlyMap<string, string>;
  /** The ended instance that this one resumes. */
  readonly resumes?: string;
  /** The confirmation that its start uses up. */
  readonly confirmation_id?: string;
}

/** How a node that an earlier instance executed is resolved in one that resumes it. */
export type Carried =
  | { readonly outcome: 'success'; readonly outputs: Readonly<Record<string, unknown>> }
  | { readonly outcome: 'failure'; readonly failure: Failure };

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

/** Who ends an instance before its time: its agent, or governance, which does not let it continue. */
export type StopReason = 'cancelled' | 'denied';

/** How many invocations run at one time, in a root instance and its descendants together, and how many may. */
export interface Places {
  taken: number;
  readonly limit: number;
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
  /** Invocations that the node caused; redos don't count. */
  readonly attempts: Int32Array;
  /** Invocations of the node's own action, also those that error nodes caused: the number of the last attempt. */
  readonly invocations: Int32Array;
  /** Committed undos of the node's executions. */
  readonly undos: Int32Array;
  readonly outputs: (Readonly<Record<string, unknown>> | undefined)[];
  readonly failures: Map<number, Failure>;
  /** In-edges that are not yet resolved, and those that were taken. */
  readonly open: Int32Array;
  readonly taken: Int32Array;
  /** Which edges were taken. */
  readonly edgeTaken: Uint8Array;
  /** Nodes in the order in which they were resolved. */
  readonly resolved: number[];
  /** Actions to be started, oldest first from `next` on; entries that are no longer ready are passed over. */
  readonly queue: number[];
  next: number;
  /** Nodes that are to start a child instance. */
  readonly starting: number[];
  /** The child instances by node, in the order in which they were started. */
  readonly children: Map<number, string[]>;
  /** Nodes that are ready but came up while the instance was stopped. */
  readonly parked: number[];
  /** Error nodes that are to undo the instance, once nothing else is ready or running. */
  readonly undoing: number[];
  /** Resolved terminals and error nodes without a record, and nodes whose next attempt is not yet timed. */
  readonly dueRecords: Set<number>;
  readonly dueRetries: Set<number>;
  readonly doubts: Set<number>;
  /** Executions, and child instances, that have not ended. */
  running: number;
  skills: number;
  backingOff: number;
  places: Places;
  /** While held, nothing is started, recorded or ended: the log is being folded, or a person has to decide. */
  held: boolean;
  /** Why nothing new starts and the instance ends once nothing is in flight; undefined while nobody has stopped it. */
  stopped: StopReason | undefined;
  /** The failure that marks the instance; of several the one with the smallest node_id. */
  marked: InstanceError | undefined;
  worst: TerminalStatus | undefined;
  end: InstanceEnd | undefined;
}

/**
 * Returns an instance to which nothing has happened yet; it is held. A child instance shares the places of its root; a
 * number is a limit of its own.
 */
export function newInstance(plan: Plan, head: InstanceHead, places: Places | number): Instance {
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
    invocations: new Int32Array(graph.nodeCount),
    undos: new Int32Array(graph.nodeCount),
    outputs: new Array(graph.nodeCount).fill(undefined),
    failures: new Map(),
    open,
    taken: new Int32Array(graph.nodeCount),
    edgeTaken: new Uint8Array(graph.edgeCount),
    resolved: [],
    queue: [],
    next: 0,
    starting: [],
    children: new Map(),
    parked: [],
    undoing: [],
    dueRecords: new Set(),
    dueRetries: new Set(),
    doubts: new Set(),
    running: 0,
    skills: 0,
    backingOff: 0,
    places: typeof places === 'number' ? { taken: 0, limit: places } : places,
    held: true,
    stopped: undefined,
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

/**
 * The node that executes an action now: the node whose action it is, or, once that has failed for good, the error node
 * that retries it. Throws `log_corrupt` where that is none.
 */
export function executorOf({ plan, phase }: Instance, target: number): number {
  let node = target;
  while (node >= 0 && phase[node] === PHASE.resolved) node = plan.retriers[node] as number;
  if (node >= 0) return node;
  const { node_id } = plan.steps[target] as PlanStep;
  throw new ArsError('log_corrupt', `The node '${node_id}' is resolved, and no error node executes it again.`, {
    details: { node_id },
  });
}

/**
 * What a node executes: its own action or skill, or of a retrying error node that of the failed node. Throws
 * `log_corrupt` for a node that executes none.
 */
export function executedStep({ plan }: Instance, node: number): ActionStep | SkillStep {
  const own = plan.steps[node] as PlanStep;
  const step = own.kind === 'retry' ? plan.steps[own.target] : own;
  if (step?.kind === 'action' || step?.kind === 'skill') return step;
  throw wrongStep(own, 'executes nothing');
}

/** The action that a node executes. Throws `log_corrupt` for a node that executes none. */
export function executedAction(instance: Instance, node: number): ActionStep {
  const step = executedStep(instance, node);
  if (step.kind === 'action') return step;
  throw wrongStep(step, 'executes no action');
}

/** The skill that a node runs. Throws `log_corrupt` for a node that runs none. */
export function executedSkill(instance: Instance, node: number): SkillStep {
  const step = executedStep(instance, node);
  if (step.kind === 'skill') return step;
  throw wrongStep(step, 'runs no skill');
}

function wrongStep({ node_id }: PlanStep, what: string): ArsError {
  return new ArsError('log_corrupt', `The node '${node_id}' ${what}, yet the log says so.`, { details: { node_id } });
}

/** Whether a node starts a child instance instead of an invocation. */
export function runsSkill({ plan }: Instance, node: number): boolean {
  const own = plan.steps[node] as PlanStep;
  return (own.kind === 'retry' ? plan.steps[own.target] : own)?.kind === 'skill';
}

/** The index of the node whose action a node executes. */
export function targetOf({ plan }: Instance, node: number): number {
  const step = plan.steps[node] as PlanStep;
  return step.kind === 'retry' ? step.target : node;
}

/**
 * The number of the last attempt that a retrying error node may make.
 *
 * @requirement CF9
 */
export function lastAttempt(instance: Instance, node: number, step: RetryStep): number {
  const target = instance.plan.steps[step.target];
  if (target?.kind !== 'action' && target?.kind !== 'skill') return 0;
  const before = (instance.invocations[step.target] as number) - (instance.attempts[node] as number);
  const determinism = target.kind === 'action' ? target.retry.determinism : target.plan.determinism;
  return Math.min(before + step.max_attempts, 1 + RETRY_BOUND[determinism]);
}

/** The failure that an error node was reached by, and the node that failed; of several the one with the smallest node_id. */
export function failureAt(instance: Instance, node: number): { readonly node_id: string; readonly failure: Failure } {
  const { plan, edgeTaken, failures } = instance;
  const { graph } = plan;
  let found: { node_id: string; failure: Failure } | undefined;
  for (let at = graph.inStart[node] as number; at < (graph.inStart[node + 1] as number); at++) {
    const edge = graph.inEdges[at] as number;
    if (edgeTaken[edge] === 0) continue;
    const source = graph.source[edge] as number;
    const { node_id } = plan.steps[source] as PlanStep;
    const failure = failures.get(source);
    if (failure !== undefined && (found === undefined || node_id < found.node_id)) found = { node_id, failure };
  }
  return found ?? { node_id: '', failure: { error_class: 'E4', detail: 'no failure' } };
}

/** Whether the instance starts nothing new: an execution is in doubt, or somebody has stopped the instance. */
export function isStopped(instance: Instance): boolean {
  return instance.doubts.size > 0 || instance.stopped !== undefined;
}

/** Whether the instance has begun: its start is in the log. */
export function hasBegun({ plan, phase }: Instance): boolean {
  return phase[plan.graph.start] !== PHASE.waiting;
}
