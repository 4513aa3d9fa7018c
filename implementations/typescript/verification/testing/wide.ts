import { type Draw, drawGraph } from './enumerate.js';
import { ERROR_KINDS, type SmallEdge, type SmallGraph, type SmallNode } from './small-graph.js';

/** How often a graph is drawn at most until it has a condition over texts with two nodes to lead to. */
const ATTEMPTS = 200;

/** To how many nodes a condition leads with all its labels. */
const SIDES = 4;

/**
 * Returns a tame graph of at most so many nodes, drawn, in which one condition over texts has as many labels as asked for: most
 * lead to one of a few nodes, at times one leads to two.
 */
export function drawWide(draw: Draw, most: number, labels: number): SmallGraph {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const graph = drawGraph(draw, most, 'tame');
    const choice = graph.nodes.findIndex(({ kind }) => kind === 'choice');
    const targets = graph.nodes.flatMap(({ kind }, at) => (at > choice && !ERROR_KINDS.has(kind) ? [at] : []));
    if (choice >= 0 && targets.length > 1) return widen(draw, graph, choice, targets, labels);
  }
  throw new Error('no graph has a condition over texts');
}

function widen(draw: Draw, graph: SmallGraph, choice: number, targets: readonly number[], labels: number): SmallGraph {
  const target = (): number => targets[draw(targets.length)] as number;
  const edges: SmallEdge[] = graph.edges.filter(({ from }) => from !== choice);
  const shared = draw(2) === 0 ? draw(labels) : -1;
  for (let at = 0; at < labels; at++) {
    const label = labelOf(at, labels);
    const to = at % 7 === 0 ? target() : (targets[at % 2] as number);
    edges.push({ from: choice, to, label });
    const other = target();
    if (at === shared && other !== to) edges.push({ from: choice, to: other, label });
  }
  const nodes = graph.nodes.map((node, at): SmallNode => {
    const into = edges.filter(({ to }) => to === at);
    const { join: _, ...rest } = node;
    if (into.length < 2) return rest;
    return { ...rest, join: into.some(({ from }) => from === choice) || draw(3) === 0 ? 'OR' : 'AND' };
  });
  return { nodes, edges, effect: graph.effect, ...startOf(nodes, edges) };
}

/**
 * Returns an acyclic graph, drawn, of some conditions over texts with so many labels each, beside and below each other, and of
 * joins of what they lead to and of joins of these; too large to try every execution.
 */
export function drawJoins(draw: Draw, conditions: number, labels: number, joins: number): SmallGraph {
  const nodes: SmallNode[] = [{ name: 'start', kind: 'action', parallel: true }];
  const edges: SmallEdge[] = [];
  let before = 0;
  for (let condition = 0; condition < conditions; condition++) {
    const choice = nodes.push({ name: `choice-${condition}`, kind: 'choice' }) - 1;
    edges.push({ from: before, to: choice, label: 'always' });
    if (draw(2) === 0) before = choice + 1 + draw(SIDES);
    for (let side = 0; side < SIDES; side++)
      nodes.push({ name: `side-${condition}-${side}`, kind: 'action', parallel: true, join: 'OR' });
    for (let at = 0; at < labels; at++)
      edges.push({ from: choice, to: choice + 1 + draw(SIDES), label: labelOf(at, labels) });
  }
  for (let join = 0; join < joins; join++) {
    const type = draw(3) === 0 ? 'AND' : 'OR';
    const at = nodes.push({ name: `join-${join}`, kind: 'action', parallel: true, join: type }) - 1;
    const sources = new Set(Array.from({ length: 2 + draw(3) }, () => 1 + draw(at - 1)));
    for (const from of sources)
      edges.push({ from, to: at, label: nodes[from]?.kind === 'choice' ? labelOf(draw(labels), labels) : 'success' });
  }
  return { nodes, edges, effect: 'uncompensated', start: 0 };
}

function labelOf(at: number, labels: number): string {
  return at === labels - 1 ? 'default' : `label-${at}`;
}

function startOf(nodes: readonly SmallNode[], edges: readonly SmallEdge[]): { start?: number } {
  const sources = nodes.filter((_, at) => edges.every(({ to }) => to !== at)).length;
  return sources > 1 ? { start: 0 } : {};
}
