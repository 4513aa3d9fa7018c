import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action, Edge, ErrorClass, Node, TerminalStatus, TraceEntry, Workflow } from '../../../schemas/types.js';
import { mayRetry } from '../execution/retry.js';
import { type InstanceHead, newInstance, traceOf } from './instance.js';
import type { InstanceEffect, InstanceEvent } from './instance-event.js';
import { planWorkflow } from './plan.js';
import { sourceOf } from './resolve.js';
import { transition } from './transition.js';

const action: Action = { action_id: 'a', version: '1.0.0', determinism: 'deterministic', rollback: 'rollbackable' };

/** A small graph in topological order, and what its actions and conditions come to. */
interface Case {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  /** By node: the class of the error of each attempt, or success. */
  readonly results: readonly (readonly (ErrorClass | 'success')[])[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

interface Outcome {
  readonly trace: readonly TraceEntry[];
  readonly status: string;
}

const LABELS = { action: ['success', 'failure', 'always'], condition: ['x', 'y', 'default'] } as const;

const cases: fc.Arbitrary<Case> = fc.integer({ min: 2, max: 9 }).chain(size =>
  fc
    .record({
      kinds: fc.array(fc.constantFrom('action', 'action', 'condition', 'terminal'), {
        minLength: size,
        maxLength: size,
      }),
      joins: fc.array(fc.constantFrom('AND', 'OR'), { minLength: size, maxLength: size }),
      statuses: fc.array(fc.constantFrom('completed', 'compensated', 'failed'), { minLength: size, maxLength: size }),
      values: fc.array(fc.constantFrom('x', 'y', 'z', true, 5), { minLength: size, maxLength: size }),
      results: fc.array(
        fc.array(fc.constantFrom('success', 'success', 'E0', 'E1', 'E2', 'E5'), { minLength: 5, maxLength: 5 }),
        { minLength: size, maxLength: size },
      ),
      links: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: size, maxLength: 3 * size }),
      parents: fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: size, maxLength: size }),
    })
    .map(drawn => build(size, drawn)),
);

function build(
  size: number,
  drawn: {
    kinds: ('action' | 'condition' | 'terminal')[];
    joins: ('AND' | 'OR')[];
    statuses: TerminalStatus[];
    values: unknown[];
    results: (ErrorClass | 'success')[][];
    links: [number, number, number][];
    parents: [number, number][];
  },
): Case {
  const kinds = drawn.kinds.map((kind, at) => (at === 0 && kind === 'terminal' ? 'action' : kind));
  const nodes = kinds.map((type, at): Node => {
    const node_id = `n${at}`;
    const join_type = drawn.joins[at] as 'AND' | 'OR';
    if (type === 'action') return { node_id, type, action_def: 'a@1', join_type };
    if (type === 'condition') return { node_id, type, expression: `inputs.${node_id}`, join_type };
    return { node_id, type, status: drawn.statuses[at] as TerminalStatus, join_type };
  });
  const edges = new Map<string, Edge>();
  const link = (from: number, to: number, pick: number) => {
    const kind = kinds[from];
    if (kind === 'terminal' || kind === undefined) return;
    const labels = LABELS[kind];
    const label = labels[pick % labels.length] as string;
    const edge = { from_node: `n${from}`, to_node: `n${to}`, label };
    edges.set(kind === 'condition' ? `${from} ${label}` : `${from} ${to} ${label}`, edge);
  };
  for (const [from, to, pick] of drawn.links) {
    const low = from % size;
    if (low + 1 < size) link(low, low + 1 + (to % (size - low - 1)), pick);
  }
  const inputs = Object.fromEntries(drawn.values.map((value, at) => [`n${at}`, value]));
  const all = [...edges.values()];
  for (let to = 1; to < size; to++) {
    if (all.some(edge => edge.to_node === `n${to}`)) continue;
    const open = kinds.map((kind, at) => ({ kind, at })).filter(({ kind, at }) => kind === 'action' && at < to);
    const [pick, label] = drawn.parents[to] as [number, number];
    const from = open.length === 0 ? undefined : open[pick % open.length];
    if (from === undefined) continue;
    all.push({ from_node: `n${from.at}`, to_node: `n${to}`, label: LABELS.action[label % 3] as string });
  }
  return { nodes, edges: all, results: drawn.results, inputs };
}

