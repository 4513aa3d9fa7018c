import { marked } from '../../../../schemas/words.js';
import type { Expression } from '../../execution/expression.js';
import { FUNCTIONS, isBinary, isNumber, type Kind, type Kinds, kindText, methodOf, resultKinds } from './cel-types.js';

type Syntax = Expression['syntax'];

/** A part of an expression: the types that its value can have, and what else is known of it. */
export interface Typed<K> {
  readonly kinds: Kinds;
  readonly known?: K;
}

/** What an expression is about: its variables, and the members and elements of what is known. */
export interface Surroundings<K> {
  /** What a path that begins with a variable leads to. */
  path(keys: readonly string[]): Typed<K>;
  /** A member of a value, `none` where there is none of that name for certain. */
  member(known: K, key: string): Typed<K> | 'none';
  /** What the elements of an array have in common. */
  element(known: K): Typed<K>;
  /** The members that there are, as the rest of a sentence. */
  membersText(known: K): string;
  /** What to do about a member that there is not. */
  helpForMember(known: K, key: string): string;
}

/** What does not fit in an expression. */
export interface Misfit {
  readonly message: string;
  readonly help: string;
}

/** What is known of the value of an expression. */
export interface CheckedTypes {
  readonly kinds: Kinds;
  /** The first part, from the inside, that fails whatever the values are, or compares what is never equal. */
  readonly misfit?: Misfit;
}

const CONVERT = 'Compare values of one type; string() and double() convert.';
const COMPARE = 'Compare the value with another one, for example with == or >.';
const BOOL: ReadonlySet<Kind> = new Set(['bool']);
const MOST_TEXT = 60;

/** Returns the types that an expression can give. What nothing is known of fits everywhere. */
export function checkTypes<K>(syntax: Syntax, surroundings: Surroundings<K>): CheckedTypes {
  const checker = new Checker(surroundings);
  const { kinds } = checker.typeOf(syntax, new Map());
  const [first, ...others] = checker.misfits;
  if (first === undefined) return { kinds };
  const more = others.length === 1 ? ' One more part' : ` ${others.length} more parts`;
  const help =
    others.length === 0
      ? first.help
      : `${first.help}${more} of the expression ${others.length === 1 ? 'does' : 'do'} not fit either.`;
  return { kinds, misfit: { ...first, help } };
}

type Bound<K> = ReadonlyMap<string, Typed<K>>;

/** The depth of its recursion is bounded, since the depth and size of syntax trees are. */
class Checker<K> {
  readonly misfits: Misfit[] = [];
  readonly #around: Surroundings<K>;

  constructor(surroundings: Surroundings<K>) {
    this.#around = surroundings;
  }

  typeOf(node: Syntax, bound: Bound<K>): Typed<K> {
    const path = staticPath(node);
    if (path !== undefined) return this.#typeOfPath(node, path, bound);
    switch (node.op) {
      case 'value':
        return { kinds: kindsOfLiteral(node.args) };
      case '.':
        return this.#member(node, (node.args as [Syntax, string])[0], (node.args as [Syntax, string])[1], bound);
      case '[]':
        return this.#index(node, node.args as [Syntax, Syntax], bound);
      case 'list':
        for (const item of node.args as Syntax[]) this.typeOf(item, bound);
        return { kinds: new Set<Kind>(['list']) };
      case 'map':
        for (const [, value] of node.args as [Syntax, Syntax][]) this.typeOf(value, bound);
        return { kinds: new Set<Kind>(['map']) };
      case '?:':
        return this.#choice(node.args as [Syntax, Syntax, Syntax], bound);
      case '&&':
      case '||':
        for (const operand of node.args as [Syntax, Syntax]) this.#demandBool(operand, node.op, bound);
        return { kinds: BOOL };
      case '!_':
        this.#demandBool(node.args as Syntax, '!', bound);
        return { kinds: BOOL };
      case '-_':
        return this.#negation(node, node.args as Syntax, bound);
      case 'call':
        return this.#call(node, node.args as [string, Syntax[]], bound);
      case 'rcall':
        return this.#method(node, node.args as [string, Syntax, Syntax[]], bound);
      default:
        return isBinary(node.op) ? this.#binary(node, node.args as [Syntax, Syntax], bound) : { kinds: undefined };
    }
  }

