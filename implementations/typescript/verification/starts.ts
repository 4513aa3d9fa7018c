import type { Graph } from '../workflow/graph.js';
import { uint8s } from '../workflow/number-arrays.js';
import type { Components } from './structure.js';

/** How S4 sees the start of the graph, and from where the other rules search. */
export interface Starts {
  /** The nodes from which execution may begin; several where S4 fails or {@link widened}. */
  readonly nodes: readonly number[];
  /** The nodes without in-edges. */
  readonly sources: readonly number[];
  /** The node that `workflow.start` names, -1 where there is none of that name, undefined where nothing is named. */
  readonly named: number | undefined;
  /** In-edges of the named start from outside its own component. */
  readonly edgesIntoStart: readonly number[];
  /** Whether sources count as starts only because an edge leads to no node. */
  readonly widened: boolean;
  /** Components with a cycle that no edge enters; any of their nodes may be the start once the cycle is gone. */
  readonly closedComponents: readonly number[];
}

/** Returns how S4 sees the start of the graph; `isNamed` tells whether `workflow.start` names it. */
export function findStarts(graph: Graph, components: Components, isNamed: boolean): Starts {
  const { sources } = graph;
  const closedComponents = findClosedComponents(graph, components);
  const named = isNamed ? graph.start : undefined;
  const edgesIntoStart: number[] = [];
  if (named !== undefined && named >= 0) {
    for (let at = graph.inStart[named] as number; at < (graph.inStart[named + 1] as number); at++) {
      const edge = graph.inEdges[at] as number;
      const source = graph.source[edge] as number;
      if (source >= 0 && components.of[source] !== components.of[named]) edgesIntoStart.push(edge);
    }
  }
  let nodes: readonly number[] = sources;
  if (named !== undefined && named >= 0) nodes = edgesIntoStart.length === 0 ? [named] : [named, ...sources];
  else if (sources.length === 0) nodes = membersOf(components, closedComponents);
  return { nodes, sources, named, edgesIntoStart, widened: false, closedComponents };
}

function findClosedComponents(graph: Graph, components: Components): number[] {
  if (components.acyclic) return [];
  const entered = uint8s(components.count);
  for (let edge = 0; edge < graph.edgeCount; edge++) {
    const target = graph.target[edge] as number;
    if (target < 0) continue;
    const source = graph.source[edge] as number;
    const component = components.of[target] as number;
    if (source < 0 || components.of[source] !== component) entered[component] = 1;
  }
  const closed: number[] = [];
  for (let component = 0; component < components.count; component++) {
    if (components.cyclic[component] === 1 && entered[component] === 0) closed.push(component);
  }
  return closed;
}

function membersOf(components: Components, wanted: readonly number[]): number[] {
  const set = new Set(wanted);
  const members: number[] = [];
  for (const [node, component] of components.of.entries()) if (set.has(component)) members.push(node);
  return members;
}

/** Gives the starts, and the nodes at the ends of edges that begin nowhere. */
export function* withDanglingTargets(graph: Graph, starts: readonly number[]): Generator<number> {
  yield* starts;
  if (graph.outEdges.length === graph.edgeCount) return;
  for (let edge = 0; edge < graph.edgeCount; edge++) {
    if ((graph.source[edge] as number) < 0 && (graph.target[edge] as number) >= 0) yield graph.target[edge] as number;
  }
}
