import type { Given } from './pairs/setting.js';

/** The same document and registry with everything that has no order of its own in another one. */
export function reordered({ workflow, registry }: Given): Given {
  return turned({
    workflow: {
      ...workflow,
      nodes: turn(workflow.nodes),
      edges: turn(workflow.edges),
      actions: turn(workflow.actions ?? []),
    },
    registry: {
      actions: turn(registry.actions),
      workflows: turn(registry.workflows.map(one => ({ ...one, nodes: turn(one.nodes), edges: turn(one.edges) }))),
    },
  });
}

function turn<T>(list: readonly T[]): T[] {
  return [...list].reverse();
}

/** The same value with the keys of every object in the opposite order. */
function turned<T>(value: T): T {
  if (Array.isArray(value)) return value.map(turned) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, part]) => [key, turned(part)])
      .reverse(),
  ) as T;
}
