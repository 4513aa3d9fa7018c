import type { ASTNode } from '@marcbachmann/cel-js';

/** How much one evaluation may do: elements visited, characters and values compared. */
export const EVALUATION_BUDGET = 2_000_000;

/** Counts down the work of one evaluation. */
export class EvaluationMeter {
  #left = 0;

  /** Starts an evaluation with a full budget. */
  start(): void {
    this.#left = EVALUATION_BUDGET;
  }

  /** Whether the budget was used up. */
  get exhausted(): boolean {
    return this.#left < 0;
  }

  /** Takes the units off the budget; throws a RangeError once there is none left. */
  charge(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new RangeError('The expression does more work than one evaluation may');
  }

  /** Takes the size of a value off the budget, all the way down. */
  chargeDeep(value: unknown): void {
    const stack = [value];
    while (stack.length > 0) {
      const next = stack.pop();
      this.charge(shallowSize(next));
      if (Array.isArray(next)) for (const item of next) stack.push(item);
      else if (next instanceof Map) for (const item of next.values()) stack.push(item);
    }
  }
}

type Handle = (this: unknown, ...args: unknown[]) => unknown;
/** What the library keeps on a node beyond its published type. */
interface Internals {
  handle?: Handle;
  meta: { alternate?: ASTNode };
  evaluate: (evaluator: unknown, node: unknown, context: unknown) => unknown;
}
interface Comprehension {
  iterable: ASTNode;
  step: ASTNode;
}

const DEEP = new Set<string>(['==', '!=', 'in']);

/**
 * Makes every operation of a checked syntax tree charge the meter before it works.
 *
 * An operator and a function charge the size of what they are given, a comprehension one unit for each step.
 */
export function meterSyntax(root: ASTNode, meter: EvaluationMeter): void {
  const stack: ASTNode[] = [root];
  const seen = new Set<ASTNode>();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    const internals = node as unknown as Internals;
    const expanded = internals.meta.alternate;
    if (expanded !== undefined) {
      stack.push(expanded);
      continue;
    }
    if ((node.op as string) === 'comprehension') {
      const { iterable, step } = node.args as unknown as Comprehension;
      chargeSteps(step as unknown as Internals, meter);
      stack.push(iterable, step);
      continue;
    }
    if (internals.handle !== undefined && node.op !== '.' && node.op !== '[]') {
      internals.handle = charged(orderedByCodePoint(internals.handle, node.op), node.op, meter);
    }
    pushNodes(node.args, stack);
  }
}

function chargeSteps(step: Internals, meter: EvaluationMeter): void {
  let resolved = Object.getPrototypeOf(step).evaluate as Internals['evaluate'];
  const metered: Internals['evaluate'] = (evaluator, node, context) => {
    meter.charge(1);
    return resolved.call(step, evaluator, node, context);
  };
  // On first use the library replaces a node's `evaluate` by the one it has chosen; that one is kept below the meter.
  Object.defineProperty(step, 'evaluate', {
    get: () => metered,
    set: (chosen: Internals['evaluate']) => {
      resolved = chosen;
    },
  });
}

const ORDERS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': order => order < 0,
  '<=': order => order <= 0,
  '>': order => order > 0,
  '>=': order => order >= 0,
};

/** CEL orders strings by their code points; the library by code units, which is another order beyond U+FFFF. */
function orderedByCodePoint(handle: Handle, op: string): Handle {
  const holds = ORDERS[op];
  if (holds === undefined) return handle;
  return function (this: unknown, left, right, ...rest) {
    if (typeof left !== 'string' || typeof right !== 'string') return handle.call(this, left, right, ...rest);
    return holds(compareCodePoints(left, right));
  };
}

/** Below 0 where the first comes first: only where the texts first differ can a surrogate meet what is above it. */
function compareCodePoints(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  if (at === a.length || at === b.length) return a.length - b.length;
  const isSplit = at > 0 && isLowSurrogate(a, at) && isLowSurrogate(b, at);
  const from = isSplit ? at - 1 : at;
  return (a.codePointAt(from) as number) - (b.codePointAt(from) as number);
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

function charged(handle: Handle, op: string, meter: EvaluationMeter): Handle {
  if (op === 'call' || op === 'rcall') {
    return function (this: unknown, args, ...rest) {
      for (const argument of args as unknown[]) meter.charge(typeof argument === 'string' ? shallowSize(argument) : 1);
      return handle.call(this, args, ...rest);
    };
  }
  const charge = DEEP.has(op)
    ? (value: unknown) => meter.chargeDeep(value)
    : (value: unknown) => meter.charge(shallowSize(value));
  return function (this: unknown, left, right, ...rest) {
    charge(left);
    charge(right);
    return handle.call(this, left, right, ...rest);
  };
}

function shallowSize(value: unknown): number {
  if (typeof value === 'string') return 1 + (value.length >> 4);
  if (Array.isArray(value)) return 1 + value.length;
  return value instanceof Map ? 1 + value.size : 1;
}

function pushNodes(args: unknown, stack: ASTNode[]): void {
  const pending: unknown[] = [args];
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) for (const one of next) pending.push(one);
    else if (typeof next === 'object' && next !== null && 'op' in next) stack.push(next as ASTNode);
  }
}
