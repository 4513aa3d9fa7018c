import type { Carried, Failure, Instance } from './instance.js';

/**
 * How nodes of an ended instance are resolved in one that resumes it, by node_id: those that executed something with
 * success, and the failed ones that a successful retry took up, so that nothing committed is executed again.
 *
 * @requirement IR2
 */
export function carriedFrom({ plan, outcome, outputs, failures }: Instance): Map<string, Carried> {
  const carried = new Map<string, Carried>();
  plan.steps.forEach((step, node) => {
    const result = outputs[node];
    if ((step.kind !== 'action' && step.kind !== 'retry') || outcome[node] !== 'success' || result === undefined)
      return;
    carried.set(step.node_id, { outcome: 'success', outputs: result });
    for (let at = failedBefore(node); at >= 0; at = failedBefore(at))
      carried.set((plan.steps[at] as { node_id: string }).node_id, {
        outcome: 'failure',
        failure: failures.get(at) as Failure,
      });
  });
  return carried;

  /** The node whose failure a retrying node took up. */
  function failedBefore(node: number): number {
    if (plan.steps[node]?.kind !== 'retry') return -1;
    const edge = plan.graph.inEdges[plan.graph.inStart[node] as number];
    return edge === undefined ? -1 : (plan.graph.source[edge] as number);
  }
}
