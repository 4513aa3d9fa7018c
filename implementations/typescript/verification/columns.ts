import type { ActionNode, Edge, Node } from '../../../schemas/types.js';
import type { Graph } from '../workflow/graph.js';
import { int32s, uint8s, uint16s } from '../workflow/number-arrays.js';

/** The types of nodes as numbers; OTHER is a node whose type is ill-formed. */
export const OTHER = 0;
export const ACTION = 1;
export const CONDITION = 2;
export const SKILL = 3;
export const ERROR = 4;
/** An error node with handling fail. */
export const FAIL = 5;
export const TERMINAL = 6;

/** The labels that have a meaning of their own as numbers; others follow in the order in which they are met. */
export const SUCCESS = 0;
export const FAILURE = 1;
export const ALWAYS = 2;
export const TRUE = 3;
export const FALSE = 4;
export const DEFAULT = 5;
const LABELS: readonly string[] = ['success', 'failure', 'always', 'true', 'false', 'default'];

/**
 * What rules ask of every node and edge, read from the document once. Arrays of numbers are gone through much faster, and code
 * that asks nothing of the objects of a document stays compiled once they are gone, whatever form they had.
 */
export interface Columns {
  /** The type of each node. */
  readonly type: Uint8Array;
  /** Whether each node has join_type AND. */
  readonly isAnd: Uint8Array;
  /** Whether each node has join_type OR. */
  readonly isOr: Uint8Array;
  /** The max_retries of the retry_policy of each action node. */
  readonly retries: Uint16Array;
  /** Whether each node has fan_out parallel. */
  readonly fansOut: Uint8Array;
  /** Whether each node is a terminal at which an instance completes. */
  readonly completes: Uint8Array;
  /** Whether each node has an output_mapping. */
  readonly mapsOutputs: Uint8Array;
  /** The input_mapping of each node. */
  readonly inputMappings: readonly unknown[];
  /** The number of what each node refers to as its action, -1 where it refers to none. */
  readonly reference: Int32Array;
  /** The numbers of these references, by their text; in their order. */
  readonly references: ReadonlyMap<string, number>;
  /** The label of each edge; equal numbers are equal labels. */
  readonly label: Int32Array;
  /** How many numbers there are for labels. */
  readonly labelCount: number;
}

/** Returns the columns of a graph. */
export function readColumns(graph: Graph<Node, Edge>): Columns {
  const type = uint8s(graph.nodeCount);
  const isAnd = uint8s(graph.nodeCount);
  const isOr = uint8s(graph.nodeCount);
  const fansOut = uint8s(graph.nodeCount);
  const retries = uint16s(graph.nodeCount);
  const completes = uint8s(graph.nodeCount);
  const mapsOutputs = uint8s(graph.nodeCount);
  const inputMappings = new Array<unknown>(graph.nodeCount);
  const reference = int32s(graph.nodeCount).fill(-1);
  const references = new Map<string, number>();
  for (let at = 0; at < graph.nodeCount; at++) {
    const node = graph.nodes[at] as Node;
    type[at] = typeOf(node);
    const { join_type, fan_out, input_mapping, output_mapping } = node as Partial<ActionNode>;
    if (join_type === 'AND') isAnd[at] = 1;
    else if (join_type === 'OR') isOr[at] = 1;
    if (fan_out === 'parallel') fansOut[at] = 1;
    if (output_mapping !== undefined) mapsOutputs[at] = 1;
    inputMappings[at] = input_mapping;
    if (node.type === 'action') {
      retries[at] = node.retry_policy?.max_retries ?? 0;
      reference[at] = numberOf(node.action_def);
    } else if (node.type === 'error') reference[at] = numberOf(node.compensate_ref);
    else if (node.type === 'terminal' && node.status === 'completed') completes[at] = 1;
  }
  const label = int32s(graph.edgeCount);
  const numbers = new Map<unknown, number>(LABELS.map((text, number) => [text, number]));
  for (let at = 0; at < graph.edgeCount; at++) {
    const text: unknown = (graph.edges[at] as Edge).label;
    let number = text === 'success' ? SUCCESS : text === 'failure' ? FAILURE : numbers.get(text);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(text, number);
    }
    label[at] = number;
  }
  return {
    type,
    isAnd,
    isOr,
    retries,
    fansOut,
    completes,
    mapsOutputs,
    inputMappings,
    reference,
    references,
    label,
    labelCount: numbers.size,
  };

  function numberOf(text: unknown): number {
    if (typeof text !== 'string') return -1;
    const known = references.get(text);
    if (known !== undefined) return known;
    references.set(text, references.size);
    return references.size - 1;
  }
}

function typeOf(node: Node): number {
  switch (node.type) {
    case 'action':
      return ACTION;
    case 'condition':
      return CONDITION;
    case 'skill':
      return SKILL;
    case 'error':
      return node.handling === 'fail' ? FAIL : ERROR;
    case 'terminal':
      return TERMINAL;
    default:
      return OTHER;
  }
}
