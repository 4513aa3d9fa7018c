import type { Violation } from '../history/violation.js';
import type { Observation } from '../program.js';
import type { Graph, Resolution } from './firing.js';
import { hasEnded, type Witness } from './witness.js';

/**
 * Compares the path that the rules of firing give, with the outcomes of action nodes as observed, with the trace and the
 * ledger. Only the first wrong node of a path is reported. Gives the wrong nodes and all behind
 * them.
 */
export function judgePath(
  graph: Graph,
  resolved: ReadonlyMap<string, Resolution>,
  witness: Witness,
  found: Violation[],
): ReadonlySet<string> {
  const wrong = new Set<string>();
  for (const [node_id, resolution] of resolved) {
    const sources = (graph.ins.get(node_id) ?? []).map(edge => edge.from_node);
    if (sources.some(id => wrong.has(id))) {
      wrong.add(node_id);
      continue;
    }
    const observed = observedOutcome(node_id, witness);
    if (agrees(resolution, observed, witness)) continue;
    wrong.add(node_id);
    const requirement = blame(graph, resolved, node_id, resolution, observed);
    found.push({ requirement, expected: resolution.outcome, observed: observed ?? 'no entry in the trace', node_id });
  }
  if (isLost(witness.observation)) return wrong;
  const doubt = [...resolved.values()].some(({ outcome }) => outcome === 'in_doubt');
  for (const node_id of new Set([...witness.trace.keys(), ...witness.invocations.keys()])) {
    if (resolved.has(node_id) || wrong.size > 0) continue;
    const requirement = doubt ? 'FB5' : graph.nodes.has(node_id) ? 'CF6' : 'WII2';
    const observed = observedOutcome(node_id, witness) ?? 'executed';
    found.push({ requirement, expected: 'not decided yet', observed, node_id });
    wrong.add(node_id);
  }
  return wrong;
}

/** Whether the runtime lost the instance, so that neither a trace nor a log says what was resolved. */
function isLost({ wait, log }: Observation): boolean {
  return wait === undefined && log === undefined;
}

/** The outcome in the trace, unless a node that claims to be skipped was invoked. */
function observedOutcome(node_id: string, { trace, invocations }: Witness): string | undefined {
  const outcome = trace.get(node_id)?.outcome;
  return outcome === 'skipped' && invocations.has(node_id) ? 'skipped, although it was invoked' : outcome;
}

function agrees(resolution: Resolution, observed: string | undefined, witness: Witness): boolean {
  if (observed !== undefined) return observed === resolution.outcome;
  return !hasEnded(witness.observation);
}

/** The requirement that a node with another outcome than the expected one breaks. */
function blame(
  graph: Graph,
  resolved: ReadonlyMap<string, Resolution>,
  node_id: string,
  { outcome }: Resolution,
  observed: string | undefined,
): string {
  const node = graph.nodes.get(node_id);
  const ins = graph.ins.get(node_id) ?? [];
  if (observed === undefined) return ins.length === 0 ? 'CF7' : 'CF8';
  const skips = outcome === 'skipped' || observed.startsWith('skipped');
  if (!skips) return node?.type === 'terminal' ? 'TN1' : outcome === 'failure' ? 'CN3' : 'CN1';
  if (ins.length > 1) return node?.join_type === 'AND' ? 'CF4' : 'CF5';
  const source = ins[0] === undefined ? undefined : resolved.get(ins[0].from_node);
  if (source === undefined) return 'CF7';
  if (source.outcome === 'skipped') return 'EB4';
  if (source.drains === true) return source.error_class === 'E5' ? 'FB3' : 'FB2';
  const siblings = (graph.outs.get(ins[0]?.from_node ?? '') ?? []).length;
  return outcome !== 'skipped' && siblings > 1 && graph.nodes.get(ins[0]?.from_node ?? '')?.type !== 'condition'
    ? 'CF3'
    : 'CF2';
}