  #typeOfPath(node: Syntax, path: readonly string[], bound: Bound<K>): Typed<K> {
    const [root = '', ...keys] = path;
    let typed = bound.get(root);
    if (typed === undefined) return this.#around.path(path);
    for (const key of keys) {
      if (typed.known === undefined) return { kinds: undefined };
      const next: Typed<K> | 'none' = this.#around.member(typed.known, key);
      if (next === 'none') {
        this.#tell(
          `${quoted(node)} leads to nothing: there is no "${key}"${this.#around.membersText(typed.known)}`,
          this.#around.helpForMember(typed.known, key),
        );
        return { kinds: undefined };
      }
      typed = next;
    }
    return typed;
  }

  #member(node: Syntax, of: Syntax, key: string, bound: Bound<K>): Typed<K> {
    const { known } = this.typeOf(of, bound);
    const next = known === undefined ? { kinds: undefined } : this.#around.member(known, key);
    if (next !== 'none') return next;
    this.#tell(
      `${quoted(node)} leads to nothing: there is no "${key}"${this.#around.membersText(known as K)}`,
      this.#around.helpForMember(known as K, key),
    );
    return { kinds: undefined };
  }

  #index(node: Syntax, [of, at]: [Syntax, Syntax], bound: Bound<K>): Typed<K> {
    const value = this.typeOf(of, bound);
    const index = this.typeOf(at, bound);
    const { kinds, known } = value;
    if (kinds === undefined) return { kinds: undefined };
    if (!kinds.has('list') && !kinds.has('map')) {
      const what = `${quoted(of)} is ${kindText(kinds)}, which has no members`;
      this.#tell(`In ${quoted(node)} ${what}`, 'Read a member of an array or an object.');
      return { kinds: undefined };
    }
    const fits =
      index.kinds === undefined ||
      known === undefined ||
      [...index.kinds].some(kind => (isNumber(kind) ? kinds.has('list') : kind === 'string' && kinds.has('map')));
    if (!fits) {
      const what = `${kindText(kinds)} has no member named by ${kindText(index.kinds ?? new Set())}, as ${quoted(at)} is`;
      this.#tell(`In ${quoted(node)} ${what}`, 'An array has numbers as indices, an object strings as names.');
    }
    return known !== undefined && !kinds.has('map') ? this.#around.element(known) : { kinds: undefined };
  }

  #choice([test, one, other]: [Syntax, Syntax, Syntax], bound: Bound<K>): Typed<K> {
    this.#demandBool(test, '?', bound);
    const first = this.typeOf(one, bound).kinds;
    const second = this.typeOf(other, bound).kinds;
    return { kinds: first === undefined || second === undefined ? undefined : new Set([...first, ...second]) };
  }

  #demandBool(operand: Syntax, op: string, bound: Bound<K>): void {
    const { kinds } = this.typeOf(operand, bound);
    if (kinds === undefined || kinds.has('bool')) return;
    this.#tell(`${quoted(operand)} is ${kindText(kinds)}, and ${op} takes a boolean`, COMPARE);
  }

  #negation(node: Syntax, operand: Syntax, bound: Bound<K>): Typed<K> {
    const { kinds } = this.typeOf(operand, bound);
    if (kinds === undefined || kinds.has('int') || kinds.has('double')) return { kinds };
    this.#tell(`In ${quoted(node)} ${quoted(operand)} is ${kindText(kinds)}, and - takes a number`, 'Negate a number.');
    return { kinds: undefined };
  }

  #binary(node: Syntax, [left, right]: [Syntax, Syntax], bound: Bound<K>): Typed<K> {
    const one = this.typeOf(left, bound).kinds;
    const other = this.typeOf(right, bound).kinds;
    const result = resultKinds(node.op, one, other);
    if (result !== 'none') return { kinds: result };
    const numbers = [one, other].every(kinds => kinds !== undefined && [...kinds].every(isNumber));
    const told = [
      [left, one],
      [right, other],
    ] as const;
    const parts = told.flatMap(([operand, kinds]) =>
      kinds === undefined ? [] : [`${quoted(operand)} is ${kindText(kinds, numbers)}`],
    );
    const help = helpForBinary(node.op, numbers, [left, right], [one, other]);
    this.#tell(`The types of ${quoted(node)} do not fit: ${listParts(parts)}`, help);
    return { kinds: ['+', '-', '*', '/', '%'].includes(node.op) ? undefined : BOOL };
  }

  #call(node: Syntax, [name, args]: [string, Syntax[]], bound: Bound<K>): Typed<K> {
    if (name === 'has') return { kinds: BOOL };
    const types = args.map(argument => this.typeOf(argument, bound));
    const signature = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (signature === undefined) return { kinds: undefined };
    this.#demand(node, name, args[0], types[0]?.kinds, signature.takes);
    return { kinds: signature.gives === undefined ? undefined : new Set([signature.gives]) };
  }

  #method(node: Syntax, [name, of, args]: [string, Syntax, Syntax[]], bound: Bound<K>): Typed<K> {
    const value = this.typeOf(of, bound);
    if (MACROS.has(name)) return this.#macro(node, name, of, value, args, bound);
    const { takes, gives } = methodOf(name);
    this.#demand(node, name, of, value.kinds, takes);
    for (const argument of args) this.#demand(node, name, argument, this.typeOf(argument, bound).kinds, ['string']);
    return { kinds: gives === undefined ? undefined : new Set([gives]) };
  }

  #macro(node: Syntax, name: string, of: Syntax, value: Typed<K>, args: Syntax[], bound: Bound<K>): Typed<K> {
    const { kinds, known } = value;
    if (kinds !== undefined && !kinds.has('list') && !kinds.has('map')) {
      const what = `${name} goes through an array or an object, and ${quoted(of)} is ${kindText(kinds)}`;
      this.#tell(`In ${quoted(node)} ${what}`, 'Name an array or an object before the dot.');
    }
    const variable = args[0]?.op === 'id' ? (args[0].args as string) : '';
    const isList = kinds?.has('list') === true && !kinds.has('map');
    const isMap = kinds?.has('map') === true && !kinds.has('list');
    const element: Typed<K> = isMap
      ? { kinds: new Set<Kind>(['string']) }
      : isList && known !== undefined
        ? this.#around.element(known)
        : { kinds: undefined };
    const inner = new Map([...bound, [variable, element]]);
    const steps = args.slice(1);
    const tests = name === 'map' ? steps.slice(0, -1) : steps;
    for (const test of tests) this.#demandBool(test, name, inner);
    if (name !== 'map') return name === 'filter' ? { kinds: new Set<Kind>(['list']) } : { kinds: BOOL };
    const last = steps.at(-1);
    if (last !== undefined) this.typeOf(last, inner);
    return { kinds: new Set<Kind>(['list']) };
  }

  #demand(
    node: Syntax,
    name: string,
    argument: Syntax | undefined,
    kinds: Kinds,
    takes: readonly Kind[] | undefined,
  ): void {
    if (argument === undefined || kinds === undefined || takes === undefined) return;
    if (takes.some(kind => kinds.has(kind))) return;
    const what = `${name} takes ${kindText(new Set(takes))}, and ${quoted(argument)} is ${kindText(kinds, kinds.has('double') && takes.includes('int'))}`;
    this.#tell(`In ${quoted(node)} ${what}`, helpForArgument(name, kinds));
  }

  #tell(message: string, help: string): void {
    this.misfits.push({ message, help });
  }
}

