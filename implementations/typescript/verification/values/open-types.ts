import { ArsError } from '../../error.js';
import type { Path } from '../../workflow/mapping.js';
import { ALWAYS, CONDITION, DEFAULT, FALSE, TRUE } from '../columns.js';
import type { VerificationContext } from '../context.js';
import { compareNames } from '../rule.js';

/**
 * Returns the conditions of which a definition that is missing would tell the type, and which labels fit with it: how many,
 * and the smallest node_id. S5 passes them, since it judges a condition of unknown type by less (chapter 8, labels).
 */
export function conditionsOfOpenType(context: VerificationContext): { readonly count: number; readonly first: string } {
  const { graph, columns, judged } = context;
  let count = 0;
  let first = '';
  for (let node = 0; node < graph.nodeCount; node++) {
    if (columns.type[node] !== CONDITION || judged[node] === 0 || !asksForType(context, node)) continue;
    if (!readsUndefined(context, node)) continue;
    const { node_id } = context.node(node);
    if (count === 0 || compareNames(node_id, first) < 0) first = node_id;
    count++;
  }
  return { count, first };
}

/** Whether the labels of a condition fit only where it gives a boolean, or only where it gives a string. */
function asksForType(context: VerificationContext, node: number): boolean {
  let labels = 0;
  let hasOther = false;
  const { graph, columns } = context;
  for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++) {
    const label = columns.label[graph.outEdges[at] as number] as number;
    if (label <= ALWAYS || label > DEFAULT) hasOther = true;
    else labels |= 1 << label;
  }
  const forString = (labels & (1 << DEFAULT)) !== 0;
  const forBoolean = !hasOther && (labels & ((1 << TRUE) | (1 << FALSE))) !== 0;
  return forString !== forBoolean || !forString;
}

function readsUndefined(context: VerificationContext, node: number): boolean {
  const subject = context.node(node);
  if (subject.type !== 'condition' || context.conditionOf(node).type !== 'unknown') return false;
  const compiled = context.expressionOf(subject.expression);
  return !(compiled instanceof ArsError) && compiled.references.some(path => isOfUndefined(context, path));
}

/** Whether a path leads into the result of an action or a skill that nobody defined. */
function isOfUndefined(context: VerificationContext, [root, name = '']: Path): boolean {
  const source = root === 'nodes' ? context.graph.indexOf(name) : -1;
  if (source < 0 || context.ambiguous.has(source)) return false;
  const subject = context.node(source);
  if (subject.type === 'action') return context.actions.ofNode(source) === undefined;
  return subject.type === 'skill' && context.skills.resolve(subject.workflow_ref) === undefined;
}
