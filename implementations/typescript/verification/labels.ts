import { ALWAYS, CONDITION, DEFAULT, FAIL, TERMINAL, TRUE } from './columns.js';
import type { VerificationContext } from './context.js';

/** Whether an edge has a label that its source does not have (S5); of a last node, which has no edges at all, none is wrong. */
export function hasWrongLabel(context: VerificationContext, edge: number): boolean {
  const { graph, columns, judged } = context;
  const source = graph.source[edge] as number;
  const label = columns.label[edge] as number;
  const type = columns.type[source];
  if (type !== CONDITION) return label > ALWAYS && judged[source] === 1 && type !== TERMINAL && type !== FAIL;
  if ((label >= TRUE && label <= DEFAULT) || judged[source] === 0) return false;
  return label === ALWAYS || context.conditionOf(source).type === 'boolean';
}
