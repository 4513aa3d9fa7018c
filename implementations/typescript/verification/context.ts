import type { Edge, Node, Registry, Workflow } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { compileExpression, type Expression } from '../execution/expression.js';
import { buildGraph, type Graph } from '../workflow/graph.js';
import { type Columns, readColumns } from './columns.js';
import { type Companions, companionsOf } from './companions.js';
import { findImpossible, type Impossible } from './demands.js';
import { checkCondition, type ExpressionCheck } from './expression-type.js';
import { type VerifiedInput, wholeInput } from './input.js';
import { findAmbiguous, findCounted, findJudged, findRepeats, findUnreached, type Unreached } from './judged.js';
import { hasWrongLabel } from './labels.js';
import { findLooseEnds, type LooseEnds, NO_LOOSE_ENDS } from './loose-ends.js';
import { type ActionReferences, followActions } from './references.js';
import { labelText } from './rule.js';
import { findSkills, type Skills } from './skills.js';
import { findStarts, type Starts, withDanglingTargets } from './starts.js';
import { type Components, findComponents, findReachable, orderNodes } from './structure.js';
import { PathTypes } from './values/path-types.js';
import { PlainConditions } from './values/plain-conditions.js';

/** What all rules share: the graph of a workflow, and what was found out about it once. */
export interface VerificationContext {
  readonly input: VerifiedInput;
  /** What else there is; a list that is absent is not known. */
  readonly registry: Registry | undefined;
  readonly graph: Graph<Node, Edge>;
  /** What rules ask of every node and edge, as numbers. */
  readonly columns: Columns;
  readonly components: Components;
  /** The nodes so that every edge leads to a later one; only where there is no cycle. */
  readonly order: Int32Array;
  readonly starts: Starts;
  /** Nodes that a path from a start leads to; where an edge with a missing source ends counts as a start. */
  readonly reachable: Uint8Array;
  /** Absent where there are none. */
  readonly unreached: Unreached | undefined;
  /** What edges with an end that does not exist may have been meant for. */
  readonly looseEnds: LooseEnds;
  /** Nodes that {@link isJudged} says yes to, and edges that {@link isCounted} does. */
  readonly judged: Uint8Array;
  readonly counted: Uint8Array;
  /** The earlier edge of each one that has the same ends and label as another. */
  readonly repeats: ReadonlyMap<number, number>;
  /** The nodes that share their node_id with another. */
  readonly ambiguous: ReadonlySet<number>;
  /** Whether a workflow that is verified together with this one has its name and version. */
  readonly isTaken: boolean;
  /** What the documents that are verified together say of each other. */
  readonly companions: Companions;
  /** What the references to actions lead to. */
  readonly actions: ActionReferences;
  /** What references to workflows lead to. */
  readonly skills: Skills;
  /** Ids of actions that a registry at hand would define: they are suggested, and nothing is judged by them. */
  readonly offered: readonly string[];
  /** What never runs because of an AND join; only where there is no cycle. */
  readonly impossible: Impossible;
  /** What plain paths lead to. */
  readonly pathTypes: PathTypes;
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
  /** Less than 0 where the one edge comes before the other in that order, else more. */
  compareEdges(one: number, other: number): number;
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
  /** The documents that are verified together, this one among them. */
  readonly companions?: Companions;
  /** Whether one of them, given earlier, has its name and version. */
  readonly isTaken?: boolean;
  /** Ids of actions that a registry at hand would define. */
  readonly offered?: readonly string[];
  /** The contexts of skills that there are already. */
  readonly contexts?: Map<Workflow, VerificationContext>;
}

const BOOLEAN: ExpressionCheck = { type: 'boolean' };

/** Returns the context of all rules for one document. */
export function createContext(input: VerifiedInput, surroundings: Surroundings): VerificationContext {
  return new Context(input, surroundings);
}

/** A class, since objects of a class have one shape, whatever the document; every rule asks the context all the time. */
class Context implements VerificationContext {
  readonly input: VerifiedInput;
  readonly registry: Registry | undefined;
  readonly graph: Graph<Node, Edge>;
  readonly columns: Columns;
  readonly components: Components;
  readonly starts: Starts;
  readonly reachable: Uint8Array;
  readonly unreached: Unreached | undefined;
  readonly looseEnds: LooseEnds;
  readonly judged: Uint8Array;
  readonly counted: Uint8Array;
  readonly repeats: ReadonlyMap<number, number>;
  readonly ambiguous: ReadonlySet<number>;
  readonly isTaken: boolean;
  readonly companions: Companions;
  readonly offered: readonly string[];
  readonly #contexts: Map<Workflow, VerificationContext>;
  readonly #conditions = new Map<string, ExpressionCheck>();
  readonly #expressions = new Map<string, Expression | ArsError>();
  #actions: ActionReferences | undefined;
  #skills: Skills | undefined;
  #pathTypes: PathTypes | undefined;
  #plainConditions: PlainConditions | undefined;
  #order: Int32Array | undefined;
  #impossible: Impossible | undefined;
  /** null where it was not asked for yet. */
  #orderDoubt: string | undefined | null = null;

