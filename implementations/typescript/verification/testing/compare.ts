import type { Finding } from '../../../../schemas/types.js';
import { verify } from '../index.js';
import { type Expectation, executedBy, expectationOf, type Form } from './oracle.js';
import { documentOf, type SmallGraph } from './small-graph.js';

/** What was compared, and where verifier and oracle did not agree. */
export interface Tally {
  graphs: number;
  executions: number;
  /** For each rule how many findings it had and how many graphs without any. */
  readonly rules: Map<string, { findings: number; clean: number }>;
  /** For the rules that may miss a defect: how many there were, and how many they named. */
  readonly searched: Map<string, { there: number; named: number }>;
  readonly disagreements: Disagreement[];
}

export interface Disagreement {
  readonly graph: SmallGraph;
  readonly what: string;
}

export function newTally(): Tally {
  return { graphs: 0, executions: 0, rules: new Map(), searched: new Map(), disagreements: [] };
}

/** Counts one graph, and what the verifier and the oracle say differently of it. */
export function compare(tally: Tally, graph: SmallGraph, form: Form): void {
  tally.graphs++;
  let expectation: Expectation;
  try {
    expectation = expectationOf(graph, form);
  } catch (error) {
    tally.disagreements.push({ graph, what: (error as Error).message });
    return;
  }
  tally.executions += expectation.executions;
  const { actual, open } = actualOf(graph);
  for (const [rule, expected] of expectation.exact) {
    const found = (actual.get(rule) ?? []).toSorted();
    const wanted = expected.toSorted();
    const count = tally.rules.get(rule) ?? { findings: 0, clean: 0 };
    tally.rules.set(rule, count);
    count.findings += wanted.length;
    if (wanted.length === 0) count.clean++;
    if (found.join('\n') !== wanted.join('\n'))
      tally.disagreements.push({
        graph,
        what: `${rule}: found [${found.join(', ')}], expected [${wanted.join(', ')}]`,
      });
  }
  for (const [rule, there] of expectation.possible) {
    const found = actual.get(rule) ?? [];
    const count = tally.searched.get(rule) ?? { there: 0, named: 0 };
    tally.searched.set(rule, count);
    count.there += there.length;
    count.named += found.length;
    const wrong = found.filter(one => !there.includes(one));
    const missed = EXACT_UNLESS_OPEN.has(rule) && !open.has(rule) ? there.filter(one => !found.includes(one)) : [];
    if (missed.length > 0) tally.disagreements.push({ graph, what: `an execution bears out ${missed.join(', ')}` });
    if (wrong.length > 0) tally.disagreements.push({ graph, what: `no execution bears out ${wrong.join(', ')}` });
  }
}

/** The rules that may miss a defect only where the report says that they were not evaluated in full. */
const EXACT_UNLESS_OPEN: ReadonlySet<string> = new Set(['S16']);

/** What the verifier says of a graph, in the words of the oracle, and which rules it says were not evaluated in full. */
function actualOf(graph: SmallGraph): { actual: Map<string, string[]>; open: ReadonlySet<string> } {
  const { workflow, registry } = documentOf(graph);
  const actual = new Map<string, string[]>();
  const { findings, rules } = verify(workflow, registry);
  for (const finding of findings) {
    const [rule, text] = inWords(graph, finding);
    const known = actual.get(rule);
    if (known === undefined) actual.set(rule, [text]);
    else known.push(text);
  }
  return { actual, open: new Set(rules.filter(({ reason }) => reason !== undefined).map(({ rule }) => rule)) };
}

function inWords(graph: SmallGraph, finding: Finding): [rule: string, text: string] {
  const { rule, node_id = '', pointer, message, related } = finding;
  const node = graph.nodes.find(({ name }) => name === node_id);
  if (rule === 'S1') {
    const names = [...message.matchAll(/"([^"]*)"(?= →)/g)].map(match => match[1]);
    const closes = finding.edge?.from_node === names.at(-1) && finding.edge?.to_node === node_id;
    return ['S1', `S1 ${names.join(' ')}${closes && names[0] === node_id ? '' : ' closed elsewhere'}`];
  }
  if (rule === 'S2') {
    const kind = related.some(place => place.pointer.startsWith('/edges')) ? 'join' : 'unreachable';
    return [`S2 ${kind}`, `S2 ${kind} ${node_id}`];
  }
  if (rule === 'S4') return ['S4', 'S4'];
  if (rule === 'S5') {
    const [, section, , field] = pointer.split('/');
    const parts = [section === 'edges' ? 'edge' : 'node', node_id, field].filter(part => part);
    return ['S5', `S5 ${parts.join(' ')}`];
  }
  if (rule === 'S6') {
    const kind = node?.join === undefined ? 'undeclared' : 'joined';
    return [`S6 ${kind}`, `S6 ${kind} ${node_id}`];
  }
  if (rule === 'S8') {
    const name = pointer.split('/').at(-1) ?? '';
    return ['S8', `S8 ${name.startsWith('o_') ? 'output' : node_id} ${name.replace(/^[no]_/, '')}`];
  }
  if (rule === 'S16') {
    const user = graph.nodes.findIndex(({ name }) => name === related[0]?.node_id);
    return ['S16', `S16 ${node_id} ${graph.nodes[executedBy(graph, user) ?? -1]?.name}`];
  }
  return [rule, `${rule} ${node_id}`];
}

/** Returns a graph with the same disagreement from which no node, edge or mark can be taken away. */
export function shrink(graph: SmallGraph, form: Form): SmallGraph {
  const differs = (candidate: SmallGraph): boolean => {
    const tally = newTally();
    compare(tally, candidate, form);
    return tally.disagreements.length > 0;
  };
  let smallest = graph;
  for (let smaller: SmallGraph | undefined = graph; smaller !== undefined; ) {
    smallest = smaller;
    smaller = [...simpler(smallest)].find(differs);
  }
  return smallest;
}

function* simpler(graph: SmallGraph): Generator<SmallGraph> {
  for (const at of graph.nodes.keys()) {
    if (graph.start === at) continue;
    const moved = (node: number): number => (node > at ? node - 1 : node);
    yield {
      ...graph,
      nodes: graph.nodes.filter((_, other) => other !== at),
      edges: graph.edges
        .filter(({ from, to }) => from !== at && to !== at)
        .map(({ from, to, label }) => ({ from: moved(from), to: moved(to), label })),
      ...(graph.start === undefined ? {} : { start: moved(graph.start) }),
    };
  }
  for (const at of graph.edges.keys()) yield { ...graph, edges: graph.edges.filter((_, other) => other !== at) };
}
