import { ArsError } from '../error.js';
import type { ExpressionType } from '../execution/expression.js';
import type { VerificationContext } from './context.js';
import { follow, typesOf } from './values/known-values.js';

/** Returns what an expression gives, from its text and the schemas of what it reads; other where it cannot be compiled. */
export function typeOfExpression(context: VerificationContext, node: number, source: string): ExpressionType {
  const compiled = context.expressionOf(source);
  if (compiled instanceof ArsError) return 'other';
  const { type, whole } = compiled;
  return type === 'unknown' && whole !== undefined ? typeOfPath(context, node, whole) : type;
}

function typeOfPath(context: VerificationContext, node: number, path: readonly string[]): ExpressionType {
  const destination = follow(context, node, path);
  const types = 'known' in destination ? typesOf(context, destination.known) : undefined;
  if (types === undefined) return 'unknown';
  if (types.has('boolean') || types.has('string')) {
    return types.size > 1 ? 'unknown' : types.has('boolean') ? 'boolean' : 'string';
  }
  return 'other';
}
