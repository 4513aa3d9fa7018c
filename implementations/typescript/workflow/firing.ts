import type { Edge, TerminalStatus } from '../../../schemas/types.js';
import { labelOf } from './evaluate.js';
import {
  type Carried,
  type Failure,
  failureAt,
  type Instance,
  isStopped,
  lastAttempt,
  PHASE,
  runsSkill,
} from './instance.js';
import type { PlanStep } from './plan.js';

/** Resolves a node and whatever that decides. */
export function resolve(instance: Instance, node: number, outcome: string, dead = false): void {
  const ready: number[] = [];
  close(instance, node, outcome, dead, ready);
  propagate(instance, ready);
}

/** Goes on from decided nodes that can run; what needs no execution is resolved on the spot. */
export function propagate(instance: Instance, ready: number[]): void {
  for (let at = 0; at < ready.length; at++) {
    const node = ready[at] as number;
    instance.phase[node] = PHASE.ready;
    if (queueFor(instance, node)) continue;
    if (isStopped(instance)) instance.parked.push(node);
    else pass(instance, node, ready);
  }
}

/** Puts a node that executes something where its turn comes; false where it executes nothing. */
function queueFor(instance: Instance, node: number): boolean {
  const step = instance.plan.steps[node] as PlanStep;
  if (instance.head.carried?.has(step.node_id)) return false;
  switch (step.kind) {
    case 'action':
    case 'skill':
      enqueue(instance, node);
      return true;
    case 'retry':
      if ((instance.invocations[step.target] as number) >= lastAttempt(instance, node, step)) return false;
      if (step.backoff_ms === 0) enqueue(instance, node);
      else backOff(instance, node);
      return true;
    case 'undo':
      instance.undoing.push(node);
      return true;
    default:
      return false;
  }
}

/** Resolves a node that needs no execution. */
function pass(instance: Instance, node: number, ready: number[]): void {
  const step = instance.plan.steps[node] as PlanStep;
  const carried = instance.head.carried?.get(step.node_id);
  if (carried !== undefined) passCarried(instance, node, carried, ready);
  else if (step.kind === 'condition') {
    const label = labelOf(instance, step, new Set(labelsOf(instance, node)));
    if (!label.ok) mark(instance, node, label.failure);
    close(instance, node, label.ok ? label.value : 'failure', !label.ok, ready);
  } else if (step.kind === 'terminal') {
    instance.dueRecords.add(node);
    instance.worst = worse(instance.worst, step.status);
    close(instance, node, step.status, true, ready);
  } else {
    const { failure } = failureAt(instance, node);
    instance.failures.set(node, failure);
    instance.dueRecords.add(node);
    close(instance, node, 'failure', !takesUp(instance, node, failure), ready);
  }
}

function passCarried(instance: Instance, node: number, carried: Carried, ready: number[]): void {
  if (carried.outcome === 'success') {
    instance.outputs[node] = carried.outputs;
    close(instance, node, 'success', false, ready);
  } else {
    instance.failures.set(node, carried.failure);
    close(instance, node, 'failure', !takesUp(instance, node, carried.failure), ready);
  }
}

/**
 * Whether an edge that leaves the node takes up its failure; if not, the instance is marked failed.
 *
 * @requirement FB2
 * @requirement FB3
 */
export function takesUp(instance: Instance, node: number, failure: Failure): boolean {
  const step = instance.plan.steps[node] as PlanStep;
  const labels = labelsOf(instance, node);
  const ordinary = step.kind === 'skill' || (step.kind === 'action' && !step.handles);
  const drains = ordinary && step.kind === 'action' && failure.error_class === 'E5';
  const handled = !drains && labels.some(label => label === 'failure' || (label === 'always' && ordinary));
  if (!handled) mark(instance, node, failure);
  return handled;
}

/** Records the outcome and resolves the out-edges; nodes that this skips are resolved as well, the others that it decides are ready. */
function close(instance: Instance, first: number, outcome: string, dead: boolean, ready: number[]): void {
  const { graph } = instance.plan;
  const skipped: number[] = [];
  for (let node: number | undefined = first; node !== undefined; node = skipped.pop()) {
    const own = node === first ? outcome : 'skipped';
    instance.phase[node] = PHASE.resolved;
    instance.outcome[node] = own;
    instance.resolved.push(node);
    for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++) {
      const edge = graph.outEdges[at] as number;
      const target = graph.target[edge] as number;
      const { label } = graph.edges[edge] as Edge;
      const taken = own !== 'skipped' && !dead && (label === own || label === 'always');
      if (taken) {
        instance.edgeTaken[edge] = 1;
        instance.taken[target] = (instance.taken[target] as number) + 1;
      }
      instance.open[target] = (instance.open[target] as number) - 1;
      if (instance.open[target] !== 0) continue;
      if (isReady(instance, target)) ready.push(target);
      else skipped.push(target);
    }
  }
}

/**
 * Whether a node all of whose in-edges are resolved is executed.
 *
 * @requirement CF4
 * @requirement CF5
 */
function isReady(instance: Instance, node: number): boolean {
  const { graph } = instance.plan;
  const all = (graph.inStart[node + 1] as number) - (graph.inStart[node] as number);
  const taken = instance.taken[node] as number;
  return graph.nodes[node]?.join_type === 'AND' ? taken === all : taken > 0;
}

/** Makes an execution ready to be started. */
export function enqueue(instance: Instance, node: number): void {
  instance.phase[node] = PHASE.ready;
  if (runsSkill(instance, node)) instance.starting.push(node);
  else instance.queue.push(node);
}

/** Makes a node wait for its next attempt. */
export function backOff(instance: Instance, node: number): void {
  instance.phase[node] = PHASE.backoff;
  instance.backingOff += 1;
  instance.dueRetries.add(node);
}

/** Marks the instance failed; of several failures the one of the smallest node_id is told. */
export function mark(instance: Instance, node: number, failure: Failure): void {
  const { node_id } = instance.plan.steps[node] as PlanStep;
  if (instance.marked?.node_id !== undefined && instance.marked.node_id < node_id) return;
  instance.marked = { ...failure, node_id };
}

function worse(a: TerminalStatus | undefined, b: TerminalStatus): TerminalStatus {
  if (a === 'failed' || b === 'failed') return 'failed';
  return a === 'compensated' || b === 'compensated' ? 'compensated' : 'completed';
}

/** The labels of a node's out-edges. */
export function labelsOf(instance: Instance, node: number): string[] {
  const { graph } = instance.plan;
  const labels: string[] = [];
  for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++)
    labels.push((graph.edges[graph.outEdges[at] as number] as Edge).label);
  return labels;
}
