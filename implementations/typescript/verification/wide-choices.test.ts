import { describe, expect, it } from 'vitest';
import type { Action, Edge, Node, Workflow } from '../../../schemas/types.js';
import { verify } from './index.js';
import { compare, newTally, shrink } from './testing/compare.js';
import { drawFrom } from './testing/enumerate.js';
import { impossibleJoins } from './testing/oracle-equations.js';
import { documentOf } from './testing/small-graph.js';
import { drawJoins, drawWide } from './testing/wide.js';

const act = (node_id: string, more: object = {}): Node =>
  ({ node_id, type: 'action', action_def: 'act@^1', fan_out: 'parallel', ...more }) as Node;
const end = (node_id: string, more: object = {}): Node =>
  ({ node_id, type: 'terminal', status: 'completed', ...more }) as Node;
const edge = (from_node: string, to_node: string, label = 'success'): Edge => ({ from_node, to_node, label });

/** A condition with so many labels, the last of them `default`, each of which leads to as many of two nodes as it is said to. */
function split(labels: number, sidesOf: (at: number) => readonly string[], rest: readonly Node[]): Workflow {
  const edges: Edge[] = [];
  for (let at = 0; at < labels; at++) {
    const label = at === labels - 1 ? 'default' : `label-${at}`;
    edges.push(edge('choose', `branch-${at}`, label), ...sidesOf(at).map(side => edge(`branch-${at}`, side)));
  }
  const act0: Partial<Action> = { action_id: 'act', version: '1.0.0', determinism: 'deterministic' };
  return {
    schema_version: '1.0',
    workflow: { name: 'wide', version: '1.0.0' },
    inputs: { t: { schema: { type: 'string' } } },
    actions: [{ ...act0, rollback: 'compensatable', side_effects: ['remote_server'] } as Action],
    nodes: [
      { node_id: 'choose', type: 'condition', expression: 'inputs.t' },
      ...Array.from({ length: labels }, (_, at) => act(`branch-${at}`)),
      ...rest,
    ],
    edges,
  };
}

const said = (document: Workflow, rule: string): readonly (string | undefined)[] => {
  const { findings, rules } = verify(document, { schema_version: '1.0', actions: [], workflows: [] });
  return [
    rules.find(one => one.rule === rule)?.status,
    ...findings.filter(one => one.rule === rule).map(({ node_id }) => node_id),
  ];
};

describe.each([30, 31, 32, 33, 64, 1000])('a condition with %i labels', labels => {
  const last = labels - 1;
  const sides = [act('left', { join_type: 'OR' }), act('right', { join_type: 'OR' })];
  const joined = (sidesOf: (at: number) => readonly string[], join_type: 'AND' | 'OR'): Workflow => {
    const document = split(labels, sidesOf, [...sides, end('done', { join_type })]);
    return { ...document, edges: [...document.edges, edge('left', 'done'), edge('right', 'done')] };
  };
  const apart = (at: number): readonly string[] => [at % 2 === 0 ? 'left' : 'right'];

  it('excludes an AND join of the nodes to which its first and last label lead', () => {
    const document = split(labels, at => (at === 0 || at === last ? ['done'] : []), [
      end('done', { join_type: 'AND' }),
    ]);
    expect(said(document, 'S2')).toEqual(['fail', 'done']);
  });

  it('excludes an AND join of two sides that share no label, and no other', () => {
    expect(said(joined(apart, 'AND'), 'S2')).toEqual(['fail', 'done']);
    for (const shared of [0, Math.floor(labels / 2), last - 1, last]) {
      const sidesOf = (at: number): readonly string[] => (at === shared ? ['left', 'right'] : apart(at));
      expect(said(joined(sidesOf, 'AND'), 'S2')).toEqual(['pass']);
    }
  });

  it('does not exclude an AND join of a side with all labels and one with the last', () => {
    const document = joined(at => (at === last ? ['left', 'right'] : ['left']), 'AND');
    expect(said(document, 'S2')).toEqual(['pass']);
  });

  it('lets an OR join of two sides that share no label be, and says so of all of S6', () => {
    expect(said(joined(apart, 'OR'), 'S6')).toEqual(['pass']);
  });

  it('keeps apart what commits on one branch and what undoes on another (S16)', () => {
    const undo: Node = { node_id: 'undo', type: 'error', handling: 'compensate' };
    const document = split(labels, () => [], [undo, end('undone')]);
    document.edges.push(edge(`branch-${last}`, 'undo', 'failure'), edge('undo', 'undone'));
    expect(said(document, 'S16')).toEqual(['pass']);
    document.edges.push(edge('branch-0', 'undo', 'failure'));
    const nodes = document.nodes.map(node => (node.node_id === 'undo' ? { ...node, join_type: 'OR' as const } : node));
    expect(said({ ...document, nodes }, 'S16')).toEqual(['pass']);
    document.edges.push(edge('choose', 'branch-0', 'default'));
    expect(said({ ...document, nodes }, 'S16')).toEqual(['fail', 'undo']);
  });
});

describe('a graph with a wide condition', () => {
  it.each([
    [31, 6, 30],
    [33, 6, 60],
    [64, 6, 30],
    [1000, 4, 4],
  ])('of %i labels is judged as trying everything says, with up to %i nodes', (labels, most, count) => {
    const tally = newTally();
    for (let seed = 0; seed < count; seed++) compare(tally, drawWide(drawFrom(seed), most, labels), 'wide');
    const [first] = tally.disagreements;
    expect(first === undefined ? [] : [first.what, shrink(first.graph, 'wide')]).toEqual([]);
  });

  it('that is larger is judged as the seven steps of the chapter say (S2)', () => {
    const counts = { impossible: 0, possible: 0 };
    for (let seed = 0; seed < 40; seed++) {
      const draw = drawFrom(seed);
      const graph = drawJoins(draw, 1 + draw(3), [20, 31, 45, 90][draw(4)] as number, 12 + draw(20));
      const all = graph.nodes.map((_, at) => at);
      const reached = all.map(() => true);
      const wanted = impossibleJoins(graph, all, reached).map(at => graph.nodes[at]?.name);
      const { workflow, registry } = documentOf(graph);
      const found = verify(workflow, registry).findings.filter(
        ({ rule, message }) => rule === 'S2' && / AND /.test(message),
      );
      expect([seed, ...found.map(({ node_id }) => node_id).sort()]).toEqual([seed, ...wanted.sort()]);
      counts.impossible += wanted.length;
      counts.possible += graph.nodes.filter(({ join }) => join === 'AND').length - wanted.length;
    }
    expect(Math.min(counts.impossible, counts.possible)).toBeGreaterThan(50);
  });
});
