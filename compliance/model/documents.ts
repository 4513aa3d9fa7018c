import type { Action, ActionNode, ErrorNode, Node, SkillNode, Workflow } from '../../schemas/types.js';
import type { Program } from '../program.js';
import { DETERMINISM_BOUND, resolveAction } from './contract.js';
import type { Graph } from './firing.js';
import { undoReference } from './judgement.js';
import { compareVersionTexts, satisfiesRange } from './range.js';

/** The program as if a workflow of it were the one that it starts: references are looked up where they stand. */
export function within(program: Program, workflow: Workflow): Program {
  return program.workflow === workflow ? program : { ...program, workflow };
}

/** The workflow that a name@range means: the highest version that fits. */
export function resolveWorkflow(reference: string, { registry }: Program): Workflow | undefined {
  const split = reference.indexOf('@');
  const [name, range] = [reference.slice(0, split), reference.slice(split + 1)];
  const fitting = (registry?.workflows ?? []).filter(
    ({ workflow }) => workflow.name === name && satisfiesRange(workflow.version, range),
  );
  return fitting.sort((a, b) => compareVersionTexts(b.workflow.version, a.workflow.version))[0];
}

/** Whether a workflow or what it runs as a skill has error nodes or skills, of which only the model of trees knows. */
export function hasHandlers({ workflow }: Program): boolean {
  return workflow.nodes.some(({ type }) => type === 'error' || type === 'skill');
}

/** What a node executes (Ch7): of an error node with compensate_ref its action, of one that retries what the failed node does. */
export function subjectOf(node: Node, graph: Graph): Node | undefined {
  let at: Node | undefined = node;
  while (at?.type === 'error' && at.handling === 'retry') {
    at = sourceOf(at, graph);
  }
  if (at?.type === 'action' || at?.type === 'skill') return at;
  return at?.type === 'error' && at.handling === 'compensate' && at.compensate_ref !== undefined ? at : undefined;
}

/** The node that the one in-edge of a node comes from. */
export function sourceOf({ node_id }: Node, graph: Graph): Node | undefined {
  return graph.nodes.get(graph.ins.get(node_id)?.[0]?.from_node ?? '');
}

/** An error node with compensate_ref as the action node that it is like: without a retry policy of its own. */
export function asActionNode(node: ActionNode | ErrorNode): ActionNode {
  if (node.type === 'action') return node;
  const { node_id, compensate_ref = '', input_mapping, output_mapping } = node;
  return {
    node_id,
    type: 'action',
    action_def: compensate_ref,
    ...(input_mapping === undefined ? {} : { input_mapping }),
    ...(output_mapping === undefined ? {} : { output_mapping }),
  };
}

/** The node as it is executed by an error node that retries it: with that one's output mapping, where it has one. */
export function retriedBy<T extends ActionNode | SkillNode>(node: T, { output_mapping }: ErrorNode): T {
  return output_mapping === undefined ? node : { ...node, output_mapping };
}

/** The most retries of what a node executes, by its determinism (Ch5); of a skill by the worst in it (SN3). */
export function boundOf(node: Node, program: Program): number {
  if (node.type === 'skill') {
    const skill = resolveWorkflow(node.workflow_ref, program);
    return skill === undefined ? 0 : Math.min(3, ...boundsIn(skill, program));
  }
  const reference = node.type === 'action' ? node.action_def : node.type === 'error' ? node.compensate_ref : undefined;
  const action = reference === undefined ? undefined : resolveAction(reference, program);
  return action === undefined ? 3 : DETERMINISM_BOUND[action.determinism];
}

function boundsIn(workflow: Workflow, program: Program): readonly number[] {
  const inner = within(program, workflow);
  return workflow.nodes.map(node => boundOf(node, inner));
}

/** The action that undoes a committed execution (Ch6); undefined where it is undone without one, or cannot be. */
export function undoOfCommitted(action: Action, program: Program): Action | undefined {
  const reference = undoReference(action);
  return reference === undefined ? undefined : resolveAction(reference, program);
}

const dominators = new WeakMap<Graph, ReadonlyMap<string, string>>();

/** By node the error node whose `error` it sees: itself, or the nearest that every path to it goes through (Ch7, mappings). */
export function errorNodesOver(graph: Graph): ReadonlyMap<string, string> {
  const known = dominators.get(graph);
  if (known !== undefined) return known;
  const errors = [...graph.nodes.values()].filter(({ type }) => type === 'error').map(({ node_id }) => node_id);
  const cut = new Map(errors.map(id => [id, reachable(graph, id)]));
  const over = new Map<string, string>();
  for (const id of reachable(graph, undefined)) {
    const all = errors.filter(error => cut.get(error)?.has(id) !== true);
    // Of two that dominate a node one dominates the other; the nearest is dominated by all others.
    const nearest = all.find(error => all.every(other => other === error || cut.get(other)?.has(error) !== true));
    if (nearest !== undefined) over.set(id, nearest);
  }
  dominators.set(graph, over);
  return over;
}

/** What the start node leads to without going through a node. */
function reachable(graph: Graph, without: string | undefined): ReadonlySet<string> {
  const found = new Set<string>();
  const open = graph.start === without ? [] : [graph.start];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    for (const { to_node } of graph.outs.get(id) ?? []) if (to_node !== without) open.push(to_node);
  }
  return found;
}
