import type { Edge, ErrorClass, Node, StateChange, Workflow } from '../../schemas/types.js';
import type { JsonObject } from './json.js';

/** How a node was resolved, with what the rest of the instance can see of it. */
export interface Resolution {
  /** success, failure, skipped, in_doubt, running, a terminal's status, or the label that a condition took. */
  readonly outcome: string;
  readonly attempts: number;
  /** The node's outputs, after its output_mapping. */
  readonly outputs?: JsonObject;
  /** A failure that no edge handles: all out-edges are dead and the instance is marked failed. */
  readonly drains?: boolean;
  readonly error_class?: ErrorClass;
  /** What an action node did, for the ledger, the log and State. */
  readonly run?: NodeRun;
}

/** What one action node did in an undisturbed instance. */
export interface NodeRun {
  readonly inputs?: JsonObject;
  /** How often the node was invoked. */
  readonly invocations: number;
  readonly changes: readonly StateChange[];
  /** The changes that met a version conflict. */
  readonly contested: readonly StateChange[];
  readonly committed: boolean;
  readonly degraded: boolean;
  /** Whether a failed attempt may have left an effect behind, as far as it was told. */
  readonly effect?: boolean;
  /** The outputs as the action gave them. */
  readonly result?: JsonObject;
  /** The action that undid the effect of a failed execution, and whether it succeeded. */
  readonly undo?: { readonly action_id: string; readonly done: boolean; readonly changes: readonly StateChange[] };
}

/** A workflow's graph by node, ready to be fired. */
export interface Graph {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly ins: ReadonlyMap<string, readonly Edge[]>;
  readonly outs: ReadonlyMap<string, readonly Edge[]>;
  readonly start: string;
}

/** The graph of a workflow that static verification has passed. */
export function graphOf(workflow: Workflow): Graph {
  const nodes = new Map(workflow.nodes.map(node => [node.node_id, node]));
  const ins = new Map<string, Edge[]>(workflow.nodes.map(node => [node.node_id, []]));
  const outs = new Map<string, Edge[]>(workflow.nodes.map(node => [node.node_id, []]));
  for (const edge of workflow.edges) {
    ins.get(edge.to_node)?.push(edge);
    outs.get(edge.from_node)?.push(edge);
  }
  const source = workflow.nodes.find(node => ins.get(node.node_id)?.length === 0);
  return { nodes, ins, outs, start: workflow.workflow.start ?? source?.node_id ?? '' };
}

/** Whether a failure of the node is handled: a failure or always edge leaves it. */
export function handlesFailure(graph: Graph, nodeId: string): boolean {
  return (graph.outs.get(nodeId) ?? []).some(edge => edge.label === 'failure' || edge.label === 'always');
}

/**
 * Whether a failure makes all out-edges of its node dead and marks the instance (Ch7, failures): an action's that nothing
 * handles or of class E5, a skill's that nothing handles, an error node's without a failure edge, and any of a condition.
 */
export function drainsInstance(graph: Graph, node: Node, error_class: ErrorClass): boolean {
  if (node.type === 'action' && error_class === 'E5') return true;
  if (node.type === 'action' || node.type === 'skill') return !handlesFailure(graph, node.node_id);
  return !(node.type === 'error' && (graph.outs.get(node.node_id) ?? []).some(edge => edge.label === 'failure'));
}

/** Whether a node undoes its whole instance, so that it waits until nothing else is ready or running (Ch7, FB7). */
export function undoesInstance(node: Node): boolean {
  if (node.type !== 'error') return false;
  return node.handling === 'rollback' || (node.handling === 'compensate' && node.compensate_ref === undefined);
}

/** Whether a node is ready, given that all its in-edges are resolved: how many there are and how many are taken. */
export function isReady(node: Node, inEdges: number, taken: number): boolean {
  if (inEdges <= 1 || node.join_type === 'AND') return taken === inEdges;
  return taken >= 1;
}

/** Whether a resolved node takes an edge of its own. */
export function takes(resolution: Resolution, edge: Edge): boolean {
  if (resolution.outcome === 'skipped' || resolution.drains === true || isOpen(resolution)) return false;
  return edge.label === 'always' || edge.label === resolution.outcome;
}

