import { type CelInput, celEnv, celMap, isCelError, parse, plan } from '@bufbuild/cel';
import { type JsonObject, own } from './json.js';
import type { Scope } from './scope.js';

/** What an expression gives: a value of CEL, or why there is none. An error is never false. */
export type Evaluated = { readonly value: unknown } | { readonly error: string };

const environment = celEnv();

/** The value of a CEL expression (Ch5, expressions) in a scope, with further variables; JSON numbers enter as doubles. */
export function evaluateExpression(expression: string, scope: Scope, more: JsonObject = {}): Evaluated {
  try {
    const further = Object.entries(more).map(([name, value]) => [name, toCel(value)] as const);
    const evaluate = plan(environment, parse(expression));
    const value = evaluate({ ...bindings(expression, scope), ...Object.fromEntries(further) });
    return isCelError(value) ? { error: value.message } : { value };
  } catch (cause) {
    return { error: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Whether a predicate is true; false, an error and any other value are not. */
export function holds(expression: string, scope: Scope): boolean {
  const evaluated = evaluateExpression(expression, scope);
  return 'value' in evaluated && evaluated.value === true;
}

function bindings(expression: string, scope: Scope): Record<string, CelInput> {
  const bound: [string, CelInput][] = [];
  if (scope.inputs !== undefined) bound.push(['inputs', toCel(scope.inputs)]);
  if (scope.context !== undefined) bound.push(['context', toCel(scope.context)]);
  if (scope.result !== undefined) bound.push(['result', toCel(scope.result)]);
  if (scope.exit_code !== undefined) bound.push(['exit_code', scope.exit_code]);
  if (scope.error !== undefined) bound.push(['error', toCel(scope.error)]);
  if (scope.nodes !== undefined) bound.push(['nodes', nodesNamedIn(expression, scope.nodes)]);
  return Object.fromEntries(bound);
}

/** The nodes that the text of an expression can mean, so that a large instance is not converted for each condition. */
function nodesNamedIn(expression: string, nodes: ReadonlyMap<string, JsonObject>): CelInput {
  const named = new Map<string, CelInput>();
  const literals = expression.matchAll(/nodes\s*(?:\.\s*([A-Za-z_]\w*)|\[\s*("(?:[^"\\]|\\.)*")\s*\])/g);
  for (const [, plain, quoted] of literals) {
    const id = plain ?? unquote(quoted ?? '""');
    const outputs = nodes.get(id);
    if (outputs !== undefined) named.set(id, celMap(new Map([['outputs', toCel(outputs)]])));
  }
  return celMap(named);
}

function unquote(literal: string): string {
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === 'string' ? value : '';
  } catch {
    return '';
  }
}

function toCel(value: unknown): CelInput {
  if (Array.isArray(value)) return value.map(toCel);
  if (typeof value === 'object' && value !== null) {
    const object = value as JsonObject;
    return mapOf(new Map(Object.keys(object).map(key => [key, toCel(own(object, key))] as const)));
  }
  return value as CelInput;
}

/** A map of CEL. The library takes a member that is null for one that is not there; to CEL it is there. */
function mapOf(members: ReadonlyMap<string, CelInput>): CelInput {
  const map = celMap(members);
  map.has = key => typeof key === 'string' && members.has(key);
  return map;
}
