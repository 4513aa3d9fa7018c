import { nearest } from '../../../../schemas/index.js';
import type { ExpressionType } from '../../execution/expression.js';
import { CONDITION, FALSE, TRUE } from '../columns.js';
import type { VerificationContext } from '../context.js';
import { atEdge, compareNaturally, edgeText, type FindingDraft, findingEdge, listNames } from '../rule.js';

const BOOLEAN_LABELS = new Set(['true', 'false', 'default']);
const EDGES_SHOWN = 4;

/** What the out-edges of conditions break: one finding a condition, or one for each label that is used twice. */
export function checkConditions(context: VerificationContext): FindingDraft[] {
  const findings: FindingDraft[] = [];
  for (let node = 0; node < context.graph.nodeCount; node++) {
    if (context.columns.type[node] !== CONDITION || !context.isJudged(node) || isPlain(context, node)) continue;
    const all = context.ordered(context.out(node));
    const edges = all.filter(edge => context.isCounted(edge));
    const unclear =
      edges.length < all.filter(edge => !context.repeats.has(edge)).length ||
      context.input.edgesMissing ||
      context.looseEnds.choosing;
    for (const found of checkRepeatedLabels(context, node, edges)) findings.push(found);
    const { type } = context.conditionOf(node);
    const wrong = edges.filter(edge => !fits(type, context.edge(edge).label));
    if (wrong.length > 0) findings.push(wrongLabels(context, node, type, wrong));
    else if (!unclear) for (const found of checkCover(context, node, type, edges)) findings.push(found);
  }
  return findings;
}

/** Whether a condition has just one edge for true and one for false, which fits every type but other. */
function isPlain(context: VerificationContext, node: number): boolean {
  const { graph, columns, counted } = context;
  const at = graph.outStart[node] as number;
  if (at + 2 !== graph.outStart[node + 1]) return false;
  const [one = 0, other = 0] = [graph.outEdges[at], graph.outEdges[at + 1]];
  const labels =
    (1 << Math.min(31, columns.label[one] as number)) | (1 << Math.min(31, columns.label[other] as number));
  if (counted[one] === 0 || counted[other] === 0 || labels !== ((1 << TRUE) | (1 << FALSE))) return false;
  const { type } = context.conditionOf(node);
  return type === 'boolean' || type === 'unknown';
}

function fits(type: ExpressionType, label: string): boolean {
  return type === 'boolean' ? BOOLEAN_LABELS.has(label) : label !== 'always';
}

function wrongLabels(
  context: VerificationContext,
  node: number,
  type: ExpressionType,
  wrong: readonly number[],
): FindingDraft {
  const { node_id } = context.node(node);
  const [first = 0, ...others] = wrong;
  const { label } = context.edge(first);
  const reason =
    label === 'always'
      ? `a condition takes exactly one edge, so "${node_id}" has no always edge`
      : `the ${type} condition "${node_id}" gives true or false`;
  return {
    node_id,
    edge: findingEdge(context, first),
    pointer: `${context.edgePointer(first)}/label`,
    message: `The label "${label}" does not fit: ${reason}`,
    related: others.slice(0, EDGES_SHOWN).map(edge => atEdge(context, edge, `nor does "${context.edge(edge).label}"`)),
    help:
      type === 'boolean'
        ? suggestLabel(label, "Use the labels 'true' and 'false' (in quotes in YAML), or default.")
        : 'Use a label of its own for each outcome, and default.',
  };
}

function suggestLabel(label: string, help: string): string {
  const meant = nearest(label, [...BOOLEAN_LABELS]);
  return meant === undefined ? help : `Did you mean '${meant}'? ${help}`;
}

function checkRepeatedLabels(context: VerificationContext, node: number, edges: readonly number[]): FindingDraft[] {
  const byLabel = new Map<string, number[]>();
  for (const edge of edges) {
    const { label } = context.edge(edge);
    const same = byLabel.get(label);
    if (same === undefined) byLabel.set(label, [edge]);
    else same.push(edge);
  }
  const { node_id } = context.node(node);
  const findings: FindingDraft[] = [];
  for (const [label, [first = 0, second, ...others]] of byLabel) {
    if (second === undefined || label === 'always') continue;
    findings.push({
      node_id,
      edge: findingEdge(context, second),
      pointer: context.edgePointer(second),
      message: `The condition "${node_id}" has ${2 + others.length} edges for the outcome "${label}", but it never fans out`,
      related: [first, ...others].slice(0, EDGES_SHOWN).map(edge => atEdge(context, edge, edgeText(context, edge))),
      help: 'Keep one of them; let it lead to a node that fans out.',
    });
  }
  return findings;
}

/** A condition of strings takes any string as outcome, whatever schema its value comes from promises. */
function helpFor(type: ExpressionType, lacks: string, onlyDefault: boolean): string {
  if (onlyDefault) return "Add an edge with the label 'true' or 'false', or replace the condition by what follows it.";
  if (lacks !== 'default') return `Add an edge with the label '${lacks}', or default.`;
  const always =
    type === 'string' ? ' A condition that gives a string always needs one, also where an enum lists its values.' : '';
  return `Add an edge with the label default.${always}`;
}

function checkCover(
  context: VerificationContext,
  node: number,
  type: ExpressionType,
  edges: readonly number[],
): FindingDraft[] {
  const labels = new Set(edges.map(edge => context.edge(edge).label));
  const both = labels.has('true') && labels.has('false');
  const half = labels.has('true') || labels.has('false');
  const covered =
    type === 'boolean'
      ? both || (half && labels.has('default'))
      : type === 'unknown'
        ? both || labels.has('default')
        : labels.has('default');
  if (covered || (type === 'other' && edges.length > 0)) return [];
  const { node_id } = context.node(node);
  const has = labels.size === 0 ? 'no out-edge' : `edges only for ${listNames([...labels].sort(compareNaturally))}`;
  const onlyDefault = type === 'boolean' && labels.has('default');
  const why = onlyDefault ? 'it decides nothing' : 'an outcome that has no edge makes it fail';
  const lacks = type === 'boolean' ? (labels.has('true') ? 'false' : 'true') : 'default';
  return [
    {
      node_id,
      pointer: context.nodePointer(node),
      message: `The condition "${node_id}" has ${has}; ${why}`,
      related: edges.slice(0, EDGES_SHOWN).map(edge => atEdge(context, edge, edgeText(context, edge))),
      help: helpFor(type, lacks, onlyDefault),
    },
  ];
}
