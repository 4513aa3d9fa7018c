import type { InstanceError } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { backoffMs, mayRetry } from '../execution/retry.js';
import { outputsOf, workflowOutputsOf } from './evaluate.js';
import { backOff, enqueue, propagate, resolve, takesUp } from './firing.js';
import {
  executedAction,
  type Failure,
  type Instance,
  type InstanceEnd,
  isStopped,
  lastAttempt,
  PHASE,
  runsSkill,
  type StopReason,
  targetOf,
} from './instance.js';
import type { InstanceEffect, InstanceEvent } from './instance-event.js';
import type { PlanStep } from './plan.js';

/** The instance after an event, and what follows from it. */
export interface Transition {
  readonly instance: Instance;
  readonly effects: readonly InstanceEffect[];
}

const NO_EFFECTS: readonly InstanceEffect[] = [];

/** What is only noted: a place that has become free meanwhile is given away by who freed it. */
const BEGINNINGS: ReadonlySet<InstanceEvent['type']> = new Set(['invoked', 'child_started']);

/**
 * What an event makes of an instance: the live run, recovery and replay all go through here.
 *
 * The instance is owned by the caller and changed in place; nothing but the arguments is read. All events of a run
 * together take time linear in nodes and edges.
 *
 * @requirement WII1
 */
export function transition(instance: Instance, event: InstanceEvent): Transition {
  apply(instance, event);
  const idle = instance.held || instance.end !== undefined || BEGINNINGS.has(event.type);
  return { instance, effects: idle ? NO_EFFECTS : collect(instance) };
}

function apply(instance: Instance, event: InstanceEvent): void {
  switch (event.type) {
    case 'started':
      propagate(instance, [instance.plan.graph.start]);
      return;
    case 'continued':
      instance.held = instance.doubts.size > 0;
      unpark(instance);
      return;
    case 'invoked':
      occupy(instance, event.node);
      countAttempt(instance, event.node, event.attempt);
      return;
    case 'committed':
      commit(instance, event.node, event.result);
      unpark(instance);
      return;
    case 'failed':
      fail(instance, event);
      unpark(instance);
      return;
    case 'child_started':
      startChild(instance, event.node, event.execution_id);
      return;
    case 'child_ended':
      endChild(instance, event.node, event.end);
      unpark(instance);
      return;
    case 'doubted':
      release(instance, event.node);
      instance.phase[event.node] = PHASE.in_doubt;
      instance.doubts.add(event.node);
      instance.held = true;
      return;
    case 'doubt_lifted':
      instance.doubts.delete(event.node);
      occupy(instance, event.node);
      return;
    case 'retry_due':
      if (instance.phase[event.node] !== PHASE.backoff) return;
      instance.backingOff -= 1;
      enqueue(instance, event.node);
      return;
    case 'instance_undone':
      release(instance, event.node);
      instance.phase[event.node] = PHASE.ready;
      remove(instance.undoing, event.node);
      instance.dueRecords.add(event.node);
      if (event.failure !== undefined) settleFailure(instance, event.node, event.failure);
      else {
        instance.outputs[event.node] = {};
        resolve(instance, event.node, 'success');
      }
      return;
    case 'recorded':
      instance.dueRecords.delete(event.node);
      return;
    case 'place_freed':
      return;
    case 'withheld':
      for (const node of event.nodes) withhold(instance, node);
      return;
    case 'stopped':
      stop(instance, event.reason);
      return;
    case 'ended':
      instance.end = event.end;
  }
}

function commit(instance: Instance, node: number, result: Readonly<Record<string, unknown>>): void {
  release(instance, node);
  const outputs = outputsOf(instance, node, result);
  if (!outputs.ok) {
    const node_id = nodeId(instance, node);
    throw new ArsError('internal', `The committed result of '${node_id}' does not fit its output_mapping.`, {
      details: { node_id, detail: outputs.failure.detail },
    });
  }
  instance.outputs[node] = outputs.value;
  instance.failures.delete(node);
  if (recordTypeOf(instance, node) !== undefined) instance.dueRecords.add(node);
  resolve(instance, node, 'success');
}

function startChild(instance: Instance, node: number, execution_id: string): void {
  occupy(instance, node);
  const target = targetOf(instance, node);
  countAttempt(instance, node, (instance.invocations[target] as number) + 1);
  const children = instance.children.get(target);
  if (children === undefined) instance.children.set(target, [execution_id]);
  else children.push(execution_id);
}

/**
 * A child that completed commits its node, where the output mapping can be evaluated; any other fails it.
 *
 * @requirement SN2
 * @requirement FB6
 */
