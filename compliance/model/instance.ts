import type { ConditionNode } from '../../schemas/types.js';
import type { Program } from '../program.js';
import { failure } from './action-node.js';
import { evaluateExpression } from './expression.js';
import type { Graph, Resolution } from './firing.js';
import type { JsonObject } from './json.js';
import type { Scope } from './scope.js';
import type { Fold } from './state.js';

/** The inputs of an instance: the caller's, and the defaults of those that the caller leaves out. */
export function instanceInputs(program: Program): JsonObject {
  const defaults = Object.entries(program.workflow.inputs ?? {}).flatMap(([name, input]) =>
    Object.hasOwn(input, 'default') ? [[name, input.default] as const] : [],
  );
  return Object.fromEntries([...defaults, ...Object.entries(program.inputs)]);
}

/** What the nodes of an instance see; `nodes` is filled while it is fired. */
export function instanceScope(program: Program): Scope & { readonly nodes: Map<string, JsonObject> } {
  return { inputs: instanceInputs(program), context: program.context ?? {}, nodes: new Map() };
}

/** The end of an undisturbed instance: how each node was resolved, and State. */
export interface Ended {
  readonly resolved: ReadonlyMap<string, Resolution>;
  readonly fold: Fold;
  readonly scope: Scope;
}

/** The label that a condition takes; an error, another type or no label fails it, and that always drains (Ch7). */
export function resolveCondition(node: ConditionNode, graph: Graph, scope: Scope): Resolution {
  const evaluated = evaluateExpression(node.expression, scope);
  const value = 'value' in evaluated ? evaluated.value : undefined;
  if (typeof value !== 'boolean' && typeof value !== 'string') return failure('E4', false, 0);
  const labels = new Set((graph.outs.get(node.node_id) ?? []).map(edge => edge.label));
  const label = labels.has(String(value)) ? String(value) : 'default';
  return labels.has(label) ? { outcome: label, attempts: 0 } : failure('E4', false, 0);
}
