import type { Workflow } from '../../../schemas/types.js';
import { ArsError } from '../error.js';
import { compileExpression, type ExpressionType } from '../execution/expression.js';

/** Returns what an expression gives, from its text and the schemas of the inputs; other where it cannot be compiled. */
export function typeOfExpression(source: string, inputs: Workflow['inputs']): ExpressionType {
  try {
    const { type, whole } = compileExpression(source);
    return type === 'unknown' && whole !== undefined ? typeOfPath(whole, inputs) : type;
  } catch (error) {
    if (error instanceof ArsError) return 'other';
    throw error;
  }
}

function typeOfPath([root, name = '', ...rest]: readonly string[], inputs: Workflow['inputs']): ExpressionType {
  if (root !== 'inputs' || inputs === undefined || !Object.hasOwn(inputs, name)) return 'unknown';
  let schema: unknown = inputs[name]?.schema;
  for (const key of rest) schema = member(member(schema, 'properties'), key);
  const type = member(schema, 'type');
  if (type === 'boolean' || type === 'string') return type;
  return typeof type === 'string' ? 'other' : 'unknown';
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
