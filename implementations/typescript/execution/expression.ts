import type { ASTNode, ParseResult } from '@marcbachmann/cel-js';
import { marked } from '../../../schemas/words.js';
import { ArsError } from '../error.js';
import { ENVIRONMENT } from './cel-environment.js';
import { EvaluationMeter, meterSyntax } from './expression-cost.js';
import { EXPRESSION_VARIABLES, type ExpressionReads, POLICY_VARIABLES, readSyntax } from './expression-syntax.js';

/** The longest source text of an expression, in UTF-16 code units. */
export const EXPRESSION_SIZE = 4096;

/** Values of the variables; an absent one is an error where it is read. */
export type Bindings = Readonly<
  Partial<Record<(typeof EXPRESSION_VARIABLES)[number] | (typeof POLICY_VARIABLES)[number], unknown>>
>;

/** What is known of the value before it is evaluated; unknown: it depends on the inputs. */
export type ExpressionType = 'boolean' | 'string' | 'other' | 'unknown';

/** A checked expression, ready to be evaluated any number of times. */
export interface Expression extends ExpressionReads {
  readonly source: string;
  readonly type: ExpressionType;
  /** The syntax tree, of bounded depth and size. */
  readonly syntax: ASTNode;
  /**
   * Returns the value, a boolean, string, number or null.
   *
   * Throws `expression_failed` (details {source, reason}) for every error, also for a value of another type.
   */
  evaluate(bindings: Bindings): boolean | string | number | null;
}

const MAPS = new Set(['inputs', 'context', 'nodes', 'agent', 'workflow']);
for (const name of new Set([...EXPRESSION_VARIABLES, ...POLICY_VARIABLES]))
  ENVIRONMENT.registerVariable(name, MAPS.has(name) ? 'map<string, dyn>' : 'dyn');

/**
 * Returns a checked expression of the Common Expression Language.
 *
 * The functions are the standard ones without `matches`; macros nest at most twice; the source has at most 4096 code
 * units. JSON numbers are doubles: `inputs.n > 3` and `inputs.n == 3` compare across number types, as CEL does, but
 * arithmetic does not mix them, so it is `inputs.n + 1.0` and not `inputs.n + 1`. `variables` are the names that it may
 * read.
 *
 * Throws `expression_invalid` with details {offset, message}.
 *
 * @example compileExpression('inputs.n > 3').evaluate({ inputs: { n: 4 } }) // true
 */
export function compileExpression(source: string, variables: readonly string[] = EXPRESSION_VARIABLES): Expression {
  if (source.length > EXPRESSION_SIZE)
    throw invalid(`The expression is longer than ${EXPRESSION_SIZE} code units`, EXPRESSION_SIZE);
  const parsed = parse(source);
  const reads = readSyntax(parsed.ast, variables);
  const checked = parsed.check();
  if (!checked.valid) throw invalid(summaryOf(checked.error), offsetOf(checked.error), checked.error);
  const meter = new EvaluationMeter();
  meterSyntax(parsed.ast, meter);
  const shape = shapeOf(reads.references);
  return {
    source,
    type: typeOf(checked.type),
    syntax: parsed.ast,
    ...reads,
    evaluate: bindings => evaluate(source, parsed, meter, shape, bindings),
  };
}

function parse(source: string): ParseResult & { ast: ASTNode } {
  try {
    return ENVIRONMENT.parse(source);
  } catch (error) {
    throw invalid(summaryOf(error), offsetOf(error), error);
  }
}

function evaluate(
  source: string,
  parsed: ParseResult,
  meter: EvaluationMeter,
  shape: Shape,
  bindings: Bindings,
): boolean | string | number | null {
  const fail = (reason: string, cause?: unknown): ArsError =>
    new ArsError('expression_failed', `The expression ${marked(source)} failed: ${reason}`, {
      details: { source, reason },
      cause,
    });
  let value: unknown;
  meter.start();
  try {
    value = parsed(bind(bindings, shape));
  } catch (error) {
    throw fail(summaryOf(error), error);
  }
  if (meter.exhausted) throw fail('it does more work than one evaluation may');
  const integer = value?.valueOf();
  if (typeof integer === 'bigint') value = Number(integer);
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw fail('its value is not a boolean, a string, a finite number or null');
}

/** The keys that an expression reads, as a tree; an empty one stands for the whole value. */
type Shape = Map<string, Shape>;

function shapeOf(references: readonly (readonly string[])[]): Shape {
  const root: Shape = new Map();
  const whole = new Set<Shape>();
  for (const reference of references) {
    let at = root;
    for (const key of reference) {
      if (whole.has(at)) break;
      let next = at.get(key);
      if (next === undefined) {
        next = new Map();
        at.set(key, next);
      }
      at = next;
    }
    at.clear();
    whole.add(at);
  }
  return root;
}

/** The part of the bindings that the expression reads; objects become maps, so that no key has a meaning to JavaScript. */
function bind(bindings: Bindings, shape: Shape): Map<string, unknown> {
  const root = new Map<string, unknown>();
  const stack: { source: object; target: Map<string, unknown> | unknown[]; shape: Shape | undefined }[] = [
    { source: bindings, target: root, shape },
  ];
  for (let work = stack.pop(); work !== undefined; work = stack.pop()) {
    const { source, target, shape: wanted } = work;
    const keys = wanted === undefined || Array.isArray(source) ? Object.keys(source) : [...wanted.keys()];
    for (const key of keys) {
      if (!Object.hasOwn(source, key)) continue;
      const value = (source as Record<string, unknown>)[key];
      if (value === undefined) continue;
      const below = Array.isArray(source) ? undefined : wanted?.get(key);
      const copy =
        typeof value !== 'object' || value === null ? value : Array.isArray(value) ? [] : new Map<string, unknown>();
      if (target instanceof Map) target.set(key, copy);
      else target.push(copy);
      if (typeof copy === 'object' && copy !== null) {
        const part = below === undefined || below.size === 0 || Array.isArray(value) ? undefined : below;
        stack.push({ source: value as object, target: copy as Map<string, unknown>, shape: part });
      }
    }
  }
  return root;
}

function typeOf(type: string | undefined): ExpressionType {
  if (type === 'bool') return 'boolean';
  if (type === 'string') return 'string';
  return type === 'dyn' || type === undefined ? 'unknown' : 'other';
}

function invalid(message: string, offset: number, cause?: unknown): ArsError {
  return new ArsError('expression_invalid', message, { details: { offset, message }, cause });
}

function summaryOf(error: unknown): string {
  const summary = error instanceof Error && 'summary' in error ? error.summary : undefined;
  const text = typeof summary === 'string' ? summary : error instanceof Error ? error.message : String(error);
  const mixed = /^no such overload: (?:dyn<)?(double|int)>? ([-+*/%]) (?:dyn<)?(double|int)>?$/.exec(text);
  if (mixed === null || mixed[1] === mixed[3]) return text;
  return `'${mixed[2]}' does not mix double and int; numbers from documents are doubles, so write a literal as 1.0, or use double() or int()`;
}

function offsetOf(error: unknown): number {
  const range =
    error instanceof Error && 'range' in error ? (error.range as { start?: number } | undefined) : undefined;
  return range?.start ?? 0;
}