function instanceOf({ nodes, edges, inputs }: Case, max_parallel: number) {
  const workflow: Workflow = {
    schema_version: '1.0',
    workflow: { name: 'w', version: '1.0.0', start: 'n0' },
    actions: [action],
    nodes: [...nodes],
    edges: [...edges],
  };
  const head: InstanceHead = { execution_id: 'i', context_id: 'i', agent_id: 'a', inputs, context: {} };
  return newInstance(planWorkflow(workflow, sourceOf([])), head, max_parallel);
}

/** The same by the letter of the rules, node by node in topological order. */
function byTheLetter({ nodes, edges, results, inputs }: Case): Outcome {
  const outcome = new Map<string, { word: string; dead: boolean }>();
  const trace: TraceEntry[] = [];
  let marked = false;
  const reached: string[] = [];
  nodes.forEach((node, at) => {
    const ins = edges.filter(edge => edge.to_node === node.node_id);
    if (at > 0 && ins.some(edge => !outcome.has(edge.from_node))) return;
    if (at > 0 && ins.length === 0) return;
    const taken = ins.filter(({ from_node, label }) => {
      const from = outcome.get(from_node);
      return from?.dead === false && (label === 'always' || label === from.word);
    });
    const and = node.join_type === 'AND';
    const ready = at === 0 || (and ? taken.length === ins.length : taken.length > 0);
    let attempts = 0;
    let word = 'skipped';
    let dead = true;
    if (ready && node.type === 'terminal') {
      word = node.status;
      reached.push(word);
    } else if (ready && node.type === 'condition') {
      const value = inputs[node.node_id];
      const labels = edges.filter(edge => edge.from_node === node.node_id).map(edge => edge.label);
      const fit = typeof value === 'number' ? [] : [String(value), 'default'].filter(label => labels.includes(label));
      word = fit[0] ?? 'failure';
      dead = fit.length === 0;
      marked ||= dead;
    } else if (ready) {
      let last: ErrorClass | 'success' = 'success';
      do last = results[at]?.[attempts++] ?? 'success';
      while (last !== 'success' && mayRetry(attempts, last, { determinism: 'deterministic' }));
      const labels = edges.filter(edge => edge.from_node === node.node_id).map(edge => edge.label);
      word = last === 'success' ? 'success' : 'failure';
      dead = last === 'E5' || (last !== 'success' && !labels.some(label => label !== 'success'));
      marked ||= dead;
    }
    outcome.set(node.node_id, { word, dead });
    trace.push({ node_id: node.node_id, outcome: word, attempts });
  });
  const worst = ['failed', 'compensated', 'completed'].find(status => reached.includes(status)) ?? 'failed';
  return { trace, status: marked ? 'failed' : worst };
}

/** The transitions, with completions in the order that `pick` chooses. */
function drive(subject: Case, max_parallel: number, pick: (among: number) => number): Outcome {
  const instance = instanceOf(subject, max_parallel);
  const open: InstanceEffect[] = [];
  let running = 0;
  const feed = (event: InstanceEvent) => {
    for (const effect of transition(instance, event).effects) {
      if (effect.type === 'execute') running += 1;
      if (effect.type === 'execute' || effect.type === 'wait') open.push(effect);
    }
    expect(running).toBeLessThanOrEqual(max_parallel);
  };
  feed({ type: 'started' });
  feed({ type: 'continued' });
  while (open.length > 0) {
    const [effect] = open.splice(pick(open.length), 1);
    if (effect?.type === 'wait') feed({ type: 'retry_due', node: effect.node });
    if (effect?.type !== 'execute') continue;
    const { node, attempt } = effect;
    running -= 1;
    feed({ type: 'invoked', node, attempt });
    const result = subject.results[node]?.[attempt - 1] ?? 'success';
    if (result === 'success') feed({ type: 'committed', node, result: {} });
    else feed({ type: 'failed', node, failure: { error_class: result, detail: 'no' }, closed: false });
  }
  return { trace: traceOf(instance), status: instance.end?.status ?? 'running' };
}

