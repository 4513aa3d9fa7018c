import type { ASTNode } from '@marcbachmann/cel-js';
import { ArsError } from '../error.js';

/** What an expression reads, found by one walk over its syntax tree. */
export interface ExpressionReads {
  /** Every path read, outermost first: `nodes["a"].outputs.x` gives ['nodes', 'a', 'outputs', 'x']. */
  readonly references: readonly (readonly string[])[];
  /** The paths that a `has()` asks for, so that their absence is not an error. */
  readonly guarded: readonly (readonly string[])[];
  /** The path that the expression is, where it is nothing but a path. */
  readonly whole?: readonly string[];
}

const FUNCTIONS = new Set([
  'size',
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);
const METHODS = new Set(['size', 'contains', 'startsWith', 'endsWith']);
const TIME_METHODS = new Set([
  'getFullYear',
  'getMonth',
  'getDate',
  'getDayOfMonth',
  'getDayOfWeek',
  'getDayOfYear',
  'getHours',
  'getMinutes',
  'getSeconds',
  'getMilliseconds',
]);
const MACROS = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
const UNSAFE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const TYPES = new Set(['bool', 'bytes', 'double', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint']);
const MACRO_NESTING = 2;

/** The variables that an expression may name. */
export const EXPRESSION_VARIABLES = ['inputs', 'context', 'nodes', 'result', 'exit_code', 'error'] as const;
/** The variables that the condition of a policy may name. */
export const POLICY_VARIABLES = ['agent', 'workflow', 'inputs', 'context', 'safety_level'] as const;
const MAX_INT = 9223372036854775807n;

interface Visit {
  readonly node: ASTNode;
  readonly macros: number;
  readonly bound: readonly string[];
}

/**
 * Returns the paths that a syntax tree reads.
 *
 * Throws `expression_invalid` for what ARS leaves out of CEL: functions beyond the standard ones, `matches`, the forms
 * of time functions that take a time zone, more than two nested macros, and map literals with unsafe or repeated keys.
 */
export function readSyntax(root: ASTNode, variables: readonly string[] = EXPRESSION_VARIABLES): ExpressionReads {
  const names = new Set(variables);
  const references: string[][] = [];
  const guarded: string[][] = [];
  const stack: Visit[] = [{ node: root, macros: 0, bound: [] }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { node, macros, bound } = visit;
    const path = pathOf(node);
    if (path !== undefined) {
      if (isVariable(path.keys, names, bound, node)) references.push(path.keys);
      for (const index of path.indices) stack.push({ node: index, macros, bound });
      continue;
    }
    const asked = askedFor(node);
    if (asked !== undefined) {
      if (isVariable(asked.keys, names, bound, node)) {
        guarded.push(asked.keys);
        references.push(asked.keys);
      }
      for (const index of asked.indices) stack.push({ node: index, macros, bound });
      continue;
    }
    pushChildren(visit, stack);
  }
  const whole = pathOf(root);
  const reads = { references: references.reverse(), guarded: guarded.reverse() };
  return whole === undefined || whole.indices.length > 0 ? reads : { ...reads, whole: whole.keys };
}

/** The node's static path, and what else has to be visited below it; undefined where it is not rooted in a variable. */
function pathOf(node: ASTNode): { keys: string[]; indices: ASTNode[] } | undefined {
  let keys: string[] = [];
  const indices: ASTNode[] = [];
  let at = node;
  for (;;) {
    if (at.op === 'id') {
      keys.push(at.args as string);
      return { keys: keys.reverse(), indices };
    }
    if (at.op === '.') {
      const [inner, key] = at.args as [ASTNode, string];
      keys.push(key);
      at = inner;
    } else if (at.op === '[]') {
      const [inner, index] = at.args as [ASTNode, ASTNode];
      const literal = index.op === 'value' ? index.args : undefined;
      if (typeof literal === 'string') keys.push(literal);
      else if (typeof literal === 'bigint') keys.push(String(literal));
      else {
        keys = [];
        indices.push(index);
      }
      at = inner;
    } else return undefined;
  }
}

/** Whether a path starts in a variable of ARS, and not in one of a macro or in the name of a type. */
function isVariable(
  path: readonly string[],
  variables: ReadonlySet<string>,
  bound: readonly string[],
  node: ASTNode,
): boolean {
  const root = path[0] ?? '';
  if (bound.includes(root)) return false;
  if (variables.has(root)) return true;
  if (TYPES.has(root) && path.length === 1) return false;
  throw refused(node, `There is no variable '${root}'; there are ${[...variables].join(', ')}`);
}

function askedFor(node: ASTNode): ReturnType<typeof pathOf> {
  if (node.op !== 'call') return undefined;
  const [name, args] = node.args as [string, ASTNode[]];
  const [argument] = args;
  return name === 'has' && argument !== undefined ? pathOf(argument) : undefined;
}

function pushChildren({ node, macros, bound }: Visit, stack: Visit[]): void {
  const push = (child: ASTNode): void => {
    stack.push({ node: child, macros, bound });
  };
  switch (node.op) {
    case 'value':
      if (typeof node.args === 'bigint' && node.args > MAX_INT) throw refused(node, 'The integer is beyond 64 bits');
      return;
    case '.':
      push((node.args as [ASTNode, string])[0]);
      return;
    case '!_':
    case '-_':
      if (literalOf(node) === undefined) push(node.args as ASTNode);
      return;
    case 'map':
      pushEntries(node, push);
      return;
    case 'call': {
      const [name, args] = node.args as [string, ASTNode[]];
      if (name !== 'has' && !FUNCTIONS.has(name)) throw refused(node, `There is no function '${name}'`);
      for (const argument of args) push(argument);
      return;
    }
    case 'rcall': {
      const [name, receiver, args] = node.args as [string, ASTNode, ASTNode[]];
      push(receiver);
      if (!MACROS.has(name)) {
        checkMethod(node, name, args);
        for (const argument of args) push(argument);
        return;
      }
      if (macros === MACRO_NESTING) throw refused(node, `'${name}' is the third macro inside another; two are allowed`);
      const variable = args[0]?.op === 'id' ? (args[0].args as string) : '';
      const inner = { macros: macros + 1, bound: [...bound, variable] };
      for (const step of args.slice(1)) stack.push({ node: step, ...inner });
      return;
    }
    default:
      for (const child of node.args as ASTNode[]) push(child);
  }
}

function checkMethod(node: ASTNode, name: string, args: readonly ASTNode[]): void {
  if (METHODS.has(name)) return;
  if (name === 'matches')
    throw refused(node, "'matches' is left out, since its cost has no bound; use contains, startsWith or endsWith");
  if (!TIME_METHODS.has(name)) throw refused(node, `There is no function '${name}'`);
  if (args.length > 0) throw refused(node, `'${name}' takes no time zone: times are UTC`);
}

/** The whole number that a sign and digits are together, as CEL reads them; undefined for anything else. */
function literalOf({ op, args }: ASTNode): bigint | undefined {
  if (op !== '-_') return undefined;
  const digits = args as ASTNode;
  const isWhole = digits.op === 'value' && typeof digits.args === 'bigint';
  return isWhole && digits.args <= MAX_INT + 1n ? -digits.args : undefined;
}

function pushEntries(node: ASTNode, push: (child: ASTNode) => void): void {
  const seen = new Set<unknown>();
  for (const [key, value] of node.args as [ASTNode, ASTNode][]) {
    const literal = key.op === 'value' ? key.args : literalOf(key);
    if (literal === undefined) throw refused(key, 'A key of a map literal is a literal');
    if (UNSAFE_KEYS.has(String(literal))) throw refused(key, `A map literal has no key '${String(literal)}'`);
    if (seen.has(literal)) throw refused(key, `The key '${String(literal)}' appears twice`);
    seen.add(literal);
    push(value);
  }
}

function refused(node: ASTNode, message: string): ArsError {
  return new ArsError('expression_invalid', message, { details: { offset: node.start, message } });
}
