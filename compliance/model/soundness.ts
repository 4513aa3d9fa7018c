import type { Edge, Node, Workflow } from '../../schemas/types.js';
import { certainAt } from './certain.js';
import { isImpossible } from './demand.js';
import { executionsOf } from './executions.js';

/** A graph as the rules of chapter 8 look at it. */
export interface RuleGraph {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly edges: readonly Edge[];
  /** The nodes in an order in which every edge leads forward; undefined where there is a cycle. */
  readonly order?: readonly string[];
  readonly starts: readonly string[];
}

/**
 * The blocking rules over the graph, and of S8 what is about ancestors and certainty, that a workflow breaks. Everything
 * else about it is taken to be in order. Written plainly from chapter 8, for small graphs.
 */
export function brokenRules(workflow: Workflow): ReadonlySet<string> {
  const broken = new Set<string>();
  const ids = workflow.nodes.map(({ node_id }) => node_id);
  const nodes = new Map(workflow.nodes.map(node => [node.node_id, node]));
  if (nodes.size < ids.length) broken.add('S5');
  if (workflow.edges.some(({ from_node, to_node }) => !nodes.has(from_node) || !nodes.has(to_node))) broken.add('S5');
  const edges = workflow.edges.filter(({ from_node, to_node }) => nodes.has(from_node) && nodes.has(to_node));
  const order = orderOf(ids, edges);
  if (order === undefined) broken.add('S1');
  const sources = ids.filter(id => edges.every(({ to_node }) => to_node !== id));
  const named = workflow.workflow.start;
  const starts = named === undefined ? sources : sources.filter(id => id === named);
  if (starts.length !== 1) broken.add('S4');
  const graph: RuleGraph = { nodes, edges, starts, ...(order === undefined ? {} : { order }) };
  const reached = reachable(graph);
  if (ids.some(id => !reached.has(id))) broken.add('S2');
  for (const node of nodes.values()) {
    const outs = edges.filter(({ from_node }) => from_node === node.node_id);
    const ins = edges.filter(({ to_node }) => to_node === node.node_id);
    if (mustGoOn(node) && !outs.some(({ label }) => label === 'success' || label === 'always')) broken.add('S3');
    if (!fits(node, ins, outs, nodes)) broken.add('S5');
  }
  if (broken.size > 0 || order === undefined) return broken;
  if (ids.some(id => isImpossible(graph, id))) broken.add('S2');
  if (!readsFit(workflow, graph)) broken.add('S8');
  return broken;
}

/**
 * The references without a default that lead to nothing in some execution, found by trying out every one of a small graph
 * without cycles.
 */
export function uncertainReads(workflow: Workflow): readonly string[] {
  const ids = workflow.nodes.map(({ node_id }) => node_id);
  const nodes = new Map(workflow.nodes.map(node => [node.node_id, node]));
  const order = orderOf(ids, workflow.edges);
  if (order === undefined) return ['of a graph with a cycle'];
  const executions = executionsOf({ nodes, edges: workflow.edges, order, starts: [] });
  const reads = readsOf(workflow).filter(({ reader, hasDefault }) => reader !== undefined && !hasDefault);
  return reads
    .filter(({ reader = '', of }) => executions.some(one => one.has(reader) && one.get(of) !== 'success'))
    .map(({ reader, of }) => `${reader} reads ${of}`);
}

function mustGoOn(node: Node): boolean {
  return node.type === 'action' || node.type === 'skill' || (node.type === 'error' && node.handling !== 'fail');
}

/** Every node in an order in which edges lead forward, or undefined where there is a cycle. */
function orderOf(ids: readonly string[], edges: readonly Edge[]): string[] | undefined {
  const left = new Set(ids);
  const order: string[] = [];
  for (let next = first(left, edges); next !== undefined; next = first(left, edges)) {
    left.delete(next);
    order.push(next);
  }
  return left.size === 0 ? order : undefined;
}

function first(left: ReadonlySet<string>, edges: readonly Edge[]): string | undefined {
  return [...left].find(id => edges.every(({ from_node, to_node }) => to_node !== id || !left.has(from_node)));
}

