import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action, Edge, Node, Workflow } from '../../../schemas/types.js';
import { verify } from './index.js';

/** Zones against every execution of small graphs. Nothing below uses the verifier's code. */

const KINDS = [
  'undoable',
  'irreversible',
  'gap',
  'plain',
  'skill',
  'condition',
  'terminal',
  'retry',
  'rollback',
  'undo',
  'ref',
  'fail',
] as const;
type Kind = (typeof KINDS)[number];
const ERRORS: readonly Kind[] = ['retry', 'rollback', 'undo', 'ref', 'fail'];

const act = (action_id: string, more: Partial<Action>): Action => ({
  action_id,
  version: '1.0.0',
  determinism: 'deterministic',
  rollback: 'compensatable',
  side_effects: ['repository'],
  compensation: 'plain@1',
  ...more,
});
const ACTIONS: readonly Action[] = [
  act('undoable', {}),
  act('irreversible', { rollback: 'irreversible' }),
  act('gap', { compensation: 'irreversible@1' }),
  act('plain', { rollback: 'rollbackable', side_effects: [] }),
];
const SKILL: Workflow = {
  schema_version: '1.0',
  workflow: { name: 'inner', version: '1.0.0' },
  actions: [...ACTIONS],
  nodes: [
    { node_id: 'x', type: 'action', action_def: 'undoable@1' },
    { node_id: 'end', type: 'terminal', status: 'completed' },
  ],
  edges: [{ from_node: 'x', to_node: 'end', label: 'success' }],
};
const REGISTRY = { schema_version: '1.0' as const, actions: [], workflows: [SKILL] };

interface Case {
  readonly workflow: Workflow;
  readonly kinds: ReadonlyMap<string, Kind>;
}

const canFailOf = (kind: Kind): boolean => !['condition', 'terminal', 'fail'].includes(kind);
const labelsOf = (kind: Kind): readonly string[] =>
  kind === 'terminal' || kind === 'fail'
    ? []
    : kind === 'condition'
      ? ['true', 'false', 'default']
      : ['success', 'always'];

function nodeOf(node_id: string, kind: Kind, and: boolean): Node {
  const base = { node_id, join_type: and ? ('AND' as const) : ('OR' as const) };
  if (kind === 'condition') return { ...base, type: 'condition', expression: 'inputs.x > 1' };
  if (kind === 'terminal') return { ...base, type: 'terminal', status: 'completed' };
  if (kind === 'skill') return { ...base, type: 'skill', workflow_ref: 'inner@1' };
  if (kind === 'retry') return { ...base, type: 'error', handling: 'retry' };
  if (kind === 'rollback') return { ...base, type: 'error', handling: 'rollback' };
  if (kind === 'undo') return { ...base, type: 'error', handling: 'compensate' };
  if (kind === 'ref') return { ...base, type: 'error', handling: 'compensate', compensate_ref: 'undoable@1' };
  if (kind === 'fail') return { ...base, type: 'error', handling: 'fail' };
  return { ...base, type: 'action', action_def: `${kind}@1` };
}

/** Graphs in which every node but the first has an in-edge from an earlier one, by labels that fit. */
function cases(joins: 'OR' | 'any'): fc.Arbitrary<Case> {
  const shape = fc.record({
    kind: fc.constantFrom(...KINDS),
    and: joins === 'OR' ? fc.constant(false) : fc.boolean(),
    from: fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 2 }),
  });
  return fc.array(shape, { minLength: 2, maxLength: 6 }).map(shapes => {
    const kinds = new Map<string, Kind>();
    const edges: Edge[] = [];
    const nodes: Node[] = [];
    for (const [index, { kind, and, from }] of shapes.entries()) {
      const id = `n${(index * 5) % 7}`;
      const isError = ERRORS.includes(kind);
      const hasFailure = (name: string): boolean => edges.some(e => e.from_node === name && e.label === 'failure');
      const earlier = [...kinds].filter(([name, other]) =>
        isError ? canFailOf(other) && !hasFailure(name) : labelsOf(other).length > 0,
      );
      if (index > 0 && earlier.length === 0) continue;
      if (index === 0 && isError) continue;
      if (index > 0 && kinds.size === 0) continue;
      const made = new Set<string>();
      for (const [which, label] of kind === 'retry' ? from.slice(0, 1) : from) {
        const source = earlier[which % Math.max(1, earlier.length)];
        if (source === undefined) continue;
        const labels = isError ? ['failure'] : labelsOf(source[1]);
        const edge = { from_node: source[0], to_node: id, label: labels[label % labels.length] as string };
        if (made.has(JSON.stringify(edge)) || (isError && made.size > 0 && hasFailure(source[0]))) continue;
        made.add(JSON.stringify(edge));
        edges.push(edge);
      }
      kinds.set(id, kind);
      nodes.push(nodeOf(id, kind, and && made.size > 1));
    }
    const workflow: Workflow = {
      schema_version: '1.0',
      workflow: { name: 'w', version: '1.0.0' },
      inputs: { x: { schema: { type: 'number' } } },
      actions: [...ACTIONS],
      nodes,
      edges,
    };
    return { workflow, kinds };
  });
}

