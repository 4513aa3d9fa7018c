import type { Action, ConditionNode } from '../../../../schemas/types.js';
import { PlainCondition, type PlainOperand } from '../../workflow/plain-condition.js';
import { INPUTS, NODES } from '../../workflow/plain-reference.js';
import type { VerificationContext } from '../context.js';
import type { Certainty } from './certainty.js';
import { memberSchema } from './json-schema-shape.js';
import { BITS, bitsOf, NONE, PathTypes, type Types, UNKNOWN } from './path-types.js';

/** What can be said of conditions of the most common form without compiling their expressions. */
export class PlainConditions {
  readonly #context: VerificationContext;
  readonly #types: PathTypes;
  readonly #condition = new PlainCondition();

  constructor(context: VerificationContext) {
    this.#context = context;
    this.#types = new PathTypes(context);
  }

  /** Whether the condition is plain and fits the types of what it reads, so that it gives a boolean. */
  isBoolean(node: number): boolean {
    return this.#condition.every(this.#expressionOf(node), (path, ordered, operand) =>
      fits(this.#types.typesAt(node, path), ordered, operand),
    );
  }

  /** Whether, moreover, all that it reads is certainly there. */
  isSound(node: number, certainty: Certainty): boolean {
    return this.#condition.every(
      this.#expressionOf(node),
      (path, ordered, operand) =>
        fits(this.#types.typesAt(node, path), ordered, operand) &&
        (path.root !== NODES || certainty.isCertain(this.#types.source, node)),
    );
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
