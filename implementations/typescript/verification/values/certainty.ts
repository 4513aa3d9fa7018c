import { int32s } from '../../workflow/number-arrays.js';
import { ALWAYS, CONDITION, ERROR, FAIL, FAILURE } from '../columns.js';
import type { VerificationContext } from '../context.js';
import { answerInBatches, type OrderedGraph, type Question } from './batched-answers.js';
import { PathTree } from './path-tree.js';

/** What has happened for certain, or may have happened, when a node runs. */
export interface Certainty {
  /** Takes the questions that will be asked, to answer together what is not clear at once; the others are left open. */
  prepare(questions: Iterable<Question>): void;
  /** Whether in every execution that runs the reader one of the sources has committed; undefined where that took too long to find out. */
  hasCommitted(sources: readonly number[], reader: number): boolean | undefined;
  /** Whether a path leads from the source to the reader; undefined where that took too long to find out. */
  isAncestor(source: number, reader: number): boolean | undefined;
  /** Whether it is clear without a search that the source has committed when the reader runs. */
  isCertain(source: number, reader: number): boolean;
  /** The same of one of two sources, looking at the nodes before the reader, too. */
  isEitherCertain(one: number, other: number, reader: number): boolean;
  /** Whether it is clear without a search that a path leads from the source to the reader. */
  isBefore(source: number, reader: number): boolean;
}

/**
 * Returns what is certain by the equations of the chapter: a success edge adds its source, an AND join unites, an OR
 * join intersects. Needs a graph without cycles.
 *
 * A tree holds for each node a chain of commits that are certain: above an OR join what all in-edges have in common,
 * above an AND join the chains of all in-edges, one behind the other, as far as there is room. Of one source and without
 * AND joins the tree is the whole answer; otherwise the part of the graph between sources and reader is walked through.
 */
export function findCertainty(context: VerificationContext): Certainty {
  const { graph } = context;
  let grown: CommitTree | undefined;
  /** Most of what is asked is about a node near by; the tree grows once something else is. */
  const commitTree = (): CommitTree => {
    grown ??= growTree(context, context.order);
    return grown;
  };
  const isBefore = (source: number, reader: number): boolean =>
    (source !== reader && isVisitedFrom(context, source, reader)) || isPredecessor(context, source, reader);
  const isCertain = (source: number, reader: number): boolean =>
    isCertainNearBy(context, source, reader) || commitTree().isCommitAbove(source, reader);
  const isOpen = ({ asks, sources, reader }: Question): boolean => {
    const [source = -1] = sources;
    if (asks === 'path')
      return source === reader || !(isBefore(source, reader) || commitTree().isAbove(source, reader));
    if (sources.some(each => isCertainNearBy(context, each, reader))) return false;
    return (commitTree().hasUnions || sources.length > 1) && !sources.some(each => isCertain(each, reader));
  };
  function* openOnes(questions: Iterable<Question>): Generator<Question> {
    for (const question of questions) if (isOpen(question)) yield question;
  }
  let answer: (question: Question) => boolean | undefined = () => undefined;
  return {
    prepare(questions) {
      answer = answerInBatches(context, () => orderGraph(context), openOnes(questions));
    },
    hasCommitted(sources, reader) {
      const question = { asks: 'commit', sources, reader } as const;
      return isOpen(question) ? answer(question) : sources.some(source => isCertain(source, reader));
    },
    isAncestor(source, reader) {
      const question = { asks: 'path', sources: [source], reader } as const;
      return isOpen(question) ? answer(question) : true;
    },
    isCertain,
    isEitherCertain(one, other, reader) {
      const from = graph.inStart[reader] as number;
      const to = graph.inStart[reader + 1] as number;
      if (to - from > EDGES_LOOKED_AT) return false;
      let live = 0;
      for (let at = from; at < to; at++) {
        const edge = graph.inEdges[at] as number;
        const source = graph.source[edge] as number;
        if (source < 0 || context.reachable[source] === 0) continue;
        live++;
        if ((source === one || source === other) && addsSource(context, edge)) continue;
        if (!isCertain(one, source) && !isCertain(other, source)) return false;
      }
      return live > 0;
    },
    isBefore,
  };
}

function orderGraph(context: VerificationContext): OrderedGraph {
  const order = context.order;
  const position = int32s(order.length);
  for (let at = 0; at < order.length; at++) position[order[at] as number] = at;
  return { order, position, addsSource: edge => addsSource(context, edge) };
}

/** How many nodes above a reader are looked at. */
const NODES_LOOKED_AT = 4;
/** How many in-edges of a node are looked at one by one. */
const EDGES_LOOKED_AT = 16;

/** Whether the in-edges of the reader, and of a node above it as long as that is the only one, show that the source has committed. */
function isCertainNearBy(context: VerificationContext, source: number, reader: number): boolean {
  const { graph, columns, reachable } = context;
  let node = reader;
  for (let steps = 0; steps < NODES_LOOKED_AT; steps++) {
    const from = graph.inStart[node] as number;
    const to = Math.min(graph.inStart[node + 1] as number, from + EDGES_LOOKED_AT);
    let others = graph.inStart[node + 1] === to ? 0 : 1;
    let some = 0;
    let above = -1;
    for (let at = from; at < to; at++) {
      const edge = graph.inEdges[at] as number;
      const before = graph.source[edge] as number;
      if (before < 0 || reachable[before] === 0) continue;
      if (before === source && addsSource(context, edge)) some++;
      else {
        others++;
        above = before;
      }
    }
    if (some > 0) return others === 0 || columns.isAnd[node] === 1;
    if (others !== 1 || above === -1) return false;
    node = above;
  }
  return false;
}

