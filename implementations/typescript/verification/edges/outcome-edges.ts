import { nearest } from '../../../../schemas/index.js';
import type { ErrorNode, Node } from '../../../../schemas/types.js';
import { ALWAYS, CONDITION, ERROR, FAIL, FAILURE, SUCCESS, TERMINAL } from '../columns.js';
import { countedInEdges, type VerificationContext } from '../context.js';
import { atEdge, edgeText, type FindingDraft, findingEdge } from '../rule.js';

const LABELS = ['success', 'failure', 'always'];
const EDGES_SHOWN = 4;

/** What the edges of actions, skills, error nodes and terminals, and the in-edges of error nodes, break. */
export function checkOutcomes(context: VerificationContext): FindingDraft[] {
  const { graph, columns, judged } = context;
  const findings: FindingDraft[] = [];
  for (let node = 0; node < graph.nodeCount; node++) {
    if (judged[node] === 0 || columns.type[node] === CONDITION) continue;
    if (mayBreak(context, node)) {
      const subject = context.node(node);
      const edges = context.ordered(context.out(node)).filter(edge => context.isCounted(edge));
      if (subject.type === 'terminal' || columns.type[node] === FAIL) {
        if (edges.length > 0) findings.push(afterEnd(context, subject, edges));
      } else for (const found of checkOut(context, node, edges)) findings.push(found);
    }
    if (columns.type[node] === ERROR && (context.node(node) as ErrorNode).handling === 'retry')
      for (const found of checkRetry(context, node)) findings.push(found);
  }
  for (let edge = 0; edge < graph.edgeCount; edge++) {
    if (isAtError(context, edge)) findings.push(errorEdge(context, edge));
  }
  return findings;
}

/** Whether the out-edges of a node break something; most do not, which their number of each label tells. */
function mayBreak(context: VerificationContext, node: number): boolean {
  const { graph, columns, counted } = context;
  let success = 0;
  let failure = 0;
  let always = 0;
  for (let at = graph.outStart[node] as number; at < (graph.outStart[node + 1] as number); at++) {
    const edge = graph.outEdges[at] as number;
    if (counted[edge] === 0) continue;
    const label = columns.label[edge] as number;
    if (label > ALWAYS) return true;
    if (label === ALWAYS) always++;
    else if (label === FAILURE) failure++;
    else success++;
  }
  if (columns.type[node] === TERMINAL || columns.type[node] === FAIL) return success + failure + always > 0;
  if (failure > 1) return true;
  if (success + always < 2 && failure + always < 2) return false;
  return columns.fansOut[node] === 0;
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
      help: meant === undefined ? 'Use success or failure, or always for both.' : `Did you mean "${meant}"?`,
    });
  }
  const [success = [], failure = [], always = []] = LABELS.map(label => byLabel.get(label));
  if (failure.length > 1) findings.push(severalFailures(context, node_id, failure));
  const afterFailure = [...failure.slice(0, 1), ...always];
  const together =
    success.length + always.length > 1 ? [...success, ...always] : afterFailure.length > 1 ? afterFailure : [];
  if (together.length > 1 && context.columns.fansOut[node] === 0)
    findings.push(undeclaredFanOut(context, node, together));
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
  if (context.input.edgesMissing || countedInEdges(context, node) === 1) return [];
  const edges = context.ordered(context.in(node)).filter(edge => context.isCounted(edge));
  if (edges.length === 0 && context.looseEnds.toNothing) return [];
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

/** Whether an edge is a failure edge to another node than an error node, or another edge to one. */
function isAtError({ graph, columns, judged, counted }: VerificationContext, edge: number): boolean {
  const source = graph.source[edge] as number;
  const target = graph.target[edge] as number;
  if (source < 0 || target < 0) return false;
  const from = columns.type[source] as number;
  const to = columns.type[target] as number;
  const label = columns.label[edge] as number;
  if ((from !== CONDITION && label === FAILURE) === (to === ERROR || to === FAIL)) return false;
  if (from === TERMINAL || from === FAIL || (from !== CONDITION && label > ALWAYS)) return false;
  return judged[source] === 1 && judged[target] === 1 && counted[edge] === 1;
}

/** Failure edges lead to error nodes, and only they do. */
function errorEdge(context: VerificationContext, edge: number): FindingDraft {
  const from = context.node(context.graph.source[edge] as number);
  const to = context.node(context.graph.target[edge] as number);
  const isFailure = to.type !== 'error';
  const message = isFailure
    ? `The failure edge ${edgeText(context, edge)} leads to ${to.type === 'action' ? 'an' : 'a'} ${to.type} node; failures are handled by error nodes`
    : `The edge ${edgeText(context, edge)} leads to an error node, which only failure edges may`;
  const help = isFailure ? 'Put an error node between the two.' : helpAtError(context, edge);
  return {
    node_id: from.node_id,
    edge: findingEdge(context, edge),
    pointer: context.edgePointer(edge),
    message,
    related: [],
    help,
  };
}

/** Another label helps only where the node has another way on, and no failure edge yet. */
function helpAtError(context: VerificationContext, edge: number): string {
  const source = context.graph.source[edge] as number;
  const lead = 'Lead it to a node of another type, for example a terminal with status: failed';
  if (context.columns.type[source] === CONDITION) return `${lead}.`;
  let goesOn = false;
  for (const other of context.out(source)) {
    const label = context.columns.label[other];
    if (label === FAILURE) return `${lead}.`;
    if (other !== edge && (label === SUCCESS || label === ALWAYS)) goesOn = true;
  }
  return goesOn
    ? `${lead}, or label it failure.`
    : `${lead}; an edge to the error node is labelled failure, beside it.`;
}