/** Whether a node in this state leaves its out-edges undecided. */
export function isOpen(resolution: Resolution): boolean {
  return resolution.outcome === 'in_doubt' || resolution.outcome === 'running';
}

/**
 * Every node that gets decided, with its resolution (Ch7, firing): a node is decided when all its in-edges are resolved,
 * ready ones are given to `resolve`, the others are skipped. `pick` chooses among the nodes that are decided at a moment;
 * no result may depend on it.
 */
export function fire(
  graph: Graph,
  resolve: (node: Node, so_far: ReadonlyMap<string, Resolution>) => Resolution,
  pick: (decided: number) => number = decided => decided - 1,
): Map<string, Resolution> {
  const resolved = new Map<string, Resolution>();
  const open = new Map([...graph.ins].map(([id, edges]) => [id, edges.length]));
  const taken = new Map<string, number>();
  const decided = [graph.start];
  const deferred: string[] = [];
  let halted = false;
  while (decided.length > 0 || (deferred.length > 0 && !halted)) {
    const due = decided.length === 0 ? takeSmallest(deferred) : undefined;
    if (due !== undefined) decided.push(due);
    const at = pick(decided.length);
    const id = decided[at] ?? '';
    decided[at] = decided.at(-1) ?? '';
    decided.pop();
    const node = graph.nodes.get(id);
    if (node === undefined) continue;
    const ready = isReady(node, graph.ins.get(id)?.length ?? 0, taken.get(id) ?? 0);
    if (ready && due === undefined && undoesInstance(node)) {
      deferred.push(id);
      continue;
    }
    const resolution = ready ? resolve(node, resolved) : { outcome: 'skipped', attempts: 0 };
    resolved.set(id, resolution);
    halted ||= isOpen(resolution);
    if (isOpen(resolution)) continue;
    for (const edge of graph.outs.get(id) ?? []) {
      if (takes(resolution, edge)) taken.set(edge.to_node, (taken.get(edge.to_node) ?? 0) + 1);
      const left = (open.get(edge.to_node) ?? 0) - 1;
      open.set(edge.to_node, left);
      if (left === 0) decided.push(edge.to_node);
    }
  }
  return resolved;
}

/** Takes the smallest node_id, by UTF-16 code unit, out of a list. */
function takeSmallest(ids: string[]): string {
  const smallest = [...ids].sort()[0] ?? '';
  ids.splice(ids.indexOf(smallest), 1);
  return smallest;
}

/** The failure that the end record of a failed instance names (Ch7, end of an instance); undefined where a terminal failed it. */
export function failureOf(
  graph: Graph,
  resolved: ReadonlyMap<string, Resolution>,
): { readonly node_id?: string; readonly error_class: ErrorClass } | undefined {
  const marked = [...resolved].filter(([, resolution]) => resolution.drains === true).map(([id]) => id);
  if (marked.length > 0) {
    const node_id = takeSmallest(marked);
    return { node_id, error_class: resolved.get(node_id)?.error_class ?? 'E4' };
  }
  const reached = [...resolved].some(
    ([id, { outcome }]) => graph.nodes.get(id)?.type === 'terminal' && outcome !== 'skipped',
  );
  return reached ? undefined : { error_class: 'E4' };
}

/** The status in which an instance with these resolutions ends, or in which it stopped (Ch7, end of an instance). */
export function finalStatus(
  graph: Graph,
  resolved: ReadonlyMap<string, Resolution>,
): 'completed' | 'failed' | 'compensated' | 'in_doubt' | 'running' {
  const outcomes = [...resolved.values()];
  if (outcomes.some(resolution => resolution.outcome === 'in_doubt')) return 'in_doubt';
  if (outcomes.some(resolution => resolution.outcome === 'running')) return 'running';
  const reached = new Set<string>();
  for (const [id, resolution] of resolved) {
    if (graph.nodes.get(id)?.type === 'terminal' && resolution.outcome !== 'skipped') reached.add(resolution.outcome);
  }
  const marked = outcomes.some(resolution => resolution.drains === true);
  if (marked || reached.size === 0 || reached.has('failed')) return 'failed';
  return reached.has('compensated') ? 'compensated' : 'completed';
}