function endChild(instance: Instance, node: number, { status, outputs = {}, error }: InstanceEnd): void {
  const mapped = status === 'completed' ? outputsOf(instance, node, outputs) : undefined;
  if (mapped?.ok === true) {
    commit(instance, node, outputs);
    return;
  }
  const { error_class = 'E4', detail = `the child instance ended as ${status}` } = error ?? {};
  fail(instance, { type: 'failed', node, failure: mapped?.failure ?? { error_class, detail }, closed: true });
}

function fail(instance: Instance, event: InstanceEvent & { type: 'failed' }): void {
  const { node, failure, closed, undone, final } = event;
  const target = targetOf(instance, node);
  release(instance, node);
  instance.failures.set(node, failure);
  if (undone === true) instance.undos[target] = (instance.undos[target] as number) + 1;
  const invoked = (instance.attempts[node] as number) > 0;
  if (instance.stopped === undefined && final !== true && invoked && isRetried(instance, node, failure, closed))
    backOff(instance, node);
  else settleFailure(instance, node, failure);
}

/** @requirement EN2 */
function isRetried(instance: Instance, node: number, { error_class }: Failure, closed: boolean): boolean {
  const step = instance.plan.steps[node] as PlanStep;
  if (step.kind === 'retry') return (instance.invocations[step.target] as number) < lastAttempt(instance, node, step);
  if (closed) return false;
  return mayRetry(instance.attempts[node] as number, error_class, executedAction(instance, node).retry);
}

/** A failure that is not retried: handled by an edge that leaves, or else it marks the instance. */
function settleFailure(instance: Instance, node: number, failure: Failure): void {
  instance.failures.set(node, failure);
  if (recordTypeOf(instance, node) !== undefined) instance.dueRecords.add(node);
  resolve(instance, node, 'failure', !takesUp(instance, node, failure));
}

function countAttempt(instance: Instance, node: number, attempt: number): void {
  const target = targetOf(instance, node);
  if (attempt <= (instance.invocations[target] as number)) return;
  instance.invocations[target] = attempt;
  instance.attempts[node] = (instance.attempts[node] as number) + 1;
}

/**
 * A wait for an attempt ends without it, wherever the attempt was waiting; an error node that has not made any is left
 * where it is. The first reason holds.
 */
function stop(instance: Instance, reason: StopReason): void {
  instance.stopped ??= reason;
  for (let node = 0; node < instance.phase.length; node++) {
    if (instance.phase[node] === PHASE.backoff) {
      instance.backingOff -= 1;
      instance.phase[node] = PHASE.ready;
    }
    if (instance.phase[node] === PHASE.ready) giveUp(instance, node);
  }
}

/** A node that is about to be executed again fails as its last attempt did; one that was not executed yet stays ready. */
function giveUp(instance: Instance, node: number): void {
  const failure = instance.failures.get(node);
  if (failure !== undefined) settleFailure(instance, node, failure);
}

function withhold(instance: Instance, node: number): void {
  release(instance, node);
  instance.phase[node] = PHASE.ready;
  if (instance.stopped !== undefined) giveUp(instance, node);
  else if ((instance.plan.steps[node] as PlanStep).kind === 'undo') instance.undoing.push(node);
  else enqueue(instance, node);
}

/** What is to be done now, each thing said once. */
function collect(instance: Instance): readonly InstanceEffect[] {
  const effects: InstanceEffect[] = [];
  for (const node of instance.dueRecords) {
    const step = instance.plan.steps[node] as PlanStep;
    if (step.kind === 'terminal') effects.push({ type: 'record_terminal', node, status: step.status });
    else {
      const record_type = recordTypeOf(instance, node) ?? 'error';
      const failure = instance.outcome[node] === 'failure' ? instance.failures.get(node) : undefined;
      effects.push({ type: 'record_outcome', record_type, node, failure });
    }
  }
  instance.dueRecords.clear();
  if (!isStopped(instance)) {
    for (const node of instance.dueRetries) effects.push({ type: 'wait', node, ms: backoffOf(instance, node) });
    instance.dueRetries.clear();
    dispatch(instance, effects);
  }
  const end = endOf(instance);
  if (end !== undefined) {
    instance.end = end;
    effects.push({ type: 'end', end });
  }
  return effects;
}

/**
 * Starts what is ready, and, once nothing else is, the undoing of the instance.
 *
 * @requirement FB7
 */
