import type { AuditRecord } from '../../../schemas/types.js';
import { type Execution, type ExecutionOwner, idempotencyKey } from '../audit/execution-record.js';
import { ArsError } from '../error.js';
import { undoOf } from '../execution/action-table.js';
import type { RetryTerms } from '../execution/retry.js';
import { outputsOf } from './evaluate.js';
import { executedAction, executorOf, type Instance, lastAttempt, targetOf } from './instance.js';
import type { PlanStep } from './plan.js';

/** The instance as its executions name it. */
export function ownerOf({ head }: Instance): ExecutionOwner {
  const { execution_id, context_id, agent_id, context } = head;
  return { execution_id, context_id, agent_id, context };
}

/** The next attempt that a node makes of the action that it executes. */
export function nodeExecution(
  instance: Instance,
  node: number,
  own: Pick<Execution, 'execution_id' | 'attempt' | 'inputs' | 'effect_possible'>,
): Execution {
  const step = executedAction(instance, node);
  const { action, timeout_ms, retry, node_id } = step;
  const undo = undoOf(instance.plan.actions, action);
  const undos = instance.undos[targetOf(instance, node)] as number;
  return {
    execution_id: own.execution_id,
    owner: ownerOf(instance),
    node_id,
    action,
    purpose: 'execute',
    attempt: own.attempt,
    idempotency_key: idempotencyKey(instance.head.execution_id, node_id, undos),
    inputs: own.inputs,
    timeout_ms,
    retry: termsOf(instance, node, retry),
    effect_possible: own.effect_possible,
    undo,
    mayRepeat: () => instance.stopped === undefined,
    checkResult: result => {
      const outputs = outputsOf(instance, node, result);
      return outputs.ok ? undefined : outputs.failure.detail;
    },
  };
}

function termsOf(instance: Instance, node: number, own: RetryTerms): RetryTerms {
  const step = instance.plan.steps[node] as PlanStep;
  if (step.kind !== 'retry') return own;
  return { determinism: own.determinism, last: lastAttempt(instance, node, step) };
}

/**
 * The execution that a pending record tells of.
 *
 * What an earlier attempt claimed about its effect is not in the log, so after a first attempt effects are possible.
 */
export function recordedExecution(instance: Instance, pending: AuditRecord): Execution {
  const { execution_id, node_id = '', attempt = 1, inputs = {}, refers_to, degraded, idempotency_key } = pending;
  const target = instance.plan.graph.indexOf(node_id);
  if (target < 0)
    throw new ArsError('log_corrupt', `Record ${pending.sequence} executes '${node_id}', which is no node.`, {
      details: { sequence: pending.sequence, node_id },
    });
  const redone = refers_to !== undefined;
  const execution = nodeExecution(instance, executorOf(instance, target), {
    execution_id,
    attempt,
    inputs,
    effect_possible: redone || attempt > 1,
  });
  return {
    ...execution,
    ...(idempotency_key === undefined ? {} : { idempotency_key }),
    ...(redone ? { refers_to } : {}),
    ...(degraded === true ? { degraded } : {}),
  };
}
