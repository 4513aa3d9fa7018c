import type { Node } from '../../schemas/types.js';
import { refusalText } from '../model/refusal.js';
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

/** Gives whether the runtime said of the workflow that it can't run such a one, and with what words. */
export function refusal(observation: Observation): { readonly refused: boolean; readonly said?: string } {
  const { start } = observation;
  const said = 'error' in start ? start.error.said : undefined;
  return { refused: refused(observation), ...(said === undefined ? {} : { said }) };
}

/** Gives what the runtime said of an error of its own at the start, which leaves what was to be judged unreached. */
export function troubleAtStart({ start }: Observation): readonly string[] {
  if (!('error' in start) || start.error.kind === 'unsupported' || start.error.kind === 'denied') return [];
  return [`workflow/start was answered with ${refusalText(start.error)}`];
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
    const wanted = { control: control.join(' or '), twin: twin.join(' or ') };
    return {
      message:
        `node '${node_id}' has to come out as ${wanted.control} in the control and as ${wanted.twin} in its twin, which ` +
        `differs from it in one thing; it was ${observed[0]} in the control and ${observed[1]} in the twin`,
      expected: wanted,
      observed: { control: observed[0], twin: observed[1] },
      node_id,
    };
  };
}

function statusOf({ wait, start }: Observation): string {
  return (
    wait?.status ??
    ('error' in start ? `not at all (its start was refused as ${refusalText(start.error)})` : 'not at all')
  );
}

/** Gives what is wrong unless the control ended in one status and its twin in another. */
export function contrastStatus(
  control: string,
  twin: string,
): (control: Observation, twin: Observation) => Failure | undefined {
  return (first, second) => {
    const observed = { control: statusOf(first), twin: statusOf(second) };
    if (observed.control === control && observed.twin === twin) return undefined;
    const message =
      `the control has to end ${control} and its twin, which differs from it in one thing, ${twin}; ` +
      `the control ended ${observed.control}, the twin ${observed.twin}`;
    return { message, expected: { control, twin }, observed };
  };
}
