import type { Action, ActionNode, ErrorClass, ProbeAnswer, StateChange } from '../../schemas/types.js';
import type { Behaviour } from '../program.js';
import { fitsSchema } from './contract.js';
import { holds } from './expression.js';
import type { JsonObject } from './json.js';
import { evaluateObjectMapping } from './mapping.js';
import type { Scope } from './scope.js';

/** What one invocation comes to, before the version checks of its state changes. */
export type Answer =
  | {
      readonly kind: 'success';
      readonly result: JsonObject;
      readonly outputs: JsonObject;
      readonly changes: readonly StateChange[];
      readonly degraded: boolean;
    }
  | {
      readonly kind: 'error';
      readonly error_class: ErrorClass;
      readonly effect: 'none' | 'unknown';
      /** A result came and was refused by a condition, a schema or the output mapping: no probe can better it. */
      readonly refused: boolean;
    }
  | { readonly kind: 'never' };

/** How the preconditions of an action come out: a hard one that is not true forbids the invocation. */
export function checkPreconditions(action: Action, scope: Scope): 'blocked' | 'degraded' | 'clear' {
  let degraded = false;
  for (const predicate of action.preconditions ?? []) {
    if (holds(predicate.expression, scope)) continue;
    if (predicate.kind === 'hard') return 'blocked';
    degraded = true;
  }
  return degraded ? 'degraded' : 'clear';
}

/**
 * What a scripted behaviour comes to for a node: its reply, a timeout, or a failure after invocation (Ch5, PC1 and
 * postconditions). `own` is the action's scope, `instance` that of the node's output mapping.
 */
export function answerOf(behaviour: Behaviour, action: Action, node: ActionNode, own: Scope, instance: Scope): Answer {
  const limit = Math.min(node.timeout_ms ?? Number.POSITIVE_INFINITY, action.timeout_ms ?? Number.POSITIVE_INFINITY);
  const reply = behaviour.reply;
  if (reply === undefined || (behaviour.delay_ms ?? 0) >= limit) {
    if (limit === Number.POSITIVE_INFINITY) return { kind: 'never' };
    return { kind: 'error', error_class: 'E3', effect: 'unknown', refused: false };
  }
  if ('error' in reply) {
    const { error_class, effect } = reply.error;
    return { kind: 'error', error_class, effect: effect ?? 'unknown', refused: false };
  }
  return acceptResult(reply, action, node, own, instance);
}

/** The same for a result, be it a reply's or a probe's: success condition, output schema, postconditions, output mapping, in this order. */
export function acceptResult(
  reply: { outputs: JsonObject; state_changes?: readonly StateChange[]; exit_code?: number },
  action: Action,
  node: ActionNode,
  own: Scope,
  instance: Scope,
): Answer {
  const scope: Scope = {
    ...own,
    result: reply.outputs,
    ...(reply.exit_code === undefined ? {} : { exit_code: reply.exit_code }),
  };
  if (!meetsSuccessCondition(action, scope)) return refuse('E3');
  if (!fitsSchema(action.output_schema, reply.outputs)) return refuse('E4');
  let degraded = false;
  for (const predicate of action.postconditions ?? []) {
    if (holds(predicate.expression, scope)) continue;
    if (predicate.kind === 'hard') return refuse('E4');
    degraded = true;
  }
  const mapped =
    node.output_mapping === undefined
      ? { value: reply.outputs }
      : evaluateObjectMapping(node.output_mapping, { ...instance, result: reply.outputs });
  if ('error' in mapped) return refuse('E4');
  return {
    kind: 'success',
    result: reply.outputs,
    outputs: mapped.value,
    changes: reply.state_changes ?? [],
    degraded,
  };
}

/** What a probe's answer counts as (Ch6): unknown, where its result could not be committed. */
export function usableProbe(
  probe: ProbeAnswer,
  action: Action,
  node: ActionNode,
  own: Scope,
  instance: Scope,
): ProbeAnswer {
  if (probe.verdict !== 'applied' || probe.outputs === undefined) return probe;
  const { outputs, state_changes = [] } = probe;
  const answer = acceptResult({ outputs, state_changes }, action, node, own, instance);
  return answer.kind === 'success' ? probe : { verdict: 'unknown' };
}

function meetsSuccessCondition(action: Action, scope: Scope): boolean {
  if (action.success_condition !== undefined) return holds(action.success_condition, scope);
  return scope.exit_code === undefined || scope.exit_code === 0;
}

function refuse(error_class: ErrorClass): Answer {
  return { kind: 'error', error_class, effect: 'unknown', refused: true };
}
