import type { Edge, Node, Registry, Workflow } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { compileExpression, type Expression } from '../execution/expression.js';
import { buildGraph, type Graph } from '../workflow/graph.js';
import { type Columns, readColumns } from './columns.js';
import { checkCondition, type ExpressionCheck } from './expression-type.js';
import { type VerifiedInput, wholeInput } from './input.js';
import { hasWrongLabel } from './labels.js';
import { findLooseEnds, type LooseEnds, NO_LOOSE_ENDS } from './loose-ends.js';
import { type ActionReferences, followActions } from './references.js';
import { findSkills, type Skills } from './skills.js';
import { type Components, findComponents, findReachable } from './structure.js';
import { PlainConditions } from './values/plain-conditions.js';

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

/** What all rules share: the graph of a workflow, and what was found out about it once. */
export interface VerificationContext {
  readonly input: VerifiedInput;
  /** What else there is; a list that is absent is not known. */
  readonly registry: Registry | undefined;
  readonly graph: Graph<Node, Edge>;
  /** What rules ask of every node and edge, as numbers. */
  readonly columns: Columns;
  readonly components: Components;
  readonly starts: Starts;
  /** Nodes that a path from a start leads to; where an edge with a missing source ends counts as a start. */
  readonly reachable: Uint8Array;
  /** The nodes that none leads to: how many, and the smallest node_id; absent where there are none. */
  readonly unreached?: { readonly count: number; readonly first: string };
  /** What edges with an end that does not exist may have been meant for. */
  readonly looseEnds: LooseEnds;
  /** Nodes that {@link isJudged} says yes to, and edges that {@link isCounted} does. */
  readonly judged: Uint8Array;
  readonly counted: Uint8Array;
  /** For each edge the earlier edge with the same ends and label, or -1. */
  readonly repeats: Int32Array;
  /** The nodes that share their node_id with another. */
  readonly ambiguous: ReadonlySet<number>;
  /** Whether a workflow that is verified together with this one has its name and version. */
  readonly isTaken: boolean;
  /** What the references to actions lead to. */
  readonly actions: ActionReferences;
  /** What references to workflows lead to. */
  readonly skills: Skills;
  /** What is known of conditions without compiling them. */
  readonly plainConditions: PlainConditions;
  /** Why nothing can be said of what comes before what; undefined where the edges make it clear. */
  readonly orderDoubt: string | undefined;
  /** Whether the rules judge a node: it is reachable, well-formed, and the first of its name. */
  isJudged(node: number): boolean;
  /** Whether an edge counts for the rules on labels and joins: well-formed, not a repeat, from a reachable source. */
  isCounted(edge: number): boolean;
  node(index: number): Node;
  edge(index: number): Edge;
  out(node: number): Int32Array;
  in(node: number): Int32Array;
  /** Edges ordered by the names of their ends and their label, so that no finding depends on the order of the document. */
  ordered(edges: Iterable<number>): number[];
  nodePointer(node: number): string;
  edgePointer(edge: number): string;
  /** What is known of the expression of a condition; of equal texts found out once. */
  conditionOf(node: number): ExpressionCheck;
  /** The context of a workflow that this one uses as a skill. */
  contextOf(skill: Workflow): VerificationContext;
  /** The expression of a text, or what keeps it from being one; compiled once. */
  expressionOf(source: string): Expression | ArsError;
}

/** What else is known while a document is verified. */
export interface Surroundings {
  readonly registry?: Registry;
  /** Workflows that are verified together with the document. */
  readonly companions?: readonly Workflow[];
  /** Whether one of them, given earlier, has its name and version. */
  readonly isTaken?: boolean;
  /** The contexts of skills that there are already. */
  readonly contexts?: Map<Workflow, VerificationContext>;
}

const BOOLEAN: ExpressionCheck = { type: 'boolean' };