/** Whether the source of an edge has committed once the edge is taken; a failure edge to no error node may have meant success. */
export function addsSource({ graph, columns }: VerificationContext, edge: number): boolean {
  const source = graph.source[edge] as number;
  const label = columns.label[edge];
  if (source < 0 || label === ALWAYS || columns.type[source] === CONDITION) return false;
  if (label !== FAILURE) return true;
  const target = graph.target[edge] as number;
  return target >= 0 && columns.type[target] !== ERROR && columns.type[target] !== FAIL;
}

/** Whether the search for components came from the source to the reader. */
function isVisitedFrom({ components }: VerificationContext, source: number, reader: number): boolean {
  const { visited, of } = components;
  return (visited[source] as number) < (visited[reader] as number) && (of[source] as number) > (of[reader] as number);
}

/** Whether one of the first in-edges of the reader comes from the source. */
function isPredecessor({ graph }: VerificationContext, source: number, reader: number): boolean {
  const from = graph.inStart[reader] as number;
  const to = Math.min(from + EDGES_LOOKED_AT, graph.inStart[reader + 1] as number);
  for (let at = from; at < to; at++) if (graph.source[graph.inEdges[at] as number] === source) return true;
  return false;
}

/** The in-edges of a node that an execution can take. */
export function* liveEdges({ graph, reachable }: VerificationContext, node: number): Generator<number> {
  for (let at = graph.inStart[node] as number; at < (graph.inStart[node + 1] as number); at++) {
    const edge = graph.inEdges[at] as number;
    const source = graph.source[edge] as number;
    if (source >= 0 && reachable[source] === 1) yield edge;
  }
}

/** A tree of commits. Vertex `node` stands for a node that runs; `isCommitAbove` asks whether one has committed then. */
interface CommitTree {
  readonly hasUnions: boolean;
  isAbove(node: number, other: number): boolean;
  isCommitAbove(source: number, node: number): boolean;
}

function growTree(context: VerificationContext, order: Int32Array): CommitTree {
  const { graph, columns, reachable } = context;
  const { nodeCount } = graph;
  const commits = 2 * nodeCount;
  const tree = new PathTree(3 * nodeCount);
  /** Behind an AND join the commits of its shorter branches are repeated, as far as there is room: which, and the one before. */
  const repeated = int32s(nodeCount);
  const before = int32s(nodeCount).fill(-1);
  const last = int32s(nodeCount).fill(-1);
  let room = nodeCount;
  let steps = 4 * nodeCount;
  let hasUnions = false;
  const aboves: number[] = [];
  for (let next = 0; next < order.length; next++) {
    const node = order[next] as number;
    if (reachable[node] === 0) continue;
    /** An array that is emptied would give its memory back, so that only their number is. */
    let count = 0;
    for (let at = graph.inStart[node] as number; at < (graph.inStart[node + 1] as number); at++) {
      const edge = graph.inEdges[at] as number;
      const source = graph.source[edge] as number;
      if (source < 0 || reachable[source] === 0) continue;
      aboves[count++] = addsSource(context, edge) ? nodeCount + source : source;
    }
    let parent = count === 0 ? tree.root : (aboves[0] as number);
    if (columns.isAnd[node] === 0)
      for (let at = 1; at < count && parent !== tree.root; at++) parent = tree.meet(parent, aboves[at] as number);
    else if (count > 1) {
      hasUnions = true;
      for (let at = 0; at < count; at++) {
        const above = aboves[at] as number;
        if (tree.depth(above) > tree.depth(parent)) parent = above;
      }
      const longest = parent;
      for (let at = 0; at < count; at++) {
        const above = aboves[at] as number;
        if (above !== longest) parent = repeat(above, parent);
      }
    }
    tree.add(node, parent);
    tree.add(nodeCount + node, node);
  }
  return {
    hasUnions,
    isAbove: (node, other) => tree.isAbove(node, other),
    isCommitAbove(source, node) {
      if (tree.isAbove(nodeCount + source, node)) return true;
      for (let at = last[source] as number; at !== -1; at = before[at] as number)
        if (tree.isAbove(commits + at, node)) return true;
      return false;
    },
  };

  /** Adds the commits above one vertex, and not above the parent, below the parent; returns the new parent. */
  function repeat(above: number, parent: number): number {
    const end = tree.meet(above, parent);
    let lowest = parent;
    for (let at = above; at !== end && room > 0 && steps > 0; at = tree.parent(at)) {
      steps--;
      if (at < nodeCount) continue;
      const source = at < commits ? at - nodeCount : (repeated[at - commits] as number);
      const copy = --room;
      repeated[copy] = source;
      before[copy] = last[source] as number;
      last[source] = copy;
      tree.add(commits + copy, lowest);
      lowest = commits + copy;
    }
    return lowest;
  }
}

/** For each node the nearest error node that dominates it, itself included; -1 where there is none. */
export function nearestErrorNodes(context: VerificationContext): Int32Array {
  const { graph, reachable } = context;
  const tree = new PathTree(graph.nodeCount);
  const nearest = int32s(graph.nodeCount).fill(-1);
  for (const node of context.order) {
    if (reachable[node] === 0) continue;
    let parent = -1;
    for (const edge of liveEdges(context, node)) {
      const source = graph.source[edge] as number;
      parent = parent === -1 ? source : tree.meet(parent, source);
    }
    tree.add(node, parent === -1 ? tree.root : parent);
    const isError = context.node(node).type === 'error';
    nearest[node] = isError ? node : parent === -1 || parent === tree.root ? -1 : (nearest[parent] as number);
  }
  return nearest;
}
