import type { Edge, Node } from '../../schemas/types.js';
import { type Effect, effectsOf, executedBy, type Known } from './closure.js';

/** What stays behind when a node fails (Ch8, Partial-failure zones), however many effects there are. */
export interface Zone {
  readonly node_id: string;
  readonly handling: string;
  readonly handled_by: string | undefined;
  /** The nodes of which an effect stays, in order. */
  readonly remains: readonly (Effect & { readonly node_id: string })[];
}

/** Gives the zones of a workflow without cycles, in order of node_id; found pair by pair. */
export function zonesOf(known: Known): readonly Zone[] {
  const { nodes } = known.workflow;
  const zones: Zone[] = [];
  for (const node of nodes) {
    if (!canFail(node)) continue;
    const handler = handlerOf(node, known);
    const isUndone = handler.handling === 'undo' && !waitsForAll(handler.node, known);
    const remains = nodes
      .flatMap(source => {
        const { lasting, undoable } = effectsOf(source, known);
        const skill = executedBy(source, known)?.type === 'skill';
        const stays = (throughUndo: boolean) =>
          (source === node && skill) || arrives(source, node.node_id, skill, throughUndo, known);
        const effect = lasting && stays(true) ? lasting : undoable && !isUndone && stays(false) ? undoable : undefined;
        return effect === undefined ? [] : [{ node_id: source.node_id, ...effect }];
      })
      .sort((a, b) => (a.node_id < b.node_id ? -1 : 1));
    if (remains.length === 0) continue;
    zones.push({ node_id: node.node_id, handling: handler.handling, handled_by: handler.node?.node_id, remains });
  }
  return zones.sort((a, b) => (a.node_id < b.node_id ? -1 : 1));
}

function arrives(source: Node, target: string, skill: boolean, throughUndo: boolean, known: Known): boolean {
  const open = out(source, known).filter(({ label }) => skill || label !== 'failure');
  const seen = new Set<string>();
  for (let edge = open.pop(); edge !== undefined; edge = open.pop()) {
    const { to_node } = edge;
    if (to_node === target) return true;
    if (seen.has(to_node)) continue;
    seen.add(to_node);
    const node = nodeOf(to_node, known);
    if (node !== undefined && (throughUndo || !undoes(node))) open.push(...out(node, known));
  }
  return false;
}

function handlerOf(node: Node, known: Known): { handling: string; node?: Node } {
  const failure = out(node, known).find(({ label }) => label === 'failure');
  if (failure === undefined) {
    if (node.type === 'error') return node.handling === 'retry' ? { handling: 'retry', node } : { handling: 'none' };
    return { handling: out(node, known).some(({ label }) => label === 'always') ? 'continue' : 'none' };
  }
  const handler = nodeOf(failure.to_node, known);
  if (handler?.type !== 'error') return { handling: 'continue' };
  if (handler.handling === 'retry') return handlerOf(handler, known);
  if (undoes(handler)) return { handling: 'undo', node: handler };
  return { handling: handler.handling === 'fail' ? 'fail' : 'compensate_ref', node: handler };
}

function waitsForAll(node: Node | undefined, { workflow }: Known): boolean {
  const entering = workflow.edges.filter(({ to_node }) => to_node === node?.node_id);
  return entering.length > 1 && node?.join_type === 'AND';
}

function canFail(node: Node): boolean {
  return (
    node.type === 'action' || node.type === 'skill' || (node.type === 'error' && node.compensate_ref !== undefined)
  );
}

function undoes(node: Node): boolean {
  if (node.type !== 'error' || node.compensate_ref !== undefined) return false;
  return node.handling === 'rollback' || node.handling === 'compensate';
}

function out(node: Node, { workflow }: Known): Edge[] {
  return workflow.edges.filter(({ from_node }) => from_node === node.node_id);
}

function nodeOf(id: string, { workflow }: Known): Node | undefined {
  return workflow.nodes.find(({ node_id }) => node_id === id);
}