  constructor(
    input: VerifiedInput,
    { registry, companions = companionsOf([]), isTaken = false, offered = [], contexts = new Map() }: Surroundings,
  ) {
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
    this.input = input;
    this.registry = registry;
    this.graph = graph;
    this.columns = columns;
    this.components = components;
    this.starts = starts;
    this.reachable = reachable;
    this.unreached = findUnreached(graph, reachable);
    this.looseEnds = looseEnds;
    this.repeats = findRepeats(graph, columns);
    this.ambiguous = findAmbiguous(graph);
    this.judged = findJudged(reachable, input.unclearNodes, this.ambiguous);
    this.counted = findCounted(graph, reachable, this.repeats, input.unclearEdges);
    this.isTaken = isTaken;
    this.companions = companions;
    this.offered = offered;
    this.#contexts = contexts;
  }

  get order(): Int32Array {
    this.#order ??= orderNodes(this.components);
    return this.#order;
  }

  get impossible(): Impossible {
    this.#impossible ??= findImpossible(this);
    return this.#impossible;
  }

  get actions(): ActionReferences {
    this.#actions ??= followActions(this, this.registry);
    return this.#actions;
  }

  get skills(): Skills {
    this.#skills ??= findSkills(this.input.workflow, this.registry, this.companions.workflows);
    return this.#skills;
  }

  get pathTypes(): PathTypes {
    this.#pathTypes ??= new PathTypes(this);
    return this.#pathTypes;
  }

  get plainConditions(): PlainConditions {
    this.#plainConditions ??= new PlainConditions(this);
    return this.#plainConditions;
  }

  get orderDoubt(): string | undefined {
    if (this.#orderDoubt === null) this.#orderDoubt = doubtOf(this);
    return this.#orderDoubt;
  }

  isJudged(node: number): boolean {
    return this.judged[node] === 1;
  }

  isCounted(edge: number): boolean {
    return this.counted[edge] === 1;
  }

  node(index: number): Node {
    return this.graph.nodes[index] as Node;
  }

  edge(index: number): Edge {
    return this.graph.edges[index] as Edge;
  }

  out(node: number): Int32Array {
    const { outEdges, outStart } = this.graph;
    return outEdges.subarray(outStart[node], outStart[node + 1]);
  }

  in(node: number): Int32Array {
    const { inEdges, inStart } = this.graph;
    return inEdges.subarray(inStart[node], inStart[node + 1]);
  }

  ordered(edges: Iterable<number>): number[] {
    const list = [...edges];
    return list.length < 2 ? list : list.sort((one, other) => this.compareEdges(one, other));
  }

  compareEdges(one: number, other: number): number {
    const { edges } = this.graph;
    return compareEdges(edges[one] as Edge, edges[other] as Edge) || one - other;
  }

  nodePointer(node: number): string {
    return `/nodes/${this.input.nodePlaces?.[node] ?? node}`;
  }

  edgePointer(edge: number): string {
    return `/edges/${this.input.edgePlaces?.[edge] ?? edge}`;
  }

  conditionOf(node: number): ExpressionCheck {
    const subject = this.node(node);
    if (subject.type !== 'condition') return { type: 'other' };
    if (this.input.unclearNodes.has(node)) return { type: 'unknown' };
    if (this.plainConditions.isBoolean(node)) return BOOLEAN;
    const known = this.#conditions.get(subject.expression);
    if (known !== undefined) return known;
    const checked = checkCondition(this, node, subject.expression);
    this.#conditions.set(subject.expression, checked);
    return checked;
  }

  contextOf(skill: Workflow): VerificationContext {
    if (skill === this.input.workflow) return this;
    const known = this.#contexts.get(skill);
    if (known !== undefined) return known;
    const around = { companions: this.companions, contexts: this.#contexts };
    const created = createContext(wholeInput(skill), {
      ...around,
      ...(this.registry === undefined ? {} : { registry: this.registry }),
    });
    this.#contexts.set(skill, created);
    return created;
  }

  expressionOf(source: string): Expression | ArsError {
    const known = this.#expressions.get(source);
    if (known !== undefined) return known;
    const compiled = compileOrExplain(source);
    this.#expressions.set(source, compiled);
    return compiled;
  }
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
    return 'nodes or edges are missing or ill-formed';
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

function compareEdges(a: Edge, b: Edge): number {
  return (
    compareText(a.from_node, b.from_node) ||
    compareText(a.to_node, b.to_node) ||
    compareText(labelText(a.label), labelText(b.label))
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
