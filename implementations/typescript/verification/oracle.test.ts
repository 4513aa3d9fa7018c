import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action, Edge, Finding, Node, Registry, Workflow } from '../../../schemas/types.js';
import { verify } from './index.js';
import { kindsOf, RULE_IDS } from './rules/index.js';

/** What small-graphs.test.ts leaves out: paths that stand in for others, and documents in another order. */

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const LABELS: Record<Node['type'], readonly string[]> = {
  action: ['success', 'failure', 'always'],
  skill: ['success', 'failure', 'always'],
  error: ['success', 'always'],
  condition: ['true', 'false', 'default'],
  terminal: [],
};

interface Options {
  readonly acyclic: boolean;
  readonly hostile?: boolean;
}

function workflows({ acyclic, hostile = false }: Options): fc.Arbitrary<Workflow> {
  const kind = fc.constantFrom('action', 'action', 'condition', 'terminal', 'fail');
  const join = fc.constantFrom('AND', 'OR', undefined);
  const shapes = fc.array(fc.record({ kind, join, parallel: fc.boolean() }), {
    minLength: hostile ? 0 : 1,
    maxLength: NAMES.length,
  });
  const links = fc.array(fc.record({ from: fc.nat(), to: fc.nat(), label: fc.nat(), odd: fc.nat({ max: 9 }) }), {
    maxLength: 12,
  });
  const start = fc.option(fc.nat(), { freq: 2 });
  return fc.tuple(shapes, links, start, fc.nat({ max: 9 })).map(([nodeShapes, edgeShapes, startAt, repeat]) => {
    const nodes = nodeShapes.map(({ kind: type, join: join_type, parallel }, index): Node => {
      const base = { node_id: NAMES[index] as string, ...(join_type === undefined ? {} : { join_type }) };
      const wide = parallel ? ({ fan_out: 'parallel' } as const) : {};
      if (type === 'condition') return { ...base, type, expression: 'inputs.x > 1' };
      if (type === 'terminal') return { ...base, type, status: 'completed' };
      if (type === 'fail') return { ...base, type: 'error', handling: 'fail' };
      return { ...base, ...wide, type: 'action', action_def: 'act@^1' };
    });
    const edges: Edge[] = [];
    for (const { from, to, label, odd } of edgeShapes) {
      const a = from % nodes.length;
      const b = to % nodes.length;
      if (nodes.length === 0 || (acyclic && a === b)) continue;
      const [source, target] = acyclic && a > b ? [b, a] : [a, b];
      const from_node = nodes[source] as Node;
      const labels = LABELS[from_node.type];
      const usual = labels[label % Math.max(1, labels.length)];
      if (usual === undefined && !hostile) continue;
      const edge = {
        from_node: from_node.node_id,
        to_node: (nodes[target] as Node).node_id,
        label: usual ?? 'success',
      };
      if (hostile && odd === 0) edge.to_node = 'nowhere';
      if (hostile && odd === 1) edge.from_node = 'missing';
      if (hostile && odd === 2) edge.label = 'odd';
      if (!hostile && edges.some(other => JSON.stringify(other) === JSON.stringify(edge))) continue;
      edges.push(edge);
    }
    if (hostile && repeat === 0 && nodes[1] !== undefined) nodes[1] = { ...nodes[1], node_id: 'a' };
    const named = startAt === null || nodes.length === 0 ? undefined : (nodes[startAt % nodes.length] as Node).node_id;
    const workflow = { name: 'w', version: '1.0.0', ...(named === undefined ? {} : { start: named }) };
    return { schema_version: '1.0', workflow, nodes, edges };
  });
}

const findingsOf = (workflow: Workflow, rule: string): Finding[] =>
  verify(workflow).findings.filter(finding => finding.rule === rule);
const ids = (workflow: Workflow): string[] => workflow.nodes.map(node => node.node_id);

/** Whether there is a path of at least one edge. */
function leads(workflow: Workflow, from: string, to: string, seen = new Set<string>()): boolean {
  return workflow.edges.some(edge => {
    if (edge.from_node !== from || seen.has(edge.to_node)) return false;
    seen.add(edge.to_node);
    return edge.to_node === to || leads(workflow, edge.to_node, to, seen);
  });
}

function sourcesOf(workflow: Workflow): string[] {
  return ids(workflow).filter(id => !workflow.edges.some(edge => edge.to_node === id));
}

type Outcomes = ReadonlyMap<string, string>;