/** What the action that a node executes can leave. */
function effectOf(id: string, { workflow, kinds }: Case): 'none' | 'undoable' | 'lasting' {
  const kind = kinds.get(id);
  if (kind === 'retry') {
    const edge = workflow.edges.find(({ to_node }) => to_node === id);
    return edge === undefined ? 'none' : effectOf(edge.from_node, { workflow, kinds });
  }
  if (kind === 'undoable' || kind === 'skill' || kind === 'ref') return 'undoable';
  return kind === 'irreversible' || kind === 'gap' ? 'lasting' : 'none';
}

function isSkillLike(id: string, { workflow, kinds }: Case): boolean {
  const kind = kinds.get(id);
  if (kind !== 'retry') return kind === 'skill';
  const edge = workflow.edges.find(({ to_node }) => to_node === id);
  return edge !== undefined && isSkillLike(edge.from_node, { workflow, kinds });
}

/** One execution in which undoing undoes whatever can be undone, also where it fails, and in which each node resolves as chosen: what committed and stays, and who failed for good. */
function execute(
  subject: Case,
  outcomes: ReadonlyMap<string, string>,
): { stays: Set<string>; taken: Edge[]; failed: Set<string> } {
  const { workflow, kinds } = subject;
  const resolved = new Map<string, string>();
  const taken: Edge[] = [];
  const stays = new Set<string>();
  const failed = new Set<string>();
  const start = workflow.nodes.find(({ node_id }) => !workflow.edges.some(({ to_node }) => to_node === node_id));
  for (;;) {
    const ready: string[] = [];
    for (const { node_id, join_type } of workflow.nodes) {
      if (resolved.has(node_id)) continue;
      const into = workflow.edges.filter(({ to_node }) => to_node === node_id);
      if (into.some(({ from_node }) => !resolved.has(from_node))) continue;
      const arrived = into.filter(edge => taken.includes(edge)).length;
      const runs =
        into.length === 0 ? node_id === start?.node_id : join_type === 'AND' ? arrived === into.length : arrived > 0;
      if (runs) ready.push(node_id);
      else resolved.set(node_id, 'skipped');
    }
    const undoing = (id: string): boolean => ['rollback', 'undo'].includes(kinds.get(id) ?? '');
    const next = ready.filter(id => !undoing(id))[0] ?? ready.sort()[0];
    if (next === undefined) {
      if (workflow.nodes.every(({ node_id }) => resolved.has(node_id))) break;
      continue;
    }
    const kind = kinds.get(next) as Kind;
    const outcome = outcomes.get(next) as string;
    resolved.set(next, outcome);
    if (undoing(next)) for (const id of [...stays]) if (effectOf(id, subject) === 'undoable') stays.delete(id);
    if (canFailOf(kind) && effectOf(next, subject) !== 'none' && (outcome === 'success' || isSkillLike(next, subject)))
      stays.add(next);
    if (outcome === 'failure') failed.add(next);
    const out = workflow.edges.filter(({ from_node }) => from_node === next);
    const drains =
      outcome === 'failure' && (ERRORS.includes(kind) ? !out.some(({ label }) => label === 'failure') : false);
    for (const edge of out) if (!drains && (edge.label === outcome || edge.label === 'always')) taken.push(edge);
  }
  return { stays, taken, failed };
}