function reachable({ starts, edges }: RuleGraph): ReadonlySet<string> {
  const seen = new Set(starts);
  for (const at of seen) for (const { from_node, to_node } of edges) if (from_node === at) seen.add(to_node);
  return seen;
}

/** Whether labels, ends and numbers of the edges of a node are as the table of S5 says. */
function fits(node: Node, ins: readonly Edge[], outs: readonly Edge[], nodes: ReadonlyMap<string, Node>): boolean {
  const labels = outs.map(({ label }) => label);
  const texts = outs.map(({ to_node, label }) => JSON.stringify([to_node, label]));
  if (new Set(texts).size < texts.length) return false;
  const toErrors = outs.filter(({ to_node }) => nodes.get(to_node)?.type === 'error');
  if (node.type === 'terminal' || (node.type === 'error' && node.handling === 'fail')) return outs.length === 0;
  if (node.type === 'error' && node.handling === 'retry' && ins.length !== 1) return false;
  if (toErrors.some(({ label }) => label !== 'failure')) return false;
  if (node.type === 'condition')
    return new Set(labels).size === labels.length && answers(node.expression, new Set(labels));
  const failures = outs.filter(({ label }) => label === 'failure');
  if (labels.some(label => label !== 'success' && label !== 'failure' && label !== 'always')) return false;
  if (failures.length > 1 || failures.some(({ to_node }) => nodes.get(to_node)?.type !== 'error')) return false;
  const together =
    labels.filter(label => label === 'success').length > 1 || (labels.includes('always') && labels.length > 1);
  return !together || ('fan_out' in node && node.fan_out === 'parallel');
}

/** Whether a condition of the generators has an edge for everything that it can give: comparisons and flags are boolean. */
function answers(expression: string, labels: ReadonlySet<string>): boolean {
  if (labels.has('always')) return false;
  if (!/[<>]|inputs\.flag/.test(expression)) return labels.has('default');
  const known = ['true', 'false', 'default'].filter(label => labels.has(label));
  return known.length === labels.size && (labels.has('true') || labels.has('false')) && known.length > 1;
}

/** A reference into a node, and who reads it; nobody where it stands in the outputs of the workflow. */
interface Read {
  readonly reader?: string;
  readonly of: string;
  readonly hasDefault: boolean;
}

const REFERENCE = /\$\{nodes\.([^.}]+)\.outputs[^}?]*(\?\?)?/g;
const IN_EXPRESSION = /nodes\["([^"]+)"\]/g;

function readsOf(workflow: Workflow): Read[] {
  const reads: Read[] = [];
  const find = (text: string, pattern: RegExp, reader: string | undefined): void => {
    for (const [, of = '', fallback] of text.matchAll(pattern))
      reads.push({ of, hasDefault: fallback !== undefined, ...(reader === undefined ? {} : { reader }) });
  };
  for (const node of workflow.nodes) {
    if (node.type === 'condition') find(node.expression, IN_EXPRESSION, node.node_id);
    else if ('input_mapping' in node) find(JSON.stringify(node.input_mapping ?? {}), REFERENCE, node.node_id);
  }
  find(JSON.stringify(workflow.outputs ?? {}), REFERENCE, undefined);
  return reads;
}

function readsFit(workflow: Workflow, graph: RuleGraph): boolean {
  const certain = certainAt(graph);
  const completed = workflow.nodes.filter(node => node.type === 'terminal' && node.status === 'completed');
  return readsOf(workflow).every(({ reader, of, hasDefault }) => {
    const node = graph.nodes.get(of);
    if (node === undefined || !hasOutputs(node)) return false;
    const readers = reader === undefined ? completed.map(({ node_id }) => node_id) : [reader];
    if (reader !== undefined && !isAncestor(of, reader, graph)) return false;
    return hasDefault || readers.every(id => certain.get(id)?.has(of) === true);
  });
}

function hasOutputs(node: Node): boolean {
  return node.type !== 'condition' && node.type !== 'terminal' && !(node.type === 'error' && node.handling === 'fail');
}

function isAncestor(id: string, of: string, { edges }: RuleGraph): boolean {
  const above = new Set<string>([of]);
  for (const at of above) for (const { from_node, to_node } of edges) if (to_node === at) above.add(from_node);
  return id !== of && above.has(id);
}