/** Which edges are taken and which nodes run, where each node that runs has the given outcome. */
function run(workflow: Workflow, start: string, outcomes: Outcomes): { ran: Set<string>; taken: Set<Edge> } {
  const ran = new Set<string>();
  const taken = new Set<Edge>();
  const visit = (id: string): boolean => {
    const node = workflow.nodes.find(candidate => candidate.node_id === id) as Node;
    const into = workflow.edges.filter(edge => edge.to_node === id);
    const arrived = into.filter(edge => {
      const runs = visit(edge.from_node);
      const takes = runs && (edge.label === 'always' || edge.label === outcomes.get(edge.from_node));
      if (takes) taken.add(edge);
      return takes;
    });
    const runs =
      into.length === 0 ? id === start : node.join_type === 'AND' ? arrived.length === into.length : arrived.length > 0;
    if (runs) ran.add(id);
    return runs;
  };
  for (const id of ids(workflow)) visit(id);
  return { ran, taken };
}

function* everyOutcome(workflow: Workflow): Generator<Outcomes> {
  const choices = workflow.nodes.map(node => {
    const labels = new Set(
      workflow.edges.filter(edge => edge.from_node === node.node_id && edge.label !== 'always').map(edge => edge.label),
    );
    return [node.node_id, [...labels, 'none']] as const;
  });
  const total = choices.reduce((product, [, labels]) => product * labels.length, 1);
  for (let number = 0; number < total; number++) {
    let rest = number;
    const outcomes = new Map<string, string>();
    for (const [id, labels] of choices) {
      outcomes.set(id, labels[rest % labels.length] as string);
      rest = Math.floor(rest / labels.length);
    }
    yield outcomes;
  }
}

function startOf(workflow: Workflow): string | undefined {
  const sources = sourcesOf(workflow);
  if (workflow.workflow.start !== undefined)
    return sources.includes(workflow.workflow.start) ? workflow.workflow.start : undefined;
  return sources.length === 1 ? sources[0] : undefined;
}

/** The workflow with failure edges to error nodes only, and one action that reads the output of another node. */
function reading(workflow: Workflow, reader: string, mapping: string): Workflow {
  const kind = new Map(workflow.nodes.map(node => [node.node_id, node.type]));
  const edges = new Map<string, Edge>();
  for (const edge of workflow.edges) {
    const wrong = edge.label === 'failure' && kind.get(edge.to_node) !== 'error';
    const mended = wrong ? { ...edge, label: 'success' } : edge;
    edges.set(JSON.stringify(mended), mended);
  }
  const nodes = workflow.nodes.map(node =>
    node.node_id === reader && node.type === 'action' ? { ...node, input_mapping: { x: mapping } } : node,
  );
  return { ...workflow, nodes, edges: [...edges.values()] };
}

/** The actions that something leads to, of a graph with one start; none where it has not. */
function reachedActions(workflow: Workflow): string[] {
  const start = startOf(workflow);
  if (start === undefined) return [];
  const actions = workflow.nodes.filter(({ type }) => type === 'action').map(({ node_id }) => node_id);
  return actions.filter(id => id === start || leads(workflow, start, id));
}

describe('S8 against brute force', () => {
  /** A workflow, and three of its actions. */
  const graphs = fc
    .tuple(
      workflows({ acyclic: true }).filter(graph => reachedActions(graph).length > 0),
      fc.tuple(fc.nat(), fc.nat(), fc.nat()),
    )
    .map(([graph, picks]) => {
      const actions = reachedActions(graph);
      return [graph, ...picks.map(pick => actions[pick % actions.length] as string)] as [
        Workflow,
        string,
        string,
        string,
      ];
    });

  it('lets a default path stand in where one of the two has committed in every execution', () => {
    let settled = 0;
    fc.assert(
      fc.property(graphs, ([graph, reader, first, second]) => {
        const workflow = reading(graph, reader, `\${nodes.${first}.outputs.v ?? nodes.${second}.outputs.v}`);
        const start = startOf(workflow);
        if (first === second) return;
        if (findingsOf(workflow, 'S8').some(finding => finding.pointer.endsWith('/x'))) return;
        settled++;
        for (const outcomes of everyOutcome(workflow)) {
          const { ran } = run(workflow, start as string, outcomes);
          if (!ran.has(reader)) continue;
          expect([first, second].some(id => ran.has(id) && outcomes.get(id) === 'success')).toBe(true);
        }
      }),
      { numRuns: 8000 },
    );
    expect(settled).toBeGreaterThan(5);
  });
});