function* everyOutcome({ workflow, kinds }: Case): Generator<ReadonlyMap<string, string>> {
  const choices = workflow.nodes.map(({ node_id }) => {
    const kind = kinds.get(node_id) as Kind;
    const options =
      kind === 'condition' ? ['true', 'false', 'default'] : canFailOf(kind) ? ['success', 'failure'] : ['end'];
    return [node_id, options] as const;
  });
  const total = choices.reduce((product, [, options]) => product * options.length, 1);
  for (let number = 0; number < total; number++) {
    let rest = number;
    yield new Map(
      choices.map(([id, options]) => {
        const option = options[rest % options.length] as string;
        rest = Math.floor(rest / options.length);
        return [id, option];
      }),
    );
  }
}

/** Every pair of a node that fails for good and an effect, before it over taken edges, that stays. */
function tried(subject: Case): Set<string> {
  const { kinds } = subject;
  const found = new Set<string>();
  for (const outcomes of everyOutcome(subject)) {
    const { stays, taken, failed } = execute(subject, outcomes);
    for (const id of failed) {
      if (['retry', 'rollback', 'undo'].includes(kinds.get(id) ?? '') || !isFinal(id, failed, subject)) continue;
      for (const effect of stays) {
        const isSelf = effect === id && isSkillLike(id, subject);
        if (isSelf || leads(taken, effect, id)) found.add(`${id} leaves ${effect}`);
      }
    }
  }
  return found;
}

/** Whether every retry of a failed node failed as well. */
function isFinal(id: string, failed: ReadonlySet<string>, subject: Case): boolean {
  const edge = subject.workflow.edges.find(({ from_node, label }) => from_node === id && label === 'failure');
  if (edge === undefined || subject.kinds.get(edge.to_node) !== 'retry') return true;
  return failed.has(edge.to_node) && isFinal(edge.to_node, failed, subject);
}

function leads(edges: readonly Edge[], from: string, to: string): boolean {
  return edges.some(edge => edge.from_node === from && (edge.to_node === to || leads(edges, edge.to_node, to)));
}

function said({ workflow }: Case): Set<string> | undefined {
  const { safety } = verify(workflow, REGISTRY);
  if (safety === undefined || safety.zones_reason !== undefined) return undefined;
  return new Set(
    safety.zones.flatMap(({ node_id, remains }) => remains.map(effect => `${node_id} leaves ${effect.node_id}`)),
  );
}

describe('partial-failure zones of small graphs', () => {
  it('are exactly what some execution leaves, where no AND join has to be satisfied', () => {
    let judged = 0;
    let named = 0;
    fc.assert(
      fc.property(cases('OR'), subject => {
        const zones = said(subject);
        if (zones === undefined) return;
        judged++;
        named += zones.size;
        expect([...zones].sort()).toEqual([...tried(subject)].sort());
      }),
      { numRuns: 1500 },
    );
    expect(judged).toBeGreaterThan(500);
    expect(named).toBeGreaterThan(300);
  });

  it('miss nothing that some execution leaves', () => {
    let named = 0;
    fc.assert(
      fc.property(cases('any'), subject => {
        const zones = said(subject);
        const left = tried(subject);
        named += zones === undefined ? 0 : left.size;
        if (zones !== undefined) for (const pair of left) expect(zones.has(pair), pair).toBe(true);
      }),
      { numRuns: 1000 },
    );
    expect(named).toBeGreaterThan(200);
  });
});

describe('partial-failure zones of large graphs', () => {
  it('are found in a chain of twenty thousand nodes with effects', () => {
    const count = 20_000;
    const id = (at: number): string => `n${String(count - at).padStart(6, '0')}`;
    const nodes: Node[] = Array.from({ length: count }, (_, at) => nodeOf(id(at), 'undoable', false));
    const edges: Edge[] = nodes
      .slice(1)
      .map((node, at) => ({ from_node: id(at), to_node: node.node_id, label: 'success' }));
    const document: Workflow = {
      schema_version: '1.0',
      workflow: { name: 'w', version: '1.0.0' },
      actions: [...ACTIONS],
      nodes,
      edges,
    };
    const zones = verify(document).safety?.zones ?? [];
    expect(zones).toHaveLength(count - 1);
    expect(zones[0]?.remains).toHaveLength(8);
  });
});