function dispatch(instance: Instance, effects: InstanceEffect[]): void {
  const { queue, places } = instance;
  for (const node of instance.starting.splice(0)) {
    if (instance.phase[node] !== PHASE.ready) continue;
    occupy(instance, node);
    effects.push({ type: 'start_child', node });
  }
  while (places.taken < places.limit && instance.next < queue.length) {
    const node = queue[instance.next++] as number;
    if (instance.phase[node] !== PHASE.ready) continue;
    occupy(instance, node);
    const attempt = (instance.invocations[targetOf(instance, node)] as number) + 1;
    effects.push({ type: 'execute', node, attempt });
  }
  if (!isUndoDue(instance) || places.taken >= places.limit) return;
  const node = instance.undoing.reduce((a, b) => (nodeId(instance, a) < nodeId(instance, b) ? a : b));
  remove(instance.undoing, node);
  occupy(instance, node);
  effects.push({ type: 'undo_instance', node });
}

/** Whether nothing stands before the undoing of the instance. */
function isUndoDue(instance: Instance): boolean {
  return instance.undoing.length > 0 && !isBusy(instance) && instance.backingOff === 0 && !hasQueued(instance);
}

/** Whether something would start if there were a place for it. */
export function wantsPlace(instance: Instance): boolean {
  if (instance.held || instance.end !== undefined || isStopped(instance)) return false;
  return hasQueued(instance) || isUndoDue(instance);
}

/** The end, where no node is ready, running, waiting for its next attempt or in doubt. */
function endOf(instance: Instance): InstanceEnd | undefined {
  if (isBusy(instance) || instance.doubts.size > 0) return undefined;
  if (instance.stopped !== undefined) return failedEnd({ error_class: 'E0', detail: instance.stopped });
  if (instance.backingOff > 0 || hasReady(instance)) return undefined;
  if (instance.marked !== undefined) return failedEnd(instance.marked);
  if (instance.worst === undefined) return failedEnd({ error_class: 'E4', detail: 'no terminal was reached' });
  if (instance.worst === 'compensated') return { status: 'compensated' };
  if (instance.worst === 'failed') return { status: 'failed' };
  const outputs = workflowOutputsOf(instance);
  return outputs.ok ? { status: 'completed', outputs: outputs.value } : failedEnd(outputs.failure);
}

function failedEnd(error: InstanceError): InstanceEnd {
  return { status: 'failed', error };
}

function isBusy({ running, skills }: Instance): boolean {
  return running > 0 || skills > 0;
}

function hasReady(instance: Instance): boolean {
  return hasQueued(instance) || instance.parked.length > 0 || instance.undoing.length > 0;
}

/** Whether an execution or a child instance waits to be started. */
function hasQueued(instance: Instance): boolean {
  while (instance.next < instance.queue.length) {
    if (instance.phase[instance.queue[instance.next] as number] === PHASE.ready) return true;
    instance.next += 1;
  }
  return instance.starting.some(node => instance.phase[node] === PHASE.ready);
}

function unpark(instance: Instance): void {
  if (instance.parked.length === 0 || isStopped(instance)) return;
  propagate(instance, instance.parked.splice(0));
}

function occupy(instance: Instance, node: number): void {
  const phase = instance.phase[node];
  if (phase === PHASE.running) return;
  if (phase === PHASE.backoff) {
    instance.backingOff -= 1;
    instance.dueRetries.delete(node);
  }
  instance.phase[node] = PHASE.running;
  count(instance, node, 1);
}

function release(instance: Instance, node: number): void {
  if (instance.phase[node] === PHASE.running) count(instance, node, -1);
  else if (instance.phase[node] === PHASE.in_doubt) instance.doubts.delete(node);
}

/** A child instance takes no place; what it executes does. */
function count(instance: Instance, node: number, change: 1 | -1): void {
  if (runsSkill(instance, node)) instance.skills += change;
  else {
    instance.running += change;
    instance.places.taken += change;
  }
}

function backoffOf(instance: Instance, node: number): number {
  const step = instance.plan.steps[node] as PlanStep;
  if (step.kind === 'retry') return step.backoff_ms;
  return backoffMs(instance.attempts[node] as number, executedAction(instance, node).retry.policy);
}

/** The type of the record that says how a node was resolved; undefined where other records do. */
function recordTypeOf(instance: Instance, node: number): 'error' | 'skill' | undefined {
  const step = instance.plan.steps[node] as PlanStep;
  if (step.kind === 'skill') return 'skill';
  const error = step.kind === 'action' ? step.handles : step.kind === 'retry' || step.kind === 'undo';
  return error ? 'error' : undefined;
}

function nodeId(instance: Instance, node: number): string {
  return (instance.plan.steps[node] as PlanStep).node_id;
}

function remove(nodes: number[], node: number): void {
  const at = nodes.indexOf(node);
  if (at >= 0) nodes.splice(at, 1);
}