/** Returns the context of all rules for one document. */
export function createContext(
  input: VerifiedInput,
  { registry, companions = [], isTaken = false, contexts = new Map() }: Surroundings,
): VerificationContext {
  const workflow = input.start === undefined ? {} : { start: input.start };
  const graph = buildGraph<Node, Edge>({ workflow, nodes: input.nodes, edges: input.edges });
  const components = findComponents(graph);
  const columns = readColumns(graph);
  let starts = findStarts(graph, components, input.start !== undefined);
  let reachable = findReachable(graph, withDanglingTargets(graph, starts.nodes));
  const looseEnds = input.nodesMissing ? NO_LOOSE_ENDS : findLooseEnds(graph, columns, input.unclearEdges, reachable);
  const [only] = starts.nodes;
  if (looseEnds.toNothing && starts.nodes.length === 1 && starts.sources.some(source => source !== only)) {
    starts = { ...starts, nodes: [...new Set([...starts.nodes, ...starts.sources])], widened: true };
    reachable = findReachable(graph, withDanglingTargets(graph, starts.nodes));
  }
  const repeats = findRepeats(graph, columns);
  const conditions = new Map<string, ExpressionCheck>();
  const ambiguous = findAmbiguous(graph);
  const judged = findJudged(reachable, input.unclearNodes, ambiguous);
  const counted = findCounted(graph, reachable, repeats, input.unclearEdges);
  const expressions = new Map<string, Expression | ArsError>();
  let actions: ActionReferences | undefined;
  let skills: Skills | undefined;
  let plain: PlainConditions | undefined;
  let doubt: string | undefined | null = null;
  const unreached = findUnreached(graph, reachable);
  const context: VerificationContext = {
    ...(unreached === undefined ? {} : { unreached }),
    input,
    registry,
    graph,
    columns,
    components,
    starts,
    reachable,
    looseEnds,
    judged,
    counted,
    repeats,
    ambiguous,
    isTaken,
    get actions() {
      actions ??= followActions(context, registry);
      return actions;
    },
    get skills() {
      skills ??= findSkills(input.workflow, registry, companions);
      return skills;
    },
    get plainConditions() {
      plain ??= new PlainConditions(context);
      return plain;
    },
    get orderDoubt() {
      if (doubt === null) doubt = doubtOf(context);
      return doubt;
    },
    isJudged: node => judged[node] === 1,
    isCounted: edge => counted[edge] === 1,
    node: index => graph.nodes[index] as Node,
    edge: index => graph.edges[index] as Edge,
    out: node => graph.outEdges.subarray(graph.outStart[node], graph.outStart[node + 1]),
    in: node => graph.inEdges.subarray(graph.inStart[node], graph.inStart[node + 1]),
    ordered: edges => orderEdges(graph, edges),
    nodePointer: node => `/nodes/${input.nodePlaces?.[node] ?? node}`,
    edgePointer: edge => `/edges/${input.edgePlaces?.[edge] ?? edge}`,
    conditionOf(node) {
      const subject = graph.nodes[node] as Node;
      if (subject.type !== 'condition') return { type: 'other' };
      if (input.unclearNodes.has(node)) return { type: 'unknown' };
      if (context.plainConditions.isBoolean(node)) return BOOLEAN;
      const known = conditions.get(subject.expression);
      if (known !== undefined) return known;
      const checked = checkCondition(context, node, subject.expression);
      conditions.set(subject.expression, checked);
      return checked;
    },
    contextOf(skill) {
      if (skill === input.workflow) return context;
      const known = contexts.get(skill);
      if (known !== undefined) return known;
      const around = { companions, contexts, ...(registry === undefined ? {} : { registry }) };
      const created = createContext(wholeInput(skill), around);
      contexts.set(skill, created);
      return created;
    },
    expressionOf(source) {
      const known = expressions.get(source);
      if (known !== undefined) return known;
      const compiled = compileOrExplain(source);
      expressions.set(source, compiled);
      return compiled;
    },
  };
  return context;
}

/** Returns how many in-edges of a node count. */
export function countedInEdges({ graph, counted }: VerificationContext, node: number): number {
  let edges = 0;
  for (let at = graph.inStart[node] as number; at < (graph.inStart[node + 1] as number); at++)
    edges += counted[graph.inEdges[at] as number] as number;
  return edges;
}

function compileOrExplain(source: string): Expression | ArsError {
  try {
    return compileExpression(source);
  } catch (error) {
    if (error instanceof ArsError) return error;
    throw error;
  }
}

