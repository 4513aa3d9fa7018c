import type { ReadInstance } from './read-instance.js';

/** Says what a log breaks. */
export type Tell = (requirement: string, expected: string, observed: string, node_id?: string) => void;

/** The sequence at which the last predecessor of a node was resolved. */
export function readyAt(node_id: string, instance: ReadInstance): number {
  const { graph, start } = instance;
  return Math.max(start.sequence, ...(graph.ins.get(node_id) ?? []).map(edge => resolvedAt(edge.from_node, instance)));
}

const places = new WeakMap<ReadInstance, Map<string, number>>();

/** The sequence at which a node was resolved; what leaves no record is resolved as soon as it is decided. */
export function resolvedAt(node_id: string, instance: ReadInstance): number {
  const known = places.get(instance) ?? new Map<string, number>();
  places.set(instance, known);
  const place = known.get(node_id);
  if (place !== undefined) return place;
  const ready = readyAt(node_id, instance);
  const own = Math.max(
    ready,
    instance.outcomes.get(node_id)?.[0]?.sequence ?? 0,
    ...(instance.caused.get(node_id) ?? []).map(({ last }) => last),
  );
  known.set(node_id, own);
  return own;
}

/** Whether an instance was cancelled, or not allowed to go on. */
export function isStopped({ end }: ReadInstance): boolean {
  return end?.error_class === 'E0' && end.node_id === undefined;
}