const CONTRACTS: readonly Partial<Action>[] = [
  { side_effects: [] },
  {},
  { side_effects: ['filesystem'] },
  { side_effects: ['remote_server'], rollback: 'compensatable', determinism: 'non_deterministic' },
  { side_effects: ['external_service'], rollback: 'irreversible', revert: 'act0@^1' },
  { side_effects: ['remote_server'], rollback: 'compensatable' },
];

/** A workflow with contracts, retries, mappings, skills and error nodes that undo, so that every rule has something to say. */
function enriched(workflow: Workflow, next: () => number): Workflow {
  const pick = <T>(list: readonly T[]): T => list[next() % list.length] as T;
  const mapping = (): string =>
    pick([
      '${inputs.n}',
      '${inputs.nn ?? 1}',
      '${error.node_id}',
      `\${nodes.${pick(NAMES)}.outputs.v}`,
      `\${nodes.${pick(NAMES)}.outputs.w ?? nodes.${pick(NAMES)}.outputs.v}`,
      '${broken',
    ]);
  const nodes = workflow.nodes.map((node): Node => {
    if (node.type === 'error')
      return { ...node, handling: pick(['fail', 'compensate', 'compensate', 'retry'] as const) };
    if (node.type === 'condition')
      return { ...node, expression: pick(['inputs.n > 1', 'nodes.a.outputs.v', 'inputs.m']) };
    if (node.type !== 'action') return node;
    if (next() % 5 === 0)
      return {
        node_id: node.node_id,
        type: 'skill',
        workflow_ref: pick(['w@^1', 'x@^1']),
        input_mapping: { n: mapping() },
      };
    const action_def = `act${next() % (CONTRACTS.length + 1)}@^1`;
    return { ...node, action_def, retry_policy: { max_retries: next() % 3 }, input_mapping: { n: mapping() } };
  });
  const actions = CONTRACTS.map(
    (more, at): Action => ({
      action_id: `act${at}`,
      version: '1.0.0',
      determinism: 'deterministic',
      rollback: 'rollbackable',
      output_schema: { type: 'object', properties: { v: { type: 'string' } }, additionalProperties: false },
      ...more,
    }),
  );
  return { ...workflow, nodes, actions, inputs: { n: { schema: { type: 'number' } } }, outputs: { o: mapping() } };
}

describe('for every order of the document', () => {
  const key = ({ rule, severity, node_id, edge, message, help, related }: Finding): string =>
    JSON.stringify([rule, severity, node_id, edge, message, help, related.map(place => place.message)]);

  const EMPTY: Registry = { schema_version: '1.0', actions: [], workflows: [] };
  const hostile = fc.oneof(workflows({ acyclic: false, hostile: true }), workflows({ acyclic: true }));

  it('gives the same findings (VII1)', () => {
    const told = new Set<string>();
    fc.assert(
      fc.property(hostile, fc.infiniteStream(fc.nat()), (graph, numbers) => {
        const workflow = enriched(graph, () => numbers.next().value as number);
        const shuffle = <T>(list: readonly T[]): T[] => {
          const left = [...list];
          const result: T[] = [];
          while (left.length > 0) result.push(...left.splice((numbers.next().value as number) % left.length, 1));
          return result;
        };
        const nodes = shuffle(workflow.nodes).map(node => Object.fromEntries(shuffle(Object.entries(node))));
        const edges = shuffle(workflow.edges).map(edge => Object.fromEntries(shuffle(Object.entries(edge))));
        const one = verify(workflow, EMPTY);
        for (const finding of one.findings) {
          told.add(finding.rule);
          if (finding.rule !== 'SCHEMA')
            expect(
              kindsOf(finding).map(({ id }) => id),
              finding.message,
            ).toHaveLength(1);
        }
        const { outputs, inputs } = workflow;
        const actions = shuffle(workflow.actions ?? []);
        const other = verify(
          { edges, outputs, nodes, actions, inputs, workflow: workflow.workflow, schema_version: '1.0' },
          EMPTY,
        );
        expect(other.findings.map(key).sort()).toEqual(one.findings.map(key).sort());
        expect(other.rules).toEqual(one.rules);
        expect(verify(workflow, EMPTY)).toEqual(one);
      }),
      { numRuns: 1200 },
    );
    expect(RULE_IDS.filter(rule => !told.has(rule))).toEqual([]);
  });
});
