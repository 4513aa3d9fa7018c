import { nearest } from '../../../../schemas/index.js';
import type { Node } from '../../../../schemas/types.js';
import type { VerificationContext } from '../context.js';
import { atEdge, edgeText, type FindingDraft, findingEdge } from '../rule.js';

const LABELS = ['success', 'failure', 'always'];
const EDGES_SHOWN = 4;

/** What the edges of actions, skills, error nodes and terminals, and the in-edges of error nodes, break. */
export function checkOutcomes(context: VerificationContext): FindingDraft[] {
  const { graph } = context;
  const findings: FindingDraft[] = [];
  for (let node = 0; node < graph.nodeCount; node++) {
    if (!context.isJudged(node) || isPlainStep(context, node)) continue;
    const subject = context.node(node);
    const edges = context.ordered(context.out(node)).filter(edge => context.isCounted(edge));
    if (subject.type === 'terminal' || (subject.type === 'error' && subject.handling === 'fail')) {
      if (edges.length > 0) findings.push(afterEnd(context, subject, edges));
    } else if (subject.type !== 'condition') for (const found of checkOut(context, node, edges)) findings.push(found);
    if (subject.type === 'error' && subject.handling === 'retry')
      for (const found of checkRetry(context, node)) findings.push(found);
  }
  for (let edge = 0; edge < graph.edgeCount; edge++) {
    const finding = checkErrorEdge(context, edge);
    if (finding !== undefined) findings.push(finding);
  }
  return findings;
}

/** Whether a node is of the most common kind, whose one edge follows its success; such a node breaks nothing here. */
function isPlainStep({ graph, node: nodeAt, edge }: VerificationContext, node: number): boolean {
  const { type } = nodeAt(node);
  const at = graph.outStart[node] as number;
  if (at + 1 !== graph.outStart[node + 1] || (type !== 'action' && type !== 'skill')) return false;
  return edge(graph.outEdges[at] as number).label === 'success';
}

function afterEnd(context: VerificationContext, subject: Node, edges: readonly number[]): FindingDraft {
  const { node_id, type } = subject;
  const what = type === 'terminal' ? 'terminal' : 'error node with handling fail';
  const [first = 0, ...others] = edges;
  return {
    node_id,
    edge: findingEdge(context, first),
    pointer: context.edgePointer(first),
    message: `The ${what} "${node_id}" ends its path, but an edge leaves it`,
    related: others.slice(0, EDGES_SHOWN).map(edge => atEdge(context, edge, 'so does this one')),
    help: 'Remove the edge, or use a node that goes on.',
  };
}

function checkOut(context: VerificationContext, node: number, edges: readonly number[]): FindingDraft[] {
  const subject = context.node(node);
  const { node_id, type } = subject;
  const findings: FindingDraft[] = [];
  const byLabel = new Map<string, number[]>(LABELS.map(label => [label, []]));
  for (const edge of edges) {
    const { label } = context.edge(edge);
    const same = byLabel.get(label);
    if (same !== undefined) {
      same.push(edge);
      continue;
    }
    const meant = nearest(label, LABELS);
    findings.push({
      node_id,
      edge: findingEdge(context, edge),
      pointer: `${context.edgePointer(edge)}/label`,
      message: `"${label}" is no outcome of ${type} node "${node_id}", which has success and failure`,
      related: [],
      help: meant === undefined ? 'Use success, failure or always.' : `Did you mean "${meant}"?`,
    });
  }
  const [success = [], failure = [], always = []] = LABELS.map(label => byLabel.get(label));
  if (failure.length > 1) findings.push(severalFailures(context, node_id, failure));
  const afterFailure = [...failure.slice(0, 1), ...always];
  const together =
    success.length + always.length > 1 ? [...success, ...always] : afterFailure.length > 1 ? afterFailure : [];
  const declared = 'fan_out' in subject && subject.fan_out === 'parallel';
  if (together.length > 1 && !declared) findings.push(undeclaredFanOut(context, node, together));
  return findings;
}

function severalFailures(context: VerificationContext, node_id: string, edges: readonly number[]): FindingDraft {
  const [first = 0, second = 0, ...others] = edges;
  return {
    node_id,
    edge: findingEdge(context, second),
    pointer: context.edgePointer(second),
    message: `The node "${node_id}" has ${edges.length} failure edges, but one error node handles a failure`,
    related: [first, ...others].slice(0, EDGES_SHOWN).map(edge => atEdge(context, edge, edgeText(context, edge))),
    help: 'Keep one failure edge; the error node may fan out.',
  };
}

function undeclaredFanOut(context: VerificationContext, node: number, edges: readonly number[]): FindingDraft {
  const { node_id } = context.node(node);
  return {
    node_id,
    pointer: context.nodePointer(node),
    message: `One outcome of "${node_id}" takes ${edges.length} edges together, which it does not declare`,
    related: edges.slice(0, EDGES_SHOWN).map(edge => atEdge(context, edge, edgeText(context, edge))),
    help: 'Add fan_out: parallel to the node, or remove edges.',
  };
}

function checkRetry(context: VerificationContext, node: number): FindingDraft[] {
  const edges = context.ordered(context.in(node)).filter(edge => context.isCounted(edge));
  if (edges.length === 1 || context.input.edgesMissing) return [];
  const { node_id } = context.node(node);
  return [
    {
      node_id,
      pointer: context.nodePointer(node),
      message: `The retrying error node "${node_id}" has ${edges.length === 0 ? 'no' : edges.length} in-edges; it repeats the one node that failed`,
      related: edges.slice(0, EDGES_SHOWN).map(edge => atEdge(context, edge, edgeText(context, edge))),
      help: 'Give each node that is to be repeated an error node of its own.',
    },
  ];
}

/** Failure edges lead to error nodes, and only they do. */
function checkErrorEdge(context: VerificationContext, edge: number): FindingDraft | undefined {
  const source = context.graph.source[edge] as number;
  const target = context.graph.target[edge] as number;
  if (source < 0 || target < 0 || !context.isJudged(source) || !context.isJudged(target) || !context.isCounted(edge))
    return undefined;
  const { label } = context.edge(edge);
  const from = context.node(source);
  const to = context.node(target);
  const ends = from.type === 'terminal' || (from.type === 'error' && from.handling === 'fail');
  if (ends || (from.type !== 'condition' && !LABELS.includes(label))) return undefined;
  const isFailure = from.type !== 'condition' && label === 'failure';
  if (isFailure === (to.type === 'error')) return undefined;
  const message = isFailure
    ? `The failure edge ${edgeText(context, edge)} leads to a ${to.type} node; failures are handled by error nodes`
    : `The edge ${edgeText(context, edge)} leads to an error node, which only failure edges may`;
  const help = isFailure ? 'Put an error node between the two.' : 'Lead it to another node, or label it failure.';
  return {
    node_id: from.node_id,
    edge: findingEdge(context, edge),
    pointer: context.edgePointer(edge),
    message,
    related: [],
    help,
  };
}
