import { int32s } from '../workflow/number-arrays.js';
import { FAILURE, SUCCESS } from './columns.js';
import type { VerificationContext } from './context.js';

/** How many executions are tried at once: each has a bit of its own in every number. */
const AT_ONCE = 32;

/** Which of the executions that are tried at once resolve a node with a label, a bit for each. */
export interface Choices {
  /** Those that resolve an action, skill or error node with failure. */
  failuresOf(node: number): number;
  /** Those that choose each label of a condition, and by label its place among them, in lists that the next call fills anew. */
  labelsOf(node: number): { readonly chosenBy: readonly number[]; readonly places: Int32Array };
}

/** Outcomes that plans want, each for some of the executions: lists of one node each, in arrays of numbers. */
export class PlannedOutcomes {
  /** For each node its newest entry plus one, and of each entry the one before in the same way; 0 stands for none. */
  readonly #newest: Int32Array;
  readonly #older: number[] = [];
  readonly #labels: number[] = [];
  readonly #bits: number[] = [];

  constructor(nodeCount: number) {
    this.#newest = int32s(nodeCount);
  }

  /** Adds a label for executions for which there is none of the node yet. */
  add(node: number, label: number, bits: number): void {
    this.#older.push(this.#newest[node] as number);
    this.#labels.push(label);
    this.#newest[node] = this.#bits.push(bits);
  }

  /** Returns the first entry of a node, 0 where there is none. */
  first(node: number): number {
    return this.#newest[node] as number;
  }

  /** Returns the entry of the same node behind another, 0 where there is none. */
  next(entry: number): number {
    return this.#older[entry - 1] as number;
  }

  label(entry: number): number {
    return this.#labels[entry - 1] as number;
  }

  /** The executions for which an entry is, a bit for each. */
  bits(entry: number): number {
    return this.#bits[entry - 1] as number;
  }
}

/** How many labels are put in order by comparing each with those before. */
const FEW = 8;

/** In the first executions every condition chooses the label with the number of the execution, and nothing fails. */
const SYSTEMATIC_BITS = 0b1111;
const ODD_SYSTEMATIC = 0b1010;

/**
 * Returns choices that look random and depend on nothing but the names of nodes and the round; what is planned goes
 * before them. The first executions of the first round choose in turn.
 */
export function chooseOutcomes(context: VerificationContext, round: number, planned?: PlannedOutcomes): Choices {
  const { graph, columns } = context;
  const inTurn = round === 0 ? SYSTEMATIC_BITS : 0;
  const labels: number[] = [];
  const texts: string[] = [];
  const places = new Int32Array(columns.labelCount);
  /** The condition for which a label was met last. */
  const metAt = new Int32Array(columns.labelCount).fill(-1);
  const chosenBy: number[] = [];
  const randomOf = (node: number): number =>
    mix(hashName(graph.names[node] as string) ^ Math.imul(round + 1, 0x9e3779b1));

  function readLabels(node: number): void {
    labels.length = 0;
    for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++) {
      const edge = graph.outEdges[at] as number;
      const label = columns.label[edge] as number;
      if (metAt[label] === node) continue;
      metAt[label] = node;
      texts[label] ??= `${context.edge(edge).label}`;
      labels.push(label);
    }
    putInOrder(labels, texts);
    for (let at = 0; at < labels.length; at++) places[labels[at] as number] = at;
  }

  return {
    failuresOf(node) {
      const random = randomOf(node);
      let failures = random & mix(random) & ~inTurn;
      if (planned === undefined) return failures;
      for (let entry = planned.first(node); entry !== 0; entry = planned.next(entry)) {
        const label = planned.label(entry);
        if (label === FAILURE) failures |= planned.bits(entry);
        else if (label === SUCCESS) failures &= ~planned.bits(entry);
      }
      return failures;
    },
    labelsOf(node) {
      readLabels(node);
      const random = randomOf(node);
      const odd = (random & ~inTurn) | (ODD_SYSTEMATIC & inTurn);
      chosenBy.length = 0;
      for (let at = 0; at < labels.length; at++)
        chosenBy.push(labels.length === 1 ? -1 : at === 0 ? ~odd : at === 1 ? odd : 0);
      if (labels.length > 2) spread(random, inTurn, chosenBy);
      if (planned === undefined) return { chosenBy, places };
      for (let entry = planned.first(node); entry !== 0; entry = planned.next(entry)) {
        const label = planned.label(entry);
        const bits = planned.bits(entry);
        for (let at = 0; at < labels.length; at++) {
          const others = (chosenBy[at] as number) & ~bits;
          chosenBy[at] = labels[at] === label ? others | bits : others;
        }
      }
      return { chosenBy, places };
    },
  };
}

/** Puts labels in the order of their texts. */
function putInOrder(labels: number[], texts: readonly string[]): void {
  if (labels.length > FEW) {
    labels.sort((a, b) => ((texts[a] as string) < (texts[b] as string) ? -1 : 1));
    return;
  }
  for (let next = 1; next < labels.length; next++) {
    const label = labels[next] as number;
    let place = next;
    for (; place > 0 && (texts[labels[place - 1] as number] as string) > (texts[label] as string); place--)
      labels[place] = labels[place - 1] as number;
    labels[place] = label;
  }
}

/** Chooses among more than two labels, in each execution by itself. */
function spread(random: number, inTurn: number, chosenBy: number[]): void {
  chosenBy.fill(0);
  for (let execution = 0; execution < AT_ONCE; execution++) {
    const bit = 1 << execution;
    const number = (inTurn & bit) === 0 ? mix(random ^ Math.imul(execution, 0x9e3779b1)) : execution;
    const at = number % chosenBy.length;
    chosenBy[at] = (chosenBy[at] as number) | bit;
  }
}

function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
