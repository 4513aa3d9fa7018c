import type { Action, ActionNode, ErrorClass } from '../../schemas/types.js';
import { DETERMINISM_BOUND, retryLimit } from './contract.js';

/** How a node ends in the trace. */
export interface NodeEnd {
  readonly outcome: 'success' | 'failure' | 'skipped';
  readonly attempts: number;
}

/**
 * How an action node without side effects ends, and the error node behind it that executes it again (Ch5, retries; Ch7,
 * error nodes): `answers` are those of all invocations in turn.
 */
export function retriedByNode(
  action: Action,
  node: ActionNode,
  max_attempts: number,
  answers: readonly ('success' | ErrorClass)[],
): { readonly node: NodeEnd; readonly retry: NodeEnd } {
  const skipped: NodeEnd = { outcome: 'skipped', attempts: 0 };
  let count = 0;
  let answer: 'success' | ErrorClass;
  do {
    answer = answers[count] ?? 'E5';
    count += 1;
    if (answer === 'success') return { node: { outcome: 'success', attempts: count }, retry: skipped };
  } while (count <= retryLimit(answer, action, node));
  const failed: NodeEnd = { outcome: 'failure', attempts: count };
  if (answer === 'E5') return { node: failed, retry: skipped };
  const last = Math.min(count + max_attempts, 1 + DETERMINISM_BOUND[action.determinism]);
  for (let own = 1; count < last; own += 1) {
    const again = answers[count];
    count += 1;
    if (again === 'success') return { node: failed, retry: { outcome: 'success', attempts: own } };
  }
  return { node: failed, retry: { outcome: 'failure', attempts: count - failed.attempts } };
}
