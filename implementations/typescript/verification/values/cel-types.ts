import type { JsonType } from './json-schema-shape.js';

/** The types of values in an expression. */
export type Kind =
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null'
  | 'list'
  | 'map'
  | 'timestamp'
  | 'duration'
  | 'type';

/** The types that a value can have; undefined where nothing is known. */
export type Kinds = ReadonlySet<Kind> | undefined;

const OF_JSON: Readonly<Record<JsonType, Kind>> = {
  null: 'null',
  boolean: 'bool',
  number: 'double',
  integer: 'double',
  string: 'string',
  array: 'list',
  object: 'map',
};
const WORDS: Readonly<Record<Kind, string>> = {
  bool: 'a boolean',
  int: 'a number',
  uint: 'a number',
  double: 'a number',
  string: 'a string',
  bytes: 'bytes',
  null: 'null',
  list: 'an array',
  map: 'an object',
  timestamp: 'a timestamp',
  duration: 'a duration',
  type: 'a type',
};
const EXACT: Readonly<Partial<Record<Kind, string>>> = { int: 'an int', uint: 'a uint', double: 'a double' };
const NUMBERS: readonly Kind[] = ['int', 'uint', 'double'];
const ORDERED: readonly Kind[] = ['bool', 'string', 'timestamp', 'duration'];

/** Returns the types that values of documents have in an expression: every number is a double. */
export function kindsOfJson(types: ReadonlySet<JsonType> | undefined): Kinds {
  return types === undefined ? undefined : new Set([...types].map(type => OF_JSON[type]));
}

/** Returns types in words; exactly, where it matters which number it is. */
export function kindText(kinds: ReadonlySet<Kind>, exactly = false): string {
  const words = [...kinds].map(kind => (exactly ? (EXACT[kind] ?? WORDS[kind]) : WORDS[kind]));
  const [last = '', ...others] = [...new Set(words)].sort().reverse();
  return others.length === 0 ? last : `${others.reverse().join(', ')} or ${last}`;
}

export function isNumber(kind: Kind): boolean {
  return NUMBERS.includes(kind);
}

/** The type that an operator gives for two operands; undefined where there is no such operation. */
function resultOf(op: string, left: Kind, right: Kind): Kind | undefined {
  const same = left === right;
  switch (op) {
    case '==':
    case '!=':
      return same || left === 'null' || right === 'null' || (isNumber(left) && isNumber(right)) ? 'bool' : undefined;
    case '<':
    case '<=':
    case '>':
    case '>=':
      return (isNumber(left) && isNumber(right)) || (same && ORDERED.includes(left)) ? 'bool' : undefined;
    case '+':
      if (left === 'timestamp' || right === 'timestamp')
        return left === 'duration' || right === 'duration' ? 'timestamp' : undefined;
      return same && (isNumber(left) || ['string', 'bytes', 'list', 'duration'].includes(left)) ? left : undefined;
    case '-':
      if (left === 'timestamp') return same ? 'duration' : right === 'duration' ? 'timestamp' : undefined;
      return same && (isNumber(left) || left === 'duration') ? left : undefined;
    case '*':
    case '/':
      return same && isNumber(left) ? left : undefined;
    case '%':
      return same && (left === 'int' || left === 'uint') ? left : undefined;
    case 'in':
      return right === 'list' || right === 'map' ? 'bool' : undefined;
    default:
      return undefined;
  }
}

const ALWAYS_BOOL = new Set(['==', '!=', '<', '<=', '>', '>=', 'in']);
const BINARY = new Set([...ALWAYS_BOOL, '+', '-', '*', '/', '%']);
const ALL_KINDS = Object.keys(WORDS) as Kind[];

/** Whether an operator takes two operands and has a meaning for some types and not for others. */
export function isBinary(op: string): boolean {
  return BINARY.has(op);
}

/** Returns the types that an operator can give, `none` where it has no meaning for any types that its operands can have. */
export function resultKinds(op: string, left: Kinds, right: Kinds): Kinds | 'none' {
  const results = new Set<Kind>();
  for (const one of left ?? ALL_KINDS)
    for (const other of right ?? ALL_KINDS) {
      const result = resultOf(op, one, other);
      if (result !== undefined) results.add(result);
    }
  if (results.size === 0) return 'none';
  return ALWAYS_BOOL.has(op) || (left !== undefined && right !== undefined) ? results : undefined;
}

/** What a function takes and gives. */
export interface Signature {
  readonly takes: readonly Kind[] | undefined;
  readonly gives: Kind | undefined;
}

const SIZED: readonly Kind[] = ['string', 'list', 'map', 'bytes'];
const TIMED: readonly Kind[] = ['timestamp', 'duration'];

/** The functions of one argument. */
export const FUNCTIONS: Readonly<Record<string, Signature>> = {
  size: { takes: SIZED, gives: 'int' },
  bool: { takes: ['bool', 'string'], gives: 'bool' },
  bytes: { takes: ['string', 'bytes'], gives: 'bytes' },
  double: { takes: ['double', 'int', 'uint', 'string'], gives: 'double' },
  int: { takes: ['int', 'uint', 'double', 'string', 'timestamp', 'duration'], gives: 'int' },
  uint: { takes: ['int', 'uint', 'double', 'string'], gives: 'uint' },
  string: {
    takes: ['string', 'bool', 'int', 'uint', 'double', 'bytes', 'timestamp', 'duration', 'type'],
    gives: 'string',
  },
  duration: { takes: ['string', 'int', 'duration'], gives: 'duration' },
  timestamp: { takes: ['string', 'int', 'timestamp'], gives: 'timestamp' },
  type: { takes: undefined, gives: 'type' },
  dyn: { takes: undefined, gives: undefined },
};

/** The functions that are called on a value, by what that value is; further arguments are strings. */
export const METHODS: Readonly<Record<string, Signature>> = {
  size: { takes: SIZED, gives: 'int' },
  contains: { takes: ['string'], gives: 'bool' },
  startsWith: { takes: ['string'], gives: 'bool' },
  endsWith: { takes: ['string'], gives: 'bool' },
};

/** Returns what a function takes that is called on a value; every other one asks a time. */
export function methodOf(name: string): Signature {
  return METHODS[name] ?? { takes: TIMED, gives: 'int' };
}