const MACROS = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

function helpForBinary(
  op: string,
  numbers: boolean,
  sides: readonly [Syntax, Syntax],
  kinds: readonly Kinds[],
): string {
  if (!numbers) {
    if (op === 'in') return 'Name an array or an object after in.';
    return ['+', '-', '*', '/', '%'].includes(op)
      ? 'Combine values of one type; string() and double() convert.'
      : CONVERT;
  }
  const [left, right] = sides;
  const asText = (node: Syntax, at: number, type: string): string =>
    kinds[at]?.has(type as Kind) ? textOf(node) : `${type}(${textOf(node)})`;
  if (op === '%') return `Only ints have a remainder: write ${asText(left, 0, 'int')} % ${asText(right, 1, 'int')}.`;
  const literal = [left, right].find(node => node.op === 'value' && typeof node.args === 'bigint');
  const written = literal === undefined ? '' : ` write ${textOf(literal)}.0, or`;
  return `Numbers of documents are doubles, and ${op} does not mix them with ints:${written} use double() or int().`;
}

function helpForArgument(name: string, kinds: ReadonlySet<Kind>): string {
  if (name === 'size' && [...kinds].every(isNumber)) return 'A number is compared directly, for example with >.';
  return 'Hand it a value of such a type, or convert the value before.';
}

function listParts([first = '', second]: readonly string[]): string {
  return second === undefined ? first : `${first} and ${second}`;
}

function kindsOfLiteral(value: unknown): Kinds {
  if (value === null) return new Set<Kind>(['null']);
  switch (typeof value) {
    case 'string':
      return new Set<Kind>(['string']);
    case 'bigint':
      return new Set<Kind>(['int']);
    case 'number':
      return new Set<Kind>(['double']);
    case 'boolean':
      return BOOL;
    default:
      return undefined;
  }
}

/** The path of a part that is nothing but a variable and names below it. */
function staticPath(node: Syntax): string[] | undefined {
  const keys: string[] = [];
  let at = node;
  for (;;) {
    if (at.op === 'id') return [...keys, at.args as string].reverse();
    if (at.op !== '.' && at.op !== '[]') return undefined;
    const [inner, key] = at.args as [Syntax, Syntax | string];
    const literal = typeof key === 'string' ? key : key.op === 'value' ? key.args : undefined;
    if (typeof literal !== 'string' && typeof literal !== 'bigint') return undefined;
    keys.push(String(literal));
    at = inner;
  }
}

/** The text of a part in quotes; a text that has quotes itself needs no more. */
function quoted(node: Syntax): string {
  const text = textOf(node);
  return node.op === 'value' && typeof node.args === 'string' ? text : marked(text);
}

function textOf(node: Syntax): string {
  const text = node.input.slice(node.start, node.end);
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT - 1)}…` : text;
}
