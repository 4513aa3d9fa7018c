import type { Node } from '../../schemas/types.js';
import type { Observation, Program } from '../program.js';
import type { Failure } from '../runner/verdict.js';

/** Gives how a node was resolved, or undefined where it was not. */
export function outcomeOf(observation: Observation, node_id: string): string | undefined {
  return observation.wait?.trace.find(entry => entry.node_id === node_id)?.outcome;
}

/** Tells whether a node was decided and not skipped. */
export function executed(observation: Observation, node_id: string): boolean {
  const outcome = outcomeOf(observation, node_id);
  return outcome !== undefined && outcome !== 'skipped';
}

/** Tells whether the instance came past its gates. */
export function started(observation: Observation): boolean {
  return 'execution_id' in observation.start;
}

/** Tells whether the runtime said of the workflow that it can't run such a one. */
export function refused({ start }: Observation): boolean {
  return 'error' in start && start.error.kind === 'unsupported';
}

/** Tells whether an action was invoked. */
export function invoked(observation: Observation): boolean {
  return observation.ledger.some(entry => entry.kind === 'invoke');
}

/** Tells whether some node of that kind, with several in-edges or out-edges where asked, was executed. */
export function someNode(
  program: Program,
  observation: Observation,
  fits: (node: Node, degree: { readonly ins: number; readonly outs: number }) => boolean,
): boolean {
  const { nodes, edges } = program.workflow;
  return nodes.some(node => {
    if (!executed(observation, node.node_id)) return false;
    const ins = edges.filter(edge => edge.to_node === node.node_id).length;
    const outs = edges.filter(edge => edge.from_node === node.node_id).length;
    return fits(node, { ins, outs });
  });
}

/**
 * Gives what is wrong unless a node came out one way in the control and the other way in its twin. A node that the trace
 * does not name and that was not invoked counts as skipped, except where it is the trace that is judged.
 */
export function contrastOutcome(
  node_id: string,
  control: readonly string[],
  twin: readonly string[],
  { by_trace = false } = {},
): (control: Observation, twin: Observation) => Failure | undefined {
  const outcome = (seen: Observation) => {
    const idle = !by_trace && seen.ledger.every(entry => entry.node_id !== node_id);
    return outcomeOf(seen, node_id) ?? (idle ? 'skipped' : 'not in the trace');
  };
  return (first, second) => {
    const observed = [outcome(first), outcome(second)] as const;
    if (control.includes(observed[0]) && twin.includes(observed[1])) return undefined;
    return {
      message: `'${node_id}' did not come out as the one changed field demands`,
      expected: { control: control.join(' or '), twin: twin.join(' or ') },
      observed: { control: observed[0], twin: observed[1] },
      node_id,
    };
  };
}

/** Gives what is wrong unless the control ended in one status and its twin in another. */
export function contrastStatus(
  control: string,
  twin: string,
): (control: Observation, twin: Observation) => Failure | undefined {
  return (first, second) => {
    const observed = { control: first.wait?.status ?? 'none', twin: second.wait?.status ?? 'none' };
    if (observed.control === control && observed.twin === twin) return undefined;
    const message = 'the instance did not end as the one changed field demands';
    return { message, expected: { control, twin }, observed };
  };
}