function doubtOf(context: VerificationContext): string | undefined {
  const { input, graph, components, starts, ambiguous } = context;
  if (!components.acyclic) return 'there is a cycle (S1)';
  if (input.nodesMissing || input.edgesMissing || input.unclearEdges.size > 0)
    return 'some nodes or edges are ill-formed';
  if (ambiguous.size > 0) return 'nodes share a node_id (S5)';
  let isMislabelled = false;
  for (let edge = 0; edge < graph.edgeCount; edge++) {
    if ((graph.source[edge] as number) < 0 || (graph.target[edge] as number) < 0)
      return 'ends of edges do not exist (S5)';
    isMislabelled ||= hasWrongLabel(context, edge);
  }
  if (starts.nodes.length !== 1) return 'there is not one start (S4)';
  return isMislabelled ? 'an edge has a label that its node does not give (S5)' : undefined;
}

function findStarts(graph: Graph, components: Components, isNamed: boolean): Starts {
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
  const entered = new Uint8Array(components.count);
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

function* withDanglingTargets(graph: Graph, starts: readonly number[]): Generator<number> {
  yield* starts;
  for (let edge = 0; edge < graph.edgeCount; edge++) {
    if ((graph.source[edge] as number) < 0 && (graph.target[edge] as number) >= 0) yield graph.target[edge] as number;
  }
}

function findRepeats(graph: Graph<Node, Edge>, { label }: Columns): Int32Array {
  const repeats = new Int32Array(graph.edgeCount).fill(-1);
  const seenFrom = new Int32Array(graph.nodeCount).fill(-1);
  for (let node = 0; node < graph.nodeCount; node++) {
    const from = graph.outStart[node] as number;
    const to = graph.outStart[node + 1] as number;
    if (to - from < 2) continue;
    let again = 0;
    for (let at = from; at < to; at++) {
      const target = graph.target[graph.outEdges[at] as number] as number;
      if (target < 0 || seenFrom[target] === node) again++;
      else seenFrom[target] = node;
    }
    if (again > 0) noteRepeats(graph, label, node, repeats);
  }
  return repeats;
}

/** Notes the repeats among the out-edges of a node of which some lead to one and the same target. */
function noteRepeats(graph: Graph<Node, Edge>, label: Int32Array, node: number, repeats: Int32Array): void {
  const first = new Map<string, number>();
  for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++) {
    const edge = graph.outEdges[at] as number;
    const key = `${label[edge]} ${(graph.edges[edge] as Edge).to_node}`;
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, edge);
    else repeats[edge] = earlier;
  }
}

function findAmbiguous(graph: Graph<Node, Edge>): Set<number> {
  const ambiguous = new Set<number>();
  if (graph.nameCount === graph.nodeCount) return ambiguous;
  for (let node = 0; node < graph.nodeCount; node++) {
    const first = graph.indexOf((graph.nodes[node] as Node).node_id);
    if (first !== node) ambiguous.add(first).add(node);
  }
  return ambiguous;
}

function findUnreached(graph: Graph<Node, Edge>, reachable: Uint8Array): VerificationContext['unreached'] {
  let count = 0;
  let first: string | undefined;
  for (let node = 0; node < reachable.length; node++) {
    if (reachable[node] === 1) continue;
    count += 1;
    const { node_id } = graph.nodes[node] as Node;
    if (first === undefined || node_id < first) first = node_id;
  }
  return first === undefined ? undefined : { count, first };
}

function findJudged(reachable: Uint8Array, unclear: ReadonlySet<number>, ambiguous: ReadonlySet<number>): Uint8Array {
  const judged = reachable.slice();
  for (const node of unclear) judged[node] = 0;
  for (const node of ambiguous) judged[node] = 0;
  return judged;
}

function findCounted(
  graph: Graph,
  reachable: Uint8Array,
  repeats: Int32Array,
  unclear: ReadonlySet<number>,
): Uint8Array {
  const counted = new Uint8Array(graph.edgeCount);
  for (let edge = 0; edge < graph.edgeCount; edge++) {
    const source = graph.source[edge] as number;
    if (repeats[edge] === -1 && (source < 0 || reachable[source] === 1)) counted[edge] = 1;
  }
  for (const edge of unclear) counted[edge] = 0;
  return counted;
}

function orderEdges(graph: Graph<Node, Edge>, edges: Iterable<number>): number[] {
  const list = [...edges];
  return list.length < 2
    ? list
    : list.sort((a, b) => compareEdges(graph.edges[a] as Edge, graph.edges[b] as Edge) || a - b);
}

function compareEdges(a: Edge, b: Edge): number {
  return (
    compareText(a.from_node, b.from_node) ||
    compareText(a.to_node, b.to_node) ||
    compareText(`${a.label}`, `${b.label}`)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
