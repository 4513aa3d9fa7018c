import { parse } from '@bufbuild/cel';

type Expr = NonNullable<ReturnType<typeof parse>['expr']>;
type Kind = Expr['exprKind'];

const LONGEST = 4096;
const MOST_NESTED = 2;
const INT = [-(2n ** 63n), 2n ** 63n - 1n] as const;
const UINT = [0n, 2n ** 64n - 1n] as const;
const FUNCTIONS = new Set(
  'size int uint double bool string bytes type dyn timestamp duration contains startsWith endsWith'.split(' '),
);
const TIME = new Set(
  'getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear getHours getMinutes getSeconds getMilliseconds'.split(
    ' ',
  ),
);
const TYPES = new Set('bool bytes double int list map null_type string type uint'.split(' '));

/** The variables of the places where workflows and contracts have expressions (Ch5, Ch7). */
const VARIABLES: readonly string[] = ['inputs', 'context', 'nodes', 'result', 'exit_code', 'error'];

interface Visit {
  readonly expr: Expr;
  readonly macros: number;
  readonly names: ReadonlySet<string>;
}

/** Why a text is none of the expressions that Ch5 admits; undefined where it is one. */
export function refusalOf(source: string, variables: readonly string[] = VARIABLES): string | undefined {
  if (source.length > LONGEST) return `longer than ${LONGEST} code units`;
  let root: Expr | undefined;
  try {
    root = parse(source).expr;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
  if (root === undefined) return 'empty';
  const open: Visit[] = [{ expr: root, macros: 0, names: new Set([...variables, ...TYPES]) }];
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const refusal = look(visit, open);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Judges one node of the tree, and adds those below it. */
function look({ expr, macros, names }: Visit, open: Visit[]): string | undefined {
  const push = (...parts: readonly (Expr | undefined)[]) => {
    for (const part of parts) if (part !== undefined) open.push({ expr: part, macros, names });
  };
  const { exprKind } = expr;
  switch (exprKind.case) {
    case 'identExpr':
      return names.has(exprKind.value.name) ? undefined : `no variable ${exprKind.value.name}`;
    case 'selectExpr':
      push(exprKind.value.operand);
      return undefined;
    case 'callExpr': {
      const { function: name, target, args } = exprKind.value;
      push(target, ...args);
      return callRefusal(name, args.length);
    }
    case 'listExpr':
      push(...exprKind.value.elements);
      return undefined;
    case 'structExpr':
      push(...exprKind.value.entries.map(entry => entry.value));
      return keysRefusal(exprKind.value);
    case 'comprehensionExpr': {
      const { iterRange, iterVar, accuVar, accuInit, loopStep, loopCondition, result } = exprKind.value;
      push(iterRange);
      const inner = { macros: macros + 1, names: new Set([...names, iterVar, accuVar]) };
      for (const part of [accuInit, loopStep, loopCondition, result])
        if (part !== undefined) open.push({ expr: part, ...inner });
      return macros === MOST_NESTED ? 'more than two macros inside each other' : undefined;
    }
    case 'constExpr': {
      const { case: type, value } = exprKind.value.constantKind;
      const range = type === 'uint64Value' ? UINT : INT;
      const beyond = typeof value === 'bigint' && (value < range[0] || value > range[1]);
      return beyond ? 'an integer beyond 64 bits' : undefined;
    }
    default:
      return undefined;
  }
}

function callRefusal(name: string, args: number): string | undefined {
  if (/^[^A-Za-z]/.test(name) || FUNCTIONS.has(name)) return undefined;
  if (!TIME.has(name)) return `no function ${name}`;
  return args === 0 ? undefined : `${name} with a time zone`;
}

function keysRefusal(struct: Extract<Kind, { case: 'structExpr' }>['value']): string | undefined {
  const seen = new Set<string>();
  for (const { keyKind } of struct.entries) {
    const key = keyKind.case === 'mapKey' ? keyKind.value.exprKind : undefined;
    if (key?.case !== 'constExpr') return 'a key that is no literal';
    const { case: type, value } = key.value.constantKind;
    const text = `${type} ${String(value)}`;
    if (seen.has(text)) return `the key ${String(value)} twice`;
    seen.add(text);
  }
  return undefined;
}
