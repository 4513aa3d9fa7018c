import { type Carried, type Failure, type Instance, type InstanceHead, targetOf } from './instance.js';
import type { PlanStep } from './plan.js';

/** What an instance takes over from the one that it resumes. */
export type TakenOver = Required<Pick<InstanceHead, 'carried' | 'children'>>;

const EXECUTING: ReadonlySet<PlanStep['kind']> = new Set(['action', 'skill', 'retry']);

/**
 * How nodes of an ended instance are resolved in one that resumes it, by node_id: those that executed something with
 * success, the failed ones that a successful retry took up, and those whose child instance `completed` while they failed,
 * so that nothing committed is executed again. The other nodes that ran a skill come with the child instance that theirs
 * resume.
 *
 * @requirement IR2
 */
export function takenOverFrom(instance: Instance, completed: (child: string) => boolean): TakenOver {
  const { plan, head, outcome, outputs, failures, children } = instance;
  const carried = new Map<string, Carried>();
  const resumed = new Map(head.children);
  plan.steps.forEach((step, node) => {
    const child = children.get(targetOf(instance, node))?.at(-1);
    if (child !== undefined && step.kind === 'skill') resumed.set(step.node_id, child);
    const failure = failures.get(node);
    if (child !== undefined && outcome[node] === 'failure' && completed(child))
      carried.set(step.node_id, { outcome: 'failure', failure: failure as Failure });
    const result = outputs[node];
    if (!EXECUTING.has(step.kind) || outcome[node] !== 'success' || result === undefined) return;
    carried.set(step.node_id, { outcome: 'success', outputs: result });
    for (let at = failedBefore(node); at >= 0; at = failedBefore(at))
      carried.set((plan.steps[at] as { node_id: string }).node_id, {
        outcome: 'failure',
        failure: failures.get(at) as Failure,
      });
  });
  for (const node_id of carried.keys()) resumed.delete(node_id);
  return { carried, children: resumed };

  /** The node whose failure a retrying node took up. */
  function failedBefore(node: number): number {
    if (plan.steps[node]?.kind !== 'retry') return -1;
    const edge = plan.graph.inEdges[plan.graph.inStart[node] as number];
    return edge === undefined ? -1 : (plan.graph.source[edge] as number);
  }
}