const byName = (trace: readonly TraceEntry[]) => [...trace].sort((a, b) => (a.node_id < b.node_id ? -1 : 1));

describe('transition', () => {
  it('gives what the rules say by the letter, at any parallelism and in any order of completion', () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat()), (subject, width, stream) => {
        const pick = (among: number) => (stream.next().value as number) % among;
        const outcome = drive(subject, width, pick);
        const expected = byTheLetter(subject);
        expect(byName(outcome.trace)).toEqual(byName(expected.trace));
        expect(outcome.status).toBe(expected.status);
      }),
      { numRuns: 1500 },
    );
  });

  it('resolves a chain of a hundred thousand conditions', () => {
    const length = 100_000;
    const nodes: Node[] = [];
    const edges: Edge[] = [];
    for (let at = 0; at < length; at++) {
      nodes.push({ node_id: `n${at}`, type: 'condition', expression: 'true' });
      edges.push({ from_node: `n${at}`, to_node: `n${at + 1}`, label: 'true' });
    }
    nodes.push({ node_id: `n${length}`, type: 'terminal', status: 'completed' });
    const { status, trace } = drive({ nodes, edges, results: [], inputs: {} }, 1, () => 0);
    expect(status).toBe('completed');
    expect(trace.length).toBe(length + 1);
  });

  const pair: Case = {
    nodes: [
      { node_id: 'n0', type: 'action', action_def: 'a@1', fan_out: 'parallel' },
      { node_id: 'n1', type: 'action', action_def: 'a@1' },
      { node_id: 'n2', type: 'action', action_def: 'a@1' },
      { node_id: 'n3', type: 'terminal', status: 'completed', join_type: 'OR' },
    ],
    edges: [
      { from_node: 'n0', to_node: 'n1', label: 'success' },
      { from_node: 'n0', to_node: 'n2', label: 'success' },
      { from_node: 'n1', to_node: 'n3', label: 'success' },
      { from_node: 'n2', to_node: 'n3', label: 'success' },
    ],
    results: [],
    inputs: {},
  };

  function startedPair(max_parallel: number) {
    const instance = instanceOf(pair, max_parallel);
    const feed = (event: InstanceEvent) => transition(instance, event).effects;
    feed({ type: 'started' });
    feed({ type: 'continued' });
    const finish = (node: number) => {
      feed({ type: 'invoked', node, attempt: 1 });
      return feed({ type: 'committed', node, result: {} });
    };
    return { instance, feed, finish };
  }

  it('starts nothing while an execution is in doubt, and goes on when that is settled', () => {
    const { instance, feed, finish } = startedPair(2);
    finish(0);
    feed({ type: 'invoked', node: 1, attempt: 1 });
    expect(feed({ type: 'doubted', node: 1 })).toEqual([]);
    expect(finish(2)).toEqual([]);
    expect(traceOf(instance)).toContainEqual({ node_id: 'n1', outcome: 'in_doubt', attempts: 1 });
    expect(feed({ type: 'committed', node: 1, result: {} })).toEqual([]);
    expect(feed({ type: 'continued' }).map(effect => effect.type)).toEqual(['record_terminal', 'end']);
    expect(instance.end?.status).toBe('completed');
  });

  it('ends a cancelled instance when the last invocation has ended', () => {
    const { instance, feed, finish } = startedPair(1);
    expect(finish(0)).toEqual([{ type: 'execute', node: 1, attempt: 1 }]);
    expect(feed({ type: 'stopped', reason: 'cancelled' })).toEqual([]);
    expect(finish(1)).toEqual([
      { type: 'end', end: { status: 'failed', error: { error_class: 'E0', detail: 'cancelled' } } },
    ]);
    expect(traceOf(instance).map(entry => entry.node_id)).toEqual(['n0', 'n1']);
  });
});
