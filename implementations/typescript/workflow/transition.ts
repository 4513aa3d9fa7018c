import type { InstanceError, TerminalStatus } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { backoffMs, mayRetry } from '../execution/retry.js';
import { outputsOf, workflowOutputsOf } from './evaluate.js';
import { enqueue, labelsOf, mark, propagate, resolve } from './firing.js';
import { type Failure, type Instance, type InstanceEnd, isStopped, PHASE } from './instance.js';
import type { ActionStep, PlanStep } from './plan.js';

/** What happens to an instance; nodes are indices. */
export type InstanceEvent =
  | { readonly type: 'started' }
  /** Nothing holds the instance any longer: it has just been started or replayed, or its doubts are settled. */
  | { readonly type: 'continued' }
  | { readonly type: 'invoked'; readonly node: number; readonly attempt: number }
  | { readonly type: 'committed'; readonly node: number; readonly result: Readonly<Record<string, unknown>> }
  /** closed: the failure is final whatever the policy says. */
  | { readonly type: 'failed'; readonly node: number; readonly failure: Failure; readonly closed: boolean }
  | { readonly type: 'doubted'; readonly node: number }
  | { readonly type: 'retry_due'; readonly node: number }
  | { readonly type: 'terminal_recorded'; readonly node: number }
  | { readonly type: 'cancelled' }
  | { readonly type: 'ended'; readonly end: InstanceEnd };

/** What has to be done because of an event. */
export type InstanceEffect =
  | { readonly type: 'execute'; readonly node: number; readonly attempt: number }
  | { readonly type: 'wait'; readonly node: number; readonly ms: number }
  | { readonly type: 'record_terminal'; readonly node: number; readonly status: TerminalStatus }
  | { readonly type: 'end'; readonly end: InstanceEnd };

/** The instance after an event, and what follows from it. */
export interface Transition {
  readonly instance: Instance;
  readonly effects: readonly InstanceEffect[];
}

const NO_EFFECTS: readonly InstanceEffect[] = [];

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
  return { instance, effects: instance.held || instance.end !== undefined ? NO_EFFECTS : collect(instance) };
}

function apply(instance: Instance, event: InstanceEvent): void {
  switch (event.type) {
    case 'started':
      propagate(instance, [instance.plan.graph.start]);
      return;
    case 'continued':
      instance.held = false;
      unpark(instance);
      return;
    case 'invoked':
      occupy(instance, event.node);
      instance.attempts[event.node] = event.attempt;
      return;
    case 'committed':
      commit(instance, event.node, event.result);
      unpark(instance);
      return;
    case 'failed':
      fail(instance, event.node, event.failure, event.closed);
      unpark(instance);
      return;
    case 'doubted':
      release(instance, event.node);
      instance.phase[event.node] = PHASE.in_doubt;
      instance.doubts.add(event.node);
      instance.held = true;
      return;
    case 'retry_due':
      if (instance.phase[event.node] !== PHASE.backoff) return;
      instance.backingOff -= 1;
      enqueue(instance, event.node);
      return;
    case 'terminal_recorded':
      instance.dueTerminals.delete(event.node);
      return;
    case 'cancelled':
      cancel(instance);
      return;
    case 'ended':
      instance.end = event.end;
  }
}

function commit(instance: Instance, node: number, result: Readonly<Record<string, unknown>>): void {
  const step = actionStep(instance, node);
  release(instance, node);
  const outputs = outputsOf(instance, step, result);
  if (!outputs.ok)
    throw new ArsError('internal', `The committed result of '${step.node_id}' does not fit its output_mapping.`, {
      details: { node_id: step.node_id, detail: outputs.failure.detail },
    });
  instance.outputs[node] = outputs.value;
  resolve(instance, node, 'success');
}

function fail(instance: Instance, node: number, failure: Failure, closed: boolean): void {
  const step = actionStep(instance, node);
  release(instance, node);
  instance.failures.set(node, failure);
  const invoked = (instance.attempts[node] as number) > 0;
  if (!closed && invoked && mayRetry(instance.attempts[node] as number, failure.error_class, step.retry)) {
    if (!instance.cancelled) {
      instance.phase[node] = PHASE.backoff;
      instance.backingOff += 1;
      instance.dueRetries.add(node);
      return;
    }
  }
  settleFailure(instance, node, failure);
}

/** A failure that is not retried: handled by an edge that leaves, or else it marks the instance. */
function settleFailure(instance: Instance, node: number, failure: Failure): void {
  const handled = failure.error_class !== 'E5' && labelsOf(instance, node).some(l => l === 'failure' || l === 'always');
  if (!handled) mark(instance, node, failure);
  resolve(instance, node, 'failure', !handled);
}

function cancel(instance: Instance): void {
  instance.cancelled = true;
  for (let node = 0; instance.backingOff > 0 && node < instance.phase.length; node++) {
    if (instance.phase[node] !== PHASE.backoff) continue;
    instance.backingOff -= 1;
    settleFailure(instance, node, instance.failures.get(node) as Failure);
  }
}

/** What is to be done now, each thing said once. */
function collect(instance: Instance): readonly InstanceEffect[] {
  const effects: InstanceEffect[] = [];
  for (const node of instance.dueTerminals) {
    const step = instance.plan.steps[node] as PlanStep;
    if (step.kind === 'terminal') effects.push({ type: 'record_terminal', node, status: step.status });
  }
  instance.dueTerminals.clear();
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

function dispatch(instance: Instance, effects: InstanceEffect[]): void {
  const { queue } = instance;
  while (instance.running < instance.max_parallel && instance.next < queue.length) {
    const node = queue[instance.next++] as number;
    if (instance.phase[node] !== PHASE.ready) continue;
    occupy(instance, node);
    effects.push({ type: 'execute', node, attempt: (instance.attempts[node] as number) + 1 });
  }
}

/** The end, where no node is ready, running, waiting for its next attempt or in doubt. */
function endOf(instance: Instance): InstanceEnd | undefined {
  if (instance.running > 0 || instance.doubts.size > 0) return undefined;
  if (instance.cancelled) return failedEnd({ error_class: 'E0', detail: 'cancelled' });
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

function hasReady(instance: Instance): boolean {
  while (instance.next < instance.queue.length) {
    if (instance.phase[instance.queue[instance.next] as number] === PHASE.ready) return true;
    instance.next += 1;
  }
  return instance.parked.length > 0;
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
  instance.running += 1;
}

function release(instance: Instance, node: number): void {
  if (instance.phase[node] === PHASE.running) instance.running -= 1;
  else if (instance.phase[node] === PHASE.in_doubt) instance.doubts.delete(node);
}

function backoffOf(instance: Instance, node: number): number {
  return backoffMs(instance.attempts[node] as number, actionStep(instance, node).retry.policy);
}

function actionStep(instance: Instance, node: number): ActionStep {
  const step = instance.plan.steps[node] as PlanStep;
  if (step.kind !== 'action')
    throw new ArsError('log_corrupt', `The node '${step.node_id}' executes no action, yet the log says so.`, {
      details: { node_id: step.node_id },
    });
  return step;
}
