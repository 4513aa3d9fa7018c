import type { AuditRecord } from '../../../schemas/types.js';
import { type Execution, type ExecutionOwner, idempotencyKey } from '../audit/execution-record.js';
import { ArsError } from '../error.js';
import { undoOf } from '../execution/action-table.js';
import { outputsOf } from './evaluate.js';
import type { Instance } from './instance.js';
import type { ActionStep } from './plan.js';

/** The instance as its executions name it. */
export function ownerOf({ head }: Instance): ExecutionOwner {
  const { execution_id, context_id, agent_id, context } = head;
  return { execution_id, context_id, agent_id, context };
}

/** The next attempt of an action node. */
export function nodeExecution(
  instance: Instance,
  step: ActionStep,
  own: Pick<Execution, 'execution_id' | 'attempt' | 'inputs' | 'effect_possible'>,
): Execution {
  const { action, timeout_ms, retry, node_id } = step;
  const undo = undoOf(instance.plan.actions, action);
  return {
    ...own,
    owner: ownerOf(instance),
    node_id,
    action,
    purpose: 'execute',
    idempotency_key: idempotencyKey(instance.head.execution_id, node_id, 0),
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
    retry,
    ...(undo === undefined ? {} : { undo }),
    mayRepeat: () => !instance.cancelled,
    checkResult: result => {
      const outputs = outputsOf(instance, step, result);
      return outputs.ok ? undefined : outputs.failure.detail;
    },
  };
}

/**
 * The execution of an action node that a pending record tells of.
 *
 * What an earlier attempt claimed about its effect is not in the log, so after a first attempt effects are possible.
 */
export function recordedExecution(instance: Instance, pending: AuditRecord): Execution {
  const { execution_id, node_id = '', attempt = 1, inputs = {}, refers_to, degraded } = pending;
  const step = instance.plan.steps[instance.plan.graph.indexOf(node_id)];
  if (step?.kind !== 'action')
    throw new ArsError('log_corrupt', `Record ${pending.sequence} executes '${node_id}', which is no action node.`, {
      details: { sequence: pending.sequence, node_id },
    });
  const redone = refers_to !== undefined;
  const execution = nodeExecution(instance, step, {
    execution_id,
    attempt,
    inputs,
    effect_possible: redone || attempt > 1,
  });
  return { ...execution, ...(redone ? { refers_to } : {}), ...(degraded === true ? { degraded } : {}) };
}
