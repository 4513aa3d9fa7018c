import type { Action, Edge, Node, Registry, Workflow } from '../../../schemas/types.js';
import { verify } from './index.js';

/** An action node, of the action of its own name unless said otherwise. */
export const act = (node_id: string, more: object = {}): Node =>
  ({ node_id, type: 'action', action_def: `${node_id}@^1`, ...more }) as Node;
/** A skill node. */
export const skill = (node_id: string, workflow_ref: string, more: object = {}): Node =>
  ({ node_id, type: 'skill', workflow_ref, ...more }) as Node;
/** An error node. */
export const error = (node_id: string, handling: string, more: object = {}): Node =>
  ({ node_id, type: 'error', handling, ...more }) as Node;
/** A terminal node. */
export const end = (node_id: string, status = 'completed', more: object = {}): Node =>
  ({ node_id, type: 'terminal', status, ...more }) as Node;
/** A condition. */
export const test = (node_id: string, expression = 'inputs.yes'): Node => ({ node_id, type: 'condition', expression });
/** Edges from texts such as `a -success-> b -always-> c`. */
export const edges = (...texts: string[]): Edge[] =>
  texts.flatMap(text => {
    const names = text.split(/ -([a-z]+)-> /);
    return names.flatMap((name, at): Edge[] =>
      at % 2 === 1 ? [{ from_node: names[at - 1] as string, to_node: names[at + 1] as string, label: name }] : [],
    );
  });
/** A deterministic action without side effects, unless said otherwise. */
export const define = (action_id: string, more: Partial<Action> = {}): Action => ({
  action_id,
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'rollbackable',
  side_effects: [],
  ...more,
});
/** The schema of an object; closed: without other properties. */
export const object = (
  properties: Record<string, unknown>,
  required: string[] = [],
  closed = true,
): Record<string, unknown> => ({
  type: 'object',
  properties,
  required,
  additionalProperties: !closed,
});
/** A workflow with an action for each name that its action nodes refer to. */
export const flow = (nodes: Node[], arcs: Edge[], more: Partial<Workflow> = {}): Workflow => ({
  schema_version: '1.0',
  workflow: { name: 'w', version: '1.0.0' },
  inputs: { yes: { schema: { type: 'boolean' } } },
  actions: nodes.flatMap(node => (node.type === 'action' ? [define(node.action_def.replace(/@.*/, ''))] : [])),
  nodes,
  edges: arcs,
  ...more,
});
/** A registry with nothing in it. */
export const EMPTY: Registry = { schema_version: '1.0', actions: [], workflows: [] };
/** A registry of workflows. */
export const holding = (...workflows: Workflow[]): Registry => ({ ...EMPTY, workflows });

/** The findings as `rule pointer`, but for failures that nothing handles and joins that are not declared. */
export function found(document: Workflow, registry: Registry = EMPTY): string[] {
  return verify(document, registry)
    .findings.filter(({ rule }) => rule !== 'S15' && rule !== 'S6')
    .map(({ rule, pointer }) => `${rule} ${pointer}`);
}
/** What is said of the same findings. */
export function told(document: Workflow, registry: Registry = EMPTY): { message: string; help: string }[] {
  return verify(document, registry)
    .findings.filter(({ rule }) => rule !== 'S15' && rule !== 'S6')
    .map(({ message, help }) => ({ message, help }));
}
/** Success edges from each node to the next. */
export const line = (...nodes: Node[]): Edge[] =>
  nodes.slice(1).map((node, at) => ({
    from_node: (nodes[at] as Node).node_id,
    to_node: node.node_id,
    label: 'success',
  }));
/** A workflow of nodes one after the other. */
export const chain = (nodes: Node[], more: Partial<Workflow> = {}): Workflow => flow(nodes, line(...nodes), more);
