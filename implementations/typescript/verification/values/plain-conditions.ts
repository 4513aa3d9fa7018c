import type { Action, ConditionNode } from '../../../../schemas/types.js';
import { int32s } from '../../workflow/number-arrays.js';
import { PlainCondition, type PlainOperand } from '../../workflow/plain-condition.js';
import { INPUTS, NODES } from '../../workflow/plain-reference.js';
import type { VerificationContext } from '../context.js';
import type { Certainty } from './certainty.js';
import { BITS, bitsOf, memberSchema, type Types, UNKNOWN } from './json-schema-shape.js';
import { NONE, type PathTypes } from './path-types.js';

/** What a plain condition reads: the number of a node plus one, or one of these; 0 stands for what was not looked at. */
const NOT_PLAIN = -3;
const SEVERAL_NODES = -2;
const NO_NODE = -1;

/** What can be said of conditions of the most common form without compiling their expressions; each is read once. */
export class PlainConditions {
  readonly #context: VerificationContext;
  readonly #types: PathTypes;
  readonly #condition = new PlainCondition();
  readonly #reads: Int32Array;

  constructor(context: VerificationContext) {
    this.#context = context;
    this.#types = context.pathTypes;
    this.#reads = int32s(context.graph.nodeCount);
  }

  /** Whether the condition is plain and fits the types of what it reads, so that it gives a boolean. */
  isBoolean(node: number): boolean {
    return this.#nodeReadBy(node) !== NOT_PLAIN;
  }

  /** Whether, moreover, all that it reads is certainly there. */
  isSound(node: number, certainty: Certainty): boolean {
    const read = this.#nodeReadBy(node);
    if (read !== SEVERAL_NODES) return read === NO_NODE || (read > 0 && certainty.isCertain(read - 1, node));
    return this.#condition.every(
      this.#expressionOf(node),
      path =>
        path.root !== NODES ||
        (this.#types.typesAt(node, path) !== NONE && certainty.isCertain(this.#types.source, node)),
    );
  }

  #nodeReadBy(node: number): number {
    const known = this.#reads[node] as number;
    if (known !== 0) return known;
    let read = NO_NODE;
    const isPlain = this.#condition.every(this.#expressionOf(node), (path, ordered, operand) => {
      if (!fits(this.#types.typesAt(node, path), ordered, operand)) return false;
      if (path.root !== NODES) return true;
      const source = this.#types.source + 1;
      read = read === NO_NODE || read === source ? source : SEVERAL_NODES;
      return true;
    });
    this.#reads[node] = isPlain ? read : NOT_PLAIN;
    return this.#reads[node];
  }

  #expressionOf(node: number): string {
    return (this.#context.node(node) as ConditionNode).expression;
  }
}

/** What can be said in the same way of conditions that definitions of actions have: these read their own inputs. */
export class PlainOwnConditions {
  readonly #condition = new PlainCondition();

  /** Whether the condition is plain, and what it reads may be there and fits, so that nothing is wrong with it. */
  isSound({ input_schema }: Action, source: string): boolean {
    return this.#condition.every(source, ({ root, name }, ordered, operand) => {
      if (root !== INPUTS) return false;
      const member =
        input_schema === undefined ? undefined : memberSchema({ schema: input_schema, root: input_schema }, name);
      return member !== 'none' && fits(member === undefined ? UNKNOWN : bitsOf(member), ordered, operand);
    });
  }
}

const COMPARABLE: Readonly<Record<PlainOperand, Types>> = {
  number: BITS.number,
  string: BITS.string,
  boolean: BITS.boolean,
  null: BITS.null,
};

/** Whether values of one of the types can be compared with the literal; null is equal or not to everything. */
function fits(types: Types, ordered: boolean, operand: PlainOperand): boolean {
  if (types === NONE || types === UNKNOWN) return types === UNKNOWN;
  if (ordered) return (types & COMPARABLE[operand]) !== 0;
  return operand === 'null' || (types & (COMPARABLE[operand] | BITS.null)) !== 0;
}
